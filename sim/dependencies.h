/* Jobs that wait for others before they may start: for the end of whole workloads, for the end of
 * one job of their trace, and for their turn in an array of which only so many run at a time. They
 * are submitted and wait, but are in no queue until then. */
#ifndef SIM_DEPENDENCIES_H
#define SIM_DEPENDENCIES_H

#include "sim/run_state.h"

enum dependency_verdict {
    DEPENDENCY_MET,
    DEPENDENCY_AWAITED, /* the job is held until then */
    DEPENDENCY_BROKEN   /* what should have completed has not, and never will */
};

/* Where a job is held. */
enum dependency_hold { HOLD_NONE, HOLD_WORKLOADS, HOLD_JOB, HOLD_TURN };

/* An array: the equal jobs that came by one arrival. */
struct job_array {
    struct job_array *next_free;
    int32_t left;   /* of its jobs, those still there */
    int32_t active; /* of them, those whose turn it is */
    int32_t at_most;
    bool broken;      /* one of those gone had not completed */
    struct job *held; /* until it is their turn */
};

/* Once the arrivals are open; leaves run->dependencies NULL where nobody waits for anybody and
 * there are no arrays. */
void dependencies_begin(struct run_state *run);
void dependencies_terminate(struct run_state *run);

/* How many jobs an arrival of the workload brings. */
int32_t dependencies_array_size(const struct run_state *run, int32_t workload);
/* An arrival: counts its jobs; the array that they form, NULL if it is one job. */
struct job_array *dependencies_arrive(struct run_state *run, int32_t workload);

/* Whether a job that has arrived may be queued; if not yet, it is held until then. */
enum dependency_verdict dependencies_judge(struct run_state *run, struct job *job);
/* A held job is withdrawn. */
void dependencies_withdraw(struct run_state *run, struct job *job);

/* A job is gone, and what became of it. The first tells whether it was the last of its arrival; the
 * second queues those that waited for it, or turns them away. */
bool dependencies_leave_array(struct run_state *run, struct job *job, enum job_state state);
void dependencies_note_left(struct run_state *run, struct job *job, enum job_state state);

#endif
