#include "sim/scheduling/backfill.h"

#include "sim/scheduling/conservative.h"
#include "sim/scheduling/preemption.h"
#include "sim/scheduling/reservation.h"
#include "sim/scheduling/scheduler.h"

/* Whether others leave for the job: it has left the queue then. */
static bool make_room(struct scheduler *scheduler, struct job *job) {
    return scheduler->preemption != NULL && preemption_is_possible(scheduler->preemption, job) &&
           preemption_make_room(scheduler->preemption, job);
}

static void pass_in_order(struct scheduler *scheduler) {
    struct job *job = job_queue_first(&scheduler->queue);
    while (job != NULL && (scheduler_try_start(scheduler, job) || make_room(scheduler, job))) {
        job = job_queue_first(&scheduler->queue);
    }
}

/* A job for which room is being made has not started yet: it blocks those behind it, too. */
static bool is_blocked(const struct scheduler *scheduler, const struct job *job) {
    return scheduler->preemption != NULL && preemption_serves_before(scheduler->preemption, job);
}

static void pass_strictly(struct scheduler *scheduler) {
    struct job *job = job_queue_first(&scheduler->queue);
    while (job != NULL && !is_blocked(scheduler, job) &&
           (scheduler_try_start(scheduler, job) || make_room(scheduler, job))) {
        job = job_queue_first(&scheduler->queue);
    }
}

/* Of the shapes that fit now (GPUs only get scarcer during a pass, so one that does not fit is out
 * for the rest of it), the one whose first job comes first. */
static struct job *first_that_fits(struct scheduler *scheduler) {
    struct job_queue *queue = &scheduler->queue;
    struct job *first = NULL;
    for (size_t i = 0; i < queue->active_count; i++) {
        struct shape *shape = queue->active[i];
        if (shape->passed_over == scheduler->passes) {
            continue;
        }
        if (!scheduler_fits(scheduler, shape)) {
            shape->passed_over = scheduler->passes;
        } else if (first == NULL || job_queue_before(queue, shape->waiting.first, first)) {
            first = shape->waiting.first;
        }
    }
    return first;
}

/* The first of those that fit or may preempt others; jobs of a shape are equally urgent then. */
static struct job *first_that_fits_or_may_preempt(struct scheduler *scheduler) {
    struct job_queue *queue = &scheduler->queue;
    struct job *first = NULL;
    for (size_t i = 0; i < queue->active_count; i++) {
        struct shape *shape = queue->active[i];
        struct job *job = shape->waiting.first;
        if (shape->passed_over == scheduler->passes || !job_queue_admits(queue, shape) ||
            (first != NULL && !job_queue_before(queue, job, first))) {
            continue;
        }
        if (scheduler_fits(scheduler, shape) ||
            preemption_is_possible(scheduler->preemption, job)) {
            first = job;
        } else {
            shape->passed_over = scheduler->passes;
        }
    }
    return first;
}

static void pass_skipping_with_preemption(struct scheduler *scheduler) {
    struct job *job = first_that_fits_or_may_preempt(scheduler);
    while (job != NULL && !scheduler_may_not_overtake(scheduler, job)) {
        struct shape *shape = job->shape;
        bool started = scheduler_try_start(scheduler, job);
        if (!started && make_room(scheduler, job)) {
            scheduler->passes++; /* its victims may have freed more than it needs */
        } else if (!started) {
            shape->passed_over = scheduler->passes;
        }
        job = first_that_fits_or_may_preempt(scheduler);
    }
}

static void pass_skipping(struct scheduler *scheduler) {
    if (scheduler->preemption != NULL) {
        pass_skipping_with_preemption(scheduler);
        return;
    }
    struct job *job = first_that_fits(scheduler);
    while (job != NULL && !scheduler_may_not_overtake(scheduler, job)) {
        scheduler_try_start(scheduler, job);
        job = first_that_fits(scheduler);
    }
}

static void pass_easy(struct scheduler *scheduler) {
    pass_in_order(scheduler);
    /* A reservation is worth computing only if something else could start beside it. */
    if (job_queue_first(&scheduler->queue) != NULL && first_that_fits(scheduler) != NULL) {
        reservation_backfill(scheduler);
    }
}

const struct backfill_rule backfill_rules[] = {
    {.choice = {.name = "none",
                .summary = "strict order: a job that does not fit blocks all behind it"},
     .pass = pass_strictly,
     .strict = true},
    {.choice = {.name = "skip", .summary = "starts whatever fits, in order; large jobs may starve"},
     .pass = pass_skipping},
    {.choice = {.name = "easy",
                .summary = "starts later jobs that do not delay the first one's reservation"},
     .pass = pass_easy,
     .reserves = true},
    {.choice = {.name = "conservative",
                .summary =
                    "starts later jobs that delay no reservation: every job ahead of them has one",
                .options = &conservative_options,
                .option_size = sizeof(struct conservative_options)},
     .pass = conservative_pass,
     .reserves = true,
     .for_all = true},
};
const size_t backfill_rule_count = sizeof backfill_rules / sizeof backfill_rules[0];
