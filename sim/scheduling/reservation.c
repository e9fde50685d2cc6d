#include "sim/scheduling/reservation.h"

#include <assert.h>
#include <stdlib.h>

#include "sim/kernel/memory.h"
#include "sim/scheduling/availability.h"
#include "sim/scheduling/scheduler.h"
#include "sim/scheduling/shared_pool.h"

/* What a node that the reservation uses has free beside it at the shadow time. Other nodes need no
 * entry: they never have fewer GPUs free then than now, as nothing else starts in between. */
struct reserved_node {
    int32_t pool;
    int32_t node;
    int32_t extra;
};

struct reservation {
    size_t pool_count;
    struct availability *availability; /* by pool; of those without slots */
    struct shared_pool *shared;        /* by pool; of those with slots */
    uint32_t **entry; /* by pool and node: 1 + its place in `nodes`; 0: not reserved */
    struct reserved_node *nodes;
    size_t node_count;
    size_t node_capacity;
    sim_time shadow;
    const struct device *device; /* the head's slot is of it; NULL: whole GPUs are reserved */
    const struct slot_ask *ask;  /* for that slot */
};

struct reservation *reservation_create(const struct pool *pools, size_t pool_count) {
    struct reservation *reservation = memory_zero(1, sizeof *reservation);
    reservation->pool_count = pool_count;
    reservation->availability = memory_zero(pool_count, sizeof *reservation->availability);
    reservation->shared = memory_zero(pool_count, sizeof *reservation->shared);
    reservation->entry = memory_zero(pool_count, sizeof *reservation->entry);
    for (size_t i = 0; i < pool_count; i++) {
        if (pools[i].slots != NULL) {
            shared_pool_initialize(&reservation->shared[i], &pools[i]);
        } else {
            availability_initialize(&reservation->availability[i], &pools[i].index);
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
        shared_pool_terminate(&reservation->shared[i]);
        free(reservation->entry[i]);
    }
    free(reservation->availability);
    free(reservation->shared);
    free(reservation->entry);
    free(reservation->nodes);
    free(reservation);
}

static bool is_shared(const struct reservation *reservation, int32_t pool) {
    return reservation->shared[pool].pool != NULL;
}

void reservation_note_start(struct reservation *reservation, const struct job *job) {
    if (is_shared(reservation, job->pool)) {
        shared_pool_hold(&reservation->shared[job->pool], &job->pieces, job->expected_end);
        return;
    }
    for (const struct piece *piece = &job->pieces; piece != NULL; piece = piece->next) {
        availability_hold(&reservation->availability[job->pool], piece->node, piece->gpus,
                          job->expected_end);
    }
}

void reservation_note_end(struct reservation *reservation, const struct job *job) {
    if (is_shared(reservation, job->pool)) {
        shared_pool_hold(&reservation->shared[job->pool], &job->pieces, SHARED_POOL_FREE);
        return;
    }
    for (const struct piece *piece = &job->pieces; piece != NULL; piece = piece->next) {
        availability_release(&reservation->availability[job->pool], piece->node, piece->gpus,
                             job->expected_end);
    }
}

static sim_time first_moment(const struct scheduler *scheduler, const struct shape *shape,
                             const struct shape_pool *wanted) {
    struct reservation *reservation = scheduler->reservation;
    struct shared_pool *shared = &reservation->shared[wanted->pool];
    if (!wanted->whole) {
        return shared_pool_first_slot(shared, &wanted->slot, scheduler->now);
    }
    return is_shared(reservation, wanted->pool)
               ? shared_pool_first_gang(shared, shape->gpus, scheduler->now)
               : availability_first_fit(&reservation->availability[wanted->pool], shape->gpus);
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
    const int32_t *nodes =
        availability_nodes(availability, shape->gpus, reservation->shadow, &count);
    for (size_t i = 0; i < count; i++) {
        int32_t returned = availability_returned(availability, nodes[i], reservation->shadow);
        node_index_change(&scheduler->pools[pool].index, nodes[i], sign * returned);
    }
}

static void note_node(struct reservation *reservation, int32_t pool, int32_t node, int32_t extra) {
    reservation->nodes = memory_grow(reservation->nodes, &reservation->node_capacity,
                                     reservation->node_count + 1, sizeof *reservation->nodes);
    reservation->nodes[reservation->node_count++] =
        (struct reserved_node){.pool = pool, .node = node, .extra = extra};
    reservation->entry[pool][node] = (uint32_t)reservation->node_count;
}

static void reserve_gpus(struct scheduler *scheduler, const struct shape *shape,
                         const struct shape_pool *where) {
    struct reservation *reservation = scheduler->reservation;
    struct node_index *index = &scheduler->pools[where->pool].index;
    return_gpus(scheduler, shape, where->pool, 1);
    struct piece first;
    bool fits = placement_plan(scheduler->placement, index, shape->gpus, &scheduler->stock, &first);
    assert(fits);
    if (fits) {
        for (const struct piece *piece = &first; piece != NULL; piece = piece->next) {
            note_node(reservation, where->pool, piece->node, index->free_gpus[piece->node]);
        }
        placement_unplan(index, &first, &scheduler->stock);
    }
    return_gpus(scheduler, shape, where->pool, -1);
}

static void reserve(struct scheduler *scheduler, const struct shape *shape) {
    struct reservation *reservation = scheduler->reservation;
    const struct shape_pool *where = find_shadow(scheduler, shape, &reservation->shadow);
    reservation->device = NULL;
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

static bool leaves_nodes_alone(struct reservation *reservation, int32_t pool,
                               const struct piece *pieces) {
    for (const struct piece *piece = pieces; piece != NULL; piece = piece->next) {
        const struct reserved_node *node = reserved_at(reservation, pool, piece->node);
        if (node != NULL && piece->gpus > node->extra) {
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

static void use_extra(struct reservation *reservation, const struct job *job) {
    for (const struct piece *piece = &job->pieces; piece != NULL; piece = piece->next) {
        struct reserved_node *node = reserved_at(reservation, job->pool, piece->node);
        bool slot = piece->gpus == 0;
        if (node != NULL && slot) {
            node->extra -= takes_gpu(reservation, job->tenant->device, 1);
        } else if (node != NULL) {
            node->extra -= piece->gpus;
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
    if (device != NULL) {
        beside = leaves_slot_alone(reservation, where, device);
    } else {
        beside = leaves_nodes_alone(reservation, where->pool, &first);
        placement_unplan(&scheduler->pools[where->pool].index, &first, &scheduler->stock);
    }
    if (beside) {
        return job_tree_next(&shape->waiting, after);
    }
    double speed = scheduler_speed(scheduler, shape->waiting.first, where, device);
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
        if (job != NULL && (first == NULL || job_before(job, first))) {
            first = job;
        }
    }
    return first;
}

void reservation_backfill(struct scheduler *scheduler) {
    struct reservation *reservation = scheduler->reservation;
    reserve(scheduler, scheduler->queue.head->shape);
    /* Jobs are judged in order: each by what is free when its turn comes, and only once. */
    struct job position = {.link.key = scheduler->queue.head->link.key,
                           .sequence = scheduler->queue.head->sequence};
    struct job *job = first_candidate(scheduler, &position);
    while (job != NULL) {
        position.link.key = job->link.key;
        position.sequence = job->sequence;
        scheduler_try_start(scheduler, job);
        if (job->expected_end > reservation->shadow) {
            use_extra(reservation, job);
        }
        job = first_candidate(scheduler, &position);
    }
    forget(reservation);
}
