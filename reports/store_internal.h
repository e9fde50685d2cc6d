/* What the store and its spools know of each other. */
#ifndef REPORTS_STORE_INTERNAL_H
#define REPORTS_STORE_INTERNAL_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "reports/database.h"
#include "reports/spool_file.h"
#include "reports/store.h"

struct store {
    struct database database;
    char *file;           /* the database's own absolute path; "" for reading only */
    char *spool_schema;   /* the statements that make a spool's tables, the same as the store's */
    pthread_mutex_t lock; /* of what follows, and of transactions */
    int64_t next_run;     /* run_ids [next_run, reserved_runs] are ours to use */
    int64_t reserved_runs;
    int64_t block_size; /* of the last reservation */
};

struct spool {
    struct store *store;
    struct spool_file file;
    struct database database; /* closed once the spool is finished */
    struct row_writer *jobs;
    struct row_writer *requests;
    struct row_writer *job_events;
    sqlite3_stmt *insert_timeline;
    sqlite3_stmt *insert_service;
    int64_t run_id;
    struct run_identity identity; /* its texts are owned */
    char started_at[32];
    bool finished;
};

/* A run_id that no other run has or gets, also of other processes. */
bool store_reserve_run(struct store *store, int64_t *run_id, struct error *error);
/* Writes the present time, UTC, as 2026-03-02T09:30:00Z. */
void store_timestamp(char timestamp[32]);

/* The run that a row of job_row or request_row belongs to is in its key. */
static inline int64_t store_row_id(int64_t run_id, int64_t number) {
    return run_id * (INT64_C(1) << 32) + number;
}

#endif
