#include "sim/scheduling/quotas.h"

#include <assert.h>
#include <stdlib.h>

#include "sim/kernel/memory.h"
#include "sim/scheduling/job.h"
#include "sim/scheduling/job_queue.h"

struct quotas *quotas_create(size_t queue_count, size_t owner_count, size_t user_count) {
    struct quotas *quotas = memory_zero(1, sizeof *quotas);
    *quotas = (struct quotas){
        .queues = memory_zero(queue_count, sizeof *quotas->queues),
        .queue_count = queue_count,
        .owners = memory_zero(owner_count, sizeof *quotas->owners),
        .owner_count = owner_count,
        .user_held = memory_zero(user_count, sizeof *quotas->user_held),
        .user_count = user_count,
        .user_limit = QUOTA_NO_LIMIT,
    };
    for (size_t i = 0; i < queue_count; i++) {
        quotas->queues[i] = (struct quota_queue){
            .limit = QUOTA_NO_LIMIT, .user_limit = QUOTA_NO_LIMIT, .weight = 1};
    }
    return quotas;
}

void quotas_destroy(struct quotas *quotas) {
    if (quotas != NULL) {
        free(quotas->queues);
        free(quotas->owners);
        free(quotas->user_held);
        free(quotas);
    }
}

bool quotas_admit(const struct quotas *quotas, int32_t owner, int64_t amount) {
    const struct quota_owner *who = &quotas->owners[owner];
    const struct quota_queue *queue = &quotas->queues[who->queue];
    return queue->held + amount <= queue->limit &&
           (who->user < 0 || (who->held + amount <= queue->user_limit &&
                              quotas->user_held[who->user] + amount <= quotas->user_limit));
}

bool quotas_could_admit(const struct quotas *quotas, int32_t owner, int64_t amount) {
    const struct quota_owner *who = &quotas->owners[owner];
    const struct quota_queue *queue = &quotas->queues[who->queue];
    return amount <= queue->limit &&
           (who->user < 0 || (amount <= queue->user_limit && amount <= quotas->user_limit));
}

int64_t quota_slot_amount(int32_t compute, int32_t slots, int32_t units, int32_t units_per_gpu) {
    return compute > 0 ? compute : QUOTA_GPU * units / ((int64_t)units_per_gpu * slots);
}

static void count_share(struct quota_queue *queue) {
    queue->share = (double)(queue->held + queue->reserved) / QUOTA_GPU / queue->weight;
}

void quotas_reserve(struct quotas *quotas, int32_t owner, int64_t amount) {
    struct quota_queue *queue = &quotas->queues[quotas->owners[owner].queue];
    queue->reserved += amount;
    count_share(queue);
}

void quotas_forget_reserved(struct quotas *quotas) {
    for (size_t i = 0; quotas != NULL && i < quotas->queue_count; i++) {
        quotas->queues[i].reserved = 0;
        count_share(&quotas->queues[i]);
    }
}

void quotas_hold(struct quotas *quotas, int32_t owner, int64_t amount) {
    struct quota_owner *who = &quotas->owners[owner];
    struct quota_queue *queue = &quotas->queues[who->queue];
    who->held += amount;
    queue->held += amount;
    count_share(queue);
    if (who->user >= 0) {
        quotas->user_held[who->user] += amount;
    }
    assert(who->held >= 0 && queue->held >= 0);
}

static int64_t amount_of_kind(const struct pool *pool, const struct shape_pool *where,
                              int32_t index) {
    const struct slot_kind *kind = &pool->slots->kinds[index];
    return quota_slot_amount(where->slot.compute, kind->mode->slots(kind->spec), kind->units,
                             pool->units_per_gpu);
}

int64_t quota_amount_at(const struct pool *pool, const struct shape_pool *where,
                        const struct slot_place *place) {
    const struct device *device = place->device;
    if (device == NULL) {
        return where->amount;
    }
    if (place->cut_as < 0) {
        return quota_slot_amount(where->slot.compute, device->slots, device->units,
                                 pool->units_per_gpu);
    }
    return amount_of_kind(pool, where, place->cut_as);
}

bool quotas_admit_kind(const struct quotas *quotas, const struct shape *shape,
                       const struct pool *pool, const struct shape_pool *where, int32_t kind) {
    return quotas == NULL || quotas_admit(quotas, shape->owner, amount_of_kind(pool, where, kind));
}

bool quotas_admit_at(const struct quotas *quotas, const struct shape *shape,
                     const struct pool *pool, const struct shape_pool *where,
                     const struct slot_place *place) {
    return quotas == NULL ||
           quotas_admit(quotas, shape->owner, quota_amount_at(pool, where, place));
}

void quotas_take(struct quotas *quotas, struct job *job, const struct pool *pool,
                 const struct shape_pool *where, const struct slot_place *place) {
    if (quotas != NULL && job->quota_held == 0) {
        job->quota_held = quota_amount_at(pool, where, place);
        quotas_hold(quotas, job->shape->owner, job->quota_held);
    }
}

void quotas_give_back(struct quotas *quotas, struct job *job) {
    if (job->quota_held != 0) {
        quotas_hold(quotas, job->shape->owner, -job->quota_held);
        job->quota_held = 0;
    }
}

int quotas_compare(const struct quotas *quotas, int32_t a, int32_t b) {
    const struct quota_queue *left = &quotas->queues[quotas->owners[a].queue];
    const struct quota_queue *right = &quotas->queues[quotas->owners[b].queue];
    bool left_below = left->held + left->reserved < left->guaranteed;
    bool right_below = right->held + right->reserved < right->guaranteed;
    if (left_below != right_below) {
        return left_below ? -1 : 1;
    }
    return (left->share > right->share) - (left->share < right->share);
}

static const struct quota_queue *queue_of(const struct quotas *quotas, const struct job *job) {
    return &quotas->queues[quotas->owners[job->shape->owner].queue];
}

bool quota_may_reclaim(const struct quotas *quotas, const struct job *newcomer,
                       const struct job *victim) {
    const struct quota_queue *from = queue_of(quotas, victim);
    return from != queue_of(quotas, newcomer) && quotas_has_claim(quotas, newcomer) &&
           from->held - from->leaving > from->guaranteed;
}

bool quotas_has_claim(const struct quotas *quotas, const struct job *newcomer) {
    const struct quota_queue *queue = queue_of(quotas, newcomer);
    return queue->held + newcomer->shape->least_amount <= queue->guaranteed;
}

void quotas_note_leaving(struct quotas *quotas, const struct job *job, int sign) {
    if (quotas != NULL) {
        quotas->queues[quotas->owners[job->shape->owner].queue].leaving += sign * job->quota_held;
    }
}

double quotas_borrowed(const struct quotas *quotas, const struct job *job) {
    if (quotas == NULL) {
        return 0;
    }
    const struct quota_queue *queue = queue_of(quotas, job);
    return (double)(queue->held - queue->leaving - queue->guaranteed) / (double)QUOTA_GPU;
}
