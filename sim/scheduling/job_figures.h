/* What is measured of the jobs of one workload; of several together by merging. */
#ifndef SIM_SCHEDULING_JOB_FIGURES_H
#define SIM_SCHEDULING_JOB_FIGURES_H

#include <stdint.h>

#include "sim/kernel/histogram.h"
#include "sim/kernel/sim_time.h"

struct job_figures {
    int64_t submitted;
    int64_t completed;
    int64_t timed_out;
    int64_t rejected;
    int64_t failed;             /* killed while running */
    int64_t killed_at_estimate; /* likewise: of those that failed */
    int64_t oom_kills;          /* in the measured time: jobs that running out of memory killed */
    int64_t running;            /* at the end of the run */
    int64_t queued;             /* likewise */
    int64_t preemptions;        /* how often its jobs were */
    int64_t interruptions;      /* how often faults sent them back to the queue */
    double computed;            /* in the measured time, GPU-ns, of jobs that can be interrupted: */
    double redone;              /* of that: work that was lost; */
    double checkpoint;          /* time in saves */
    double restore;             /* and in restores */
    struct histogram wait;      /* ns, of jobs that started */
    struct histogram jct;       /* ns, of jobs that completed */
    struct histogram slowdown;  /* SLOWDOWN_UNITs, of jobs that completed */
};

/* Bounded slowdown: jct / max(run, 10 s). Source: Feitelson, Metrics for parallel job scheduling
 * and their convergence, JSSPP 2001. Kept in millionths. */
#define SLOWDOWN_UNIT 1e6
#define SLOWDOWN_SHORTEST (10 * NANOSECONDS_PER_SECOND)

void job_figures_initialize(struct job_figures *figures);
void job_figures_terminate(struct job_figures *figures);
void job_figures_started(struct job_figures *figures, sim_time submit, sim_time start);
/* run: how long it held its GPUs. */
void job_figures_completed(struct job_figures *figures, sim_time submit, sim_time run,
                           sim_time end);
/* Measuring begins now: GPU time so far is not counted. */
void job_figures_forget_time(struct job_figures *figures);
void job_figures_merge(struct job_figures *figures, const struct job_figures *other);

#endif
