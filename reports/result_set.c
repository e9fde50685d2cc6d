#include "reports/result_set.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "reports/store_internal.h"
#include "sim/kernel/memory.h"
#include "sim/kernel/statistics.h"

static void keep_error(struct result_set *set, const struct error *error) {
    if (!set->failed) {
        set->failed = true;
        set->error = *error;
    }
}

bool result_set_failed(const struct result_set *set, struct error *error) {
    if (set->failed) {
        *error = set->error;
    }
    return set->failed;
}

/* NULL with the error kept. */
static sqlite3_stmt *prepare(struct result_set *set, const char *sql) {
    struct error error;
    sqlite3_stmt *statement = database_prepare(&set->store->database, sql, true, &error);
    if (statement == NULL) {
        keep_error(set, &error);
    }
    return statement;
}

/* Whether there is a next row; an error, which is kept, ends the rows. */
static bool next_row(struct result_set *set, sqlite3_stmt *statement) {
    struct error error;
    int found = database_next(&set->store->database, statement, &error);
    if (found < 0) {
        keep_error(set, &error);
    }
    return found == 1;
}

sqlite3_stmt *result_prepare(struct result_set *set, const struct result_case *of,
                             const char *sql) {
    struct error error;
    sqlite3_stmt *statement = database_prepare(&set->store->database, sql, false, &error);
    if (statement == NULL) {
        keep_error(set, &error);
        return NULL;
    }
    sqlite3_bind_int64(statement, 1, of->batch);
    sqlite3_bind_text(statement, 2, of->scenario, -1, SQLITE_STATIC);
    sqlite3_bind_text(statement, 3, of->variant, -1, SQLITE_STATIC);
    sqlite3_bind_text(statement, 4, of->point, -1, SQLITE_STATIC);
    return statement;
}

bool result_next(struct result_set *set, sqlite3_stmt *statement) {
    return statement != NULL && next_row(set, statement);
}

static const char *copy_column(struct result_set *set, sqlite3_stmt *statement, int column) {
    return arena_duplicate_string(&set->arena, database_text(statement, column));
}

enum {
    COLUMN_SCENARIO,
    COLUMN_VARIANT,
    COLUMN_POINT,
    COLUMN_CURRENCY,
    COLUMN_SCENARIO_SHA256,
    COLUMN_BATCH,
    COLUMN_RUN_ID,
    COLUMN_REPLICATION,
    COLUMN_SEED,
    COLUMN_SIM_SECONDS,
    COLUMN_WALL_SECONDS,
    COLUMN_EVENTS,
};

/* Runs of a case follow each other; cases come in the order of their first run's place. */
static const char runs_query[] =
    "SELECT scenario, variant, point, currency, scenario_sha256, batch, run_id, replication, seed, "
    "       sim_seconds, wall_seconds, events, "
    "       min(position) OVER of_case AS first_position, min(run_id) OVER of_case AS first_run "
    "FROM run "
    "WHERE CASE WHEN ?1 = 0 THEN run_id IN (SELECT run_id FROM v_newest) ELSE batch = ?1 END "
    "WINDOW of_case AS (PARTITION BY scenario, variant, point) "
    "ORDER BY batch, first_position, first_run, scenario, variant, point, replication, run_id";

static bool same_case(const struct result_case *a, sqlite3_stmt *row) {
    return strcmp(a->scenario, database_text(row, COLUMN_SCENARIO)) == 0 &&
           strcmp(a->variant, database_text(row, COLUMN_VARIANT)) == 0 &&
           strcmp(a->point, database_text(row, COLUMN_POINT)) == 0;
}

/* Growing arrays, moved into the arena when complete. */
struct reading {
    struct result_case *cases;
    size_t case_capacity;
    struct result_run *runs;
    size_t run_count;
    size_t run_capacity;
};

static void end_case(struct result_set *set, struct reading *reading) {
    if (set->case_count > 0) {
        struct result_case *ended = &reading->cases[set->case_count - 1];
        ended->run_count = reading->run_count;
        ended->runs = arena_allocate(&set->arena, reading->run_count, sizeof(ended->runs[0]));
        memcpy(ended->runs, reading->runs, reading->run_count * sizeof(ended->runs[0]));
        reading->run_count = 0;
    }
}

static void add_run(struct result_set *set, struct reading *reading, sqlite3_stmt *row) {
    if (set->case_count == 0 || !same_case(&reading->cases[set->case_count - 1], row)) {
        end_case(set, reading);
        reading->cases = memory_grow(reading->cases, &reading->case_capacity, set->case_count + 1,
                                     sizeof(reading->cases[0]));
        reading->cases[set->case_count++] = (struct result_case){
            .scenario = copy_column(set, row, COLUMN_SCENARIO),
            .variant = copy_column(set, row, COLUMN_VARIANT),
            .point = copy_column(set, row, COLUMN_POINT),
            .currency = copy_column(set, row, COLUMN_CURRENCY),
            .scenario_sha256 = copy_column(set, row, COLUMN_SCENARIO_SHA256),
            .batch = sqlite3_column_int64(row, COLUMN_BATCH),
        };
    }
    reading->runs = memory_grow(reading->runs, &reading->run_capacity, reading->run_count + 1,
                                sizeof(reading->runs[0]));
    reading->runs[reading->run_count++] = (struct result_run){
        .run_id = sqlite3_column_int64(row, COLUMN_RUN_ID),
        .replication = sqlite3_column_int64(row, COLUMN_REPLICATION),
        .seed = sqlite3_column_int64(row, COLUMN_SEED),
        .sim_seconds = sqlite3_column_double(row, COLUMN_SIM_SECONDS),
        .wall_seconds = sqlite3_column_double(row, COLUMN_WALL_SECONDS),
        .events = sqlite3_column_int64(row, COLUMN_EVENTS),
    };
}

static void read_runs(struct result_set *set, int64_t batch) {
    sqlite3_stmt *statement = prepare(set, runs_query);
    if (statement == NULL) {
        return;
    }
    sqlite3_bind_int64(statement, 1, batch);
    struct reading reading = {0};
    while (next_row(set, statement)) {
        add_run(set, &reading, statement);
    }
    sqlite3_finalize(statement);
    end_case(set, &reading);
    set->cases = arena_allocate(&set->arena, set->case_count, sizeof(set->cases[0]));
    if (set->case_count > 0) {
        memcpy(set->cases, reading.cases, set->case_count * sizeof(set->cases[0]));
    }
    free(reading.cases);
    free(reading.runs);
}

bool result_set_read(struct result_set *set, struct store *store, int64_t batch,
                     struct error *error) {
    *set = (struct result_set){.store = store};
    if (!database_execute(&store->database, "BEGIN", error)) {
        return false;
    }
    set->metric = prepare(set, "SELECT value FROM metric "
                               "WHERE run_id = ?1 AND scope = ?2 AND subject = ?3 AND name = ?4");
    set->cost = prepare(set, "SELECT usd, usd_idle_share, usd_per_month, usd_energy FROM cost "
                             "WHERE run_id = ?1 AND scope = ?2 AND subject = ?3");
    read_runs(set, batch);
    return !result_set_failed(set, error);
}

void result_set_clear(struct result_set *set) {
    sqlite3_finalize(set->metric);
    sqlite3_finalize(set->cost);
    if (set->store != NULL && sqlite3_get_autocommit(set->store->database.connection) == 0) {
        sqlite3_exec(set->store->database.connection, "COMMIT", NULL, NULL, NULL);
    }
    arena_clear(&set->arena);
    *set = (struct result_set){0};
}

static double read_value(struct result_set *set, sqlite3_stmt *statement, int column) {
    double value = next_row(set, statement) ? database_real(statement, column) : NAN;
    sqlite3_reset(statement);
    return value;
}

static void bind_figure(struct result_set *set, int64_t run_id, enum scope scope,
                        const char *subject, const char *name) {
    sqlite3_bind_int64(set->metric, 1, run_id);
    sqlite3_bind_text(set->metric, 2, scope_names[scope], -1, SQLITE_STATIC);
    sqlite3_bind_text(set->metric, 3, subject, -1, SQLITE_STATIC);
    sqlite3_bind_text(set->metric, 4, name, -1, SQLITE_STATIC);
}

void result_values(struct result_set *set, const struct result_case *of, enum scope scope,
                   const char *subject, const char *name, double *values) {
    for (size_t i = 0; i < of->run_count; i++) {
        values[i] = NAN;
        if (!set->failed) {
            bind_figure(set, of->runs[i].run_id, scope, subject, name);
            values[i] = read_value(set, set->metric, 0);
        }
    }
}

bool result_has_figure(struct result_set *set, const struct result_case *of, enum scope scope,
                       const char *subject, const char *name) {
    if (set->failed) {
        return false;
    }
    bind_figure(set, of->runs[0].run_id, scope, subject, name);
    bool found = next_row(set, set->metric);
    sqlite3_reset(set->metric);
    return found;
}

/* What equal values differ by when they come by different ways, as a share. */
static const double ROUNDING = 1e-12;

struct figure figure_of(const double *values, size_t count) {
    double *present = memory_zero(count, sizeof(present[0]));
    struct figure figure = {0};
    for (size_t i = 0; i < count; i++) {
        if (!isnan(values[i])) {
            present[figure.count++] = values[i];
        }
    }
    statistics_interval(present, figure.count, 0.95, &figure.mean, &figure.half_width);
    if (figure.half_width <= ROUNDING * fabs(figure.mean)) {
        figure.half_width = 0;
    }
    free(present);
    return figure;
}

struct figure result_figure(struct result_set *set, const struct result_case *of, enum scope scope,
                            const char *subject, const char *name) {
    double *values = memory_zero(of->run_count, sizeof(values[0]));
    result_values(set, of, scope, subject, name, values);
    struct figure figure = figure_of(values, of->run_count);
    free(values);
    return figure;
}

struct figure result_cost(struct result_set *set, const struct result_case *of, enum scope scope,
                          const char *subject, enum cost_part part) {
    double *values = memory_zero(of->run_count, sizeof(values[0]));
    for (size_t i = 0; i < of->run_count; i++) {
        values[i] = NAN;
        if (!set->failed) {
            sqlite3_bind_int64(set->cost, 1, of->runs[i].run_id);
            sqlite3_bind_text(set->cost, 2, scope_names[scope], -1, SQLITE_STATIC);
            sqlite3_bind_text(set->cost, 3, subject, -1, SQLITE_STATIC);
            values[i] = read_value(set, set->cost, (int)part);
        }
    }
    struct figure figure = figure_of(values, of->run_count);
    free(values);
    return figure;
}

const char **result_subjects(struct result_set *set, const struct result_case *of, enum scope scope,
                             size_t *count) {
    *count = 0;
    sqlite3_stmt *statement =
        prepare(set, "SELECT subject, count(*) OVER () FROM metric "
                     "WHERE run_id = ?1 AND scope = ?2 GROUP BY subject ORDER BY min(rowid)");
    const char **subjects = NULL;
    if (statement != NULL) {
        sqlite3_bind_int64(statement, 1, of->runs[0].run_id);
        sqlite3_bind_text(statement, 2, scope_names[scope], -1, SQLITE_STATIC);
        while (next_row(set, statement)) {
            if (subjects == NULL) {
                size_t all = (size_t)sqlite3_column_int64(statement, 1);
                subjects = arena_allocate(&set->arena, all, sizeof(subjects[0]));
            }
            subjects[(*count)++] = copy_column(set, statement, 0);
        }
        sqlite3_finalize(statement);
    }
    return subjects;
}

struct category_hours *result_gpu_hours(struct result_set *set, const struct result_case *of,
                                        size_t *count) {
    *count = 0;
    sqlite3_stmt *statement =
        prepare(set, "SELECT category, sum(gpu_hours) / ?3, count(*) OVER () FROM gpu_time "
                     "WHERE run_id IN (SELECT run_id FROM run WHERE batch = ?1 AND scenario = ?2 "
                     "AND variant = ?4 AND point = ?5) GROUP BY category ORDER BY min(rowid)");
    struct category_hours *hours = NULL;
    if (statement != NULL) {
        sqlite3_bind_int64(statement, 1, of->batch);
        sqlite3_bind_text(statement, 2, of->scenario, -1, SQLITE_STATIC);
        sqlite3_bind_double(statement, 3, (double)of->run_count);
        sqlite3_bind_text(statement, 4, of->variant, -1, SQLITE_STATIC);
        sqlite3_bind_text(statement, 5, of->point, -1, SQLITE_STATIC);
        while (next_row(set, statement)) {
            if (hours == NULL) {
                size_t all = (size_t)sqlite3_column_int64(statement, 2);
                hours = arena_allocate(&set->arena, all, sizeof(hours[0]));
            }
            hours[(*count)++] = (struct category_hours){.category = copy_column(set, statement, 0),
                                                        .hours = database_real(statement, 1)};
        }
        sqlite3_finalize(statement);
    }
    return hours;
}

struct objective_score result_objectives(struct result_set *set, const struct result_case *of) {
    struct objective_score score = {0};
    sqlite3_stmt *statement =
        prepare(set, "SELECT count(*), sum(met) FROM v_objectives WHERE batch = ?1 "
                     "AND scenario = ?2 AND variant = ?3 AND point = ?4");
    if (statement != NULL) {
        sqlite3_bind_int64(statement, 1, of->batch);
        sqlite3_bind_text(statement, 2, of->scenario, -1, SQLITE_STATIC);
        sqlite3_bind_text(statement, 3, of->variant, -1, SQLITE_STATIC);
        sqlite3_bind_text(statement, 4, of->point, -1, SQLITE_STATIC);
        if (next_row(set, statement)) {
            score.count = sqlite3_column_int64(statement, 0);
            score.met = sqlite3_column_int64(statement, 1);
        }
        sqlite3_finalize(statement);
    }
    return score;
}
