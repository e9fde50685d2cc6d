/* What cannot be a results database is refused with one line that says what it is and what to do.
 */
#include "tests/reports/fixture.h"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/stat.h>

#include "reports/store_internal.h"

static void assert_refused(const char *path, const char *message) {
    struct error error;
    bool existed = false;
    assert_null(store_open(path, &existed, &error));
    assert_message(&error, message);
}

static void assert_not_readable(const char *path, const char *message) {
    struct error error;
    assert_null(store_open_existing(path, &error));
    assert_message(&error, message);
}

static void write_file(const char *path, const char *text) {
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

static void run_sql(const char *path, const char *sql) {
    sqlite3 *connection = NULL;
    assert_int_equal(sqlite3_open(path, &connection), SQLITE_OK);
    assert_int_equal(sqlite3_exec(connection, sql, NULL, NULL, NULL), SQLITE_OK);
    sqlite3_close(connection);
}

static void no_file_can_be_there(void **state) {
    (void)state;
    mkdir("results", 0755);
    write_file("file", "");
    assert_refused("", "the name of the results database is empty");
    assert_refused("results", "results: is a directory; name a file, such as results/headroom.db");
    assert_refused("results/",
                   "results/: is a directory; name a file, such as results/headroom.db");
    assert_refused("missing/a.db",
                   "missing/a.db: the folder 'missing' does not exist; make it first "
                   "or choose another file");
    assert_refused("file/a.db", "file/a.db: cannot be opened: Not a directory");
    assert_refused("/dev/full", "/dev/full: is not a regular file, as a database must be");
    assert_int_equal(count_files(), 2);
}

static void other_files_are_left_alone(void **state) {
    (void)state;
    static const char text[] =
        "seed: 1\nname: a scenario, and no database at all, of a few words\n";
    write_file("a.yaml", text);
    assert_refused("a.yaml",
                   "a.yaml: is not a SQLite database; choose another file or move this one "
                   "away");
    FILE *file = fopen("a.yaml", "r");
    char back[128] = "";
    assert_int_equal(fread(back, 1, sizeof(back) - 1, file), strlen(text));
    fclose(file);
    assert_string_equal(back, text);

    run_sql("other.db", "CREATE TABLE photos (id INTEGER)");
    assert_refused("other.db",
                   "other.db: is a SQLite database, but none of headroom's; choose another file");
    run_sql("marked.db", "PRAGMA application_id = 7");
    assert_refused("marked.db",
                   "marked.db: is a SQLite database, but none of headroom's; choose another file");
    assert_int_equal(count_files(), 3);
}

static void a_newer_version_is_refused(void **state) {
    (void)state;
    store_close(bench_open("a.db").store);
    run_sql("a.db", "PRAGMA user_version = 5");
    static const char message[] =
        "a.db: was written by a newer headroom (database version 5, this one knows 4); update "
        "headroom or choose another file";
    assert_refused("a.db", message);
    assert_not_readable("a.db", message);
}

/* What version 1 lacks would else be found missing in the midst of a run. */
static void an_older_version_is_refused(void **state) {
    (void)state;
    store_close(bench_open("a.db").store);
    run_sql("a.db", "DROP TABLE latency; PRAGMA user_version = 1");
    static const char message[] =
        "a.db: was written by an older headroom (database version 1, this one knows 4); move it "
        "away or choose another file";
    assert_refused("a.db", message);
    assert_not_readable("a.db", message);
}

static void a_damaged_one_is_refused(void **state) {
    (void)state;
    store_close(bench_open("a.db").store);
    int file = open("a.db", O_WRONLY);
    char garbage[4096];
    memset(garbage, 0xA5, sizeof(garbage));
    assert_int_equal(pwrite(file, garbage, sizeof(garbage), 100), sizeof(garbage));
    close(file);
    assert_refused("a.db", "a.db: is damaged; move it away, and rescue what can be read with "
                           "`sqlite3 FILE .recover`");
}

static void reading_needs_results(void **state) {
    (void)state;
    assert_not_readable("missing.db",
                        "missing.db: no such file; give a database that `headroom run` "
                        "has written");
    write_file("empty.db", "");
    assert_not_readable("empty.db",
                        "empty.db: is empty; give a database that `headroom run` has written");
    mkdir("folder", 0755);
    assert_not_readable("folder",
                        "folder: is a directory; name a file, such as folder/headroom.db");
    assert_int_equal(count_files(), 2);
}

static void reading_changes_nothing(void **state) {
    (void)state;
    store_close(bench_open("a.db").store);
    struct error error;
    struct store *store = store_open_existing("a.db", &error);
    must(store != NULL, &error);
    int64_t batch = 0;
    assert_false(store_new_batch(store, &batch, &error));
    assert_int_equal(query_number(store, "SELECT count(*) FROM batch"), 1);
    store_close(store);
    assert_int_equal(count_files(), 1);
}

/* Root may write anywhere, so the tests of permissions become somebody else. */
static bool become_nobody(void) {
    return geteuid() != 0 || seteuid(65534) == 0;
}

static void become_oneself(void) {
    assert_int_equal(seteuid(getuid()), 0);
    prctl(PR_SET_DUMPABLE, 1); /* what the leak checker needs, and a change of user takes away */
}

static void what_is_read_only_is_read(void **state) {
    (void)state;
    struct bench bench = bench_open("a.db");
    struct run_identity identity = identify(&bench, "base", 0);
    store_run(&bench, &identity, NULL, 0);
    store_close(bench.store);
    chmod(".", 0755);
    chmod("a.db", 0444);
    if (!become_nobody()) {
        skip();
    }
    static const char read_only[] = "a.db: is read-only; make it writable or choose another file";
    assert_refused("a.db", read_only);
    struct error error;
    struct store *store = store_open_existing("a.db", &error);
    double runs = store != NULL ? query_number(store, "SELECT count(*) FROM run") : 0;
    store_close(store);
    become_oneself();
    assert_int_equal(runs, 1);
    assert_int_equal(count_files(), 1);
}

static void a_read_only_folder_is_refused(void **state) {
    (void)state;
    store_close(bench_open("a.db").store);
    chmod("a.db", 0666);
    chmod(".", 0555);
    if (!become_nobody()) {
        skip();
    }
    assert_refused("a.db", "a.db: its folder cannot be written to (Permission denied), and the "
                           "database needs temporary files beside it; choose a file in another "
                           "folder");
    assert_refused("new.db",
                   "new.db: cannot be made: its folder cannot be written to (Permission denied); "
                   "choose a file in another folder");
    become_oneself();
    chmod(".", 0755);
    assert_int_equal(count_files(), 1);
}

/* Takes the five seconds that a person is made to wait. */
static void a_locked_one_is_refused_after_a_while(void **state) {
    (void)state;
    store_close(bench_open("a.db").store);
    sqlite3 *other = NULL;
    assert_int_equal(sqlite3_open("a.db", &other), SQLITE_OK);
    assert_int_equal(sqlite3_exec(other, "BEGIN EXCLUSIVE", NULL, NULL, NULL), SQLITE_OK);
    assert_refused("a.db",
                   "a.db: is locked by another process; close it there (sqlite3, a notebook, "
                   "another headroom) or choose another file");
    sqlite3_close(other);
}

/* A finished run is worth ten minutes of waiting for whoever has the file. */
static void merging_waits_for_long(void **state) {
    (void)state;
    struct bench bench = bench_open("a.db");
    int64_t run_id = 0;
    struct error error;
    assert_true(store_reserve_run(bench.store, &run_id, &error));
    sqlite3_stmt *statement = NULL;
    sqlite3_prepare_v2(store_connection(bench.store), "PRAGMA busy_timeout", -1, &statement, NULL);
    assert_int_equal(sqlite3_step(statement), SQLITE_ROW);
    assert_int_equal(sqlite3_column_int(statement, 0), 600000);
    sqlite3_finalize(statement);
    store_close(bench.store);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        IN_FOLDER(no_file_can_be_there),          IN_FOLDER(other_files_are_left_alone),
        IN_FOLDER(a_newer_version_is_refused),    IN_FOLDER(an_older_version_is_refused),
        IN_FOLDER(a_damaged_one_is_refused),      IN_FOLDER(reading_needs_results),
        IN_FOLDER(reading_changes_nothing),       IN_FOLDER(what_is_read_only_is_read),
        IN_FOLDER(a_read_only_folder_is_refused), IN_FOLDER(a_locked_one_is_refused_after_a_while),
        IN_FOLDER(merging_waits_for_long),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
