/* Between the files of reservation.c: the reservation itself, which reservation_head.c makes for
 * the queue's head, and beside which reservation_beside.c says who may start. */
#ifndef SIM_SCHEDULING_RESERVATION_PARTS_H
#define SIM_SCHEDULING_RESERVATION_PARTS_H

#include <stdbool.h>

#include "sim/scheduling/availability.h"
#include "sim/scheduling/profile.h"
#include "sim/scheduling/reservation.h"
#include "sim/scheduling/scheduler.h"
#include "sim/scheduling/slot_profile.h"

/* What a node that the reservation uses has free beside it at the shadow time. Other nodes need no
 * entry: they never have fewer GPUs free then than now, as nothing else starts in between. */
struct reserved_node {
    int32_t pool;
    int32_t node;
    int32_t extra;
    struct host_share extra_host;
};

struct reservation {
    size_t pool_count;
    struct availability *availability; /* by pool; of those without slots */
    struct profile *profiles;          /* likewise */
    struct shared_pool *shared;        /* by pool; of those with slots */
    struct slot_profile *slots;        /* likewise */
    uint32_t **entry; /* by pool and node: 1 + its place in `nodes`; 0: not reserved */
    struct reserved_node *nodes;
    size_t node_count;
    size_t node_capacity;
    sim_time shadow;
    const struct shape_pool *where; /* the head's pool; NULL: nothing is reserved */
    struct gang gang;               /* that it is there, if it has whole GPUs */
    struct slot_spot spot; /* the head's slot is of its device; NULL: whole GPUs are reserved */
    const struct slot_ask *ask; /* for that slot */
};

static inline bool reservation_is_shared(const struct reservation *reservation, int32_t pool) {
    return reservation->shared[pool].pool != NULL;
}

/* A slot, for a moment: nothing else is reserved, so that devices only get freer. */
struct slot_stay reservation_stay_of(const struct shape_pool *wanted);
/* The first moment at which the shape fits in any of its pools, and which pool it then gets: the
 * first, in order of preference, in which it fits. A job past its estimate counts as ending now. */
const struct shape_pool *reservation_find_shadow(const struct scheduler *scheduler,
                                                 const struct shape *shape, sim_time *shadow);
/* Reserves for jobs of a shape, until it is forgotten. */
void reservation_reserve(struct scheduler *scheduler, const struct shape *shape);
void reservation_forget(struct reservation *reservation);

/* Whether a job that is planned there (place->device NULL: on these pieces, taken off the index
 * meanwhile) may start beside the reservation however long it is; and how long it may be estimated
 * to run, at this speed, if not: below 0 for no job at all. */
bool reservation_is_left_alone(struct scheduler *scheduler, const struct shape *shape,
                               const struct shape_pool *where, const struct slot_place *place,
                               const struct piece *pieces);
sim_time reservation_longest_estimate(const struct scheduler *scheduler,
                                      const struct shape_pool *where,
                                      const struct slot_place *place, double speed);
/* A job has started that stays beyond the shadow time. */
void reservation_use_extra(struct reservation *reservation, const struct node_index *index,
                           const struct job *job);

#endif
