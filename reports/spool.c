#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "reports/row_writer.h"
#include "reports/spool_results.h"
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

static const char job_columns[] =
    "workload, job_id, queue, gpus, submit_s, start_s, end_s, run_s, preemptions, state, user";
enum { JOB_COLUMNS = 11 };
static const char request_columns[] = "workload, seq, arrival_s, start_s, end_s, state";
enum { REQUEST_COLUMNS = 6 };

static const char event_columns[] =
    "workload, job_id, t_s, event, pool, node, gpu, slot, by_workload, by";
enum { EVENT_COLUMNS = 10 };

static bool prepare_statements(struct spool *spool, struct error *error) {
    const struct database *database = &spool->database;
    spool->jobs = row_writer_create(database, "job_row", job_columns, JOB_COLUMNS,
                                    store_row_id(spool->run_id, 0), error);
    if (spool->jobs != NULL) {
        spool->requests = row_writer_create(database, "request_row", request_columns,
                                            REQUEST_COLUMNS, store_row_id(spool->run_id, 0), error);
    }
    if (spool->requests != NULL) {
        spool->job_events = row_writer_create(database, "job_event_row", event_columns,
                                              EVENT_COLUMNS, store_row_id(spool->run_id, 0), error);
    }
    if (spool->job_events != NULL) {
        spool->insert_timeline =
            database_prepare(database,
                             "INSERT INTO timeline (run_id, pool, t_s, allocated, busy, "
                             "memory_used_gib, queued_jobs, checkpoint, restore, loading, "
                             "switch, held_idle, stranded, reconfiguring, down) "
                             "VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, "
                             "?15)",
                             true, error);
    }
    if (spool->insert_timeline != NULL) {
        spool->insert_service = database_prepare(
            database,
            "INSERT INTO service_timeline (run_id, workload, t_s, completed, latency_p50_s, "
            "latency_p99_s, latency_max_s, slo_attainment, queued_requests) "
            "VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)",
            true, error);
    }
    return spool->insert_service != NULL;
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
    bool completed = record->state == JOB_COMPLETED;
    const struct row_value values[JOB_COLUMNS] = {
        row_text(record->workload),
        row_text(record->id),
        row_text(record->queue),
        row_integer(record->gpus),
        row_time(record->submit),
        row_time(record->start),
        row_time(record->end),
        row_time(completed ? record->run : SIM_TIME_NEVER),
        row_integer(record->preemptions),
        row_text(job_state_names[record->state]),
        row_text(record->user),
    };
    return row_writer_add(spool->jobs, values, error);
}

static bool record_request(void *context, const struct request_record *record,
                           struct error *error) {
    struct spool *spool = context;
    const struct row_value values[REQUEST_COLUMNS] = {
        row_text(record->workload), row_integer(record->seq),
        row_time(record->arrival),  row_time(record->start),
        row_time(record->end),      row_text(request_state_names[record->state]),
    };
    return row_writer_add(spool->requests, values, error);
}

static struct row_value index_or_null(int32_t index) {
    return index < 0 ? row_text(NULL) : row_integer(index);
}

static bool record_event(void *context, const struct job_event_record *record,
                         struct error *error) {
    struct spool *spool = context;
    const struct row_value values[EVENT_COLUMNS] = {
        row_text(record->workload),    row_text(record->id),
        row_time(record->time),        row_text(job_event_names[record->kind]),
        row_text(record->pool),        index_or_null(record->node),
        index_or_null(record->gpu),    row_text(record->slot),
        row_text(record->by_workload), row_text(record->by),
    };
    return row_writer_add(spool->job_events, values, error);
}

/* The last columns of the timeline. */
static const enum gpu_category timeline_categories[] = {
    GPU_CHECKPOINT, GPU_RESTORE,  GPU_LOADING,       GPU_SWITCH,
    GPU_HELD_IDLE,  GPU_STRANDED, GPU_RECONFIGURING, GPU_DOWN};

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
    for (size_t i = 0; i < sizeof(timeline_categories) / sizeof(timeline_categories[0]); i++) {
        sqlite3_bind_double(insert, 8 + (int)i, record->shares[timeline_categories[i]]);
    }
    return database_step(&spool->database, insert, error);
}

static bool record_service(void *context, const struct service_timeline_record *record,
                           struct error *error) {
    struct spool *spool = context;
    sqlite3_stmt *insert = spool->insert_service;
    sqlite3_bind_int64(insert, 1, spool->run_id);
    sqlite3_bind_text(insert, 2, record->workload, -1, SQLITE_STATIC);
    sqlite3_bind_double(insert, 3, sim_time_to_seconds(record->time));
    sqlite3_bind_int64(insert, 4, record->completed);
    sqlite3_bind_double(insert, 5, record->latency_p50_s); /* SQLite makes NaN NULL */
    sqlite3_bind_double(insert, 6, record->latency_p99_s);
    sqlite3_bind_double(insert, 7, record->latency_max_s);
    sqlite3_bind_double(insert, 8, record->slo_attainment);
    sqlite3_bind_double(insert, 9, record->queued);
    return database_step(&spool->database, insert, error);
}

struct recorder spool_recorder(struct spool *spool) {
    return (struct recorder){.context = spool,
                             .job = record_job,
                             .request = record_request,
                             .event = record_event,
                             .timeline = record_timeline,
                             .service = record_service};
}

/* Closed, the database can be attached to the store. */
static void close_database(struct spool *spool) {
    row_writer_destroy(spool->jobs);
    spool->jobs = NULL;
    row_writer_destroy(spool->requests);
    spool->requests = NULL;
    row_writer_destroy(spool->job_events);
    spool->job_events = NULL;
    sqlite3_finalize(spool->insert_timeline);
    spool->insert_timeline = NULL;
    sqlite3_finalize(spool->insert_service);
    spool->insert_service = NULL;
    database_close(&spool->database);
}

bool spool_finish(struct spool *spool, const struct results *results, double wall_seconds,
                  struct error *error) {
    assert(!spool->finished);
    spool->finished = row_writer_flush(spool->jobs, error) &&
                      row_writer_flush(spool->requests, error) &&
                      row_writer_flush(spool->job_events, error) &&
                      spool_write_results(spool, results, wall_seconds, error) &&
                      database_execute(&spool->database, "COMMIT", error);
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
