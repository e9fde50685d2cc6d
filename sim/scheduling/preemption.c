#include "sim/scheduling/preemption.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

#include "sim/cluster/engines.h"
#include "sim/kernel/memory.h"
#include "sim/scheduling/job_tenant.h"
#include "sim/scheduling/preemption_by_order.h"
#include "sim/scheduling/preemption_search.h"
#include "sim/scheduling/quotas.h"
#include "sim/scheduling/reservation.h"
#include "sim/scheduling/scheduler.h"
#include "sim/scheduling/speed.h"

enum { PER_BLOCK = 256 };

struct claim_block {
    struct claim_block *next;
    struct claim claims[PER_BLOCK];
};

struct stay_block {
    struct stay_block *next;
    struct stay stays[PER_BLOCK];
};

/* --- The rules --- */

static bool lists_class(const struct preemption_spec *spec, enum job_class job_class) {
    bool listed = spec->by_count == 0;
    for (size_t i = 0; i < spec->by_count; i++) {
        listed |= spec->by[i] == (int)job_class;
    }
    return listed;
}

static const sim_time training_runs_for = 30 * 60 * NANOSECONDS_PER_SECOND;

static struct preemption_rules rules_of(const struct preemption_spec *spec,
                                        const struct workload_spec *workload) {
    sim_time by_class = workload->job_class == CLASS_TRAINING ? training_runs_for : 0;
    return (struct preemption_rules){
        .may_preempt = lists_class(spec, workload->job_class),
        .preemptible = workload->kind.index == WORKLOAD_JOBS && workload->preemptible,
        .min_runtime = spec->min_runtime == MIN_RUNTIME_BY_CLASS ? by_class : spec->min_runtime};
}

struct preemption *preemption_create(struct scheduler *scheduler, const struct scenario *scenario,
                                     void (*evict)(void *context, struct job *victim,
                                                   const struct job *newcomer),
                                     void *context) {
    struct preemption *preemption = memory_zero(1, sizeof *preemption);
    const struct preemption_spec *spec = &scenario->scheduler.preemption;
    preemption->scheduler = scheduler;
    preemption->scenario = scenario;
    preemption->spec = spec;
    preemption->rule = &victim_rules[spec->victims.index];
    preemption->evict = evict;
    preemption->context = context;
    preemption->wake = SIM_TIME_NEVER;
    preemption->rules = memory_zero(scenario->workload_count, sizeof *preemption->rules);
    for (size_t i = 0; i < scenario->workload_count; i++) {
        preemption->rules[i] = rules_of(spec, &scenario->workloads[i]);
    }
    preemption->pools = memory_zero(scheduler->pool_count, sizeof *preemption->pools);
    for (size_t i = 0; i < scheduler->pool_count; i++) {
        const struct pool *pool = &scheduler->pools[i];
        struct pool_victims *victims = &preemption->pools[i];
        victims->stays = memory_zero((size_t)pool->index.nodes, sizeof(struct stay *));
        index_set_initialize(&victims->nodes, pool->index.nodes);
        if (pool->slots != NULL) {
            int32_t devices = pool->slots->node_count * pool->slots->devices_per_node;
            victims->on_device = memory_zero((size_t)devices, sizeof *victims->on_device);
            index_set_initialize(&victims->devices, devices);
        }
    }
    return preemption;
}

void preemption_destroy(struct preemption *preemption) {
    if (preemption == NULL) {
        return;
    }
    for (size_t i = 0; i < preemption->scheduler->pool_count; i++) {
        free(preemption->pools[i].stays);
        free(preemption->pools[i].on_device);
        free(preemption->pools[i].priorities);
        index_set_terminate(&preemption->pools[i].nodes);
        index_set_terminate(&preemption->pools[i].devices);
    }
    while (preemption->claim_blocks != NULL) {
        struct claim_block *next = preemption->claim_blocks->next;
        free(preemption->claim_blocks);
        preemption->claim_blocks = next;
    }
    while (preemption->stay_blocks != NULL) {
        struct stay_block *next = preemption->stay_blocks->next;
        free(preemption->stay_blocks);
        preemption->stay_blocks = next;
    }
    by_order_destroy(preemption->by_order);
    free(preemption->pools);
    free(preemption->rules);
    free(preemption->jobs);
    free(preemption->bundles);
    free(preemption->chosen);
    free(preemption);
}

static sim_time by_size(const struct scenario *scenario, int32_t workload, int32_t pool) {
    double bandwidth = scenario->pools[pool].storage.bandwidth;
    double bytes = (double)checkpoint_spec_size(&scenario->workloads[workload].checkpoint);
    return bandwidth > 0 ? (sim_time)fmin(ceil(bytes / bandwidth * 1e9), SIM_TIME_LONGEST) : 0;
}

sim_time checkpoint_save_time(const struct scenario *scenario, int32_t workload, int32_t pool) {
    const struct checkpoint_spec *spec = &scenario->workloads[workload].checkpoint;
    return !spec->given          ? 0
           : spec->save_time < 0 ? by_size(scenario, workload, pool)
                                 : spec->save_time;
}

sim_time checkpoint_restore_time(const struct scenario *scenario, int32_t workload, int32_t pool) {
    const struct checkpoint_spec *spec = &scenario->workloads[workload].checkpoint;
    return !spec->given             ? 0
           : spec->restore_time < 0 ? by_size(scenario, workload, pool)
                                    : spec->restore_time;
}

sim_time preemption_overhead(const struct preemption *preemption, const struct job *job,
                             sim_time now) {
    sim_time at_risk = course_at_risk(job->course, now);
    sim_time restore = checkpoint_restore_time(preemption->scenario, job->workload, job->pool);
    switch (preemption->spec->mode) {
    case PREEMPT_KILL:
        return at_risk + (job->course->saved ? restore : 0);
    case PREEMPT_CHECKPOINT:
        return restore + (at_risk > 0
                              ? checkpoint_save_time(preemption->scenario, job->workload, job->pool)
                              : 0);
    default:
        return 0;
    }
}

static double sms_asked(const struct preemption *preemption, const struct tenant *tenant) {
    (void)preemption;
    return tenant->compute > 0 ? tenant->compute : tenant->saturation;
}

double preemption_utilization(const struct preemption *preemption, const struct job *job) {
    if (job->tenant == NULL || job->tenant->device == NULL) {
        return speed_saturation(&preemption->scenario->workloads[job->workload]);
    }
    const struct device *device = job->tenant->device;
    double sum = 0;
    for (int32_t slot = 0; slot < device->slots; slot++) {
        sum += device->tenants[slot] != NULL ? sms_asked(preemption, device->tenants[slot]) : 0;
    }
    return sum;
}

/* --- Who runs where --- */

static void count_priority(struct pool_victims *victims, int32_t priority, int32_t delta) {
    size_t i = 0;
    while (i < victims->priority_count && victims->priorities[i].priority < priority) {
        i++;
    }
    if (i == victims->priority_count || victims->priorities[i].priority != priority) {
        victims->priorities = memory_grow(victims->priorities, &victims->priority_capacity,
                                          victims->priority_count + 1, sizeof *victims->priorities);
        for (size_t j = victims->priority_count++; j > i; j--) {
            victims->priorities[j] = victims->priorities[j - 1];
        }
        victims->priorities[i] = (struct priority_count){.priority = priority};
    }
    victims->priorities[i].jobs += delta;
}

static struct stay *take_stay(struct preemption *preemption) {
    if (preemption->free_stays == NULL) {
        struct stay_block *block = memory_zero(1, sizeof *block);
        block->next = preemption->stay_blocks;
        preemption->stay_blocks = block;
        for (int i = PER_BLOCK - 1; i >= 0; i--) {
            block->stays[i].next = preemption->free_stays;
            preemption->free_stays = &block->stays[i];
        }
    }
    struct stay *stay = preemption->free_stays;
    preemption->free_stays = stay->next;
    return stay;
}

static void add_stay(struct pool_victims *victims, struct stay *stay) {
    struct stay **list = &victims->stays[stay->node];
    stay->previous = NULL;
    stay->next = *list;
    if (*list != NULL) {
        (*list)->previous = stay;
    } else {
        index_set_add(&victims->nodes, stay->node);
    }
    *list = stay;
}

static void remove_stay(struct pool_victims *victims, struct stay *stay) {
    struct stay **list = &victims->stays[stay->node];
    if (stay->next != NULL) {
        stay->next->previous = stay->previous;
    }
    if (stay->previous != NULL) {
        stay->previous->next = stay->next;
    } else {
        *list = stay->next;
    }
    if (*list == NULL) {
        index_set_remove(&victims->nodes, stay->node);
    }
}

static bool is_listed(const struct preemption *preemption, const struct job *job) {
    return job->course != NULL && preemption->rules[job->workload].preemptible;
}

static void note_device(struct pool_victims *victims, const struct pool *pool,
                        const struct job *job, int32_t delta) {
    int32_t device = (int32_t)(job->tenant->device - pool->slots->devices);
    victims->on_device[device] += delta;
    if (victims->on_device[device] == 0) {
        index_set_remove(&victims->devices, device);
    } else {
        index_set_add(&victims->devices, device);
    }
}

void preemption_note_start(struct preemption *preemption, struct job *job) {
    if (!is_listed(preemption, job)) {
        return;
    }
    struct pool_victims *victims = &preemption->pools[job->pool];
    struct course *course = job->course;
    course->previous_running = NULL;
    course->next_running = preemption->running;
    if (course->next_running != NULL) {
        course->next_running->previous_running = course;
    }
    preemption->running = course;
    count_priority(victims, job->priority, 1);
    if (job->tenant != NULL) {
        note_device(victims, &preemption->scheduler->pools[job->pool], job, 1);
        return;
    }
    struct stay *stay = &job->course->stay;
    for (const struct piece *piece = &job->pieces; piece != NULL; piece = piece->next) {
        stay->job = job;
        stay->node = piece->node;
        stay->gpus = piece->gpus;
        stay->rest = piece->next != NULL ? take_stay(preemption) : NULL;
        add_stay(victims, stay);
        stay = stay->rest;
    }
}

void preemption_note_end(struct preemption *preemption, struct job *job) {
    if (!is_listed(preemption, job)) {
        return;
    }
    struct pool_victims *victims = &preemption->pools[job->pool];
    const struct course *course = job->course;
    if (course->victim) {
        quotas_note_leaving(preemption->scheduler->quotas, job, -1);
    }
    if (course->next_running != NULL) {
        course->next_running->previous_running = course->previous_running;
    }
    if (course->previous_running != NULL) {
        course->previous_running->next_running = course->next_running;
    } else {
        preemption->running = course->next_running;
    }
    count_priority(victims, job->priority, -1);
    if (job->tenant != NULL) {
        note_device(victims, &preemption->scheduler->pools[job->pool], job, -1);
        return;
    }
    remove_stay(victims, &job->course->stay);
    for (struct stay *stay = job->course->stay.rest; stay != NULL;) {
        struct stay *rest = stay->rest;
        remove_stay(victims, stay);
        stay->next = preemption->free_stays;
        preemption->free_stays = stay;
        stay = rest;
    }
}

/* --- Who may take from whom --- */

static bool any_less_urgent(const struct pool_victims *victims, int32_t priority) {
    for (size_t i = victims->priority_count; i-- > 0;) {
        if (victims->priorities[i].jobs > 0) {
            return victims->priorities[i].priority > priority;
        }
    }
    return false;
}

static bool any_at_all(const struct pool_victims *victims) {
    bool any = false;
    for (size_t i = 0; !any && i < victims->priority_count; i++) {
        any = victims->priorities[i].jobs > 0;
    }
    return any;
}

bool preemption_is_possible(const struct preemption *preemption, const struct job *newcomer) {
    const struct quotas *quotas = preemption->scheduler->quotas;
    const struct shape *shape = newcomer->shape;
    bool may_preempt = preemption->rules[newcomer->workload].may_preempt;
    bool may_reclaim =
        preemption->spec->reclaim && quotas != NULL && quotas_has_claim(quotas, newcomer);
    if (preemption->rule->by_order) {
        return false;
    }
    bool possible = false;
    for (size_t i = 0; !possible && i < shape->pool_count; i++) {
        const struct pool_victims *victims = &preemption->pools[shape->pools[i].pool];
        possible = (may_preempt && any_less_urgent(victims, newcomer->priority)) ||
                   (may_reclaim && any_at_all(victims));
    }
    return possible;
}

/* Whether a newcomer comes before a running job: by priority, or in the order that all follow. */
static bool is_more_urgent(const struct preemption *preemption, const struct job *newcomer,
                           const struct job *victim) {
    const struct scheduler *scheduler = preemption->scheduler;
    return preemption->rule->by_order
               ? newcomer->link.key < scheduler->order->key_now(victim, scheduler->now)
               : preemption->rules[newcomer->workload].may_preempt &&
                     newcomer->priority < victim->priority;
}

bool preemption_is_entitled(const struct preemption *preemption, const struct job *newcomer,
                            const struct job *victim) {
    const struct quotas *quotas = preemption->scheduler->quotas;
    return is_more_urgent(preemption, newcomer, victim) ||
           (quotas != NULL && preemption->spec->reclaim &&
            quota_may_reclaim(quotas, newcomer, victim));
}

bool preemption_may_take(struct preemption *preemption, const struct job *newcomer,
                         const struct job *victim) {
    sim_time now = preemption->scheduler->now;
    const struct course *course = victim->course;
    if (course->phase == COURSE_WAITS || course->leaving != LEAVING_NOT) {
        return false;
    }
    if (newcomer != NULL && !preemption_is_entitled(preemption, newcomer, victim)) {
        return false;
    }
    /* Priorities and guarantees may contradict each other: nobody goes round in circles at once. */
    if (newcomer != NULL && victim->start == now && !is_more_urgent(preemption, newcomer, victim)) {
        return false;
    }
    sim_time from = sim_time_add(victim->start, preemption->rules[victim->workload].min_runtime);
    if (from > now && from < preemption->wake) {
        preemption->wake = from;
    }
    return from <= now;
}

/* --- Claims --- */

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

void preemption_redeem(struct preemption *preemption) {
    for (struct claim *claim = preemption->claims; claim != NULL;) {
        struct claim *next = claim->next;
        if (is_complete(preemption, claim)) {
            start_newcomer(preemption, claim);
        }
        claim = next;
    }
    abandon_hopeless(preemption);
}

/* Whether a job that has not started is to have what is set aside for the newcomer: it comes before
 * it, and might preempt it. */
static bool may_pass(const struct preemption *preemption, const struct job *job,
                     const struct job *newcomer) {
    return job != NULL && job_before(job, newcomer) && is_more_urgent(preemption, job, newcomer);
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

static void serve(struct preemption *preemption, struct claim *claim, bool passes) {
    struct claim *next = claim->next;
    const struct job *job = claim->newcomer;
    if (is_complete(preemption, claim)) {
        start_newcomer(preemption, claim);
    } else if (!claim->suspended && passes) {
        lend(preemption, job, next);
        start_elsewhere(preemption, claim);
        take_back(preemption, job, next);
    } else if (!claim->suspended) {
        start_elsewhere(preemption, claim);
    }
}

/* In strict order nobody starts behind a job that waits, but for a newcomer that it has made way
 * for.
 */
static bool is_blocked(const struct preemption *preemption, const struct job *newcomer) {
    const struct scheduler *scheduler = preemption->scheduler;
    const struct job *head = job_queue_first(&scheduler->queue);
    return scheduler->backfill->strict && head != NULL && job_before(head, newcomer) &&
           !is_more_urgent(preemption, newcomer, head);
}

void preemption_serve(struct preemption *preemption) {
    /* Victims of a reclaiming newcomer may be more urgent than it is. */
    bool reclaims = preemption->spec->reclaim && preemption->scheduler->quotas != NULL;
    bool passes = !preemption->rule->by_order && !reclaims;
    bool head_waits = false;
    for (struct claim *claim = preemption->claims; claim != NULL;) {
        struct claim *next = claim->next;
        if (passes && !head_waits) {
            head_waits = let_head_pass(preemption, claim);
        }
        if (claim->suspended || !passes || !is_blocked(preemption, claim->newcomer)) {
            serve(preemption, claim, passes);
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

void preemption_tell(struct preemption *preemption, struct job *victim,
                     const struct job *newcomer) {
    victim->course->victim = true;
    victim->course->victim_of = 0;
    preemption->leaving++;
    if (newcomer != NULL && newcomer->claim != NULL) {
        newcomer->claim->leaving++;
        victim->course->victim_of = newcomer->claim->number;
    }
    quotas_note_leaving(preemption->scheduler->quotas, victim, 1);
    preemption->evict(preemption->context, victim, newcomer);
}

/* Nobody comes to devices that are to be whole GPUs for the newcomer. */
static void empty_devices(struct preemption *preemption, struct claim *claim) {
    for (size_t i = 0; claim->device == NULL && i < preemption->chosen_count; i++) {
        const struct tenant *tenant = preemption->chosen[i]->tenant;
        if (tenant != NULL && tenant->device->promised.slots == 0) {
            slots_promise_all(pool_of(preemption, claim)->slots, tenant->device, 1);
            tenant->device->next_emptied = claim->emptied;
            claim->emptied = tenant->device;
        }
    }
}

bool preemption_make_room(struct preemption *preemption, struct job *newcomer) {
    struct claim *claim = preemption_take_claim(preemption);
    if (!preemption_search(preemption, newcomer, claim)) {
        preemption_return_claim(preemption, claim);
        return false;
    }
    preemption_open_claim(preemption, claim, newcomer);
    empty_devices(preemption, claim);
    for (size_t i = 0; i < preemption->chosen_count; i++) {
        preemption_tell(preemption, preemption->chosen[i], newcomer);
    }
    if (is_complete(preemption, claim)) {
        start_newcomer(preemption, claim);
    }
    return true;
}
