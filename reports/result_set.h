/* Results read back from a store: runs grouped into cases (one scenario, variant and sweep point
 * with all its replications), and their figures with 95 % intervals. */
#ifndef REPORTS_RESULT_SET_H
#define REPORTS_RESULT_SET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "reports/database.h"
#include "reports/store.h"
#include "sim/kernel/arena.h"

struct result_run {
    int64_t run_id;
    int64_t replication; /* 1-based */
    int64_t seed;
    double sim_seconds;
    double wall_seconds;
    int64_t events;
};

struct result_case {
    const char *scenario;
    const char *variant;
    const char *point; /* "" outside sweeps */
    const char *currency;
    const char *scenario_sha256;
    int64_t batch;
    struct result_run *runs; /* by replication */
    size_t run_count;
};

/* Reading fails rarely and anywhere, so the first error is kept and figures read as NaN from then
 * on: ask result_set_failed at the end. */
struct result_set {
    struct arena arena; /* all texts and arrays */
    struct store *store;
    struct result_case *cases; /* in the order of their batch */
    size_t case_count;
    sqlite3_stmt *metric;
    sqlite3_stmt *cost;
    bool failed;
    struct error error;
};

/* For result_set_read: of each case the newest batch. */
enum { NEWEST_BATCHES = 0 };

/* Reads which runs there are, of one batch or the newest ones. Reads on until result_set_clear see
 * the database as it is now. False with an error; clear it in either case. */
bool result_set_read(struct result_set *set, struct store *store, int64_t batch,
                     struct error *error);
void result_set_clear(struct result_set *set);
/* Whether anything could not be read, and why. */
bool result_set_failed(const struct result_set *set, struct error *error);

/* A query of one's own, of which the first four parameters are the batch, scenario, variant and
 * point of the case; NULL after keeping the error. And whether it has a next row. */
sqlite3_stmt *result_prepare(struct result_set *set, const struct result_case *of, const char *sql);
bool result_next(struct result_set *set, sqlite3_stmt *statement);

/* The values of a figure, one per run of the case; NaN where a run has none. scope is one of
 * scope_names. */
void result_values(struct result_set *set, const struct result_case *of, enum scope scope,
                   const char *subject, const char *name, double *values);

/* Whether the case's first run has such a figure, be it one without a value. */
bool result_has_figure(struct result_set *set, const struct result_case *of, enum scope scope,
                       const char *subject, const char *name);

/* A mean over replications. */
struct figure {
    double mean;       /* over the values there are; NaN: none */
    double half_width; /* of the 95 % Student interval; NaN with fewer than two */
    size_t count;      /* values there are */
};

struct figure figure_of(const double *values, size_t count);
struct figure result_figure(struct result_set *set, const struct result_case *of, enum scope scope,
                            const char *subject, const char *name);

enum cost_part { COST_OWN, COST_IDLE_SHARE, COST_PER_MONTH, COST_ENERGY };
struct figure result_cost(struct result_set *set, const struct result_case *of, enum scope scope,
                          const char *subject, enum cost_part part);

/* The subjects of a scope that have figures, in the order they were recorded. */
const char **result_subjects(struct result_set *set, const struct result_case *of, enum scope scope,
                             size_t *count);

/* How many of the scenario's objectives the case meets. */
struct objective_score {
    int64_t count;
    int64_t met;
};
struct objective_score result_objectives(struct result_set *set, const struct result_case *of);

struct category_hours {
    const char *category;
    double hours; /* mean over the runs, all pools together */
};
struct category_hours *result_gpu_hours(struct result_set *set, const struct result_case *of,
                                        size_t *count);

#endif
