/* Conservative backfill on the naive GPUs that MIG cuts on demand: for each job every GPU, profile
 * and start is tried, at every moment at which anything there is expected to change. */
#include <stddef.h>

#include "tests/support/naive_recut.h"

/* Somebody has a place for a time, now or later; or nobody has, and it is kept. */
struct stay {
    int gpu;
    int profile;
    int start;
    int64_t from;
    int64_t until;
    int64_t gives_way;
    int64_t
        cut_until; /* nothing else is cut on the GPU, if reserved, or of `blocked`, if under way */
    uint32_t blocked;
    bool reserved;
};

struct plan {
    struct naive_recut *naive;
    struct stay stays[2 * NAIVE_RECUT_JOBS + NAIVE_RECUT_GPUS * NAIVE_RECUT_INSTANCES];
    int count;
};

static void list_present(struct plan *plan) {
    const struct naive_recut *naive = plan->naive;
    for (int g = 0; g < naive->gpu_count; g++) {
        for (int i = 0; i < naive->gpus[g].count; i++) {
            const struct naive_instance *own = &naive->gpus[g].instances[i];
            struct stay stay = {.gpu = g, .profile = own->profile, .start = own->start};
            if (own->job >= 0) {
                const struct naive_recut_job *job = &naive->jobs[own->job];
                stay.until = (own->ready >= 0 ? own->ready : job->start) + job->duration;
                stay.gives_way = stay.until + naive->hysteresis;
                stay.cut_until = own->ready;
                stay.blocked = own->blocked;
            } else {
                stay.gives_way = own->kept_to;
            }
            if (stay.gives_way > naive->now || stay.until > naive->now) {
                plan->stays[plan->count++] = stay;
            }
        }
    }
}

/* --- Whether a place will do --- */

static bool is_same(const struct stay *stay, const struct naive_recut_place *place) {
    return stay->profile == place->profile && stay->start == place->start;
}

static bool has_room(const struct plan *plan, const struct naive_recut_place *place, int64_t then) {
    struct naive_instance there[NAIVE_RECUT_INSTANCES * 2];
    int count = 0;
    for (int i = 0; i < plan->count; i++) {
        const struct stay *stay = &plan->stays[i];
        if (stay->gpu != place->gpu || stay->from > then || stay->gives_way <= then) {
            continue;
        }
        if (is_same(stay, place) && stay->until > then) {
            return false;
        }
        bool listed = is_same(stay, place);
        for (int k = 0; k < count; k++) {
            listed = listed || (there[k].profile == stay->profile && there[k].start == stay->start);
        }
        if (!listed) {
            there[count++] =
                (struct naive_instance){.profile = stay->profile, .start = stay->start};
        }
    }
    return naive_recut_goes_beside(plan->naive, there, count, 0, place->profile, place->start);
}

/* A cut that takes no time keeps others waiting until it is over, too. */
static int64_t longest_cut(const struct naive_recut *naive) {
    return naive->longest_cut > 0 ? naive->longest_cut : 1;
}

static bool may_be_cut(const struct plan *plan, const struct naive_recut_place *place,
                       int64_t from) {
    uint32_t own = naive_recut_units(plan->naive, place->profile, place->start);
    for (int i = 0; i < plan->count; i++) {
        const struct stay *stay = &plan->stays[i];
        bool here = stay->gpu == place->gpu;
        if (here && !stay->reserved && stay->cut_until > from && (stay->blocked & own) != 0) {
            return false;
        }
        if (here && stay->reserved &&
            ((stay->from <= from && from < stay->cut_until) ||
             (stay->from > from && stay->from < from + longest_cut(plan->naive)))) {
            return false;
        }
    }
    return true;
}

/* What is there now, idle, is not cut if it is taken now. */
static int64_t cut_before(const struct plan *plan, const struct naive_recut_place *place,
                          int64_t from) {
    const struct naive_recut *naive = plan->naive;
    bool there = false;
    for (int i = 0; i < naive->gpus[place->gpu].count; i++) {
        const struct naive_instance *own = &naive->gpus[place->gpu].instances[i];
        there |= own->profile == place->profile && own->start == place->start && own->ready < 0;
    }
    return there && from == naive->now ? 0 : longest_cut(naive);
}

static struct stay stay_of(const struct plan *plan, const struct naive_recut_job *job,
                           const struct naive_recut_place *place, int64_t from) {
    int64_t cut = cut_before(plan, place, from);
    int64_t until = from + cut + (job->duration > 0 ? job->duration : 1);
    return (struct stay){place->gpu,   place->profile,
                         place->start, from,
                         until,        until + plan->naive->hysteresis,
                         from + cut,   0,
                         true};
}

static bool will_do(const struct plan *plan, const struct naive_recut_job *job,
                    const struct naive_recut_place *place, int64_t from) {
    struct stay own = stay_of(plan, job, place, from);
    bool room =
        has_room(plan, place, from) && (own.cut_until == from || may_be_cut(plan, place, from));
    for (int i = 0; room && i < plan->count; i++) {
        const struct stay *stay = &plan->stays[i];
        if (stay->reserved && stay->gpu == place->gpu && stay->from > from &&
            stay->from < own.until) {
            room = has_room(plan, place, stay->from);
        }
    }
    return room;
}

static bool is_free_now(struct plan *plan, const struct naive_recut_place *place) {
    return naive_recut_can_have(plan->naive, place->gpu, place->profile, place->start);
}

/* --- When, and where --- */

static int64_t next_change(const struct plan *plan, int64_t after) {
    int64_t next = INT64_MAX;
    for (int i = 0; i < plan->count; i++) {
        const int64_t moments[] = {plan->stays[i].until, plan->stays[i].gives_way,
                                   plan->stays[i].cut_until};
        for (int k = 0; k < 3; k++) {
            next = moments[k] > after && moments[k] < next ? moments[k] : next;
        }
    }
    return next;
}

/* The smallest that will do, on the first GPU, at the lowest start. */
static bool find_at(struct plan *plan, const struct naive_recut_job *job, int64_t from, bool starts,
                    struct naive_recut_place *place) {
    struct naive_recut *naive = plan->naive;
    for (int profile = naive_recut_next_profile(naive, job, -1); profile >= 0;
         profile = job->wish == RECUT_SMALLEST ? -1
                                               : naive_recut_next_profile(naive, job, profile)) {
        for (int gpu = 0; gpu < naive->gpu_count; gpu++) {
            for (int start = 0; start < naive->gpu->memory_units; start++) {
                *place = (struct naive_recut_place){.gpu = gpu, .profile = profile, .start = start};
                if (will_do(plan, job, place, from) && (!starts || is_free_now(plan, place))) {
                    return true;
                }
            }
        }
    }
    return false;
}

/* --- The pass --- */

static bool find_now(struct plan *plan, int j, struct naive_recut_place *place) {
    const struct naive_recut_job *job = &plan->naive->jobs[j];
    return (naive_recut_find(plan->naive, j, place) &&
            will_do(plan, job, place, plan->naive->now)) ||
           find_at(plan, job, plan->naive->now, true, place);
}

static bool start_or_reserve(struct plan *plan, int j) {
    struct naive_recut *naive = plan->naive;
    struct naive_recut_job *job = &naive->jobs[j];
    struct naive_recut_place place;
    int64_t first = naive->now;
    while (first != INT64_MAX && !find_at(plan, job, first, false, &place)) {
        first = next_change(plan, first);
    }
    bool keeps = job->has_place && will_do(plan, job, &job->reserved, first);
    place = keeps ? job->reserved : place;
    bool starts =
        first == naive->now && ((keeps && is_free_now(plan, &place)) || find_now(plan, j, &place));
    job->has_place = !starts;
    if (starts) {
        place.cut = !naive_recut_is_there(naive, &place);
        naive_recut_begin(naive, j, &place);
        return true;
    }
    job->reserved = place;
    job->first_promise = job->first_promise < 0 ? first : job->first_promise;
    plan->stays[plan->count++] = stay_of(plan, job, &place, first);
    return false;
}

static bool any_fits(struct naive_recut *naive, int j) {
    struct naive_recut_place place;
    bool any = false;
    for (; j < naive->job_count; j++) {
        any |= naive_recut_is_waiting(&naive->jobs[j]) && naive_recut_find(naive, j, &place);
    }
    return any;
}

void naive_recut_pass_conservative(struct naive_recut *naive) {
    struct stay reserved[NAIVE_RECUT_JOBS];
    int count = 0;
    for (int j = 0; j < naive->job_count && any_fits(naive, j); j++) {
        struct plan plan = {.naive = naive};
        if (!naive_recut_is_waiting(&naive->jobs[j])) {
            continue;
        }
        for (int i = 0; i < count; i++) {
            plan.stays[plan.count++] = reserved[i];
        }
        list_present(&plan);
        if (!start_or_reserve(&plan, j)) {
            reserved[count++] = plan.stays[plan.count - 1];
        }
    }
}
