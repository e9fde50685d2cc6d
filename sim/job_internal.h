/* What job_events.c and job_arrivals.c share. */
#ifndef SIM_JOB_INTERNAL_H
#define SIM_JOB_INTERNAL_H

#include "sim/run_state.h"

/* Tells the recorder what became of a job. */
void job_record(struct run_state *run, const struct job *job, enum job_state state);
/* The end of a job, however it came: it is no longer among those alive. */
void job_leave(struct run_state *run, struct job *job, enum job_state state);
/* A waiting job is not served. */
void job_leave_queue(struct run_state *run, struct job *job);
/* A job that arrives is withdrawn if it has not started by then. */
void job_await_withdrawal(struct run_state *run, struct job *job, sim_time max_wait);

#endif
