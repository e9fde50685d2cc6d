/* The reservation of the queue's head: when it would fit, and where it is then. */
#include <assert.h>

#include "sim/kernel/memory.h"
#include "sim/scheduling/reservation_parts.h"

/* Whether the tree of a pool's nodes does not know enough to say when a gang fits. */
static bool needs_profile(const struct reservation *reservation, const struct shape *shape,
                          int32_t pool) {
    return shape->span == SPAN_ANY || reservation->availability[pool].index->free_host != NULL;
}

struct slot_stay reservation_stay_of(const struct shape_pool *wanted) {
    struct slot_stay stay = {.ask = &wanted->slot, .kinds = wanted->slot.kinds};
    for (int kind = 0; kind < SLOT_KINDS_LIMIT; kind++) {
        stay.durations[kind] = 1;
    }
    return stay;
}

static sim_time first_in_slots(struct slot_profile *profile, const struct gang *gang,
                               const struct shape_pool *wanted, sim_time now) {
    slot_profile_begin(profile, now);
    if (wanted->whole) {
        return slot_profile_first_gang(profile, gang, 1);
    }
    struct slot_stay stay = reservation_stay_of(wanted);
    return slot_profile_first(profile, &stay);
}

static sim_time first_moment(const struct scheduler *scheduler, const struct shape *shape,
                             const struct shape_pool *wanted) {
    struct reservation *reservation = scheduler->reservation;
    struct gang gang = shape_gang(shape);
    if (reservation_is_shared(reservation, wanted->pool)) {
        return first_in_slots(&reservation->slots[wanted->pool], &gang, wanted, scheduler->now);
    }
    struct availability *availability = &reservation->availability[wanted->pool];
    if (!needs_profile(reservation, shape, wanted->pool)) {
        return availability_first_fit(availability, gang_held(&gang, availability->gpus_per_node));
    }
    struct profile *profile = &reservation->profiles[wanted->pool];
    profile_begin(profile, scheduler->now);
    /* Nothing is reserved, so that nodes only get freer. */
    return profile_first(profile, &gang, 1);
}

const struct shape_pool *reservation_find_shadow(const struct scheduler *scheduler,
                                                 const struct shape *shape, sim_time *shadow) {
    const struct shape_pool *where = NULL;
    *shadow = SIM_TIME_NEVER;
    for (size_t i = 0; i < shape->pool_count; i++) {
        sim_time moment = first_moment(scheduler, shape, &shape->pools[i]);
        moment = moment > scheduler->now ? moment : scheduler->now;
        if (where == NULL || moment < *shadow) {
            *shadow = moment;
            where = &shape->pools[i];
        }
    }
    return where;
}

/* Puts the index into the state of the shadow time (sign 1) or back (sign -1), as far as it
 * matters. */
static void return_gpus(struct scheduler *scheduler, const struct shape *shape, int32_t pool,
                        int32_t sign) {
    struct reservation *reservation = scheduler->reservation;
    struct availability *availability = &reservation->availability[pool];
    size_t count = 0;
    struct gang gang = shape_gang(shape);
    const int32_t *nodes = availability_nodes(
        availability, gang_held(&gang, availability->gpus_per_node), reservation->shadow, &count);
    for (size_t i = 0; i < count; i++) {
        int32_t returned = availability_returned(availability, nodes[i], reservation->shadow);
        node_index_change(&scheduler->pools[pool].index, nodes[i], sign * returned);
    }
}

static void note_node(struct reservation *reservation, int32_t pool, int32_t node,
                      const struct node_room *extra) {
    reservation->nodes = memory_grow(reservation->nodes, &reservation->node_capacity,
                                     reservation->node_count + 1, sizeof *reservation->nodes);
    reservation->nodes[reservation->node_count++] = (struct reserved_node){
        .pool = pool, .node = node, .extra = extra->gpus, .extra_host = extra->host};
    reservation->entry[pool][node] = (uint32_t)reservation->node_count;
}

static void reserve_by_counts(struct scheduler *scheduler, const struct shape *shape,
                              const struct shape_pool *where) {
    struct reservation *reservation = scheduler->reservation;
    struct node_index *index = &scheduler->pools[where->pool].index;
    struct gang gang = shape_gang(shape);
    return_gpus(scheduler, shape, where->pool, 1);
    struct piece first;
    bool fits = placement_plan_ahead(scheduler->placement, index, &gang, &scheduler->stock, &first);
    assert(fits);
    if (fits) {
        for (const struct piece *piece = &first; piece != NULL; piece = piece->next) {
            struct node_room extra = {.gpus = index->free_gpus[piece->node], .host = index->host};
            note_node(reservation, where->pool, piece->node, &extra);
        }
        placement_unplan(index, &first, &scheduler->stock);
    }
    return_gpus(scheduler, shape, where->pool, -1);
}

static void reserve_by_profile(struct scheduler *scheduler, const struct shape *shape,
                               const struct shape_pool *where) {
    struct reservation *reservation = scheduler->reservation;
    struct profile *profile = &reservation->profiles[where->pool];
    struct gang gang = shape_gang(shape);
    struct piece first;
    bool fits = profile_plan(profile, scheduler->placement, &scheduler->stock, &gang,
                             reservation->shadow, 1, false, &first);
    assert(fits);
    if (fits) {
        profile_reserve(profile, &gang, &first, reservation->shadow, 1);
        for (const struct piece *piece = &first; piece != NULL; piece = piece->next) {
            struct node_room extra = profile_room(profile, piece->node, reservation->shadow, 1);
            note_node(reservation, where->pool, piece->node, &extra);
        }
        piece_return_rest(&scheduler->stock, &first);
    }
}

static void reserve_among_slots(struct scheduler *scheduler, const struct shape *shape,
                                const struct shape_pool *where) {
    struct reservation *reservation = scheduler->reservation;
    struct slot_profile *profile = &reservation->slots[where->pool];
    struct gang gang = shape_gang(shape);
    struct piece first;
    bool fits = slot_profile_plan_gang(profile, scheduler->placement, &scheduler->stock, &gang,
                                       reservation->shadow, 1, false, &first);
    assert(fits);
    if (fits) {
        for (const struct piece *piece = &first; piece != NULL; piece = piece->next) {
            uint64_t gpus = slot_profile_gpus(profile, piece->node, reservation->shadow, 1);
            struct node_room extra = {.gpus = __builtin_popcountll(gpus & ~piece->mask),
                                      .host = scheduler->pools[where->pool].index.host};
            note_node(reservation, where->pool, piece->node, &extra);
        }
        piece_return_rest(&scheduler->stock, &first);
    }
}

static void reserve_gpus(struct scheduler *scheduler, const struct shape *shape,
                         const struct shape_pool *where) {
    const struct reservation *reservation = scheduler->reservation;
    if (reservation_is_shared(reservation, where->pool)) {
        reserve_among_slots(scheduler, shape, where);
    } else if (needs_profile(reservation, shape, where->pool)) {
        reserve_by_profile(scheduler, shape, where);
    } else {
        reserve_by_counts(scheduler, shape, where);
    }
}

void reservation_reserve(struct scheduler *scheduler, const struct shape *shape) {
    struct reservation *reservation = scheduler->reservation;
    const struct shape_pool *where =
        reservation_find_shadow(scheduler, shape, &reservation->shadow);
    reservation->spot.device = NULL;
    reservation->where = NULL;
    if (reservation->shadow == SIM_TIME_NEVER) {
        return; /* it waits for what is out of use: nobody knows when that is back */
    }
    reservation->where = where;
    reservation->gang = shape_gang(shape);
    if (where->whole) {
        reserve_gpus(scheduler, shape, where);
    } else {
        reservation->ask = &where->slot;
        struct slot_stay stay = reservation_stay_of(where);
        bool fits = slot_profile_place(&reservation->slots[where->pool], &stay, reservation->shadow,
                                       false, &reservation->spot);
        assert(fits);
        (void)fits;
    }
}

void reservation_forget(struct reservation *reservation) {
    for (size_t i = 0; i < reservation->node_count; i++) {
        reservation->entry[reservation->nodes[i].pool][reservation->nodes[i].node] = 0;
    }
    reservation->node_count = 0;
}
