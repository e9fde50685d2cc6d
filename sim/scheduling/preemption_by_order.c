#include "sim/scheduling/preemption_by_order.h"

#include <stdlib.h>

#include "sim/kernel/memory.h"
#include "sim/scheduling/preemption.h"
#include "sim/scheduling/scheduler.h"

/* A running job that may be preempted. */
struct runner {
    struct job *job;
    sim_time key; /* now */
    bool goes;    /* no longer fits */
};

struct by_order {
    struct runner *runners; /* in order */
    size_t runner_count;
    size_t runner_capacity;
    struct claim **plans; /* jobs to start, in order */
    size_t plan_count;
    size_t plan_capacity;
    sim_time instant; /* of the last pass */
};

void by_order_destroy(struct by_order *by_order) {
    if (by_order != NULL) {
        free(by_order->runners);
        free(by_order->plans);
        free(by_order);
    }
}

static struct pool *pool_of(const struct scheduler *scheduler, const struct job *job) {
    return &scheduler->pools[job->pool];
}

/* --- The order --- */

static int compare(sim_time left_key, bool left_runs, uint64_t left, sim_time right_key,
                   bool right_runs, uint64_t right, bool runners_first) {
    if (left_key != right_key) {
        return left_key < right_key ? -1 : 1;
    }
    if (runners_first && left_runs != right_runs) {
        return left_runs ? -1 : 1;
    }
    return (left > right) - (left < right);
}

static int compare_runners(const void *a, const void *b) {
    const struct runner *left = a;
    const struct runner *right = b;
    return compare(left->key, true, left->job->sequence, right->key, true, right->job->sequence,
                   false);
}

static bool is_before(const struct scheduler *scheduler, const struct job *waiting,
                      const struct runner *runner) {
    return compare(waiting->link.key, false, waiting->sequence, runner->key, true,
                   runner->job->sequence, scheduler->order->runners_first) < 0;
}

/* Of equal keys the earlier order is kept: that of the last pass, as far as it can have changed
 * since. A job that ran had a larger key than those that waited meanwhile, so it comes after them,
 * and before those that came later: its new rank was kept for it then. */
static void renew_ranks(const struct scheduler *scheduler, struct by_order *by_order) {
    if (scheduler->order->runs_down && scheduler->now > by_order->instant) {
        for (size_t i = 0; i < by_order->runner_count; i++) {
            struct job *job = by_order->runners[i].job;
            job->sequence = job->course->next_rank > 0 ? job->course->next_rank : job->sequence;
        }
    }
}

static void add_runner(struct scheduler *scheduler, struct by_order *by_order, struct job *job) {
    by_order->runners = memory_grow(by_order->runners, &by_order->runner_capacity,
                                    by_order->runner_count + 1, sizeof *by_order->runners);
    by_order->runners[by_order->runner_count++] =
        (struct runner){.job = job, .key = scheduler->order->key_now(job, scheduler->now)};
}

/* They come in the order of the last pass, and few change places: so by insertion, unless that
 * turns out to be dear. */
static void sort_runners(struct by_order *by_order) {
    struct runner *runners = by_order->runners;
    size_t moves = 0;
    for (size_t i = 1; i < by_order->runner_count; i++) {
        struct runner runner = runners[i];
        size_t j = i;
        for (; j > 0 && compare_runners(&runner, &runners[j - 1]) < 0; j--) {
            runners[j] = runners[j - 1];
        }
        runners[j] = runner;
        moves += i - j;
        if (moves > 8 * by_order->runner_count) {
            qsort(runners, by_order->runner_count, sizeof *runners, compare_runners);
            return;
        }
    }
}

static void collect_runners(struct scheduler *scheduler, struct by_order *by_order) {
    struct preemption *preemption = scheduler->preemption;
    by_order->runner_count = 0;
    for (struct course *course = preemption->running; course != NULL;
         course = course->next_running) {
        if (course->job->tenant == NULL && preemption_may_take(preemption, NULL, course->job)) {
            add_runner(scheduler, by_order, course->job);
        }
    }
    renew_ranks(scheduler, by_order);
    sort_runners(by_order);
}

/* The list of all that run, in the order that they have here. */
static void keep_order(struct preemption *preemption, const struct by_order *by_order) {
    struct course *previous = NULL;
    preemption->running = NULL;
    for (size_t i = 0; i < by_order->runner_count; i++) {
        struct course *course = by_order->runners[i].job->course;
        course->previous_running = previous;
        course->next_running = NULL;
        if (previous != NULL) {
            previous->next_running = course;
        } else {
            preemption->running = course;
        }
        previous = course;
    }
}

/* Ranks, in the order of now, for all that run on: to be theirs when time has passed. */
static void keep_ranks(struct scheduler *scheduler, struct by_order *by_order) {
    by_order->instant = scheduler->now;
    by_order->runner_count = 0;
    for (struct course *course = scheduler->preemption->running; course != NULL;
         course = course->next_running) {
        add_runner(scheduler, by_order, course->job);
    }
    sort_runners(by_order);
    keep_order(scheduler->preemption, by_order);
    for (size_t i = 0; scheduler->order->runs_down && i < by_order->runner_count; i++) {
        by_order->runners[i].job->course->next_rank = (*scheduler->sequence)++;
    }
}

/* --- What is left --- */

/* Whoever has GPUs of a node that is going out of use makes room for nobody. */
static bool is_draining(const struct node_index *index, int32_t node) {
    return node_index_usable(index, node) == 0;
}

static void hold(const struct scheduler *scheduler, const struct job *job, int sign) {
    struct node_index *index = &pool_of(scheduler, job)->index;
    struct gang gang = shape_gang(job->shape);
    for (const struct piece *piece = &job->pieces; piece != NULL; piece = piece->next) {
        if (!is_draining(index, piece->node)) {
            node_index_change(index, piece->node, -sign * piece->gpus);
        }
    }
    placement_use_hosts(index, &gang, &job->pieces, sign);
}

static bool still_fits(const struct scheduler *scheduler, const struct job *job) {
    const struct node_index *index = &pool_of(scheduler, job)->index;
    struct gang gang = shape_gang(job->shape);
    bool fits = true;
    for (const struct piece *piece = &job->pieces; fits && piece != NULL; piece = piece->next) {
        struct host_share host = host_share_times(gang.each, piece->gpus);
        fits = (index->free_gpus[piece->node] >= piece->gpus || is_draining(index, piece->node)) &&
               node_index_has_room(index, piece->node, &host);
    }
    return fits;
}

/* Plans a waiting job in the first of its pools where it fits now. */
static bool plan(struct scheduler *scheduler, struct by_order *by_order, struct job *job) {
    struct gang gang = shape_gang(job->shape);
    for (size_t i = 0; i < job->shape->pool_count; i++) {
        const struct shape_pool *where = &job->shape->pools[i];
        struct node_index *index = &scheduler->pools[where->pool].index;
        struct claim *claim;
        if (!where->whole || !placement_fits(index, &gang)) {
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
        return true;
    }
    return false;
}

/* Whether there would be enough GPUs in one of its pools if those from `from` on did not run. */
static bool is_worth_a_try(const struct scheduler *scheduler, const struct by_order *by_order,
                           const struct job *job, size_t from) {
    for (size_t i = 0; from < by_order->runner_count && i < job->shape->pool_count; i++) {
        int32_t pool = job->shape->pools[i].pool;
        int64_t gpus = scheduler->pools[pool].index.free_total;
        for (size_t k = from; k < by_order->runner_count && gpus < job->gpus; k++) {
            const struct runner *runner = &by_order->runners[k];
            gpus += runner->job->pool == pool && !runner->goes ? runner->job->gpus : 0;
        }
        if (job->shape->pools[i].whole && gpus >= job->gpus) {
            return true;
        }
    }
    return false;
}

/* Plans it as if those after it, from `from` on, did not run; they stay where they still fit, also
 * one that had to go for a job before this one: somebody else may go now, who took its place. */
static bool plan_before(struct scheduler *scheduler, struct by_order *by_order, struct job *job,
                        size_t from) {
    for (size_t i = from; i < by_order->runner_count; i++) {
        if (!by_order->runners[i].goes) {
            hold(scheduler, by_order->runners[i].job, -1);
        }
    }
    bool planned = plan(scheduler, by_order, job);
    for (size_t i = from; i < by_order->runner_count; i++) {
        struct runner *runner = &by_order->runners[i];
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
            bool asks = job_queue_admits(queue, shape) && on_whole_gpus(shape);
            shape->cursor = asks ? shape->waiting.first : NULL;
        }
        if (shape->cursor != NULL && (first == NULL || job_before(shape->cursor, first))) {
            first = shape->cursor;
        }
    }
    return first;
}

static void make_plans(struct scheduler *scheduler, struct by_order *by_order, bool strict) {
    size_t before = 0; /* runners ahead of the waiting job */
    by_order->plan_count = 0;
    for (struct job *job = next_waiting(scheduler); job != NULL; job = next_waiting(scheduler)) {
        if (strict && preemption_serves_before(scheduler->preemption, job)) {
            return;
        }
        while (before < by_order->runner_count &&
               !is_before(scheduler, job, &by_order->runners[before])) {
            before++;
        }
        bool may = scheduler->preemption->rules[job->workload].may_preempt;
        bool planned = plan(scheduler, by_order, job) ||
                       (may && is_worth_a_try(scheduler, by_order, job, before) &&
                        plan_before(scheduler, by_order, job, before));
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
    }
    for (size_t i = 0; i < by_order->runner_count; i++) {
        if (by_order->runners[i].goes) {
            hold(scheduler, by_order->runners[i].job, 1);
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
    for (size_t i = 0; i < by_order->runner_count; i++) {
        struct job *job = by_order->runners[i].job;
        if (by_order->runners[i].goes) {
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
    if (preemption->by_order == NULL) {
        preemption->by_order = memory_zero(1, sizeof *preemption->by_order);
    }
    struct by_order *by_order = preemption->by_order;
    if (scheduler->queue.count == 0) {
        return;
    }
    collect_runners(scheduler, by_order);
    make_plans(scheduler, by_order, strict);
    undo_plans(scheduler, by_order);
    carry_out(scheduler, by_order);
    keep_ranks(scheduler, by_order);
    if (any_slots(scheduler)) {
        start_in_slots(scheduler, strict);
    }
}
