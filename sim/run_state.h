/* The inside of one run, shared by simulation.c (which drives it) and results.c (which sums it up).
 */
#ifndef SIM_RUN_STATE_H
#define SIM_RUN_STATE_H

#include "sim/scheduling/job_figures.h"
#include "sim/scheduling/job_store.h"
#include "sim/scheduling/scheduler.h"
#include "sim/scheduling/shape_table.h"
#include "sim/simulation.h"

/* One workload's stream of jobs, with its next job read ahead. */
struct arrival_stream {
    struct job_source *source;
    struct job_arrival next;
    int32_t workload;
};

struct run_state {
    const struct run_request *request;
    const struct scenario *scenario;
    const struct recorder *recorder;
    struct results *results;
    struct error *error;
    bool failed;

    sim_time now;
    uint64_t events_done;
    struct event_queue *events;
    /* The streams that still have jobs: a heap by (time of the next job, workload), kept apart from
     * the event queue because each stream is sorted already. */
    struct arrival_stream *arrivals;
    size_t arrival_count;
    bool pass_due;   /* something changed at this instant that may let a job start */
    bool relief_due; /* jobs were withdrawn at this instant: a pass once all of them are */

    struct pool *pools;
    struct shape_table shapes;
    struct scheduler scheduler;
    struct job_store jobs;
    uint64_t sequence;

    struct job_figures *figures;        /* by workload */
    gpu_time *accounts;                 /* by workload and pool: GPU-ns used since measured_since */
    struct pool_measure *measured_from; /* by pool: the integrals at the end of the warm-up */
    struct pool_measure *timeline_from; /* by pool: at the last timeline row */
    sim_time measured_since;
    sim_time timeline_since;
    sim_time first_submit; /* SIM_TIME_NEVER before the first */
    sim_time last_end;     /* -1: none yet */
};

/* Whether per-item figures cover an item submitted then: those of [warmup, horizon) do. */
static inline bool run_counts(const struct run_state *run, sim_time submit) {
    return submit >= run->scenario->warmup && submit < run->scenario->horizon;
}

static inline gpu_time *run_account(struct run_state *run, int32_t workload, int32_t pool) {
    return &run->accounts[(size_t)workload * run->scenario->pool_count + (size_t)pool];
}

/* Books what a job has used of its pool from the later of its start and the warm-up's end to now.
 */
void run_book_use(struct run_state *run, const struct job *job);

/* Fills in run->results once everything is booked up to run->now. False with *run->error if the
 * ledger does not balance: the run's numbers cannot be trusted then. */
bool run_summarize(struct run_state *run);

#endif
