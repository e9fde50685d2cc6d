/* The results database (SQLite; schema.sql is the documentation of its tables). A run spools its
 * rows to a temporary database of its own and is merged in one transaction when it is done, so a
 * reader never sees half a run and finished runs are never lost. */
#ifndef REPORTS_STORE_H
#define REPORTS_STORE_H

#include <stdbool.h>
#include <stdint.h>

#include "sim/kernel/error.h"
#include "sim/simulation.h"

/* PRAGMA user_version; a database of another one is refused. */
enum { STORE_VERSION = 4 };

struct store;

/* Opens or creates the database at path and checks that it is one of ours, of a version we know and
 * writable; *existed tells whether it was there. NULL with an error: a directory, not a database,
 * read-only, from a newer version, no such folder, locked (after some seconds). Also deletes spools
 * that killed processes left beside it. */
struct store *store_open(const char *path, bool *existed, struct error *error);
/* Opens for reading only (compare, report). */
struct store *store_open_existing(const char *path, struct error *error);
/* All spools must be closed. NULL is nothing to close. */
void store_close(struct store *store);
/* The connection, for queries. */
struct sqlite3 *store_connection(struct store *store);
/* The path it was opened with. */
const char *store_path(const struct store *store);

/* Adds the scenario's text if it is new. sha256 is of the text. */
bool store_add_scenario(struct store *store, const char *name, const char *yaml, char sha256[65],
                        struct error *error);
/* A number for a new batch (one call of `run`), larger than all before. */
bool store_new_batch(struct store *store, int64_t *batch, struct error *error);

/* What identifies a run. */
struct run_identity {
    int64_t batch;
    int64_t
        position; /* place in the batch, by which tables are ordered, whichever run ends first */
    const char *scenario;
    const char *variant;
    const char *point;    /* "" outside sweeps */
    uint64_t replication; /* 0-based; stored 1-based */
    uint64_t seed;
    const char *currency; /* of all money; NULL: USD */
    bool has_start;
    int64_t start; /* ns since 1970-01-01T00:00:00Z, wall clock of t = 0 */
    const char *scenario_sha256;
    const char *inputs_sha256;
};

/* One run's spool: a hidden temporary database beside the store, deleted when closed. Opening,
 * writing and closing may happen in another thread than the store's; one thread at a time uses a
 * spool. */
struct spool;
struct spool *spool_open(struct store *store, const struct run_identity *identity,
                         struct error *error);
/* A recorder that writes to it. */
struct recorder spool_recorder(struct spool *spool);
/* Writes what the run left; wall_seconds is how long it took. */
bool spool_finish(struct spool *spool, const struct results *results, double wall_seconds,
                  struct error *error);
/* Merges a finished spool into the store in one transaction and tells its new run_id. On failure
 * the store is as it was, and the spool can be merged again. */
bool store_merge(struct store *store, struct spool *spool, int64_t *run_id, struct error *error);
/* NULL is nothing to close. */
void spool_close(struct spool *spool);

#endif
