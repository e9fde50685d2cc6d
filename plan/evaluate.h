/* Simulates the runs of a search, in threads, and says how each did against the objectives. */
#ifndef PLAN_EVALUATE_H
#define PLAN_EVALUATE_H

#include <stdatomic.h>

#include "plan/moments.h"
#include "plan/problem.h"
#include "scenarios/scenario.h"
#include "sim/kernel/error.h"
#include "workloads/work_source.h"

/* What makes a run worthless, whatever its figures. */
enum plan_flaw {
    PLAN_SOUND,
    PLAN_UNSTABLE, /* a queue grows without limit */
    PLAN_REJECTED, /* jobs that nothing could ever hold (not those turned away by max_queue) */
    PLAN_NO_SLOT,  /* replicas that hold no slot at the end */
    PLAN_NO_VALUE, /* an objective's figure does not exist */
    PLAN_FLAW_COUNT
};

/* One candidate as a scenario, and what its runs showed. */
struct plan_case {
    const struct scenario *scenario; /* NULL: not to be simulated */
    struct trace *const *traces;
    double *values;        /* of the objectives, by replication; NaN: none */
    enum plan_flaw *flaws; /* by replication */
    double *unfinished;    /* likewise: share of the jobs and requests that had not ended */
    size_t value_capacity;
    size_t flaw_capacity;
    size_t unfinished_capacity;
};

/* The context of an evaluator. */
struct plan_runner {
    struct plan_case *cases; /* by candidate */
    size_t case_count;
    size_t objective_count; /* the same of all cases, at least one */
    const char *minimize;
    int threads;
    const atomic_bool *stop;       /* set by the user's interrupt */
    void (*progress)(size_t runs); /* called now and then with their number; NULL: not */
    struct plan_moments *moments;  /* by replication, of the only candidate; NULL: not gathered */
    size_t runs;                   /* that were simulated */
    bool interrupted;
    struct error error; /* of a run that failed, if it was not interrupted */
};

struct plan_evaluator plan_runner_evaluator(struct plan_runner *runner);
/* What the cases own; the array itself is the caller's. */
void plan_runner_clear(struct plan_runner *runner);

/* The value of an objective in a replication. */
double plan_value(const struct plan_runner *runner, size_t candidate, size_t replication,
                  size_t objective);
/* By how much a value is beyond the objective's bound, as a share of it (of 1 where it is 0);
 * infinite for NaN. */
double plan_objective_excess(const struct objective *objective, double value);

#endif
