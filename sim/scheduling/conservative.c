#include "sim/scheduling/conservative.h"

#include <assert.h>
#include <stddef.h>

#include "sim/scheduling/conservative_option.h"
#include "sim/scheduling/preemption.h"
#include "sim/scheduling/profile.h"
#include "sim/scheduling/quotas.h"
#include "sim/scheduling/reservation.h"
#include "sim/scheduling/scheduler.h"
#include "sim/scheduling/slot_profile.h"

static const struct field_word all[] = {{"none", 0}, {NULL, 0}};
static const struct field fields[] = {
    {.name = "depth",
     .summary = "how many waiting jobs have a reservation at a time; none behind them starts",
     .type = &field_integer,
     FIELD_AT(struct conservative_options, depth),
     FIELD_RANGE(1, 1e9),
     .words = all,
     .preset = "none"},
    {.name = NULL},
};
const struct field conservative_options = {.type = &field_object, .fields = fields};

static void forget_promise(struct scheduler *scheduler, struct job *job) {
    if (scheduler->preemption != NULL) {
        promises_drop(&scheduler->preemption->promises, job);
    }
}

void conservative_forget(struct scheduler *scheduler, struct job *job) {
    option_forget_place(scheduler, job);
    forget_promise(scheduler, job);
}

/* With what is there, but nothing reserved for who waits. */
static void begin_profiles(struct scheduler *scheduler) {
    for (size_t i = 0; i < scheduler->pool_count; i++) {
        struct profile *profile = reservation_profile(scheduler->reservation, (int32_t)i);
        if (profile != NULL) {
            profile_begin(profile, scheduler->now);
        } else {
            slot_profile_begin(reservation_slot_profile(scheduler->reservation, (int32_t)i),
                               scheduler->now);
        }
    }
    if (scheduler->preemption != NULL) {
        promises_hold_claims(scheduler);
    }
}

/* --- Preemption --- */

static bool takes_turns(const struct scheduler *scheduler) {
    return scheduler->quotas != NULL && scheduler->quotas->fair;
}

/* Newcomers are to leave it alone; and it counts as held where queues take turns. */
static void promise(struct scheduler *scheduler, struct job *job, const struct option *option) {
    sim_time duration = option_duration(scheduler, job, option);
    if (scheduler->preemption != NULL) {
        promises_note(&scheduler->preemption->promises,
                      &(struct promise){.job = job,
                                        .where = option->pool,
                                        .from = option->first,
                                        .until = sim_time_add(option->first, duration),
                                        .pass = scheduler->passes});
    }
    if (takes_turns(scheduler)) {
        quotas_reserve(scheduler->quotas, job->shape->owner, option->pool->amount);
    }
}

#ifndef NDEBUG
/* Whether all that was reserved in this pass could still be: where and when it was. With quotas,
 * what the newcomer holds may have closed slots to others. */
static bool keeps_promises(struct scheduler *scheduler) {
    const struct promises *promises = &scheduler->preemption->promises;
    begin_profiles(scheduler);
    for (size_t i = 0; scheduler->quotas == NULL && i < promises->count; i++) {
        const struct promise *promise = &promises->items[i];
        if (promise->pass != scheduler->passes) {
            continue;
        }
        struct option option = {
            .pool = promise->where,
            .profile = reservation_profile(scheduler->reservation, promise->where->pool),
            .slots = reservation_slot_profile(scheduler->reservation, promise->where->pool),
            .first = promise->from,
            .duration =
                promise->until == SIM_TIME_NEVER ? SIM_TIME_NEVER : promise->until - promise->from};
        if (!option_holds(scheduler, promise->job, &option, false)) {
            return false;
        }
        option_reserve(scheduler, promise->job, &option, false);
    }
    return true;
}
#endif

/* Whether others leave for a job that cannot start: it has left the queue then. What a job of its
 * shape could not do for want of victims, it cannot either. */
static bool make_room(struct scheduler *scheduler, struct job *job) {
    struct preemption *preemption = scheduler->preemption;
    struct shape *shape = job->shape;
    if (preemption == NULL || shape->no_victims == preemption->prospects ||
        !preemption_is_possible(preemption, job)) {
        return false;
    }
    struct piece kept = job->pieces;
    int32_t slot = job->reserved_slot;
    job->pieces = (struct piece){0};
    job->reserved_slot = 0;
    if (preemption_make_room(preemption, job)) {
        piece_return_rest(&scheduler->stock, &kept);
        forget_promise(scheduler, job);
        assert(keeps_promises(scheduler));
        return true;
    }
    job->pieces = kept;
    job->reserved_slot = slot;
    if (!preemption->promises.in_the_way) {
        shape->no_victims = preemption->prospects;
    }
    return false;
}

/* --- A pass --- */

enum outcome { WAITS, HAS_STARTED, MADE_ROOM };

/* Starts the job if its time has come; else it may preempt others; else reserves for it. */
static enum outcome start_or_reserve(struct scheduler *scheduler, struct job *job) {
    struct option best = option_first(scheduler, job);
    struct option where = best;
    if (best.first == SIM_TIME_NEVER) {
        if (make_room(scheduler, job)) {
            return MADE_ROOM;
        }
        conservative_forget(scheduler, job);
        return WAITS;
    }
    bool keeps = option_may_keep(scheduler, job, &best, &where);
    bool starts = best.first == scheduler->now;
    if (starts && !(keeps && option_holds(scheduler, job, &where, true))) {
        struct option now;
        starts = option_plan_now(scheduler, job, &now);
        where = starts ? now : where;
    }
    if (!starts && make_room(scheduler, job)) {
        return MADE_ROOM;
    }
    if (!starts && !keeps) {
        where = best;
        option_plan(scheduler, job, &where, false);
    }
    option_reserve(scheduler, job, &where, starts);
    if (starts) {
        forget_promise(scheduler, job);
        option_start(scheduler, job, &where);
        return HAS_STARTED;
    }
    promise(scheduler, job, &where);
    return WAITS;
}

/* The first job of a shape after the last one that was looked at: after `position` (NULL: from the
 * beginning), or where queues take turns and no position is before all, of its own. */
static struct job *next_of(const struct scheduler *scheduler, const struct shape *shape,
                           const struct job *position) {
    struct job reached;
    if (takes_turns(scheduler)) {
        reached.link.key = shape->reached_key;
        reached.sequence = shape->reached_sequence;
        position = shape->reached_pass == scheduler->passes ? &reached : NULL;
    }
    return job_tree_next(&shape->waiting, position);
}

/* The first job, likewise, that is not set aside; *any_later: whether it or one behind it fits now,
 * or may preempt others. */
static struct job *next_in_order(struct scheduler *scheduler, const struct job *position,
                                 bool *any_later) {
    struct job_queue *queue = &scheduler->queue;
    struct job *next = NULL;
    *any_later = false;
    for (size_t i = 0; i < queue->active_count; i++) {
        struct shape *shape = queue->active[i];
        struct job *job =
            job_queue_admits(queue, shape) ? next_of(scheduler, shape, position) : NULL;
        if (job == NULL) {
            continue;
        }
        next = next == NULL || job_queue_before(queue, job, next) ? job : next;
        if (shape->passed_over != scheduler->passes && !scheduler_fits(scheduler, shape)) {
            shape->passed_over = scheduler->passes;
        }
        *any_later |=
            shape->passed_over != scheduler->passes ||
            (scheduler->preemption != NULL && preemption_is_possible(scheduler->preemption, job));
    }
    return next;
}

static void note_reached(struct scheduler *scheduler, const struct job *job, struct job *position) {
    struct shape *shape = job->shape;
    position->link.key = shape->reached_key = job->link.key;
    position->sequence = shape->reached_sequence = job->sequence;
    shape->reached_pass = scheduler->passes;
}

static void note_prospects(struct scheduler *scheduler, bool others_run) {
    if (scheduler->preemption != NULL) {
        scheduler->preemption->prospects += others_run;
    }
}

/* Goes through the queue, up to a job that preempts others. Whether there is one. */
static bool go_through(struct scheduler *scheduler) {
    struct job position;
    bool any_later;
    bool fresh = true;
    int64_t reserved = 0;
    enum outcome outcome = WAITS;
    struct job *job = next_in_order(scheduler, NULL, &any_later);
    begin_profiles(scheduler);
    note_prospects(scheduler, true);
    while (outcome != MADE_ROOM && job != NULL && any_later &&
           !scheduler_may_not_overtake(scheduler, job) &&
           (scheduler->reservation_depth == 0 || reserved < scheduler->reservation_depth)) {
        note_reached(scheduler, job, &position);
        /* Before anything is reserved, the rule's place is as good as any; no profile is needed. */
        fresh = fresh && !option_has_place(job);
        bool started = fresh && scheduler_try_start(scheduler, job);
        fresh = fresh && started;
        outcome = started ? HAS_STARTED : start_or_reserve(scheduler, job);
        note_prospects(scheduler, outcome == HAS_STARTED);
        reserved += outcome == WAITS;
        job = next_in_order(scheduler, &position, &any_later);
    }
    return outcome == MADE_ROOM;
}

/* Whoever is preempted may be back in the queue, and what is left of others' places free: so all is
 * reserved anew. */
void conservative_pass(struct scheduler *scheduler) {
    while (go_through(scheduler)) {
        scheduler->passes++;
        quotas_forget_reserved(scheduler->quotas);
    }
    quotas_forget_reserved(scheduler->quotas);
}
