#include "sim/scheduling/reservation.h"

#include <assert.h>
#include <stdlib.h>

#include "sim/kernel/memory.h"
#include "sim/scheduling/quotas.h"
#include "sim/scheduling/reservation_parts.h"

struct reservation *reservation_create(struct pool *pools, size_t pool_count) {
    struct reservation *reservation = memory_zero(1, sizeof *reservation);
    reservation->pool_count = pool_count;
    reservation->availability = memory_zero(pool_count, sizeof *reservation->availability);
    reservation->profiles = memory_zero(pool_count, sizeof *reservation->profiles);
    reservation->shared = memory_zero(pool_count, sizeof *reservation->shared);
    reservation->slots = memory_zero(pool_count, sizeof *reservation->slots);
    reservation->entry = memory_zero(pool_count, sizeof *reservation->entry);
    for (size_t i = 0; i < pool_count; i++) {
        if (pools[i].slots != NULL) {
            shared_pool_initialize(&reservation->shared[i], &pools[i]);
            slot_profile_initialize(&reservation->slots[i], &reservation->shared[i]);
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
        slot_profile_terminate(&reservation->slots[i]);
        shared_pool_terminate(&reservation->shared[i]);
        free(reservation->entry[i]);
    }
    free(reservation->availability);
    free(reservation->profiles);
    free(reservation->shared);
    free(reservation->slots);
    free(reservation->entry);
    free(reservation->nodes);
    free(reservation);
}

struct profile *reservation_profile(struct reservation *reservation, int32_t pool) {
    return reservation_is_shared(reservation, pool) ? NULL : &reservation->profiles[pool];
}

struct slot_profile *reservation_slot_profile(struct reservation *reservation, int32_t pool) {
    return reservation_is_shared(reservation, pool) ? &reservation->slots[pool] : NULL;
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

/* What it holds of the hosts of a shared pool; in a slot, of one node. */
static void note_hosts(struct reservation *reservation, const struct job *job, bool begins) {
    struct shared_pool *shared = &reservation->shared[job->pool];
    struct gang gang = shape_gang(job->shape);
    for (const struct piece *piece = &job->pieces; piece != NULL; piece = piece->next) {
        struct host_share of_gang = node_index_ask(&shared->pool->index, &gang, piece->gpus).host;
        struct host_hold hold = {.end = &job->expected_end,
                                 .host = piece->gpus > 0 ? of_gang : gang.each};
        if (begins) {
            shared_pool_hold_host(shared, piece->node, &hold);
        } else {
            shared_pool_release_host(shared, piece->node, hold.end);
        }
    }
}

void reservation_note_start(struct reservation *reservation, const struct job *job) {
    if (reservation_is_shared(reservation, job->pool)) {
        shared_pool_hold(&reservation->shared[job->pool], &job->pieces, job->expected_end);
        note_hosts(reservation, job, true);
        return;
    }
    for (const struct piece *piece = &job->pieces; piece != NULL; piece = piece->next) {
        struct held held = held_by(reservation, job, piece);
        availability_hold(&reservation->availability[job->pool], piece->node, &held);
    }
}

void reservation_note_end(struct reservation *reservation, const struct job *job) {
    if (reservation_is_shared(reservation, job->pool)) {
        shared_pool_hold(&reservation->shared[job->pool], &job->pieces, SHARED_POOL_FREE);
        note_hosts(reservation, job, false);
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
    if (reservation_is_shared(reservation, pool)) {
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
    if (!reservation_is_shared(reservation, pool)) {
        availability_look_again(&reservation->availability[pool], node);
    }
}

/* --- The pass --- */

/* The first job of the shape after `after` that may start now beside the reservation. All jobs of a
 * shape would be placed alike, so the place is tried once. */
static struct job *candidate(struct scheduler *scheduler, struct shape *shape,
                             const struct job *after) {
    struct piece first;
    struct slot_place place;
    const struct shape_pool *where = scheduler_plan(scheduler, shape, &first, &place);
    if (where == NULL) {
        shape->passed_over = scheduler->passes;
        return NULL;
    }
    struct pool *pool = &scheduler->pools[where->pool];
    bool beside = reservation_is_left_alone(scheduler, shape, where, &place, &first);
    double links = 1;
    if (place.device == NULL) {
        links = pool_gang_speed(pool, &first);
        placement_unplan(&pool->index, &first, &scheduler->stock);
    }
    if (beside) {
        return job_tree_next(&shape->waiting, after);
    }
    const struct job *like = shape->waiting.first;
    double speed = place.cut_as >= 0
                       ? scheduler_speed_in(scheduler, like, where, place.cut_as)
                       : scheduler_speed(scheduler, like, where, place.device) * links;
    return job_tree_find(&shape->waiting, after,
                         reservation_longest_estimate(scheduler, where, &place, speed));
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
    reservation_find_shadow(scheduler, head, &shadow);
    return shadow <= scheduler->reservation->shadow;
}
#endif

void reservation_backfill(struct scheduler *scheduler) {
    struct reservation *reservation = scheduler->reservation;
    const struct job *head = job_queue_first(&scheduler->queue);
    reservation_reserve(scheduler, head->shape);
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
            reservation_use_extra(reservation, &scheduler->pools[job->pool].index, job);
        }
        job = first_candidate(scheduler, in_turns ? NULL : &position);
    }
    assert(keeps_promise(scheduler, head->shape));
    reservation_forget(reservation);
}
