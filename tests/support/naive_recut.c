#include "tests/support/naive_recut.h"

#include <string.h>

#include "tests/support/unit.h"

/* --- Geometry --- */

uint32_t naive_recut_units(const struct naive_recut *naive, int profile, int start) {
    uint32_t units = 0;
    for (int i = 0; i < naive->gpu->profiles[profile].memory_units; i++) {
        units |= UINT32_C(1) << (start + i);
    }
    return units;
}

bool naive_recut_goes_beside(const struct naive_recut *naive, const struct naive_instance *there,
                             int count, uint32_t blocked, int profile, int start) {
    const struct mig_profile *row = &naive->gpu->profiles[profile];
    uint32_t own = naive_recut_units(naive, profile, start);
    uint32_t taken = blocked;
    int slices = row->compute_slices;
    int alike = 1;
    for (int i = 0; i < count; i++) {
        taken |= naive_recut_units(naive, there[i].profile, there[i].start);
        slices += naive->gpu->profiles[there[i].profile].compute_slices;
        alike += there[i].profile == profile;
    }
    return (row->starts >> start & 1) != 0 && (taken & own) == 0 &&
           slices <= naive->gpu->compute_slices && alike <= row->max_instances;
}

static bool is_plain(const struct naive_recut *naive, int profile) {
    return strpbrk(naive->gpu->profiles[profile].name, "+-") == NULL;
}

/* The most SMs (only < 0), or instances of profile `only`, that any placement beside these adds. */
static int most_beside(const struct naive_recut *naive, struct naive_instance *there, int count,
                       uint32_t blocked, int only, int from) {
    int most = 0;
    for (int start = from; start < naive->gpu->memory_units; start++) {
        for (int p = 0; p < (int)naive->gpu->profile_count; p++) {
            if ((only < 0 ? is_plain(naive, p) : p == only) &&
                naive_recut_goes_beside(naive, there, count, blocked, p, start)) {
                there[count] = (struct naive_instance){.profile = p, .start = start};
                int own = only < 0 ? naive->gpu->profiles[p].sms : 1;
                int sum = own + most_beside(naive, there, count + 1, blocked, only, start + 1);
                most = sum > most ? sum : most;
            }
        }
    }
    return most;
}

static bool is_held(const struct naive_recut *naive, const struct naive_instance *instance) {
    return instance->job >= 0 || naive->now < instance->kept_to;
}

/* What somebody holds of a GPU, or waits for there, or has held until shortly. */
static int list_held(const struct naive_recut *naive, int gpu, struct naive_instance *held,
                     uint32_t *blocked) {
    int count = 0;
    *blocked = 0;
    for (int i = 0; i < naive->gpus[gpu].count; i++) {
        const struct naive_instance *instance = &naive->gpus[gpu].instances[i];
        if (is_held(naive, instance)) {
            held[count++] = *instance;
            *blocked |= instance->ready >= 0 ? instance->blocked : 0;
        }
    }
    return count;
}

/* --- Choosing --- */

static int free_slices(const struct naive_recut *naive, const struct naive_instance *held,
                       int count) {
    int slices = naive->gpu->compute_slices;
    for (int i = 0; i < count; i++) {
        slices -= naive->gpu->profiles[held[i].profile].compute_slices;
    }
    return slices;
}

/* Over the profiles asked for, the free slices beyond those of as many instances as possible. */
static int64_t useless(const struct naive_recut *naive, struct naive_instance *held, int count) {
    int64_t sum = 0;
    int64_t all = 0;
    for (int p = 0; p < (int)naive->gpu->profile_count; p++) {
        all += naive->asked[p];
    }
    for (int p = 0; p < (int)naive->gpu->profile_count; p++) {
        int64_t weight = all > 0 ? naive->asked[p] : is_plain(naive, p);
        if (weight > 0) {
            sum += weight *
                   (free_slices(naive, held, count) - most_beside(naive, held, count, 0, p, 0) *
                                                          naive->gpu->profiles[p].compute_slices);
        }
    }
    return sum;
}

/* Of a place, smaller first. */
static int64_t rank(const struct naive_recut *naive, int gpu, int profile, int start) {
    struct naive_instance held[NAIVE_RECUT_INSTANCES * 2];
    uint32_t blocked;
    int all = list_held(naive, gpu, held, &blocked);
    int count = 0;
    for (int i = 0; i < all; i++) { /* beside the place itself, if that is idle and kept */
        if (held[i].start != start) {
            held[count++] = held[i];
        }
    }
    int64_t before = naive->rule == RECUT_FRAGMENTATION ? useless(naive, held, count) : 0;
    held[count++] = (struct naive_instance){.profile = profile, .start = start};
    switch (naive->rule) {
    case RECUT_BEST:
        return free_slices(naive, held, count);
    case RECUT_WORST:
        return -free_slices(naive, held, count);
    case RECUT_FRAGMENTATION:
        return useless(naive, held, count) - before;
    default:
        return 0;
    }
}

static struct naive_instance *find_idle(struct naive_recut *naive, int gpu, int profile,
                                        int start) {
    for (int i = 0; i < naive->gpus[gpu].count; i++) {
        struct naive_instance *instance = &naive->gpus[gpu].instances[i];
        if (instance->job < 0 && instance->profile == profile && instance->start == start) {
            return instance;
        }
    }
    return NULL;
}

static bool could_cut(const struct naive_recut *naive, int gpu, int profile, int start) {
    struct naive_instance held[NAIVE_RECUT_INSTANCES];
    uint32_t blocked;
    int count = list_held(naive, gpu, held, &blocked);
    return naive_recut_goes_beside(naive, held, count, blocked, profile, start);
}

/* Whether the CPUs of the GPU's node are enough beside those that others there have. */
static bool has_cpus(const struct naive_recut *naive, const struct naive_recut_job *job, int gpu) {
    int taken = job->cpus;
    for (int g = 0; naive->cpus_per_node > 0 && g < naive->gpu_count; g++) {
        bool same_node = g / naive->gpus_per_node == gpu / naive->gpus_per_node;
        for (int i = 0; same_node && i < naive->gpus[g].count; i++) {
            int j = naive->gpus[g].instances[i].job;
            taken += j >= 0 ? naive->jobs[j].cpus : 0;
        }
    }
    return naive->cpus_per_node == 0 || taken <= naive->cpus_per_node;
}

/* The best place for an instance of the profile: idle ones, or those that could be cut. */
static bool find_place(struct naive_recut *naive, const struct naive_recut_job *job, int profile,
                       bool cut, int *gpu, int *start) {
    bool found = false;
    int64_t best = 0;
    for (int g = 0; g < naive->gpu_count; g++) {
        for (int s = 0; has_cpus(naive, job, g) && s < naive->gpu->memory_units; s++) {
            if (cut ? could_cut(naive, g, profile, s) : find_idle(naive, g, profile, s) != NULL) {
                int64_t here = rank(naive, g, profile, s);
                if (!found || here < best) {
                    best = here;
                    *gpu = g;
                    *start = s;
                    found = true;
                }
            }
        }
    }
    return found;
}

int naive_recut_next_profile(const struct naive_recut *naive, const struct naive_recut_job *job,
                             int last) {
    const struct mig_profile *rows = naive->gpu->profiles;
    int next = -1;
    for (int p = 0; p < (int)naive->gpu->profile_count; p++) {
        bool will_do =
            rows[p].memory_mib * 1024 * 1024 >= job->memory &&
            (job->wish == RECUT_PROFILE ? p == job->profile : is_plain(naive, p)) &&
            (job->wish != RECUT_GPU || (rows[p].compute_slices == naive->gpu->compute_slices &&
                                        rows[p].memory_units == naive->gpu->memory_units));
        int64_t size = rows[p].memory_mib * 1000 + rows[p].sms;
        if (will_do && (last < 0 || size > rows[last].memory_mib * 1000 + rows[last].sms) &&
            (next < 0 || size < rows[next].memory_mib * 1000 + rows[next].sms)) {
            next = p;
        }
    }
    return next;
}

/* --- What happens --- */

static int sms_of(const struct naive_recut *naive, const struct naive_instance *instance) {
    return naive->gpu->profiles[instance->profile].sms;
}

static void begin_cut(struct naive_recut *naive, int j, int gpu, int profile, int start) {
    struct naive_instance all[NAIVE_RECUT_INSTANCES];
    struct naive_instance stays[NAIVE_RECUT_INSTANCES];
    struct naive_instance made = {.profile = profile, .start = start, .job = j};
    int count = naive->gpus[gpu].count;
    memcpy(all, naive->gpus[gpu].instances, sizeof all);
    int kept = 0;
    for (int i = 0; i < count; i++) {
        if (is_held(naive, &all[i])) {
            stays[kept++] = all[i];
        }
    }
    stays[kept++] = made;
    int place = kept - 1;
    int destroyed = 0;
    for (int s = 0; s < naive->gpu->memory_units; s++) {
        for (int i = 0; i < count; i++) {
            if (is_held(naive, &all[i]) || all[i].start != s) {
                continue;
            }
            if (naive_recut_goes_beside(naive, stays, kept, 0, all[i].profile, s)) {
                stays[kept++] = all[i];
            } else {
                destroyed += sms_of(naive, &all[i]);
                stays[place].blocked |= naive_recut_units(naive, all[i].profile, s);
            }
        }
    }
    stays[place].blocked &= ~naive_recut_units(naive, profile, start);
    stays[place].touched = destroyed > sms_of(naive, &made) ? destroyed : sms_of(naive, &made);
    int64_t time = naive->cut_time(naive->context);
    stays[place].ready = naive->now + time;
    memcpy(naive->gpus[gpu].instances, stays, sizeof stays);
    naive->gpus[gpu].count = kept;
}

static void begin_job(struct naive_recut *naive, struct naive_instance *instance, int j) {
    instance->job = j;
    instance->ready = -1;
    naive->jobs[j].start = naive->now;
}

/* Under a hysteresis idle instances come first, of whatever size. */
static bool find_for(struct naive_recut *naive, const struct naive_recut_job *job, bool idle,
                     bool cut, struct naive_recut_place *place) {
    for (int profile = naive_recut_next_profile(naive, job, -1); profile >= 0;
         profile = job->wish == RECUT_SMALLEST ? -1
                                               : naive_recut_next_profile(naive, job, profile)) {
        place->profile = profile;
        place->cut = !(idle && find_place(naive, job, profile, false, &place->gpu, &place->start));
        if (!place->cut ||
            (cut && find_place(naive, job, profile, true, &place->gpu, &place->start))) {
            return true;
        }
    }
    return false;
}

bool naive_recut_find(struct naive_recut *naive, int j, struct naive_recut_place *place) {
    const struct naive_recut_job *job = &naive->jobs[j];
    return (naive->hysteresis > 0 && find_for(naive, job, true, false, place)) ||
           find_for(naive, job, true, true, place);
}

void naive_recut_begin(struct naive_recut *naive, int j, const struct naive_recut_place *place) {
    naive->jobs[j].placed = true;
    if (place->cut) {
        begin_cut(naive, j, place->gpu, place->profile, place->start);
    } else {
        begin_job(naive, find_idle(naive, place->gpu, place->profile, place->start), j);
    }
}

bool naive_recut_can_have(struct naive_recut *naive, int gpu, int profile, int start) {
    return find_idle(naive, gpu, profile, start) != NULL || could_cut(naive, gpu, profile, start);
}

bool naive_recut_is_there(struct naive_recut *naive, const struct naive_recut_place *place) {
    return find_idle(naive, place->gpu, place->profile, place->start) != NULL;
}

bool naive_recut_is_waiting(const struct naive_recut_job *job) {
    return job->submitted && !job->placed && !job->withdrawn;
}

static bool try_start(struct naive_recut *naive, int j) {
    struct naive_recut_place place;
    if (!naive_recut_find(naive, j, &place)) {
        return false;
    }
    naive_recut_begin(naive, j, &place);
    return true;
}

static void pass(struct naive_recut *naive) {
    if (naive->conservative) {
        naive_recut_pass_conservative(naive);
        return;
    }
    for (int j = 0; j < naive->job_count; j++) {
        struct naive_recut_job *job = &naive->jobs[j];
        if (naive_recut_is_waiting(job) && !try_start(naive, j)) {
            if (naive->easy) {
                naive_recut_backfill(naive, j);
            }
            if (naive->easy || !naive->skip) {
                return;
            }
        }
    }
}

/* The ends of jobs and of re-cuts at this instant. False if there was none. */
static bool end_what_is_due(struct naive_recut *naive) {
    bool any = false;
    for (int g = 0; g < naive->gpu_count; g++) {
        for (int i = 0; i < naive->gpus[g].count; i++) {
            struct naive_instance *instance = &naive->gpus[g].instances[i];
            struct naive_recut_job *job = instance->job < 0 ? NULL : &naive->jobs[instance->job];
            if (job != NULL && instance->ready == naive->now) {
                begin_job(naive, instance, instance->job);
                any = true;
            }
            if (job != NULL && instance->ready < 0 && job->start + job->duration == naive->now) {
                job->end = naive->now;
                instance->job = -1;
                instance->kept_to = naive->now + naive->hysteresis;
                any = true;
            }
        }
    }
    return any;
}

static void submit_what_is_due(struct naive_recut *naive) {
    for (int j = 0; j < naive->job_count; j++) {
        struct naive_recut_job *job = &naive->jobs[j];
        if (job->submit == naive->now && !job->submitted) {
            int profile = naive_recut_next_profile(naive, job, -1);
            assert_true(profile >= 0);
            naive->asked[profile]++;
            job->submitted = true;
        }
    }
}

static bool withdraw_what_is_due(struct naive_recut *naive) {
    bool any = false;
    for (int j = 0; j < naive->job_count; j++) {
        struct naive_recut_job *job = &naive->jobs[j];
        if (job->submitted && !job->placed && !job->withdrawn && job->max_wait >= 0 &&
            job->submit + job->max_wait == naive->now) {
            job->withdrawn = true;
            job->end = naive->now;
            any = true;
        }
    }
    return any;
}

static void earlier(int64_t *next, int64_t candidate) {
    *next = *next < 0 || candidate < *next ? candidate : *next;
}

static bool any_job_is_left(const struct naive_recut *naive) {
    bool any = false;
    for (int j = 0; j < naive->job_count; j++) {
        any |= naive->jobs[j].end < 0;
    }
    return any;
}

/* -1: nothing will happen any more. */
static int64_t next_instant(const struct naive_recut *naive) {
    int64_t next = -1;
    bool left = any_job_is_left(naive);
    for (int j = 0; j < naive->job_count; j++) {
        const struct naive_recut_job *job = &naive->jobs[j];
        if (!job->submitted) {
            earlier(&next, job->submit);
        } else if (!job->placed && !job->withdrawn && job->max_wait >= 0) {
            earlier(&next, job->submit + job->max_wait);
        }
    }
    for (int g = 0; g < naive->gpu_count; g++) {
        for (int i = 0; i < naive->gpus[g].count; i++) {
            const struct naive_instance *instance = &naive->gpus[g].instances[i];
            if (instance->job >= 0) {
                const struct naive_recut_job *job = &naive->jobs[instance->job];
                earlier(&next, instance->ready >= 0 ? instance->ready : job->start + job->duration);
            } else if (left && naive->now < instance->kept_to) {
                earlier(&next, instance->kept_to);
            }
        }
    }
    return next;
}

static void count_time(struct naive_recut *naive, int64_t elapsed) {
    for (int g = 0; elapsed > 0 && g < naive->gpu_count; g++) {
        struct naive_instance held[NAIVE_RECUT_INSTANCES * 2];
        uint32_t blocked;
        int count = list_held(naive, g, held, &blocked);
        naive->idle_sm_ns += elapsed * most_beside(naive, held, count, blocked, -1, 0);
        for (int i = 0; i < count; i++) {
            if (held[i].job < 0) {
                naive->idle_sm_ns += elapsed * sms_of(naive, &held[i]);
            } else if (held[i].ready >= 0) {
                naive->reconfiguring_sm_ns += elapsed * held[i].touched;
            } else {
                naive->useful_sm_ns += elapsed * sms_of(naive, &held[i]);
            }
        }
    }
}

bool naive_recut_step(struct naive_recut *naive, int64_t limit) {
    int64_t next = next_instant(naive);
    if (next < 0 || next > limit) {
        naive->now = limit;
        return false;
    }
    naive->now = next;
    end_what_is_due(naive);
    return true;
}

void naive_recut_run(struct naive_recut *naive) {
    for (int j = 0; j < naive->job_count; j++) {
        naive->jobs[j].first_promise = -1;
    }
    for (int64_t next = next_instant(naive); next >= 0; next = next_instant(naive)) {
        count_time(naive, next - naive->now);
        naive->now = next;
        end_what_is_due(naive);
        submit_what_is_due(naive);
        do {
            do {
                pass(naive);
            } while (end_what_is_due(naive));
        } while (withdraw_what_is_due(naive));
    }
}
