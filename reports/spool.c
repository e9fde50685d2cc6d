#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "reports/job_writer.h"
#include "reports/store_internal.h"
#include "sim/kernel/memory.h"

/* A spool is deleted on any failure, so it needs no safety of its own. */
static const char spool_settings[] = "PRAGMA page_size = 16384;"
                                     "PRAGMA journal_mode = OFF;"
                                     "PRAGMA synchronous = OFF;"
                                     "PRAGMA locking_mode = EXCLUSIVE;";

static void copy_identity(struct run_identity *copy, const struct run_identity *identity) {
    *copy = *identity;
    copy->scenario = memory_duplicate_string(identity->scenario);
    copy->variant = memory_duplicate_string(identity->variant);
    copy->point = memory_duplicate_string(identity->point);
    copy->currency =
        memory_duplicate_string(identity->currency != NULL ? identity->currency : "USD");
    copy->scenario_sha256 = memory_duplicate_string(identity->scenario_sha256);
    copy->inputs_sha256 = memory_duplicate_string(identity->inputs_sha256);
}

static void clear_identity(struct run_identity *identity) {
    free((char *)identity->scenario);
    free((char *)identity->variant);
    free((char *)identity->point);
    free((char *)identity->currency);
    free((char *)identity->scenario_sha256);
    free((char *)identity->inputs_sha256);
}

static bool open_database(struct spool *spool, struct error *error) {
    struct database *database = &spool->database;
    if (!database_open(database, spool->file.path, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX,
                       error)) {
        return false;
    }
    /* The user knows the store's name only. */
    free(database->path);
    database->path = memory_duplicate_string(store_path(spool->store));
    return database_execute(database, spool_settings, error) &&
           database_execute(database, spool->store->spool_schema, error) &&
           database_execute(database, "BEGIN", error);
}

static bool prepare_statements(struct spool *spool, struct error *error) {
    spool->jobs = job_writer_create(&spool->database, spool->run_id, error);
    if (spool->jobs == NULL) {
        return false;
    }
    spool->insert_timeline =
        database_prepare(&spool->database,
                         "INSERT INTO timeline (run_id, pool, t_s, allocated, busy, "
                         "memory_used_gib, queued_jobs) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
                         true, error);
    return spool->insert_timeline != NULL;
}

struct spool *spool_open(struct store *store, const struct run_identity *identity,
                         struct error *error) {
    assert(store->file != NULL);
    struct spool *spool = memory_zero(1, sizeof(*spool));
    spool->store = store;
    copy_identity(&spool->identity, identity);
    store_timestamp(spool->started_at);
    if (!store_reserve_run(store, &spool->run_id, error) ||
        !spool_file_create(&spool->file, store->file, store_path(store), error) ||
        !open_database(spool, error) || !prepare_statements(spool, error)) {
        spool_close(spool);
        return NULL;
    }
    return spool;
}

static bool record_job(void *context, const struct job_record *record, struct error *error) {
    struct spool *spool = context;
    return job_writer_add(spool->jobs, record, error);
}

static bool record_timeline(void *context, const struct timeline_record *record,
                            struct error *error) {
    struct spool *spool = context;
    sqlite3_stmt *insert = spool->insert_timeline;
    sqlite3_bind_int64(insert, 1, spool->run_id);
    sqlite3_bind_text(insert, 2, record->pool, -1, SQLITE_STATIC);
    sqlite3_bind_double(insert, 3, sim_time_to_seconds(record->time));
    sqlite3_bind_double(insert, 4, record->allocated);
    sqlite3_bind_double(insert, 5, record->busy);
    sqlite3_bind_double(insert, 6, record->memory_used_gib);
    sqlite3_bind_double(insert, 7, record->queued_jobs);
    return database_step(&spool->database, insert, error);
}

struct recorder spool_recorder(struct spool *spool) {
    return (struct recorder){.context = spool, .job = record_job, .timeline = record_timeline};
}

static bool write_run(struct spool *spool, const struct results *results, double wall_seconds,
                      struct error *error) {
    const struct run_identity *identity = &spool->identity;
    sqlite3_stmt *insert = database_prepare(
        &spool->database,
        "INSERT INTO run (run_id, batch, position, scenario, variant, point, replication, seed, "
        "status, currency, sim_seconds, events, wall_seconds, started_at, version, "
        "scenario_sha256, inputs_sha256) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, 'done', ?9, ?10, "
        "?11, ?12, ?13, ?14, ?15, ?16)",
        false, error);
    if (insert == NULL) {
        return false;
    }
    sqlite3_bind_int64(insert, 1, spool->run_id);
    sqlite3_bind_int64(insert, 2, identity->batch);
    sqlite3_bind_int64(insert, 3, identity->position);
    sqlite3_bind_text(insert, 4, identity->scenario, -1, SQLITE_STATIC);
    sqlite3_bind_text(insert, 5, identity->variant, -1, SQLITE_STATIC);
    sqlite3_bind_text(insert, 6, identity->point, -1, SQLITE_STATIC);
    sqlite3_bind_int64(insert, 7, (int64_t)identity->replication + 1);
    sqlite3_bind_int64(insert, 8, (int64_t)identity->seed);
    sqlite3_bind_text(insert, 9, identity->currency, -1, SQLITE_STATIC);
    sqlite3_bind_double(insert, 10, sim_time_to_seconds(results->end));
    sqlite3_bind_int64(insert, 11, (int64_t)results->events);
    sqlite3_bind_double(insert, 12, wall_seconds);
    sqlite3_bind_text(insert, 13, spool->started_at, -1, SQLITE_STATIC);
    sqlite3_bind_text(insert, 14, HEADROOM_VERSION, -1, SQLITE_STATIC);
    sqlite3_bind_text(insert, 15, identity->scenario_sha256, -1, SQLITE_STATIC);
    sqlite3_bind_text(insert, 16, identity->inputs_sha256, -1, SQLITE_STATIC);
    bool written = database_step(&spool->database, insert, error);
    sqlite3_finalize(insert);
    return written;
}

static bool write_metrics(struct spool *spool, const struct results *results, struct error *error) {
    sqlite3_stmt *insert =
        database_prepare(&spool->database,
                         "INSERT INTO metric (run_id, scope, subject, name, value, unit) "
                         "VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
                         true, error);
    bool written = insert != NULL;
    for (size_t i = 0; written && i < results->metric_count; i++) {
        const struct metric *metric = &results->metrics[i];
        sqlite3_bind_int64(insert, 1, spool->run_id);
        sqlite3_bind_text(insert, 2, scope_names[metric->scope], -1, SQLITE_STATIC);
        sqlite3_bind_text(insert, 3, metric->subject, -1, SQLITE_STATIC);
        sqlite3_bind_text(insert, 4, metric->name, -1, SQLITE_STATIC);
        sqlite3_bind_double(insert, 5, metric->value); /* SQLite makes NaN NULL */
        sqlite3_bind_text(insert, 6, metric->unit, -1, SQLITE_STATIC);
        written = database_step(&spool->database, insert, error);
    }
    sqlite3_finalize(insert);
    return written;
}

static bool write_gpu_time(struct spool *spool, const struct results *results,
                           struct error *error) {
    sqlite3_stmt *insert =
        database_prepare(&spool->database,
                         "INSERT INTO gpu_time (run_id, pool, category, gpu_hours) "
                         "VALUES (?1, ?2, ?3, ?4)",
                         true, error);
    bool written = insert != NULL;
    for (size_t i = 0; written && i < results->gpu_hours_count; i++) {
        const struct gpu_hours *entry = &results->gpu_hours[i];
        sqlite3_bind_int64(insert, 1, spool->run_id);
        sqlite3_bind_text(insert, 2, entry->pool, -1, SQLITE_STATIC);
        sqlite3_bind_text(insert, 3, gpu_category_names[entry->category], -1, SQLITE_STATIC);
        sqlite3_bind_double(insert, 4, entry->hours);
        written = database_step(&spool->database, insert, error);
    }
    sqlite3_finalize(insert);
    return written;
}

static bool write_costs(struct spool *spool, const struct results *results, struct error *error) {
    sqlite3_stmt *insert = database_prepare(
        &spool->database,
        "INSERT INTO cost (run_id, scope, subject, usd, usd_idle_share, usd_per_month) "
        "VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
        true, error);
    bool written = insert != NULL;
    for (size_t i = 0; written && i < results->cost_count; i++) {
        const struct cost *cost = &results->costs[i];
        sqlite3_bind_int64(insert, 1, spool->run_id);
        sqlite3_bind_text(insert, 2, scope_names[cost->scope], -1, SQLITE_STATIC);
        sqlite3_bind_text(insert, 3, cost->subject, -1, SQLITE_STATIC);
        sqlite3_bind_double(insert, 4, cost->usd);
        sqlite3_bind_double(insert, 5, cost->usd_idle_share);
        sqlite3_bind_double(insert, 6, cost->usd_per_month);
        written = database_step(&spool->database, insert, error);
    }
    sqlite3_finalize(insert);
    return written;
}

/* Closed, the database can be attached to the store. */
static void close_database(struct spool *spool) {
    job_writer_destroy(spool->jobs);
    spool->jobs = NULL;
    sqlite3_finalize(spool->insert_timeline);
    spool->insert_timeline = NULL;
    database_close(&spool->database);
}

bool spool_finish(struct spool *spool, const struct results *results, double wall_seconds,
                  struct error *error) {
    assert(!spool->finished);
    spool->finished =
        job_writer_flush(spool->jobs, error) && write_run(spool, results, wall_seconds, error) &&
        write_metrics(spool, results, error) && write_gpu_time(spool, results, error) &&
        write_costs(spool, results, error) && database_execute(&spool->database, "COMMIT", error);
    close_database(spool);
    return spool->finished;
}

void spool_close(struct spool *spool) {
    if (spool != NULL) {
        close_database(spool);
        spool_file_remove(&spool->file);
        clear_identity(&spool->identity);
        free(spool);
    }
}
