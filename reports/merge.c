#include <assert.h>

#include "reports/store_internal.h"

/* In an order in which no row refers to one that is not there yet. Every key begins with the
 * run_id, which the store has given out before the run began, so rows are copied as they are;
 * SQLite then moves those of job_row and request_row without taking them apart. */
static const char *const merged_tables[] = {
    "run",      "metric",           "gpu_time", "cost",        "latency",      "objective",
    "timeline", "service_timeline", "job_row",  "request_row", "job_event_row"};

static bool copy_tables(const struct database *database, struct error *error) {
    for (size_t i = 0; i < sizeof(merged_tables) / sizeof(merged_tables[0]); i++) {
        char sql[128];
        snprintf(sql, sizeof(sql), "INSERT INTO main.%s SELECT * FROM spool.%s", merged_tables[i],
                 merged_tables[i]);
        if (!database_execute(database, sql, error)) {
            return false;
        }
    }
    return true;
}

static bool attach(const struct database *database, const char *path, struct error *error) {
    sqlite3_stmt *statement = database_prepare(database, "ATTACH ?1 AS spool", false, error);
    if (statement == NULL) {
        return false;
    }
    sqlite3_bind_text(statement, 1, path, -1, SQLITE_STATIC);
    bool attached = database_step(database, statement, error);
    sqlite3_finalize(statement);
    return attached;
}

static bool merge(const struct database *database, const char *path, struct error *error) {
    if (!attach(database, path, error)) {
        return false;
    }
    /* Not IMMEDIATE, which would write to the spool as well, and make SQLite tie the two files
     * together with a third one (a super-journal) at the commit. */
    bool merged = database_execute(database, "BEGIN", error) && copy_tables(database, error) &&
                  database_execute(database, "COMMIT", error);
    if (!merged && sqlite3_get_autocommit(database->connection) == 0) {
        sqlite3_exec(database->connection, "ROLLBACK", NULL, NULL, NULL);
    }
    sqlite3_exec(database->connection, "DETACH spool", NULL, NULL, NULL);
    return merged;
}

bool store_merge(struct store *store, struct spool *spool, int64_t *run_id, struct error *error) {
    assert(spool->finished && spool->store == store);
    pthread_mutex_lock(&store->lock);
    bool merged = merge(&store->database, spool->file.path, error);
    pthread_mutex_unlock(&store->lock);
    if (merged) {
        *run_id = spool->run_id;
    }
    return merged;
}
