/* What happens to jobs in a run: they arrive, start, end, are withdrawn or turned away. */
#ifndef SIM_JOB_EVENTS_H
#define SIM_JOB_EVENTS_H

#include "sim/run_state.h"

/* The next job of the streams arrives, at run->now. */
void job_events_arrive(struct run_state *run);
/* The scheduler has placed a job: it waits no longer, and is not withdrawn any more. */
void job_events_leave_queue(struct run_state *run, struct job *job);
/* It starts, in a slot of `device` or, if that is NULL, on whole GPUs. */
void job_events_start(struct run_state *run, struct job *job, struct device *device);
/* A running job dies; its state is `failed`. */
void job_events_kill(struct run_state *run, struct job *job);
/* Its work is done: it leaves its GPUs, and the run. */
void job_events_complete(struct run_state *run, struct job *job);
/* A job with a course that has broken off leaves its GPUs, and waits in the queue again. */
void job_events_return(struct run_state *run, struct job *job);
/* A job whose time has come enters the queue; or, as what it waited for will not complete, it is
 * rejected. */
void job_events_queue(struct run_state *run, struct job *job);
void job_events_turn_away_dependent(struct run_state *run, struct job *job);
/* What the trace calls a job, else its number. */
void job_events_label(const struct run_state *run, const struct job *job, struct job_label *label);
/* The run is over: books and records the jobs still alive. */
void job_events_finish(struct run_state *run);

#endif
