/* EASY on the naive GPUs that MIG cuts on demand: what the head could have when is found by letting
 * time pass in copies of the cluster, in which nobody else starts. */
#include <stddef.h>

#include "tests/support/naive_recut.h"

/* What is reserved: the smallest instance that would do then, on the first GPU, at the lowest
 * start.
 */
struct reserved {
    int64_t shadow;
    struct naive_recut_place place;
};

static int64_t no_time(void *context) {
    (void)context;
    return 0;
}

static bool find_reserved(struct naive_recut *copy, int head, struct naive_recut_place *place) {
    const struct naive_recut_job *job = &copy->jobs[head];
    for (int profile = naive_recut_next_profile(copy, job, -1); profile >= 0;
         profile = job->wish == RECUT_SMALLEST ? -1
                                               : naive_recut_next_profile(copy, job, profile)) {
        for (int gpu = 0; gpu < copy->gpu_count; gpu++) {
            for (int start = 0; start < copy->gpu->memory_units; start++) {
                if (naive_recut_can_have(copy, gpu, profile, start)) {
                    *place = (struct naive_recut_place){gpu, profile, start, false};
                    return true;
                }
            }
        }
    }
    return false;
}

/* A copy in which nobody comes any more. */
static struct naive_recut without_others(const struct naive_recut *naive) {
    struct naive_recut copy = *naive;
    copy.cut_time = no_time;
    for (int j = 0; j < copy.job_count; j++) {
        struct naive_recut_job *job = &copy.jobs[j];
        if (!job->placed) {
            job->submitted = true;
            job->max_wait = -1;
        }
    }
    return copy;
}

static struct reserved reserve(const struct naive_recut *naive, int head) {
    struct naive_recut copy = without_others(naive);
    struct reserved reserved;
    while (!find_reserved(&copy, head, &reserved.place)) {
        naive_recut_step(&copy, INT64_MAX);
    }
    reserved.shadow = copy.now;
    return reserved;
}

/* Whether the head could have its place at the shadow time although the job goes there for ever, on
 * the same GPU; who cuts may take as long as it can, and may be in the way until then. */
static bool leaves_alone(const struct naive_recut *naive, int head, const struct reserved *reserved,
                         int j, const struct naive_recut_place *place) {
    struct naive_recut copy = without_others(naive);
    const struct naive_recut_place *own = &reserved->place;
    (void)head;
    if (place->gpu != own->gpu) {
        return true;
    }
    if (place->cut && naive->now + naive->longest_cut > reserved->shadow) {
        return false;
    }
    copy.jobs[j].duration = INT64_MAX / 4;
    naive_recut_begin(&copy, j, place);
    while (naive_recut_step(&copy, reserved->shadow)) {
    }
    return naive_recut_can_have(&copy, own->gpu, own->profile, own->start);
}

void naive_recut_backfill(struct naive_recut *naive, int head) {
    bool any = false;
    struct naive_recut_place place;
    for (int j = head + 1; j < naive->job_count; j++) {
        any |= naive_recut_is_waiting(&naive->jobs[j]) && naive_recut_find(naive, j, &place);
    }
    if (!any) {
        return; /* nothing is reserved where nobody could be held up */
    }
    struct reserved reserved = reserve(naive, head);
    if (naive->jobs[head].first_promise < 0) {
        naive->jobs[head].first_promise = reserved.shadow;
    }
    for (int j = head + 1; j < naive->job_count; j++) {
        struct naive_recut_job *job = &naive->jobs[j];
        if (!naive_recut_is_waiting(job) || !naive_recut_find(naive, j, &place)) {
            continue;
        }
        int64_t longest = (place.cut ? naive->longest_cut : 0) + job->duration + naive->hysteresis;
        if (naive->now + longest <= reserved.shadow ||
            leaves_alone(naive, head, &reserved, j, &place)) {
            naive_recut_begin(naive, j, &place);
        }
    }
}
