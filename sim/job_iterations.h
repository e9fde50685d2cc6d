/* Jobs that compute for a share of each iteration and wait for their host for the rest, where
 * others may compute meanwhile: one by one, a task and a wait each. A job that has its device alone
 * leaves nothing to anybody, and its waits are only counted (job_compute.c). */
#ifndef SIM_JOB_ITERATIONS_H
#define SIM_JOB_ITERATIONS_H

#include "sim/run_state.h"

static inline bool job_iterates(const struct workload_spec *workload) {
    return workload->iterations.gpu_active > 0 && workload->iterations.gpu_active < 1;
}

/* The share of its time in which it waits, in HOST_SHARE_UNIT; 0: never. */
int32_t job_iterations_host_share(const struct workload_spec *workload);

/* A job in a slot does `work` ns of iterations, alone in its slot, from where the last ones ended;
 * course_events_computed is called at their end. Stop: how much of it has been done. */
void job_iterations_begin(struct run_state *run, struct job *job, sim_time work);
sim_time job_iterations_stop(struct run_state *run, struct job *job);

#endif
