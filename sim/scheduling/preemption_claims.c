/* What is set aside or promised for newcomers while their victims leave: claims, from the moment at
 * which room is begun to be made to the newcomer's start. */
#include <assert.h>
#include <stdlib.h>

#include "sim/cluster/engines.h"
#include "sim/kernel/memory.h"
#include "sim/scheduling/preemption.h"
#include "sim/scheduling/quotas.h"
#include "sim/scheduling/reservation.h"
#include "sim/scheduling/scheduler.h"

enum { PER_BLOCK = 256 };

struct claim_block {
    struct claim_block *next;
    struct claim claims[PER_BLOCK];
};

void preemption_clear_claims(struct preemption *preemption) {
    while (preemption->claim_blocks != NULL) {
        struct claim_block *next = preemption->claim_blocks->next;
        free(preemption->claim_blocks);
        preemption->claim_blocks = next;
    }
}

struct claim *preemption_take_claim(struct preemption *preemption) {
    if (preemption->free_claims == NULL) {
        struct claim_block *block = memory_zero(1, sizeof *block);
        block->next = preemption->claim_blocks;
        preemption->claim_blocks = block;
        for (int i = PER_BLOCK - 1; i >= 0; i--) {
            block->claims[i].next = preemption->free_claims;
            preemption->free_claims = &block->claims[i];
        }
    }
    struct claim *claim = preemption->free_claims;
    preemption->free_claims = claim->next;
    *claim = (struct claim){0};
    return claim;
}

void preemption_return_claim(struct preemption *preemption, struct claim *claim) {
    piece_return_rest(&preemption->scheduler->stock, &claim->pieces);
    claim->next = preemption->free_claims;
    preemption->free_claims = claim;
}

static struct pool *pool_of(const struct preemption *preemption, const struct claim *claim) {
    return &preemption->scheduler->pools[claim->where->pool];
}

/* What is set aside of one node has changed: a reservation counts it as held from the moment at
 * which room was begun to be made. */
static void note_aside(const struct preemption *preemption, const struct claim *claim,
                       const struct piece *before, const struct piece *now) {
    struct reservation *reservation = preemption->scheduler->reservation;
    if (reservation != NULL && before->mask != now->mask) {
        reservation_note_aside(reservation, claim->where->pool, before, now, claim->expected_end);
    }
}

static void give_back(const struct preemption *preemption, struct claim *claim) {
    for (struct piece *piece = &claim->pieces; claim->device == NULL && piece != NULL;
         piece = piece->next) {
        struct piece before = *piece;
        pool_give_back_aside(pool_of(preemption, claim), piece);
        note_aside(preemption, claim, &before, piece);
    }
}

/* Takes what is free by now, up to what the newcomer needs. Whether it has all of it. */
static bool set_aside(struct preemption *preemption, struct claim *claim) {
    bool complete = true;
    const struct node_index *index = &pool_of(preemption, claim)->index;
    struct gang gang = shape_gang(claim->newcomer->shape);
    for (struct piece *piece = &claim->pieces; piece != NULL; piece = piece->next) {
        struct piece before = *piece;
        struct node_ask ask = node_index_ask(index, &gang, piece->gpus);
        int32_t missing = piece->gpus - __builtin_popcountll(piece->mask);
        complete &=
            missing == 0 || pool_set_aside(pool_of(preemption, claim), piece, missing) == missing;
        complete &= node_index_has_room(index, piece->node, &ask.host);
        note_aside(preemption, claim, &before, piece);
    }
    return complete;
}

/* Whether its slot is free, but for the promise. */
static bool slot_is_free(struct preemption *preemption, struct claim *claim) {
    struct slots *slots = pool_of(preemption, claim)->slots;
    slots_promise(slots, claim->device, &claim->where->slot, -1);
    bool has_room = slots_has_room(slots, claim->device, &claim->where->slot);
    slots_promise(slots, claim->device, &claim->where->slot, 1);
    return has_room && slots_may_meet(claim->device, &claim->where->slot) &&
           node_index_has_room(slots->index, claim->device->node, &claim->where->slot.host);
}

/* Whether there is a slot for a suspended job where its memory is. */
static bool may_resume(const struct preemption *preemption, const struct claim *claim) {
    const struct pool *pool = pool_of(preemption, claim);
    const struct slot_place place = {.device = claim->device, .cut_as = -1};
    struct slot_ask ask = claim->where->slot;
    ask.memory = 0; /* it has that */
    return slots_has_room(pool->slots, claim->device, &ask) &&
           slots_may_meet(claim->device, &ask) &&
           node_index_has_room(pool->slots->index, claim->device->node, &ask.host) &&
           quotas_admit_at(preemption->scheduler->quotas, claim->newcomer->shape, pool,
                           claim->where, &place);
}

static bool is_complete(struct preemption *preemption, struct claim *claim) {
    if (claim->suspended) {
        return may_resume(preemption, claim);
    }
    return claim->device != NULL ? slot_is_free(preemption, claim) : set_aside(preemption, claim);
}

/* What was kept for the newcomer is free again, and the claim is gone. */
static void close_claim(struct preemption *preemption, struct claim *claim) {
    struct pool *pool = pool_of(preemption, claim);
    struct claim **link = &preemption->claims;
    while (*link != claim) {
        link = &(*link)->next;
    }
    *link = claim->next;
    claim->newcomer->claim = NULL;
    if (claim->suspended) {
        pool_keep_memory(pool, claim->device, claim->memory, -1, preemption->scheduler->now);
    } else if (claim->device != NULL) {
        slots_promise(pool->slots, claim->device, &claim->where->slot, -1);
    }
    give_back(preemption, claim);
    for (struct device *device = claim->emptied; device != NULL; device = device->next_emptied) {
        slots_promise_all(pool->slots, device, -1);
    }
    preemption_return_claim(preemption, claim);
}

/* The newcomer starts on what is set aside for it. */
static void start_newcomer(struct preemption *preemption, struct claim *claim) {
    struct job *job = claim->newcomer;
    const struct shape_pool *where = claim->where;
    struct device *device = claim->device;
    for (const struct piece *piece = &claim->pieces; piece != NULL; piece = piece->next) {
        struct piece none = {.node = piece->node};
        note_aside(preemption, claim, piece, &none); /* it holds them itself now */
    }
    job->pieces = device != NULL ? (struct piece){.node = device->node} : claim->pieces;
    claim->pieces = (struct piece){0};
    close_claim(preemption, claim);
    scheduler_start_claimed(preemption->scheduler, job, where, device);
}

/* The newcomer waits again. */
static void abandon(struct preemption *preemption, struct claim *claim) {
    struct job *job = claim->newcomer;
    bool suspended = claim->suspended;
    close_claim(preemption, claim);
    if (suspended) {
        preemption->memory_lost(preemption->context, job);
    }
    quotas_give_back(preemption->scheduler->quotas, job);
    job_queue_add(&preemption->scheduler->queue, job);
}

/* Starts a newcomer where it fits by now, wherever that is: what is set aside for it counts. */
static bool start_elsewhere(struct preemption *preemption, struct claim *claim) {
    struct job *job = claim->newcomer;
    struct pool *pool = pool_of(preemption, claim);
    struct quotas *quotas = preemption->scheduler->quotas;
    bool gives_back = claim->pieces.next != NULL;
    if (gives_back) {
        give_back(preemption, claim);
    }
    quotas_give_back(quotas, job);
    bool fits = scheduler_fits(preemption->scheduler, job->shape);
    if (fits) {
        abandon(preemption, claim);
        fits = scheduler_try_start(preemption->scheduler, job);
        assert(fits);
    } else {
        struct slot_place place = {.device = claim->device, .cut_as = -1};
        quotas_take(quotas, job, pool, claim->where, &place);
        if (gives_back) {
            set_aside(preemption, claim);
        }
    }
    return fits;
}

/* Others have taken what they were to get. */
static void abandon_hopeless(struct preemption *preemption) {
    for (struct claim *claim = preemption->claims; claim != NULL;) {
        struct claim *next = claim->next;
        bool by_order = preemption->rule->by_order; /* victims make way for all who come before */
        if (!claim->suspended && (by_order ? preemption->leaving : claim->leaving) == 0) {
            abandon(preemption, claim);
        }
        claim = next;
    }
}

void preemption_redeem_claim(struct preemption *preemption, struct claim *claim) {
    if (is_complete(preemption, claim)) {
        start_newcomer(preemption, claim);
    }
}

void preemption_redeem(struct preemption *preemption) {
    for (struct claim *claim = preemption->claims; claim != NULL;) {
        struct claim *next = claim->next;
        preemption_redeem_claim(preemption, claim);
        claim = next;
    }
    abandon_hopeless(preemption);
}

/* Whether a job that has not started is to have what is set aside for the newcomer: it comes before
 * it, and might preempt it. */
static bool may_pass(const struct preemption *preemption, const struct job *job,
                     const struct job *newcomer) {
    return job != NULL && job_before(job, newcomer) &&
           preemption_is_more_urgent(preemption, job, newcomer);
}

/* What is set aside for newcomers that a job may pass, from one claim on, is its own for a while;
 * or no longer. */
static void lend(struct preemption *preemption, const struct job *to, struct claim *claim) {
    for (; claim != NULL; claim = claim->next) {
        if (!may_pass(preemption, to, claim->newcomer) || claim->suspended) {
            continue;
        }
        if (claim->device != NULL) {
            slots_promise(pool_of(preemption, claim)->slots, claim->device, &claim->where->slot,
                          -1);
        }
        give_back(preemption, claim);
    }
}

static void take_back(struct preemption *preemption, const struct job *from, struct claim *claim) {
    for (; claim != NULL; claim = claim->next) {
        if (!may_pass(preemption, from, claim->newcomer) || claim->suspended) {
            continue;
        }
        if (claim->device != NULL) {
            slots_promise(pool_of(preemption, claim)->slots, claim->device, &claim->where->slot, 1);
        } else {
            set_aside(preemption, claim);
        }
    }
}

/* The head of the queue goes first where it may pass the newcomer. Whether it still waits. */
static bool let_head_pass(struct preemption *preemption, struct claim *claim) {
    struct scheduler *scheduler = preemption->scheduler;
    const struct job *newcomer = claim->newcomer;
    bool started = true;
    struct job *job = job_queue_first(&scheduler->queue);
    while (started && may_pass(preemption, job, newcomer)) {
        lend(preemption, job, claim);
        started = scheduler_try_start(scheduler, job);
        take_back(preemption, job, claim);
        job = started ? job_queue_first(&scheduler->queue) : job;
    }
    return !started;
}

/* Whether the newcomer has started. */
static bool serve(struct preemption *preemption, struct claim *claim, bool passes) {
    struct claim *next = claim->next;
    const struct job *job = claim->newcomer;
    if (is_complete(preemption, claim)) {
        start_newcomer(preemption, claim);
        return true;
    }
    if (preemption->scheduler->backfill->for_all) {
        return false; /* elsewhere others have reservations */
    }
    if (claim->suspended || !passes) {
        return !claim->suspended && start_elsewhere(preemption, claim);
    }
    lend(preemption, job, next);
    bool started = start_elsewhere(preemption, claim);
    take_back(preemption, job, next);
    return started;
}

/* In strict order nobody starts behind a job that waits, but for a newcomer that it made way for.
 */
static bool is_blocked_by(const struct preemption *preemption, const struct job *newcomer,
                          const struct job *waiting) {
    return preemption->scheduler->backfill->strict && waiting != NULL &&
           job_before(waiting, newcomer) &&
           !preemption_is_more_urgent(preemption, newcomer, waiting);
}

/* What victims have left by now is theirs for whom they made way, before anybody looks for a place
 * elsewhere. */
static void set_all_aside(struct preemption *preemption) {
    for (struct claim *claim = preemption->claims; claim != NULL; claim = claim->next) {
        if (claim->device == NULL && !preemption->rule->by_order) {
            set_aside(preemption, claim);
        }
    }
}

void preemption_serve(struct preemption *preemption) {
    /* Victims of a reclaiming newcomer may be more urgent than it is. */
    bool reclaims = preemption->spec->reclaim && preemption->scheduler->quotas != NULL;
    bool passes = !preemption->rule->by_order && !reclaims;
    bool head_waits = false;
    const struct job *waits = NULL; /* the first newcomer that still does */
    set_all_aside(preemption);
    for (struct claim *claim = preemption->claims; claim != NULL;) {
        struct claim *next = claim->next;
        if (passes && !head_waits) {
            head_waits = let_head_pass(preemption, claim);
        }
        const struct job *head = job_queue_first(&preemption->scheduler->queue);
        bool blocked = passes && !claim->suspended &&
                       (is_blocked_by(preemption, claim->newcomer, head) ||
                        is_blocked_by(preemption, claim->newcomer, waits));
        const struct job *newcomer = claim->newcomer;
        bool suspended = claim->suspended;
        if (!blocked && !serve(preemption, claim, passes) && !suspended && waits == NULL) {
            waits = newcomer;
        }
        claim = next;
    }
    abandon_hopeless(preemption);
}

bool preemption_serves_before(const struct preemption *preemption, const struct job *job) {
    return preemption->claims != NULL &&
           job_queue_before(&preemption->scheduler->queue, preemption->claims->newcomer, job);
}

void preemption_left(struct preemption *preemption, struct job *victim) {
    if (victim->course->victim) {
        victim->course->victim = false;
        preemption->leaving--;
        for (struct claim *claim = preemption->claims; claim != NULL; claim = claim->next) {
            claim->leaving -= claim->number == victim->course->victim_of;
        }
    }
}

void preemption_give_up_claim(struct preemption *preemption, struct job *newcomer) {
    close_claim(preemption, newcomer->claim);
}

/* Whether a claim needs any of the GPUs. One that is not complete on that node may: nobody knows
 * which of its GPUs it was to get. */
static bool needs_any(const struct claim *claim, int32_t node, uint64_t gpus,
                      const struct device *device) {
    if (claim->device != NULL) {
        return device != NULL
                   ? claim->device == device
                   : claim->device->node == node && (gpus >> claim->device->gpu & 1) != 0;
    }
    bool needs = false;
    for (const struct piece *piece = &claim->pieces; device == NULL && piece != NULL;
         piece = piece->next) {
        bool complete = __builtin_popcountll(piece->mask) == piece->gpus;
        needs |= piece->node == node && (!complete || (piece->mask & gpus) != 0);
    }
    return needs;
}

void preemption_revoke(struct preemption *preemption, int32_t pool, int32_t node, uint64_t gpus,
                       const struct device *device) {
    for (struct claim *claim = preemption->claims; claim != NULL;) {
        struct claim *next = claim->next;
        if (claim->where->pool == pool && needs_any(claim, node, gpus, device)) {
            abandon(preemption, claim);
        }
        claim = next;
    }
}

/* Among the others, in the order of the queue. */
static void list_claim(struct preemption *preemption, struct claim *claim, struct job *newcomer) {
    struct claim **place_of = &preemption->claims;
    while (*place_of != NULL && job_before((*place_of)->newcomer, newcomer)) {
        place_of = &(*place_of)->next;
    }
    claim->number = ++preemption->claims_made;
    claim->expected_end =
        scheduler_expected_end(preemption->scheduler, newcomer, claim->where, claim->device);
    claim->next = *place_of;
    *place_of = claim;
    claim->newcomer = newcomer;
    newcomer->claim = claim;
    job_queue_remove(&preemption->scheduler->queue, newcomer);
}

void preemption_open_claim(struct preemption *preemption, struct claim *claim,
                           struct job *newcomer) {
    list_claim(preemption, claim, newcomer);
    struct slot_place place = {.device = claim->device, .cut_as = -1};
    quotas_take(preemption->scheduler->quotas, newcomer, pool_of(preemption, claim), claim->where,
                &place);
    if (claim->device != NULL) {
        slots_promise(pool_of(preemption, claim)->slots, claim->device, &claim->where->slot, 1);
    } else {
        set_aside(preemption, claim);
    }
}

void preemption_keep_suspended(struct preemption *preemption, struct job *job,
                               struct device *device, int64_t memory) {
    struct claim *claim = preemption_take_claim(preemption);
    claim->where = job->shape->pools;
    while (claim->where->pool != job->pool) {
        claim->where++;
    }
    claim->device = device;
    claim->suspended = true;
    claim->memory = memory;
    list_claim(preemption, claim, job);
    pool_keep_memory(pool_of(preemption, claim), device, memory, 1, preemption->scheduler->now);
}

bool preemption_can_suspend_on(const struct device *device) {
    const struct slots *slots = device->pool->slots;
    return device->engine == &engine_turns && slots->recut == NULL && slots->relayout == NULL;
}

/* Nobody comes to devices that are to be whole GPUs for the newcomer. */
void preemption_empty_devices(struct preemption *preemption, struct claim *claim) {
    for (size_t i = 0; claim->device == NULL && i < preemption->chosen_count; i++) {
        const struct tenant *tenant = preemption->chosen[i]->tenant;
        if (tenant != NULL && tenant->device->promised.slots == 0) {
            slots_promise_all(pool_of(preemption, claim)->slots, tenant->device, 1);
            tenant->device->next_emptied = claim->emptied;
            claim->emptied = tenant->device;
        }
    }
}
