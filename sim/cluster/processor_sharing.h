/* One device whose tenants compute at the same time (MPS): who ends when, and where the device's
 * time went. A state machine without a clock: the caller says when things happen and asks what is
 * next. */
#ifndef SIM_CLUSTER_PROCESSOR_SHARING_H
#define SIM_CLUSTER_PROCESSOR_SHARING_H

#include <stddef.h>
#include <stdint.h>

#include "sim/kernel/sim_time.h"

/* Embedded by the caller in its request or job; belongs to a slot from begin to end or withdraw. */
struct sharing_task {
    size_t place; /* in the heap of its slot */
};

/* Each slot holds a tenant with any number of tasks, which share the tenant's rate (models/mps.h)
 * equally. A begin, end or withdrawal costs O(log tasks of the tenant + tenants that compute), and
 * allocates only where a slot gets more tasks at once than ever before.
 *
 * A task ends at the first whole nanosecond by which it is done (to 1/64 ns, so that the rounding
 * of rates does not cost one), and the others go on from its exact end: rounding does not add up
 * over the ends of a long task's life. What is left is the rounding of rates, 2 n + 8 parts in 2^53
 * of the time since the task's begin for n tenants and interference up to 1 (0.014 ns in an hour
 * for 13), plus 2^-62 / r parts of it for a task that gets r < 1/512 of full speed; and for each
 * time that several tasks end at one nanosecond, part of a nanosecond's work. A task that is alone
 * and not capped ends exactly after its work, however long. */
struct processor_sharing {
    int32_t slots;
    double interference;
    struct sharing_slot *slot; /* owned */
    int32_t *computing;        /* slots with a task, ascending; owned */
    int32_t computing_count;
    double demand;           /* the sum of d over them */
    sim_time now;            /* of the last call */
    sim_time next;           /* the first end, */
    int32_t next_slot;       /* and whose it is */
    sim_time since;          /* the integrals below are complete up to here */
    sim_time computing_time; /* with any task */
    double occupied;         /* min(1, demand) over time, ns */
};

/* Nobody computes at time 0. slots > 0, interference >= 0. */
void processor_sharing_initialize(struct processor_sharing *ps, int32_t slots, double interference);
void processor_sharing_terminate(struct processor_sharing *ps);

/* Times never go back from call to call, nor pass processor_sharing_next: ends are taken first. */

/* A tenant takes a slot that has no task: saturation and thread_share as in models/mps.h. */
void processor_sharing_seat(struct processor_sharing *ps, int32_t slot, double saturation,
                            double thread_share);
/* work >= 0: ns at rate 1. */
void processor_sharing_begin(struct processor_sharing *ps, int32_t slot, struct sharing_task *task,
                             sim_time work, sim_time now);
/* The task is killed or preempted: returns the work left, to the ns above (but for 1/64 ns, so that
 * the rounding of rates does not make it one more). */
sim_time processor_sharing_withdraw(struct processor_sharing *ps, int32_t slot,
                                    struct sharing_task *task, sim_time now);
/* When the next task ends if nothing else happens, never before the last call's now; SIM_TIME_NEVER
 * if none does. */
sim_time processor_sharing_next(const struct processor_sharing *ps);
/* At that time: takes the task that ends. Of several that end at one nanosecond, the lowest slot
 * goes first; within a slot the one that is due first, then the one begun first. */
struct sharing_task *processor_sharing_end(struct processor_sharing *ps, sim_time now);
/* How much of the work of a slot's tasks would be done before a task of so much work ended that
 * began now, if no other did; O(tasks). */
sim_time processor_sharing_work_ahead(const struct processor_sharing *ps, int32_t slot,
                                      sim_time work, sim_time now);
/* Brings the integrals up to now. */
void processor_sharing_advance(struct processor_sharing *ps, sim_time now);

/* What a slot did since the start, in ns, up to the last call's now. */
struct sharing_times {
    double part;      /* of the device's computing time, divided by rate */
    double computing; /* wall time with a task */
    double delayed;   /* of that, lost to other tenants: 1 - rate / rate alone, over time */
};
struct sharing_times processor_sharing_slot_times(const struct processor_sharing *ps, int32_t slot);
/* The same of the device: time with any task, and min(1, D) over it, for the utilization of SMs. */
sim_time processor_sharing_computing_time(const struct processor_sharing *ps);
double processor_sharing_occupied_time(const struct processor_sharing *ps);

#endif
