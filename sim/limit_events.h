/* `kill_at_estimate`: jobs that run longer than they were estimated to are ended. The time counts
 * from each start anew, as it does for a job that Slurm puts back into the queue. */
#ifndef SIM_LIMIT_EVENTS_H
#define SIM_LIMIT_EVENTS_H

#include "sim/run_state.h"

/* A job has started, in a slot of `device` or, if that is NULL, on whole GPUs; or it leaves them.
 */
void limit_events_start(struct run_state *run, struct job *job, const struct device *device);
void limit_events_stop(struct run_state *run, struct job *job);

#endif
