/* What a job computes, on its whole GPUs or in its slot: begun for some work, and stopped. */
#ifndef SIM_JOB_COMPUTE_H
#define SIM_JOB_COMPUTE_H

#include "sim/run_state.h"

/* Begins to compute `work` ns, alone in its slot; course_events_computed is called at their end.
 * False: that is beyond all time. */
bool job_compute_begin(struct run_state *run, struct job *job, sim_time work);
/* Stops: how much of the work has been done. */
sim_time job_compute_stop(struct run_state *run, struct job *job);

#endif
