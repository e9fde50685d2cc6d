/* What conservative backfill has reserved for waiting jobs, and a newcomer must not take from them
 * by preempting others. And what newcomers for whom room is being made will hold. */
#ifndef SIM_SCHEDULING_PROMISES_H
#define SIM_SCHEDULING_PROMISES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sim/kernel/sim_time.h"

struct device;
struct job;
struct preemption;
struct scheduler;
struct shape_pool;

/* What is reserved for a waiting job, as of the last pass that came to it; where exactly, the job
 * knows. */
struct promise {
    struct job *job;
    const struct shape_pool *where;
    sim_time from;
    sim_time until;
    uint64_t pass;
};

struct promises {
    struct promise *items; /* in no order; each job knows its place */
    size_t count;
    size_t capacity;
    bool in_the_way; /* of some place that a search has looked at */
};

void promises_terminate(struct promises *promises);
/* A job has another reservation than before, or none any more. O(1). */
void promises_note(struct promises *promises, const struct promise *promise);
void promises_drop(struct promises *promises, struct job *job);

/* Whether reservations still hold if the newcomer takes so many GPUs of a node from now up to its
 * estimated end, from the bundles taken (preemption_bundles.h): those of the jobs ahead of it,
 * which the pass under way has made, and of those behind it that it may not preempt. Where GPUs are
 * shared, or hosts limited, there may be none on that node meanwhile. O(promises), and their
 * pieces. */
bool promises_allow_node(struct preemption *preemption, const struct job *newcomer,
                         const struct shape_pool *where, int32_t node, int32_t gpus);
/* The same for a slot: there may be none on its GPU, for ever where victims are suspended. */
bool promises_allow_slot(struct preemption *preemption, const struct job *newcomer,
                         const struct shape_pool *where, const struct device *device);

/* Reserves in the profiles, begun anew, what newcomers get that is not set aside for them yet: from
 * the estimated end of the victim that has it up to their own; and the slots of suspended jobs. */
void promises_hold_claims(struct scheduler *scheduler);

#endif
