/* How what the scheduler places starts: at once or, where MIG has to cut its instance first, when
 * that is done. */
#ifndef SIM_START_EVENTS_H
#define SIM_START_EVENTS_H

#include "sim/run_state.h"

/* What GPUs that are cut on demand need of a run: the placement rule, and the times of re-cuts from
 * the stream "reconfiguration of pool P". Once the pools are there. */
void start_events_begin(struct run_state *run);

/* The scheduler has placed a job, or that of a replica: on whole GPUs, or in a slot of `device`
 * (context: the run). */
void start_events_place(void *context, struct job *job, struct device *device);

/* An instance that is being cut on the device, if one is, will not be: who was to have it waits
 * again. */
void start_events_give_up(struct run_state *run, struct device *device);

/* Whether it has its place but not started there yet. */
static inline bool start_events_is_pending(const struct run_state *run, const struct job *job) {
    return job->running && job->start > run->now;
}

#endif
