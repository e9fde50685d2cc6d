/* Whether the queue of a workload, or of the whole run, grows without limit: the number of waiting
 * jobs is sampled at equal intervals of the measured time and judged at the end (kernel/growth.h).
 * Memory does not depend on the run's length. */
#ifndef SIM_STABILITY_H
#define SIM_STABILITY_H

#include <stdbool.h>
#include <stdint.h>

#include "sim/kernel/growth.h"

struct run_state;

/* The waiting jobs of one workload. */
struct backlog {
    int64_t waiting;
    int64_t entered; /* into the queue since the first sample */
    int64_t lengths[GROWTH_SAMPLES];
};

static inline void backlog_enter(struct backlog *backlog) {
    backlog->waiting++;
    backlog->entered++;
}

static inline void backlog_leave(struct backlog *backlog) {
    backlog->waiting--;
}

/* What became of one queue. Finite work is never unstable: nothing is judged under `end_of_work`,
 * nor a workload whose last job arrived before the horizon, nor one of a closed loop. */
struct stability {
    bool unstable;
    double growth_per_h; /* jobs per hour of the measured time; NaN: not judged */
};

/* Schedules the samples of a run with a horizon. */
void stability_watch(struct run_state *run);

/* By workload, then of the run's queue as a whole (workload_count + 1 in all; free with free()).
 * The run's queue is that of the workloads judged, and unstable if one of theirs is. */
struct stability *stability_judge(const struct run_state *run);

#endif
