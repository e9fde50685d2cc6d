#include "sim/scheduling/conservative_option.h"

#include <stddef.h>

#include "sim/scheduling/course.h"
#include "sim/scheduling/profile.h"
#include "sim/scheduling/quotas.h"
#include "sim/scheduling/reservation.h"
#include "sim/scheduling/slot_profile.h"

bool option_has_place(const struct job *job) {
    return job->pieces.gpus > 0 || job->reserved_slot > 0;
}

void option_forget_place(struct scheduler *scheduler, struct job *job) {
    piece_return_rest(&scheduler->stock, &job->pieces);
    job->pieces = (struct piece){0};
    job->reserved_slot = 0;
}

/* What is left of its estimate. A job of no duration needs its GPUs for a moment, too. */
static sim_time duration_at(const struct job *job, double speed) {
    sim_time done = job->course == NULL ? 0 : course_progress(job->course, 0);
    sim_time left = job->estimate > done ? job->estimate - done : 0;
    sim_time duration = scheduler_scale(left, speed);
    return job->estimate >= SIM_TIME_LONGEST ? SIM_TIME_NEVER : duration < 1 ? 1 : duration;
}

/* What it asks for in a slot: of the kinds that its quota lets it have now. */
static struct slot_stay stay_in(const struct scheduler *scheduler, const struct job *job,
                                const struct shape_pool *where) {
    const struct pool *pool = &scheduler->pools[where->pool];
    struct slot_stay stay = {.ask = &where->slot};
    for (uint64_t kinds = where->slot.kinds; kinds != 0; kinds &= kinds - 1) {
        int32_t kind = __builtin_ctzll(kinds);
        if (quotas_admit_kind(scheduler->quotas, job->shape, pool, where, kind)) {
            stay.kinds |= UINT64_C(1) << kind;
            stay.durations[kind] =
                duration_at(job, scheduler_speed_in(scheduler, job, where, kind));
        }
    }
    return stay;
}

static struct option option_in(struct scheduler *scheduler, const struct job *job,
                               const struct shape_pool *pool) {
    struct gang gang = shape_gang(job->shape);
    struct slot_place place = {.cut_as = -1};
    /* Where it will be, and how fast, is not known yet. */
    double speed = pool->speed * pool_least_gang_speed(&scheduler->pools[pool->pool], &gang);
    struct option option = {.pool = pool,
                            .profile = reservation_profile(scheduler->reservation, pool->pool),
                            .slots = reservation_slot_profile(scheduler->reservation, pool->pool),
                            .first = SIM_TIME_NEVER,
                            .duration = duration_at(job, speed)};
    if (!pool->whole) {
        struct slot_stay stay = stay_in(scheduler, job, pool);
        option.first = slot_profile_first(option.slots, &stay);
    } else if (quotas_admit_at(scheduler->quotas, job->shape, &scheduler->pools[pool->pool], pool,
                               &place)) {
        option.first = option.slots != NULL
                           ? slot_profile_first_gang(option.slots, &gang, option.duration)
                           : profile_first(option.profile, &gang, option.duration);
    }
    return option;
}

struct option option_first(struct scheduler *scheduler, const struct job *job) {
    struct option best = {.first = SIM_TIME_NEVER};
    for (size_t i = 0; i < job->shape->pool_count; i++) {
        struct option option = option_in(scheduler, job, &job->shape->pools[i]);
        best = option.first < best.first ? option : best;
    }
    return best;
}

static struct slot_spot reserved_spot(const struct scheduler *scheduler, const struct job *job) {
    struct device *devices = scheduler->pools[job->pool].slots->devices;
    return (struct slot_spot){&devices[job->reserved_slot - 1], job->reserved_kind};
}

bool option_holds(const struct scheduler *scheduler, const struct job *job,
                  const struct option *option, bool starts) {
    struct gang gang = shape_gang(job->shape);
    if (!option->pool->whole) {
        struct slot_stay stay = stay_in(scheduler, job, option->pool);
        struct slot_spot spot = reserved_spot(scheduler, job);
        return slot_profile_holds(option->slots, &stay, &spot, option->first, starts);
    }
    if (option->slots != NULL) {
        return slot_profile_holds_gang(option->slots, &gang, &job->pieces, option->first,
                                       option->duration, starts);
    }
    return profile_holds(option->profile, &gang, &job->pieces, option->first, option->duration) &&
           (!starts || profile_is_free_now(option->profile, &gang, &job->pieces));
}

bool option_may_keep(struct scheduler *scheduler, const struct job *job, const struct option *best,
                     struct option *kept) {
    if (!option_has_place(job)) {
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
    return kept->first == best->first && option_holds(scheduler, job, kept, false);
}

static bool plan_slot(struct scheduler *scheduler, struct job *job, const struct option *option,
                      bool starts) {
    struct slot_stay stay = stay_in(scheduler, job, option->pool);
    struct slot_spot spot;
    if (!slot_profile_place(option->slots, &stay, option->first, starts, &spot)) {
        return false;
    }
    option_forget_place(scheduler, job);
    job->reserved_slot =
        (int32_t)(spot.device - scheduler->pools[option->pool->pool].slots->devices) + 1;
    job->reserved_kind = (uint8_t)spot.kind;
    job->pool = option->pool->pool;
    return true;
}

bool option_plan(struct scheduler *scheduler, struct job *job, const struct option *option,
                 bool starts) {
    struct gang gang = shape_gang(job->shape);
    struct piece first;
    if (!option->pool->whole) {
        return plan_slot(scheduler, job, option, starts);
    }
    bool fits = option->slots != NULL
                    ? slot_profile_plan_gang(option->slots, scheduler->placement, &scheduler->stock,
                                             &gang, option->first, option->duration, starts, &first)
                    : profile_plan(option->profile, scheduler->placement, &scheduler->stock, &gang,
                                   option->first, option->duration, starts, &first);
    if (!fits) {
        return false;
    }
    option_forget_place(scheduler, job);
    job->pieces = first;
    job->pool = option->pool->pool;
    return true;
}

void option_reserve(const struct scheduler *scheduler, const struct job *job,
                    const struct option *option, bool starts) {
    struct gang gang = shape_gang(job->shape);
    if (option->slots != NULL && starts) {
        return;
    }
    if (!option->pool->whole) {
        struct slot_stay stay = stay_in(scheduler, job, option->pool);
        struct slot_spot spot = reserved_spot(scheduler, job);
        slot_profile_reserve(option->slots, &stay, &spot, option->first);
    } else if (option->slots != NULL) {
        slot_profile_reserve_gang(option->slots, &gang, &job->pieces, option->first,
                                  option->duration);
    } else if (!starts || job->estimate > 0) {
        profile_reserve(option->profile, &gang, &job->pieces, option->first, option->duration);
    }
}

bool option_plan_now(struct scheduler *scheduler, struct job *job, struct option *where) {
    for (size_t i = 0; i < job->shape->pool_count; i++) {
        *where = option_in(scheduler, job, &job->shape->pools[i]);
        if (where->first == scheduler->now && option_plan(scheduler, job, where, true)) {
            return true;
        }
    }
    return false;
}

void option_start(struct scheduler *scheduler, struct job *job, const struct option *option) {
    if (option->pool->whole) {
        scheduler_start_on(scheduler, job, option->pool);
    } else {
        struct slot_spot spot = reserved_spot(scheduler, job);
        struct slot_place place = slot_profile_now(option->slots, &spot);
        job->reserved_slot = 0;
        scheduler_start_in(scheduler, job, option->pool, &place);
    }
    if (option->slots != NULL) {
        slot_profile_note_start(option->slots);
    }
}

sim_time option_duration(const struct scheduler *scheduler, const struct job *job,
                         const struct option *option) {
    struct slot_stay stay;
    if (option->pool->whole) {
        return option->duration;
    }
    stay = stay_in(scheduler, job, option->pool);
    return stay.durations[job->reserved_kind];
}
