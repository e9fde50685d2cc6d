#include "sim/scheduling/preemption_by_order.h"

#include <stdlib.h>

#include "sim/kernel/memory.h"
#include "sim/scheduling/by_order_room.h"
#include "sim/scheduling/by_order_runners.h"
#include "sim/scheduling/preemption.h"
#include "sim/scheduling/quotas.h"
#include "sim/scheduling/scheduler.h"

struct by_order {
    struct by_order_runners runners;
    bool collected;       /* in this pass */
    bool reordered;       /* and found in another order than before */
    size_t before;        /* runners ahead of the waiting job at hand */
    struct claim **plans; /* jobs to start, in order */
    size_t plan_count;
    size_t plan_capacity;
    struct by_order_room room;
};

struct by_order *by_order_create(const struct preemption *preemption) {
    const struct scheduler *scheduler = preemption->scheduler;
    const struct las_options *levels = queue_order_levels(&preemption->scenario->scheduler.order);
    struct by_order *by_order = memory_zero(1, sizeof *by_order);
    bool waits = false; /* until it may be preempted: which is seen as they are listed */
    for (size_t i = 0; i < preemption->scenario->workload_count; i++) {
        waits |= preemption->rules[i].preemptible && preemption->rules[i].min_runtime > 0;
    }
    by_order_room_initialize(&by_order->room, scheduler,
                             levels != NULL && !waits ? levels->limit_count + 1 : 0);
    return by_order;
}

void by_order_destroy(struct by_order *by_order) {
    if (by_order != NULL) {
        free(by_order->runners.items);
        free(by_order->plans);
        by_order_room_terminate(&by_order->room);
        free(by_order);
    }
}

void by_order_note(struct by_order *by_order, const struct job *job, int sign) {
    by_order_room_note(&by_order->room, job, sign);
}

static struct pool *pool_of(const struct scheduler *scheduler, const struct job *job) {
    return &scheduler->pools[job->pool];
}

/* --- What is left --- */

/* GPUs that are going out of use are given back to nobody. */
static void hold(const struct scheduler *scheduler, const struct job *job, int sign) {
    struct pool *pool = pool_of(scheduler, job);
    struct gang gang = shape_gang(job->shape);
    for (const struct piece *piece = &job->pieces; piece != NULL; piece = piece->next) {
        int32_t gpus = pool_open_gpus(pool, piece);
        if (gpus > 0) {
            node_index_change(&pool->index, piece->node, -sign * gpus);
        }
    }
    placement_use_hosts(&pool->index, &gang, &job->pieces, sign);
}

static bool still_fits(const struct scheduler *scheduler, const struct job *job) {
    const struct pool *pool = pool_of(scheduler, job);
    struct gang gang = shape_gang(job->shape);
    bool fits = true;
    for (const struct piece *piece = &job->pieces; fits && piece != NULL; piece = piece->next) {
        struct host_share host = host_share_times(gang.each, piece->gpus);
        fits = pool->index.free_gpus[piece->node] >= pool_open_gpus(pool, piece) &&
               node_index_has_room(&pool->index, piece->node, &host);
    }
    return fits;
}

/* What it would hold counts towards its quotas at once, for those behind it in this pass. */
static void count_planned(const struct scheduler *scheduler, const struct claim *claim, int sign) {
    if (scheduler->quotas != NULL) {
        quotas_hold(scheduler->quotas, claim->newcomer->shape->owner, sign * claim->where->amount);
    }
}

static bool is_admitted(const struct scheduler *scheduler, const struct job *job,
                        const struct shape_pool *where) {
    return scheduler->quotas == NULL ||
           quotas_admit(scheduler->quotas, job->shape->owner, where->amount);
}

/* Plans a waiting job in the first of its pools where it fits now. */
static bool plan(struct scheduler *scheduler, struct by_order *by_order, struct job *job) {
    struct gang gang = shape_gang(job->shape);
    for (size_t i = 0; i < job->shape->pool_count; i++) {
        const struct shape_pool *where = &job->shape->pools[i];
        struct node_index *index = &scheduler->pools[where->pool].index;
        struct claim *claim;
        if (!where->whole || !is_admitted(scheduler, job, where) || !placement_fits(index, &gang)) {
            continue;
        }
        claim = preemption_take_claim(scheduler->preemption);
        claim->where = where;
        claim->newcomer = job;
        placement_plan(scheduler->placement, index, &gang, &scheduler->stock, &claim->pieces);
        placement_use_hosts(index, &gang, &claim->pieces, 1);
        by_order->plans = memory_grow(by_order->plans, &by_order->plan_capacity,
                                      by_order->plan_count + 1, sizeof(struct claim *));
        by_order->plans[by_order->plan_count++] = claim;
        count_planned(scheduler, claim, 1);
        by_order_room_take(&by_order->room, scheduler, where->pool, &claim->pieces, 1);
        return true;
    }
    return false;
}

/* Lists the runners. Where levels are known, also what there would be if those that come after the
 * job at hand did not run: those that go are counted as free already. */
static void collect(struct scheduler *scheduler, struct by_order *by_order) {
    struct by_order_runners *runners = &by_order->runners;
    by_order->reordered = by_order_runners_collect(runners, scheduler);
    by_order->collected = true;
    by_order->before = 0;
    if (by_order_room_knows_levels(&by_order->room)) {
        by_order_room_begin(&by_order->room, scheduler, ROOM_OF_RUNNERS);
        for (size_t i = 0; i < runners->count; i++) {
            const struct job *job = runners->items[i].job;
            by_order_room_take(&by_order->room, scheduler, job->pool, &job->pieces, -1);
        }
    }
}

/* Runners that come before the job do so before all that follow it. */
static void pass_runners(const struct scheduler *scheduler, struct by_order *by_order,
                         const struct job *job) {
    bool by_level = by_order_room_knows_levels(&by_order->room);
    for (; by_order->before < by_order->runners.count; by_order->before++) {
        const struct runner *runner = &by_order->runners.items[by_order->before];
        if (by_order_is_before(scheduler, job, runner)) {
            return;
        }
        if (by_level && !runner->goes) {
            by_order_room_take(&by_order->room, scheduler, runner->job->pool, &runner->job->pieces,
                               1);
        }
    }
}

/* Whether the runners that come after the job have enough GPUs in one of its pools, wherever. */
static bool have_enough(const struct scheduler *scheduler, const struct by_order *by_order,
                        const struct job *job) {
    const struct by_order_runners *runners = &by_order->runners;
    for (size_t i = 0; i < job->shape->pool_count; i++) {
        int32_t pool = job->shape->pools[i].pool;
        int64_t gpus = scheduler->pools[pool].index.free_total;
        for (size_t k = by_order->before; k < runners->count && gpus < job->gpus; k++) {
            const struct runner *runner = &runners->items[k];
            gpus += runner->job->pool == pool && !runner->goes ? runner->job->gpus : 0;
        }
        if (job->shape->pools[i].whole && gpus >= job->gpus) {
            return true;
        }
    }
    return false;
}

/* Whether it may fit if those that come after it did not run. To plan it in vain would change
 * nothing: who has to go for jobs before it would have to still. Where levels are known, runners
 * are listed only when these do not rule it out, and nodes are told apart. */
static bool is_worth_a_try(struct scheduler *scheduler, struct by_order *by_order,
                           const struct job *job) {
    bool by_level = by_order_room_knows_levels(&by_order->room);
    if (!by_order->collected) {
        by_order_room_begin(&by_order->room, scheduler, (int)job->link.key);
        if (!by_order_room_fits(&by_order->room, job)) {
            return false;
        }
        collect(scheduler, by_order);
    }
    pass_runners(scheduler, by_order, job);
    return by_order->before < by_order->runners.count &&
           (by_level ? by_order_room_fits(&by_order->room, job)
                     : have_enough(scheduler, by_order, job));
}

/* Plans it as if those after it, from `from` on, did not run; they stay where they still fit, also
 * one that had to go for a job before this one: somebody else may go now, who took its place. */
static bool plan_before(struct scheduler *scheduler, struct by_order *by_order, struct job *job,
                        size_t from) {
    for (size_t i = from; i < by_order->runners.count; i++) {
        if (!by_order->runners.items[i].goes) {
            hold(scheduler, by_order->runners.items[i].job, -1);
        }
    }
    bool planned = plan(scheduler, by_order, job);
    for (size_t i = from; i < by_order->runners.count; i++) {
        struct runner *runner = &by_order->runners.items[i];
        runner->goes = !still_fits(scheduler, runner->job);
        if (!runner->goes) {
            hold(scheduler, runner->job, 1);
        }
    }
    return planned;
}

/* --- A pass --- */

static bool on_whole_gpus(const struct shape *shape) {
    bool whole = false;
    for (size_t i = 0; i < shape->pool_count; i++) {
        whole |= shape->pools[i].whole;
    }
    return whole;
}

/* The first job in order that is not planned yet, of the shapes still in question. */
static struct job *next_waiting(struct scheduler *scheduler) {
    struct job_queue *queue = &scheduler->queue;
    struct job *first = NULL;
    for (size_t i = 0; i < queue->active_count; i++) {
        struct shape *shape = queue->active[i];
        if (shape->cursor_pass != scheduler->passes) {
            shape->cursor_pass = scheduler->passes;
            shape->cursor = on_whole_gpus(shape) ? shape->waiting.first : NULL;
        }
        if (shape->cursor != NULL && !job_queue_admits(queue, shape)) {
            shape->cursor = NULL;
        }
        if (shape->cursor != NULL && (first == NULL || job_before(shape->cursor, first))) {
            first = shape->cursor;
        }
    }
    return first;
}

static void make_plans(struct scheduler *scheduler, struct by_order *by_order, bool strict) {
    by_order->plan_count = 0;
    by_order->runners.count = 0;
    by_order->collected = false;
    by_order->reordered = false;
    if (!by_order_room_knows_levels(&by_order->room)) {
        collect(scheduler, by_order);
    }
    for (struct job *job = next_waiting(scheduler); job != NULL; job = next_waiting(scheduler)) {
        if (strict && preemption_serves_before(scheduler->preemption, job)) {
            return;
        }
        bool may = scheduler->preemption->rules[job->workload].may_preempt;
        bool planned = plan(scheduler, by_order, job) ||
                       (may && is_worth_a_try(scheduler, by_order, job) &&
                        plan_before(scheduler, by_order, job, by_order->before));
        job->shape->cursor = planned ? job_tree_next(&job->shape->waiting, job) : NULL;
        if (!planned && strict) {
            return;
        }
    }
}

/* Takes the plans off the index, and puts those that go back on it: it is as things are. */
static void undo_plans(struct scheduler *scheduler, struct by_order *by_order) {
    for (size_t i = 0; i < by_order->plan_count; i++) {
        const struct claim *claim = by_order->plans[i];
        struct node_index *index = &scheduler->pools[claim->where->pool].index;
        struct gang gang = shape_gang(claim->newcomer->shape);
        for (const struct piece *piece = &claim->pieces; piece != NULL; piece = piece->next) {
            node_index_change(index, piece->node, piece->gpus);
        }
        placement_use_hosts(index, &gang, &claim->pieces, -1);
        count_planned(scheduler, claim, -1);
    }
    for (size_t i = 0; i < by_order->runners.count; i++) {
        if (by_order->runners.items[i].goes) {
            hold(scheduler, by_order->runners.items[i].job, 1);
        }
    }
}

static bool uses_node_of(const struct claim *claim, const struct job *job) {
    for (const struct piece *of = &claim->pieces; of != NULL; of = of->next) {
        for (const struct piece *piece = &job->pieces; piece != NULL; piece = piece->next) {
            if (claim->where->pool == job->pool && of->node == piece->node) {
                return true;
            }
        }
    }
    return false;
}

/* The first newcomer on one of its nodes. */
static const struct job *newcomer_for(const struct by_order *by_order, const struct job *victim) {
    for (size_t i = 0; i < by_order->plan_count; i++) {
        if (uses_node_of(by_order->plans[i], victim)) {
            return by_order->plans[i]->newcomer;
        }
    }
    return NULL;
}

static void carry_out(struct scheduler *scheduler, struct by_order *by_order) {
    struct preemption *preemption = scheduler->preemption;
    for (size_t i = 0; i < by_order->plan_count; i++) {
        preemption_open_claim(preemption, by_order->plans[i], by_order->plans[i]->newcomer);
    }
    for (size_t i = 0; i < by_order->runners.count; i++) {
        struct job *job = by_order->runners.items[i].job;
        if (by_order->runners.items[i].goes) {
            preemption_tell(preemption, job, newcomer_for(by_order, job));
        }
    }
    preemption_redeem(preemption);
}

/* Slots: in order, each job that fits or can make room for itself. */
static void start_in_slots(struct scheduler *scheduler, bool strict) {
    struct job_queue *queue = &scheduler->queue;
    for (bool found = true; found;) {
        struct job *first = NULL;
        for (size_t i = 0; i < queue->active_count; i++) {
            struct shape *shape = queue->active[i];
            if (shape->passed_over != scheduler->passes && job_queue_admits(queue, shape) &&
                (first == NULL || job_before(shape->waiting.first, first))) {
                first = shape->waiting.first;
            }
        }
        found = first != NULL;
        if (found && !scheduler_try_start(scheduler, first) &&
            !(scheduler->preemption->rules[first->workload].may_preempt &&
              preemption_make_room(scheduler->preemption, first))) {
            first->shape->passed_over = scheduler->passes;
            found = !strict;
        }
    }
}

static bool any_slots(const struct scheduler *scheduler) {
    bool any = false;
    for (size_t i = 0; i < scheduler->pool_count; i++) {
        any |= scheduler->pools[i].slots != NULL;
    }
    return any;
}

void preemption_pass_by_order(struct scheduler *scheduler, bool strict) {
    struct preemption *preemption = scheduler->preemption;
    struct by_order *by_order = preemption->by_order;
    if (scheduler->queue.count == 0) {
        return;
    }
    make_plans(scheduler, by_order, strict);
    undo_plans(scheduler, by_order);
    carry_out(scheduler, by_order);
    if (by_order->reordered || (by_order->collected && by_order->plan_count > 0) ||
        scheduler->order->runs_down) {
        by_order_runners_keep(&by_order->runners, scheduler);
    }
    if (any_slots(scheduler)) {
        start_in_slots(scheduler, strict);
    }
}
