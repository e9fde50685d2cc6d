#include "sim/scheduling/backfill.h"

#include "sim/scheduling/reservation.h"
#include "sim/scheduling/scheduler.h"

static void pass_in_order(struct scheduler *scheduler) {
    while (scheduler->queue.head != NULL && scheduler_try_start(scheduler, scheduler->queue.head)) {
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
        } else if (first == NULL || job_before(shape->waiting.first, first)) {
            first = shape->waiting.first;
        }
    }
    return first;
}

static void pass_skipping(struct scheduler *scheduler) {
    struct job *job = first_that_fits(scheduler);
    while (job != NULL) {
        scheduler_try_start(scheduler, job);
        job = first_that_fits(scheduler);
    }
}

static void pass_easy(struct scheduler *scheduler) {
    pass_in_order(scheduler);
    /* A reservation is worth computing only if something else could start beside it. */
    if (scheduler->queue.head != NULL && first_that_fits(scheduler) != NULL) {
        reservation_backfill(scheduler);
    }
}

const struct backfill_rule backfill_rules[] = {
    {{.name = "none", .summary = "strict order: a job that does not fit blocks all behind it"},
     pass_in_order,
     false},
    {{.name = "skip", .summary = "starts whatever fits, in order; large jobs may starve"},
     pass_skipping,
     false},
    {{.name = "easy", .summary = "starts later jobs that do not delay the first one's reservation"},
     pass_easy,
     true},
};
const size_t backfill_rule_count = sizeof backfill_rules / sizeof backfill_rules[0];
