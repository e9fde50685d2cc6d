#include "reports/store.h"

#include <errno.h>
#include <fcntl.h>
#include <sha256.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "reports/store_create.h"
#include "reports/store_internal.h"
#include "sim/kernel/memory.h"

/* How long to wait for another process: short where a person waits for the first sign of life, long
 * where a finished run would be lost. */
enum { OPEN_TIMEOUT_MS = 5000, MERGE_TIMEOUT_MS = 600000, CLOSE_TIMEOUT_MS = 200 };
enum { LARGEST_BLOCK = 256 };

struct sqlite3 *store_connection(struct store *store) {
    return store->database.connection;
}

const char *store_path(const struct store *store) {
    return store->database.path;
}

void store_timestamp(char timestamp[32]) {
    time_t now = time(NULL);
    struct tm utc;
    gmtime_r(&now, &utc);
    strftime(timestamp, 32, "%Y-%m-%dT%H:%M:%SZ", &utc);
}

static bool read_spool_schema(struct store *store, struct error *error) {
    static const char query[] =
        "SELECT group_concat(sql, ';') FROM sqlite_schema WHERE type = 'table' AND name IN "
        "('run', 'metric', 'gpu_time', 'cost', 'latency', 'objective', 'timeline', "
        "'service_timeline', 'job_row', "
        "'request_row', 'job_event_row')";
    sqlite3_stmt *statement = database_prepare(&store->database, query, false, error);
    if (statement == NULL) {
        return false;
    }
    int found = database_next(&store->database, statement, error);
    if (found == 1) {
        store->spool_schema = memory_duplicate_string(database_text(statement, 0));
    }
    sqlite3_finalize(statement);
    return found == 1;
}

/* SQLite writes its journal beside the database, and so do we our spools. */
static bool check_writable(const struct store *store, struct error *error) {
    char *folder = memory_duplicate_string(store->file);
    char *slash = strrchr(folder, '/');
    slash[slash == folder ? 1 : 0] = '\0';
    bool writable = sqlite3_db_readonly(store->database.connection, "main") == 0;
    if (!writable) {
        error_set(error, store->database.path, 0, 0,
                  "is read-only; make it writable or choose another file");
    } else if (faccessat(AT_FDCWD, folder, W_OK | X_OK, AT_EACCESS) != 0) {
        writable = false;
        error_set(error, store->database.path, 0, 0,
                  "its folder cannot be written to (%s), and the database needs temporary files "
                  "beside it; choose a file in another folder",
                  strerror(errno));
    }
    free(folder);
    return writable;
}

static struct store *store_start(const char *path, int flags, struct error *error) {
    struct store *store = memory_zero(1, sizeof(*store));
    pthread_mutex_init(&store->lock, NULL);
    store->next_run = 1;
    if (!database_open(&store->database, path, flags, error)) {
        store_close(store);
        return NULL;
    }
    sqlite3_busy_timeout(store->database.connection, OPEN_TIMEOUT_MS);
    return store;
}

static bool prepare_for_writing(struct store *store, struct error *error) {
    static const char settings[] = "PRAGMA foreign_keys = ON;"
                                   "PRAGMA temp_store = MEMORY;"
                                   "PRAGMA cache_size = -16000;";
    store->file = memory_duplicate_string(sqlite3_db_filename(store->database.connection, "main"));
    if (!check_writable(store, error) || !store_create_or_check(&store->database, error) ||
        !database_execute(&store->database, settings, error) || !read_spool_schema(store, error)) {
        return false;
    }
    spool_file_sweep(store->file);
    return true;
}

struct store *store_open(const char *path, bool *existed, struct error *error) {
    bool present = false; /* as a file, which may be empty */
    if (!store_check_path(path, true, &present, existed, error)) {
        return NULL;
    }
    struct store *store = store_start(path, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, error);
    if (store != NULL && !prepare_for_writing(store, error)) {
        store_close(store);
        store = NULL;
        struct stat status;
        if (!present && stat(path, &status) == 0 && status.st_size == 0) {
            unlink(path);
        }
    }
    return store;
}

/* For writing at first, where that is possible: a process killed while it merged leaves a journal
 * that must be played back before anything can be read. */
struct store *store_open_existing(const char *path, struct error *error) {
    bool present = false;
    bool filled = false;
    if (!store_check_path(path, false, &present, &filled, error)) {
        return NULL;
    }
    if (!filled) {
        error_set(error, path, 0, 0,
                  present ? "is empty; give a database that `headroom run` has written"
                          : "no such file; give a database that `headroom run` has written");
        return NULL;
    }
    struct store *store = store_start(path, SQLITE_OPEN_READWRITE, error);
    if (store != NULL &&
        (!store_check(&store->database, error) ||
         !database_execute(&store->database, "PRAGMA query_only = ON; PRAGMA temp_store = MEMORY;",
                           error))) {
        store_close(store);
        store = NULL;
    }
    return store;
}

/* Gives back the run_ids that were reserved and not used, unless others have reserved since. */
static void release_runs(struct store *store) {
    if (store->next_run > store->reserved_runs) {
        return;
    }
    struct error ignored;
    sqlite3_busy_timeout(store->database.connection, CLOSE_TIMEOUT_MS);
    sqlite3_stmt *statement = database_prepare(
        &store->database, "UPDATE sqlite_sequence SET seq = ?1 WHERE name = 'run' AND seq = ?2",
        false, &ignored);
    if (statement != NULL) {
        sqlite3_bind_int64(statement, 1, store->next_run - 1);
        sqlite3_bind_int64(statement, 2, store->reserved_runs);
        database_step(&store->database, statement, &ignored);
        sqlite3_finalize(statement);
    }
}

void store_close(struct store *store) {
    if (store == NULL) {
        return;
    }
    release_runs(store);
    database_close(&store->database);
    pthread_mutex_destroy(&store->lock);
    free(store->file);
    free(store->spool_schema);
    free(store);
}

static bool add_scenario(struct store *store, const char *name, const char *yaml,
                         const char *sha256, struct error *error) {
    sqlite3_stmt *statement =
        database_prepare(&store->database,
                         "INSERT INTO scenario (sha256, name, yaml) VALUES (?1, ?2, ?3) "
                         "ON CONFLICT DO NOTHING",
                         false, error);
    if (statement == NULL) {
        return false;
    }
    sqlite3_bind_text(statement, 1, sha256, -1, SQLITE_STATIC);
    sqlite3_bind_text(statement, 2, name, -1, SQLITE_STATIC);
    sqlite3_bind_text(statement, 3, yaml, -1, SQLITE_STATIC);
    bool added = database_step(&store->database, statement, error);
    sqlite3_finalize(statement);
    return added;
}

bool store_add_scenario(struct store *store, const char *name, const char *yaml, char sha256[65],
                        struct error *error) {
    SHA256Data((const uint8_t *)yaml, strlen(yaml), sha256);
    pthread_mutex_lock(&store->lock);
    bool added = add_scenario(store, name, yaml, sha256, error);
    pthread_mutex_unlock(&store->lock);
    return added;
}

bool store_new_batch(struct store *store, int64_t *batch, struct error *error) {
    char timestamp[32];
    store_timestamp(timestamp);
    pthread_mutex_lock(&store->lock);
    sqlite3_stmt *statement = database_prepare(
        &store->database, "INSERT INTO batch (started_at) VALUES (?1)", false, error);
    bool added = statement != NULL;
    if (added) {
        sqlite3_bind_text(statement, 1, timestamp, -1, SQLITE_STATIC);
        added = database_step(&store->database, statement, error);
        *batch = sqlite3_last_insert_rowid(store->database.connection);
    }
    sqlite3_finalize(statement);
    pthread_mutex_unlock(&store->lock);
    return added;
}

/* Reserves a block of run_ids by moving AUTOINCREMENT's own counter on, so nobody else gets them.
 * Blocks double, because each costs a write to the disk. */
static bool reserve_block(struct store *store, struct error *error) {
    /* From here on there are runs to lose. */
    sqlite3_busy_timeout(store->database.connection, MERGE_TIMEOUT_MS);
    int64_t size = store->block_size == 0 ? 1 : store->block_size * 2;
    store->block_size = size < LARGEST_BLOCK ? size : LARGEST_BLOCK;
    char sql[128];
    snprintf(sql, sizeof(sql),
             "UPDATE sqlite_sequence SET seq = seq + %d WHERE name = 'run' RETURNING seq",
             (int)store->block_size);
    int64_t last = 0;
    if (!database_integer(&store->database, sql, &last, error)) {
        return false;
    }
    if (last == 0) {
        error_set(error, store->database.path, 0, 0,
                  "is damaged: the counter of run_id is gone; move it away or choose another file");
        return false;
    }
    store->next_run = last - store->block_size + 1;
    store->reserved_runs = last;
    return true;
}

bool store_reserve_run(struct store *store, int64_t *run_id, struct error *error) {
    pthread_mutex_lock(&store->lock);
    bool reserved = store->next_run <= store->reserved_runs || reserve_block(store, error);
    if (reserved) {
        *run_id = store->next_run++;
    }
    pthread_mutex_unlock(&store->lock);
    return reserved;
}
