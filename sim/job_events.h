/* What happens to jobs in a run: they arrive, start, end, are withdrawn or turned away. */
#ifndef SIM_JOB_EVENTS_H
#define SIM_JOB_EVENTS_H

#include "sim/run_state.h"

/* The next job of the streams arrives, at run->now. */
void job_events_arrive(struct run_state *run);
/* The scheduler has started a job (context: the run). */
void job_events_start(void *context, struct job *job);
/* The run is over: books and records the jobs still alive. */
void job_events_finish(struct run_state *run);

#endif
