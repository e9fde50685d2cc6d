#include "sim/scheduling/promises.h"

#include <stdlib.h>

#include "sim/kernel/memory.h"
#include "sim/scheduling/preemption.h"
#include "sim/scheduling/profile.h"
#include "sim/scheduling/reservation.h"
#include "sim/scheduling/scheduler.h"
#include "sim/scheduling/slot_profile.h"

void promises_terminate(struct promises *promises) {
    free(promises->items);
}

void promises_note(struct promises *promises, const struct promise *promise) {
    struct job *job = promise->job;
    if (job->promise == 0) {
        promises->items = memory_grow(promises->items, &promises->capacity, promises->count + 1,
                                      sizeof *promises->items);
        job->promise = (uint32_t)++promises->count;
    }
    promises->items[job->promise - 1] = *promise;
}

void promises_drop(struct promises *promises, struct job *job) {
    if (job->promise > 0) {
        const struct promise *last = &promises->items[--promises->count];
        last->job->promise = job->promise;
        promises->items[job->promise - 1] = *last;
        job->promise = 0;
    }
}

/* --- Whether they hold --- */

/* As if it started now, at the speed that it has wherever its pieces are. */
static sim_time end_of(const struct preemption *preemption, const struct job *newcomer,
                       const struct shape_pool *where, const struct device *device) {
    const struct scheduler *scheduler = preemption->scheduler;
    struct gang gang = shape_gang(newcomer->shape);
    struct shape_pool slowest = *where;
    if (device == NULL) {
        slowest.speed *= pool_least_gang_speed(&scheduler->pools[where->pool], &gang);
    }
    sim_time end = scheduler_expected_end(scheduler, newcomer, &slowest, device);
    return end > scheduler->now ? end : scheduler->now + 1;
}

static int32_t gpus_on(const struct piece *pieces, int32_t node) {
    int32_t gpus = 0;
    for (const struct piece *piece = pieces; piece != NULL; piece = piece->next) {
        gpus += piece->node == node ? piece->gpus : 0;
    }
    return gpus;
}

/* GPUs of the node that victims would have held beyond a moment. */
static int32_t freed_beyond(const struct preemption *preemption, int32_t node, sim_time moment) {
    int32_t gpus = 0;
    for (size_t i = 0; i < preemption->bundle_count; i++) {
        const struct bundle *bundle = &preemption->bundles[i];
        for (size_t j = 0; bundle->taken && j < bundle->count; j++) {
            const struct job *job = preemption->jobs[bundle->first + j];
            gpus += job->expected_end > moment ? gpus_on(&job->pieces, node) : 0;
        }
    }
    return gpus;
}

/* What other newcomers hold of the node then, beyond what is set aside for them. */
static int32_t claimed(const struct preemption *preemption, int32_t pool, int32_t node,
                       sim_time moment) {
    int32_t gpus = 0;
    for (const struct claim *claim = preemption->claims; claim != NULL; claim = claim->next) {
        bool counts =
            claim->device == NULL && claim->where->pool == pool && claim->expected_end > moment;
        for (const struct piece *piece = &claim->pieces; counts && piece != NULL;
             piece = piece->next) {
            gpus += piece->node == node ? piece->gpus - __builtin_popcountll(piece->mask) : 0;
        }
    }
    return gpus;
}

static bool is_ahead(const struct preemption *preemption, const struct promise *promise) {
    return promise->pass == preemption->scheduler->passes;
}

/* Whether the newcomer is to leave a promise alone: of a job ahead of it, or one that it could not
 * preempt if that ran. */
static bool is_binding(const struct preemption *preemption, const struct job *newcomer,
                       const struct promise *promise) {
    const struct job *job = promise->job;
    bool is_prey = preemption->rules[job->workload].preemptible &&
                   preemption_is_more_urgent(preemption, newcomer, job);
    return job != newcomer && (is_ahead(preemption, promise) || !is_prey);
}

/* What is promised of a node at a moment; ahead: to jobs ahead of the newcomer only. */
static int32_t promised(const struct preemption *preemption, const struct job *newcomer,
                        int32_t pool, int32_t node, sim_time moment, bool ahead) {
    const struct promises *promises = &preemption->promises;
    int32_t gpus = 0;
    for (size_t i = 0; i < promises->count; i++) {
        const struct promise *promise = &promises->items[i];
        bool counts = promise->where->pool == pool && promise->where->whole &&
                      promise->from <= moment && moment < promise->until &&
                      (!ahead || is_ahead(preemption, promise)) &&
                      is_binding(preemption, newcomer, promise);
        gpus += counts ? gpus_on(&promise->job->pieces, node) : 0;
    }
    return gpus;
}

/* What is left of a node of exclusive GPUs at a moment as things are, but for promises. */
static int32_t left_at(const struct preemption *preemption, int32_t pool, int32_t node,
                       sim_time moment) {
    const struct scheduler *scheduler = preemption->scheduler;
    const struct profile *profile = reservation_profile(scheduler->reservation, pool);
    size_t count;
    const struct held *held = availability_held(profile->availability, node, &count);
    int32_t gpus = scheduler->pools[pool].index.free_gpus[node];
    for (size_t i = 0; i < count && held[i].end <= moment; i++) {
        gpus += held[i].gpus;
    }
    return gpus - claimed(preemption, pool, node, moment);
}

static bool is_allowed(struct preemption *preemption, bool allowed) {
    preemption->promises.in_the_way |= !allowed;
    return allowed;
}

/* A promise on exclusive GPUs of a node. One to a job behind the newcomer that jobs ahead of it
 * have broken is not the newcomer's to keep. */
static bool holds_beside(const struct preemption *preemption, const struct job *newcomer,
                         const struct promise *promise, int32_t node, int32_t gpus) {
    sim_time now = preemption->scheduler->now;
    sim_time moment = promise->from > now ? promise->from : now;
    bool ahead = is_ahead(preemption, promise);
    int32_t pool = promise->where->pool;
    int32_t left = left_at(preemption, pool, node, moment) -
                   promised(preemption, newcomer, pool, node, moment, ahead);
    return (left < 0 && !ahead) || left + freed_beyond(preemption, node, moment) >= gpus;
}

static bool is_on_node(const struct promise *promise, const struct pool *pool, int32_t node) {
    const struct job *job = promise->job;
    return promise->where->whole ? gpus_on(&job->pieces, node) > 0
                                 : pool->slots->devices[job->reserved_slot - 1].node == node;
}

bool promises_allow_node(struct preemption *preemption, const struct job *newcomer,
                         const struct shape_pool *where, int32_t node, int32_t gpus) {
    const struct promises *promises = &preemption->promises;
    const struct pool *pool = &preemption->scheduler->pools[where->pool];
    bool strict = pool->slots != NULL || pool->index.free_host != NULL;
    bool allowed = true;
    if (promises->count == 0) {
        return true;
    }
    sim_time end = end_of(preemption, newcomer, where, NULL);
    for (size_t i = 0; allowed && i < promises->count; i++) {
        const struct promise *promise = &promises->items[i];
        if (promise->where->pool == where->pool && promise->from < end &&
            is_binding(preemption, newcomer, promise) && is_on_node(promise, pool, node)) {
            allowed = !strict && holds_beside(preemption, newcomer, promise, node, gpus);
        }
    }
    return is_allowed(preemption, allowed);
}

/* Whether a promise is of this GPU, or (limited: its host is what may be short) of its node. */
static bool is_of_gpu(const struct promise *promise, const struct slots *slots,
                      const struct device *device, bool limited) {
    if (!promise->where->whole) {
        const struct device *other = &slots->devices[promise->job->reserved_slot - 1];
        return other->node == device->node && (limited || other->gpu == device->gpu);
    }
    bool is = false;
    for (const struct piece *piece = &promise->job->pieces; piece != NULL; piece = piece->next) {
        is |= piece->node == device->node && (limited || (piece->mask >> device->gpu & 1) != 0);
    }
    return is;
}

bool promises_allow_slot(struct preemption *preemption, const struct job *newcomer,
                         const struct shape_pool *where, const struct device *device) {
    const struct promises *promises = &preemption->promises;
    const struct slots *slots = preemption->scheduler->pools[where->pool].slots;
    bool allowed = true;
    if (promises->count == 0) {
        return true;
    }
    /* Whoever is suspended goes on there, before all that wait. */
    bool suspends = preemption->spec->mode == PREEMPT_SUSPEND && preemption_can_suspend_on(device);
    sim_time end = suspends ? SIM_TIME_NEVER : end_of(preemption, newcomer, where, device);
    for (size_t i = 0; allowed && i < promises->count; i++) {
        const struct promise *promise = &promises->items[i];
        allowed = promise->where->pool != where->pool || promise->from >= end ||
                  !is_binding(preemption, newcomer, promise) ||
                  !is_of_gpu(promise, slots, device, slots->index->free_host != NULL);
    }
    return is_allowed(preemption, allowed);
}

/* --- What newcomers will hold --- */

static sim_time from_then_on(sim_time from, sim_time until) {
    return until == SIM_TIME_NEVER ? SIM_TIME_NEVER : until - from;
}

/* What a victim of the claim will leave on a node, up to `most` GPUs: how many are reserved. */
static int32_t hold_after(struct scheduler *scheduler, const struct claim *claim,
                          const struct job *victim, int32_t node, int32_t most) {
    struct gang gang = shape_gang(claim->newcomer->shape);
    struct profile *profile = reservation_profile(scheduler->reservation, claim->where->pool);
    struct slot_profile *slots =
        reservation_slot_profile(scheduler->reservation, claim->where->pool);
    sim_time from = victim->expected_end > scheduler->now ? victim->expected_end : scheduler->now;
    sim_time duration = from_then_on(from, claim->expected_end);
    int32_t gpus = 0;
    for (const struct piece *piece = &victim->pieces; piece != NULL; piece = piece->next) {
        struct piece part = *piece;
        part.next = NULL;
        if (piece->node != node || gpus == most) {
            continue;
        }
        part.gpus = part.gpus < most - gpus ? part.gpus : most - gpus;
        gpus += part.gpus;
        if (from < claim->expected_end && profile != NULL) {
            profile_reserve(profile, &gang, &part, from, duration);
        } else if (from < claim->expected_end) {
            slot_profile_reserve_gang(slots, &gang, &part, from, duration);
        }
    }
    return gpus;
}

static void hold_gpus(struct scheduler *scheduler, const struct claim *claim) {
    const struct pool_victims *victims = &scheduler->preemption->pools[claim->where->pool];
    for (const struct piece *piece = &claim->pieces; piece != NULL; piece = piece->next) {
        int32_t missing = piece->gpus - __builtin_popcountll(piece->mask);
        for (const struct stay *stay = victims->stays[piece->node]; missing > 0 && stay != NULL;
             stay = stay->next) {
            const struct course *course = stay->job->course;
            if (course->victim && course->victim_of == claim->number) {
                missing -= hold_after(scheduler, claim, stay->job, piece->node, missing);
            }
        }
    }
}

static void hold_slot(struct scheduler *scheduler, const struct claim *claim) {
    const struct slots *slots = scheduler->pools[claim->where->pool].slots;
    struct slot_use use = {.from = scheduler->now,
                           .until = claim->suspended
                                        ? scheduler_expected_end(scheduler, claim->newcomer,
                                                                 claim->where, claim->device)
                                        : claim->expected_end,
                           .ask = &claim->where->slot,
                           .host = claim->where->slot.host,
                           .kind = slots->entries[claim->device - slots->devices].kind};
    if (use.until > use.from) {
        slot_profile_add_use(reservation_slot_profile(scheduler->reservation, claim->where->pool),
                             claim->device, &use);
    }
}

void promises_hold_claims(struct scheduler *scheduler) {
    for (const struct claim *claim = scheduler->preemption->claims; claim != NULL;
         claim = claim->next) {
        if (claim->device != NULL) {
            hold_slot(scheduler, claim);
        } else {
            hold_gpus(scheduler, claim);
        }
    }
}
