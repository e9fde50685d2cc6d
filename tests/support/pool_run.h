/* Whole runs through the real reader of one pool p of A100, of which each GPU costs 1 a second, and
 * what is expected of their jobs and of the pool's GPU-seconds. */
#ifndef TESTS_SUPPORT_POOL_RUN_H
#define TESTS_SUPPORT_POOL_RUN_H

#include "tests/support/scenario_run.h"

/* head: keys of the scenario; pool: further keys of the pool; workloads: their lines. */
void pool_run(struct scenario_run *run, const char *head, const char *pool, const char *workloads);

/* A workload of one job, submitted then, which nobody beside it slows down. */
#define POOL_RUN_JOB(name, submit, duration, more)                                                 \
    "  " name ": {kind: jobs, limit: 1, saturation: 0.000001, arrivals: {renewal: " submit         \
    "}, duration: " duration ", " more "}\n"

/* Each fails the test unless the job of that workload has started and ended then; unless a figure
 * of the run is that. */
void pool_run_expect(const struct scenario_run *run, const char *name, double start_s,
                     double end_s);
void pool_run_expect_figure(const struct scenario_run *run, const char *metric, double expected);
/* Unless the pool was in a category for so long; and all that there was has been paid for. */
void pool_run_expect_time(const struct scenario_run *run, enum gpu_category category, double gpu_s);
void pool_run_expect_bill(const struct scenario_run *run, double useful, double down, double idle);

#endif
