/* What the tests of this room share: a folder of their own, and stores with runs of known figures.
 */
#ifndef TESTS_REPORTS_FIXTURE_H
#define TESTS_REPORTS_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "reports/database.h"
#include "reports/store.h"

#define LENGTH(array) (sizeof(array) / sizeof((array)[0]))

/* Each test runs in a new folder, which is the current one, and leaves nothing behind. */
static inline int enter_folder(void **state) {
    char template[] = "/tmp/headroom-reports-XXXXXX";
    assert_non_null(mkdtemp(template));
    *state = strdup(template);
    return chdir(template);
}

static inline int leave_folder(void **state) {
    char command[128];
    snprintf(command, sizeof(command), "rm -rf '%s'", (char *)*state);
    free(*state);
    return chdir("/") != 0 || system(command) != 0;
}

#define IN_FOLDER(test) cmocka_unit_test_setup_teardown(test, enter_folder, leave_folder)

/* Files in the current folder, hidden ones too. */
static inline size_t count_files(void) {
    DIR *entries = opendir(".");
    assert_non_null(entries);
    size_t count = 0;
    for (struct dirent *entry; (entry = readdir(entries)) != NULL;) {
        count += strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0;
    }
    closedir(entries);
    return count;
}

static inline void assert_message(const struct error *error, const char *expected) {
    char text[2048];
    assert_string_equal(error_format(error, text, sizeof(text)), expected);
}

static inline void must(bool success, const struct error *error) {
    if (!success) {
        fail_msg("%s: %s", error->file, error->message);
    }
}

/* A store with one scenario and one batch to put runs into. */
struct bench {
    struct store *store;
    int64_t batch;
    char sha256[65];
};

static inline struct bench bench_open(const char *path) {
    struct bench bench = {0};
    struct error error;
    bool existed = false;
    bench.store = store_open(path, &existed, &error);
    must(bench.store != NULL, &error);
    must(store_add_scenario(bench.store, "day-night", "headroom: 1\n", bench.sha256, &error),
         &error);
    must(store_new_batch(bench.store, &bench.batch, &error), &error);
    return bench;
}

static inline struct run_identity identify(const struct bench *bench, const char *variant,
                                           uint64_t replication) {
    return (struct run_identity){.batch = bench->batch,
                                 .scenario = "day-night",
                                 .variant = variant,
                                 .point = "",
                                 .replication = replication,
                                 .seed = 1,
                                 .scenario_sha256 = bench->sha256,
                                 .inputs_sha256 = "0123"};
}

/* Stores a run with these figures and no rows; returns its run_id. */
static inline int64_t store_run(struct bench *bench, const struct run_identity *identity,
                                struct metric *metrics, size_t count) {
    struct error error;
    struct spool *spool = spool_open(bench->store, identity, &error);
    must(spool != NULL, &error);
    struct results results = {
        .end = 10 * NANOSECONDS_PER_SECOND, .events = 7, .metrics = metrics, .metric_count = count};
    int64_t run_id = 0;
    must(spool_finish(spool, &results, 0.5, &error), &error);
    must(store_merge(bench->store, spool, &run_id, &error), &error);
    spool_close(spool);
    return run_id;
}

/* cmocka's own compares floats only. */
static inline void assert_near(double value, double expected, double tolerance) {
    if (!(fabs(value - expected) <= tolerance)) {
        fail_msg("%.17g is not %.17g +- %g", value, expected, tolerance);
    }
}

/* The one number a query gives. */
static inline double query_number(struct store *store, const char *sql) {
    sqlite3_stmt *statement = NULL;
    sqlite3 *connection = store_connection(store);
    if (sqlite3_prepare_v2(connection, sql, -1, &statement, NULL) != SQLITE_OK) {
        fail_msg("%s: %s", sql, sqlite3_errmsg(connection));
    }
    assert_int_equal(sqlite3_step(statement), SQLITE_ROW);
    double value = database_real(statement, 0);
    sqlite3_finalize(statement);
    return value;
}

static inline void assert_query_text(struct store *store, const char *sql, const char *expected) {
    sqlite3_stmt *statement = NULL;
    sqlite3 *connection = store_connection(store);
    if (sqlite3_prepare_v2(connection, sql, -1, &statement, NULL) != SQLITE_OK) {
        fail_msg("%s: %s", sql, sqlite3_errmsg(connection));
    }
    assert_int_equal(sqlite3_step(statement), SQLITE_ROW);
    assert_string_equal(database_text(statement, 0), expected);
    sqlite3_finalize(statement);
}

#endif
