/* A batch: every run that one call of `run` makes, in threads, merged into the store in their
 * order. */
#ifndef CLI_BATCH_H
#define CLI_BATCH_H

#include <stdatomic.h>

#include "cli/load.h"
#include "cli/progress.h"
#include "reports/store.h"

/* What the summary needs of one run besides the database. */
struct run_outcome_note {
    double *objective_values; /* by objective of the scenario; NaN: no value */
    int64_t rejected;
    char first_rejected[256];
    int64_t overflows; /* of GPU memory */
    char first_overflow[256];
    int64_t given_up;
    char first_given_up[256];
    int64_t stuck;
    char first_stuck[256];
    bool unstable; /* a queue grows without limit */
    bool merged;
};

struct batch_request {
    const struct loaded *loaded;
    struct store *store;
    int64_t batch;
    char (*scenario_sha256)[65]; /* by loaded scenario */
    int threads;
    const atomic_bool *stop;   /* set by the user's interrupt */
    struct progress *progress; /* NULL: silent */
};

struct batch {
    size_t run_count;
    size_t *scenario_of;            /* by run: which loaded scenario */
    struct run_outcome_note *notes; /* by run */
    size_t merged_count;
    enum run_outcome outcome; /* of the whole; RUN_FAILED with error */
    struct error error;
};

/* Runs everything; what finished is in the store, whatever the outcome. Free with batch_destroy. */
void batch_run(struct batch *batch, const struct batch_request *request);
void batch_destroy(struct batch *batch);

#endif
