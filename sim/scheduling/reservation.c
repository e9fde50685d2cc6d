#include "sim/scheduling/reservation.h"

#include <assert.h>
#include <stdlib.h>

#include "sim/kernel/memory.h"
#include "sim/scheduling/availability.h"
#include "sim/scheduling/profile.h"
#include "sim/scheduling/quotas.h"
#include "sim/scheduling/scheduler.h"
#include "sim/scheduling/shared_pool.h"

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
    uint32_t **entry; /* by pool and node: 1 + its place in `nodes`; 0: not reserved */
    struct reserved_node *nodes;
    size_t node_count;
    size_t node_capacity;
    sim_time shadow;
    const struct device *device; /* the head's slot is of it; NULL: whole GPUs are reserved */
    const struct slot_ask *ask;  /* for that slot */
};

struct reservation *reservation_create(struct pool *pools, size_t pool_count) {
    struct reservation *reservation = memory_zero(1, sizeof *reservation);
    reservation->pool_count = pool_count;
    reservation->availability = memory_zero(pool_count, sizeof *reservation->availability);
    reservation->profiles = memory_zero(pool_count, sizeof *reservation->profiles);
    reservation->shared = memory_zero(pool_count, sizeof *reservation->shared);
    reservation->entry = memory_zero(pool_count, sizeof *reservation->entry);
    for (size_t i = 0; i < pool_count; i++) {
        if (pools[i].slots != NULL) {
            shared_pool_initialize(&reservation->shared[i], &pools[i]);
        } else {
            availability_initialize(&reservation->availability[i], &pools[i].index);
            profile_initialize(&reservation->profiles[i], &reservation->availability[i],
                               &pools[i].index);
        }
        reservation->entry[i] =
            memory_zero((size_t)pools[i].index.nodes, sizeof *reservation->entry[i]);
    }
    return reservation;
}

void reservation_destroy(struct reservation *reservation) {
    if (reservation == NULL) {
        return;
    }
    for (size_t i = 0; i < reservation->pool_count; i++) {
        availability_terminate(&reservation->availability[i]);
        profile_terminate(&reservation->profiles[i]);
        shared_pool_terminate(&reservation->shared[i]);
        free(reservation->entry[i]);
    }
    free(reservation->availability);
    free(reservation->profiles);
    free(reservation->shared);
    free(reservation->entry);
    free(reservation->nodes);
    free(reservation);
}

static bool is_shared(const struct reservation *reservation, int32_t pool) {
    return reservation->shared[pool].pool != NULL;
}

struct profile *reservation_profile(struct reservation *reservation, int32_t pool) {
    return is_shared(reservation, pool) ? NULL : &reservation->profiles[pool];
}

/* What a job holds on one node, for availability.h. */
static struct held held_by(const struct reservation *reservation, const struct job *job,
                           const struct piece *piece) {
    struct gang gang = shape_gang(job->shape);
    const struct node_index *index = reservation->availability[job->pool].index;
    return (struct held){.end = job->expected_end,
                         .gpus = piece->gpus,
                         .host = node_index_ask(index, &gang, piece->gpus).host};
}

void reservation_note_start(struct reservation *reservation, const struct job *job) {
    if (is_shared(reservation, job->pool)) {
        shared_pool_hold(&reservation->shared[job->pool], &job->pieces, job->expected_end);
        return;
    }
    for (const struct piece *piece = &job->pieces; piece != NULL; piece = piece->next) {
        struct held held = held_by(reservation, job, piece);
        availability_hold(&reservation->availability[job->pool], piece->node, &held);
    }
}

void reservation_note_end(struct reservation *reservation, const struct job *job) {
    if (is_shared(reservation, job->pool)) {
        shared_pool_hold(&reservation->shared[job->pool], &job->pieces, SHARED_POOL_FREE);
        return;
    }
    for (const struct piece *piece = &job->pieces; piece != NULL; piece = piece->next) {
        struct held held = held_by(reservation, job, piece);
        availability_release(&reservation->availability[job->pool], piece->node, &held);
    }
}

void reservation_note_aside(struct reservation *reservation, int32_t pool,
                            const struct piece *before, const struct piece *now, sim_time until) {
    struct availability *availability = &reservation->availability[pool];
    if (is_shared(reservation, pool)) {
        struct piece freed = {.node = before->node, .mask = before->mask};
        struct piece held = {.node = now->node, .mask = now->mask};
        shared_pool_hold(&reservation->shared[pool], &freed, SHARED_POOL_FREE);
        shared_pool_hold(&reservation->shared[pool], &held, until);
        return;
    }
    struct held freed = {.end = until, .gpus = __builtin_popcountll(before->mask)};
    struct held held = {.end = until, .gpus = __builtin_popcountll(now->mask)};
    if (freed.gpus > 0) {
        availability_release(availability, before->node, &freed);
    }
    if (held.gpus > 0) {
        availability_hold(availability, now->node, &held);
    }
}

void reservation_note_outage(struct reservation *reservation, int32_t pool, int32_t node) {
    if (!is_shared(reservation, pool)) {
        availability_look_again(&reservation->availability[pool], node);
    }
}

/* Whether the tree of a pool's nodes does not know enough to say when a gang fits. */
static bool needs_profile(const struct reservation *reservation, const struct shape *shape,
                          int32_t pool) {
    return shape->span == SPAN_ANY || reservation->availability[pool].index->free_host != NULL;
}

static sim_time first_moment(const struct scheduler *scheduler, const struct shape *shape,
                             const struct shape_pool *wanted) {
    struct reservation *reservation = scheduler->reservation;
    struct shared_pool *shared = &reservation->shared[wanted->pool];
    struct gang gang = shape_gang(shape);
    if (!wanted->whole) {
        return shared_pool_first_slot(shared, &wanted->slot, scheduler->now);
    }
    if (is_shared(reservation, wanted->pool)) {
        return shared_pool_first_gang(shared, &gang, scheduler->now);
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

/* The first moment at which the shape fits in any of its pools, and which pool it then gets: the
 * first, in order of preference, in which it fits. A job past its estimate counts as ending now. */
static const struct shape_pool *find_shadow(const struct scheduler *scheduler,
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

static void return_shared_gpus(struct scheduler *scheduler, int32_t pool, int32_t sign) {
    struct reservation *reservation = scheduler->reservation;
    struct node_index *index = &scheduler->pools[pool].index;
    for (int32_t node = 0; node < index->nodes; node++) {
        int32_t returned =
            shared_pool_returned(&reservation->shared[pool], node, reservation->shadow);
        node_index_change(index, node, sign * returned);
    }
}

/* Puts the index into the state of the shadow time (sign 1) or back (sign -1), as far as it
 * matters. */
static void return_gpus(struct scheduler *scheduler, const struct shape *shape, int32_t pool,
                        int32_t sign) {
    struct reservation *reservation = scheduler->reservation;
    struct availability *availability = &reservation->availability[pool];
    size_t count = 0;
    if (is_shared(reservation, pool)) {
        return_shared_gpus(scheduler, pool, sign);
        return;
    }
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

static void reserve_gpus(struct scheduler *scheduler, const struct shape *shape,
                         const struct shape_pool *where) {
    const struct reservation *reservation = scheduler->reservation;
    if (!is_shared(reservation, where->pool) && needs_profile(reservation, shape, where->pool)) {
        reserve_by_profile(scheduler, shape, where);
    } else {
        reserve_by_counts(scheduler, shape, where);
    }
}

static void reserve(struct scheduler *scheduler, const struct shape *shape) {
    struct reservation *reservation = scheduler->reservation;
    const struct shape_pool *where = find_shadow(scheduler, shape, &reservation->shadow);
    reservation->device = NULL;
    if (reservation->shadow == SIM_TIME_NEVER) {
        return; /* it waits for what is out of use: nobody knows when that is back */
    }
    if (where->whole) {
        reserve_gpus(scheduler, shape, where);
    } else {
        reservation->ask = &where->slot;
        reservation->device = shared_pool_slot_at(&reservation->shared[where->pool], &where->slot,
                                                  reservation->shadow);
        assert(reservation->device != NULL);
    }
}

static void forget(struct reservation *reservation) {
    for (size_t i = 0; i < reservation->node_count; i++) {
        reservation->entry[reservation->nodes[i].pool][reservation->nodes[i].node] = 0;
    }
    reservation->node_count = 0;
}

static struct reserved_node *reserved_at(struct reservation *reservation, int32_t pool,
                                         int32_t node) {
    uint32_t entry = reservation->entry[pool][node];
    return entry == 0 ? NULL : &reservation->nodes[entry - 1];
}

static bool leaves_nodes_alone(struct reservation *reservation, const struct node_index *index,
                               int32_t pool, const struct gang *gang, const struct piece *pieces) {
    for (const struct piece *piece = pieces; piece != NULL; piece = piece->next) {
        const struct reserved_node *node = reserved_at(reservation, pool, piece->node);
        struct node_ask ask = node_index_ask(index, gang, piece->gpus);
        if (node != NULL &&
            (piece->gpus > node->extra || !host_share_fits(&ask.host, &node->extra_host))) {
            return false;
        }
    }
    return true;
}

/* Whether a tenant of the device takes one of the GPUs that its node has free at the shadow time
 * if `others` more than it are there now. */
static bool takes_gpu(const struct reservation *reservation, const struct device *device,
                      int32_t others) {
    return device->profile < 0 && shared_pool_staying(device, reservation->shadow) - others == 0;
}

/* The same of a slot: on a device that is reserved, it must leave the head's slot; a GPU that
 * would be free at the shadow time counts. */
static bool leaves_slot_alone(struct reservation *reservation, const struct shape_pool *where,
                              const struct device *device) {
    if (reservation->device != NULL) {
        return device != reservation->device ||
               shared_pool_holds_both(device, reservation->ask, &where->slot, reservation->shadow);
    }
    const struct reserved_node *node = reserved_at(reservation, where->pool, device->node);
    return node == NULL || node->extra > 0 || !takes_gpu(reservation, device, 0);
}

static void use_extra(struct reservation *reservation, const struct node_index *index,
                      const struct job *job) {
    struct gang gang = shape_gang(job->shape);
    for (const struct piece *piece = &job->pieces; piece != NULL; piece = piece->next) {
        struct reserved_node *node = reserved_at(reservation, job->pool, piece->node);
        bool slot = piece->gpus == 0;
        if (node != NULL && slot) {
            node->extra -= takes_gpu(reservation, job->tenant->device, 1);
        } else if (node != NULL) {
            struct node_ask ask = node_index_ask(index, &gang, piece->gpus);
            node->extra -= piece->gpus;
            if (index->free_host != NULL) {
                node->extra_host.cpus -= ask.host.cpus;
                node->extra_host.memory -= ask.host.memory;
            }
        }
    }
}

/* The longest estimate that ends within `time` at this speed, as scheduler_scale rounds. */
static sim_time longest_estimate(sim_time time, double speed) {
    if (speed == 1 || time >= SIM_TIME_LONGEST) {
        return time;
    }
    sim_time estimate = sim_time_from_seconds(sim_time_to_seconds(time) * speed);
    while (estimate < SIM_TIME_LONGEST && scheduler_scale(estimate + 1, speed) <= time) {
        estimate++;
    }
    while (estimate >= 0 && scheduler_scale(estimate, speed) > time) {
        estimate--;
    }
    return estimate;
}

/* The first job of the shape after `after` that may start now beside the reservation. All jobs of a
 * shape would be placed alike, so the place is tried once. */
static struct job *candidate(struct scheduler *scheduler, struct shape *shape,
                             const struct job *after) {
    struct reservation *reservation = scheduler->reservation;
    struct piece first;
    struct device *device;
    const struct shape_pool *where = scheduler_plan(scheduler, shape, &first, &device);
    if (where == NULL) {
        shape->passed_over = scheduler->passes;
        return NULL;
    }
    bool beside;
    double links = 1;
    if (device != NULL) {
        beside = leaves_slot_alone(reservation, where, device);
    } else {
        struct node_index *index = &scheduler->pools[where->pool].index;
        struct gang gang = shape_gang(shape);
        beside = leaves_nodes_alone(reservation, index, where->pool, &gang, &first);
        links = pool_gang_speed(&scheduler->pools[where->pool], &first);
        placement_unplan(index, &first, &scheduler->stock);
    }
    if (beside) {
        return job_tree_next(&shape->waiting, after);
    }
    double speed = scheduler_speed(scheduler, shape->waiting.first, where, device) * links;
    return job_tree_find(&shape->waiting, after,
                         longest_estimate(reservation->shadow - scheduler->now, speed));
}

static struct job *first_candidate(struct scheduler *scheduler, const struct job *after) {
    struct job *first = NULL;
    for (size_t i = 0; i < scheduler->queue.active_count; i++) {
        struct shape *shape = scheduler->queue.active[i];
        if (shape->passed_over == scheduler->passes) {
            continue;
        }
        struct job *job = candidate(scheduler, shape, after);
        if (job != NULL && (first == NULL || job_queue_before(&scheduler->queue, job, first))) {
            first = job;
        }
    }
    return first;
}

#ifndef NDEBUG
/* Programmer's check: whoever was started, the head could still start when it was to. */
static bool keeps_promise(const struct scheduler *scheduler, const struct shape *head) {
    sim_time shadow;
    find_shadow(scheduler, head, &shadow);
    return shadow <= scheduler->reservation->shadow;
}
#endif

void reservation_backfill(struct scheduler *scheduler) {
    struct reservation *reservation = scheduler->reservation;
    const struct job *head = job_queue_first(&scheduler->queue);
    reserve(scheduler, head->shape);
    /* Jobs are judged in order: each by what is free when its turn comes, and only once. Where each
     * start changes whose turn it is, all are judged again. */
    bool in_turns = scheduler->quotas != NULL && scheduler->quotas->fair;
    struct job position = {.link.key = head->link.key, .sequence = head->sequence};
    struct job *job = first_candidate(scheduler, in_turns ? NULL : &position);
    while (job != NULL && !scheduler_may_not_overtake(scheduler, job)) {
        position.link.key = job->link.key;
        position.sequence = job->sequence;
        scheduler_try_start(scheduler, job);
        if (job->expected_end > reservation->shadow) {
            use_extra(reservation, &scheduler->pools[job->pool].index, job);
        }
        job = first_candidate(scheduler, in_turns ? NULL : &position);
    }
    assert(keeps_promise(scheduler, head->shape));
    forget(reservation);
}
