#include "sim/scheduling/preemption.h"

#include <stdlib.h>

#include "sim/kernel/memory.h"
#include "sim/scheduling/preemption_by_order.h"
#include "sim/scheduling/preemption_search.h"
#include "sim/scheduling/quotas.h"
#include "sim/scheduling/scheduler.h"

enum { PER_BLOCK = 256 };

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
    preemption->moves = preemption_list_moves(scenario, scheduler->pool_count);
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
    preemption->by_order = preemption->rule->by_order ? by_order_create(preemption) : NULL;
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
    preemption_clear_claims(preemption);
    while (preemption->stay_blocks != NULL) {
        struct stay_block *next = preemption->stay_blocks->next;
        free(preemption->stay_blocks);
        preemption->stay_blocks = next;
    }
    by_order_destroy(preemption->by_order);
    promises_terminate(&preemption->promises);
    free(preemption->pools);
    free(preemption->rules);
    free(preemption->moves);
    free(preemption->jobs);
    free(preemption->bundles);
    free(preemption->chosen);
    free(preemption);
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
    if (preemption->by_order != NULL) {
        by_order_note(preemption->by_order, job, 1);
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
    if (preemption->by_order != NULL) {
        by_order_note(preemption->by_order, job, -1);
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

void preemption_goes_down(struct preemption *preemption, struct job *job) {
    bool counts = preemption != NULL && preemption->by_order != NULL && job->tenant == NULL &&
                  is_listed(preemption, job);
    if (counts) {
        by_order_note(preemption->by_order, job, -1);
    }
    job->course->level++;
    if (counts) {
        by_order_note(preemption->by_order, job, 1);
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

bool preemption_is_more_urgent(const struct preemption *preemption, const struct job *newcomer,
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
    return preemption_is_more_urgent(preemption, newcomer, victim) ||
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
    if (newcomer != NULL && victim->start == now &&
        !preemption_is_more_urgent(preemption, newcomer, victim)) {
        return false;
    }
    sim_time from = sim_time_add(victim->start, preemption->rules[victim->workload].min_runtime);
    if (from > now && from < preemption->wake) {
        preemption->wake = from;
    }
    return from <= now;
}

/* --- Making room --- */

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

bool preemption_make_room(struct preemption *preemption, struct job *newcomer) {
    struct claim *claim = preemption_take_claim(preemption);
    preemption->chosen_count = 0;
    preemption->promises.in_the_way = false;
    if (!preemption_search(preemption, newcomer, claim) || preemption->chosen_count == 0) {
        preemption_return_claim(preemption, claim);
        return false;
    }
    preemption_open_claim(preemption, claim, newcomer);
    preemption_empty_devices(preemption, claim);
    for (size_t i = 0; i < preemption->chosen_count; i++) {
        preemption_tell(preemption, preemption->chosen[i], newcomer);
    }
    preemption_redeem_claim(preemption, claim);
    return true;
}
