#include "sim/scheduling/conservative.h"

#include <stddef.h>

#include "sim/scheduling/profile.h"
#include "sim/scheduling/quotas.h"
#include "sim/scheduling/reservation.h"
#include "sim/scheduling/scheduler.h"

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

/* A waiting job keeps what is reserved for it in its pieces and pool. */
static bool has_place(const struct job *job) {
    return job->pieces.gpus > 0;
}

void conservative_forget(struct scheduler *scheduler, struct job *job) {
    piece_return_rest(&scheduler->stock, &job->pieces);
    job->pieces = (struct piece){0};
}

static void begin_profiles(struct scheduler *scheduler) {
    for (size_t i = 0; i < scheduler->pool_count; i++) {
        profile_begin(reservation_profile(scheduler->reservation, (int32_t)i), scheduler->now);
    }
}

/* One pool that a job may use, and when. */
struct option {
    const struct shape_pool *pool;
    struct profile *profile;
    sim_time first; /* at which it would fit */
    sim_time duration;
};

/* A job of no duration needs its GPUs for a moment, too. */
static struct option option_in(struct scheduler *scheduler, const struct job *job,
                               const struct shape_pool *pool) {
    struct gang gang = shape_gang(job->shape);
    struct slot_place place = {.cut_as = -1};
    /* Where it will be, and how fast, is not known yet. */
    double speed = pool->speed * pool_least_gang_speed(&scheduler->pools[pool->pool], &gang);
    struct option option = {.pool = pool,
                            .profile = reservation_profile(scheduler->reservation, pool->pool),
                            .first = SIM_TIME_NEVER,
                            .duration = scheduler_scale(job->estimate, speed)};
    option.duration = option.duration < 1                 ? 1
                      : job->estimate >= SIM_TIME_LONGEST ? SIM_TIME_NEVER
                                                          : option.duration;
    if (quotas_admit_at(scheduler->quotas, job->shape, &scheduler->pools[pool->pool], pool,
                        &place)) {
        option.first = profile_first(option.profile, &gang, option.duration);
    }
    return option;
}

/* The pool in which it fits first; of several, the one that it prefers. */
static struct option first_option(struct scheduler *scheduler, const struct job *job) {
    struct option best = {.first = SIM_TIME_NEVER};
    for (size_t i = 0; i < job->shape->pool_count; i++) {
        struct option option = option_in(scheduler, job, &job->shape->pools[i]);
        best = option.first < best.first ? option : best;
    }
    return best;
}

/* Whether the place that it had before will do as well as any other. */
static bool may_keep_place(struct scheduler *scheduler, const struct job *job,
                           const struct option *best, struct option *kept) {
    struct gang gang = shape_gang(job->shape);
    if (!has_place(job)) {
        return false;
    }
    *kept = *best;
    if (job->pool != best->pool->pool) {
        const struct shape_pool *pool = job->shape->pools;
        while (pool->pool != job->pool) {
            pool++;
        }
        *kept = option_in(scheduler, job, pool);
    }
    return kept->first == best->first &&
           profile_holds(kept->profile, &gang, &job->pieces, kept->first, kept->duration);
}

static bool plan(struct scheduler *scheduler, struct job *job, const struct option *option,
                 bool starts) {
    struct gang gang = shape_gang(job->shape);
    struct piece first;
    if (!profile_plan(option->profile, scheduler->placement, &scheduler->stock, &gang,
                      option->first, option->duration, starts, &first)) {
        return false;
    }
    conservative_forget(scheduler, job);
    job->pieces = first;
    job->pool = option->pool->pool;
    return true;
}

/* One that starts counts as running after that: for as long as it is estimated to, which may be no
 * time at all. */
static void reserve(const struct job *job, const struct option *option, bool starts) {
    struct gang gang = shape_gang(job->shape);
    if (!starts || job->estimate > 0) {
        profile_reserve(option->profile, &gang, &job->pieces, option->first, option->duration);
    }
}

/* Plans it in a pool where it fits now, without what overdue jobs still hold. */
static bool plan_now(struct scheduler *scheduler, struct job *job, struct option *where) {
    for (size_t i = 0; i < job->shape->pool_count; i++) {
        *where = option_in(scheduler, job, &job->shape->pools[i]);
        if (where->first == scheduler->now && plan(scheduler, job, where, true)) {
            return true;
        }
    }
    return false;
}

/* Starts the job if its time has come, else reserves for it. Whether it has started. */
static bool start_or_reserve(struct scheduler *scheduler, struct job *job) {
    struct gang gang = shape_gang(job->shape);
    struct option best = first_option(scheduler, job);
    struct option where = best;
    if (best.first == SIM_TIME_NEVER) {
        conservative_forget(scheduler, job);
        return false;
    }
    bool keeps = may_keep_place(scheduler, job, &best, &where);
    bool starts = best.first == scheduler->now;
    if (starts && !(keeps && profile_is_free_now(where.profile, &gang, &job->pieces))) {
        struct option now;
        starts = plan_now(scheduler, job, &now);
        where = starts ? now : where;
    }
    if (!starts && !keeps) {
        where = best;
        plan(scheduler, job, &where, false);
    }
    reserve(job, &where, starts);
    if (starts) {
        scheduler_start_on(scheduler, job, where.pool);
    }
    return starts;
}

/* The first job after `position` (NULL: from the beginning) that is not set aside; *fits_later:
 * whether it or one behind it fits now. */
static struct job *next_in_order(struct scheduler *scheduler, const struct job *position,
                                 bool *fits_later) {
    struct job_queue *queue = &scheduler->queue;
    struct job *next = NULL;
    *fits_later = false;
    for (size_t i = 0; i < queue->active_count; i++) {
        struct shape *shape = queue->active[i];
        struct job *job =
            job_queue_admits(queue, shape) ? job_tree_next(&shape->waiting, position) : NULL;
        if (job == NULL) {
            continue;
        }
        next = next == NULL || job_before(job, next) ? job : next;
        if (shape->passed_over != scheduler->passes && !scheduler_fits(scheduler, shape)) {
            shape->passed_over = scheduler->passes;
        }
        *fits_later |= shape->passed_over != scheduler->passes;
    }
    return next;
}

void conservative_pass(struct scheduler *scheduler) {
    struct job position;
    bool fits_later;
    bool fresh = true;
    int64_t reserved = 0;
    struct job *job = next_in_order(scheduler, NULL, &fits_later);
    begin_profiles(scheduler);
    while (job != NULL && fits_later && !scheduler_may_not_overtake(scheduler, job) &&
           (scheduler->reservation_depth == 0 || reserved < scheduler->reservation_depth)) {
        position.link.key = job->link.key;
        position.sequence = job->sequence;
        /* Before anything is reserved, the rule's place is as good as any; no profile is needed. */
        fresh = fresh && !has_place(job);
        bool started = fresh && scheduler_try_start(scheduler, job);
        fresh = fresh && started;
        started = started || start_or_reserve(scheduler, job);
        reserved += !started;
        job = next_in_order(scheduler, &position, &fits_later);
    }
}
