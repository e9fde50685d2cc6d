/* The log of what happens to jobs, where `record: {events: true}` asks for it. */
#ifndef SIM_JOB_LOG_H
#define SIM_JOB_LOG_H

#include "sim/run_state.h"

/* Something happens to a job; O(1) if nothing is recorded. by: another job that has to do with it,
 * or NULL. A start is one row for each GPU or slot that it gets. */
void job_log(struct run_state *run, const struct job *job, enum job_event_kind kind,
             const struct job *by);

/* The run is over: why a job still waits. */
void job_log_waits(struct run_state *run, const struct job *job);

#endif
