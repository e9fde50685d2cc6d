/* Conservative backfill of the naive slots: every moment at which anything is expected to change is
 * tried, and who is where then is made up anew each time. */
#include <stddef.h>
#include <string.h>

#include "tests/support/naive_slots.h"

/* Who is there at a moment, with those for whom it is reserved in this pass. */
static struct nslots_present present_at(const struct naive_slots *cluster, int64_t now,
                                        int64_t then) {
    struct nslots_present present = {{false}};
    for (int j = 0; j < cluster->job_count; j++) {
        const struct nslots_job *job = &cluster->jobs[j];
        present.job[j] =
            job->state == NSLOTS_RUNNING
                ? nslots_believed_end(job, now) > then
                : job->reserved_now && job->reserved_from <= then && then < job->reserved_to;
    }
    return present;
}

static int64_t next_change(const struct naive_slots *cluster, int64_t now, int64_t after) {
    int64_t next = nslots_next_believed_end(cluster, now, after);
    for (int j = 0; j < cluster->job_count; j++) {
        const struct nslots_job *job = &cluster->jobs[j];
        if (job->reserved_now && job->reserved_from > after && job->reserved_from < next) {
            next = job->reserved_from;
        }
        if (job->reserved_now && job->reserved_to > after && job->reserved_to < next) {
            next = job->reserved_to;
        }
    }
    return next;
}

/* --- What is free for a stretch of time --- */

static int64_t least(int64_t a, int64_t b) {
    return a < b ? a : b;
}

/* A place and a time, in one of the job's pools. */
struct option {
    int64_t from;
    int64_t to;
    struct nslots_place place;
};

static int64_t time_at(const struct naive_slots *cluster, const struct nslots_job *job,
                       const struct nslots_place *place) {
    int64_t time = nslots_estimated_time(cluster, job, place);
    return time > 0 ? time : 1;
}

/* The memory that it could have on a device from a moment on, for as long as it takes there; -1: it
 * does not fit. If it is to start now, beside overdue jobs, too. */
static int64_t memory_from(const struct naive_slots *cluster, const struct nslots_job *job, int d,
                           int64_t now, int64_t from, bool starts) {
    struct nslots_place place = {.device = d};
    int64_t to = from + time_at(cluster, job, &place);
    struct nslots_present present = present_at(cluster, now, from);
    int64_t memory = nslots_memory_there(cluster, job, &present, d);
    if (starts) {
        present = nslots_present_now(cluster);
        memory = least(memory, nslots_memory_there(cluster, job, &present, d));
    }
    for (int64_t t = next_change(cluster, now, from); t < to && memory >= 0;
         t = next_change(cluster, now, t)) {
        present = present_at(cluster, now, t);
        memory = least(memory, nslots_memory_there(cluster, job, &present, d));
    }
    return memory;
}

/* On exclusive pools it is only counted how many are free. */
static unsigned gpus_free(const struct naive_slots *cluster, const struct nslots_present *present,
                          int p, int n) {
    if (cluster->pools[p].shared) {
        return nslots_free_gpus(cluster, present, p, n);
    }
    int free = cluster->pools[p].gpus_per_node;
    for (int j = 0; j < cluster->job_count; j++) {
        const struct nslots_job *job = &cluster->jobs[j];
        free -= present->job[j] && job->in_pool == p ? __builtin_popcount(job->gpu_mask[n]) : 0;
    }
    return free <= 0 ? 0 : ~0u >> (32 - free);
}

static unsigned common(const struct nslots_pool *pool, unsigned a, unsigned b) {
    return pool->shared ? a & b : (a < b ? a : b);
}

static unsigned gpus_from(const struct naive_slots *cluster, int p, int n, int64_t now,
                          int64_t from, int64_t to, bool starts) {
    struct nslots_present present = present_at(cluster, now, from);
    unsigned free = gpus_free(cluster, &present, p, n);
    if (starts) {
        present = nslots_present_now(cluster);
        free = common(&cluster->pools[p], free, gpus_free(cluster, &present, p, n));
    }
    for (int64_t t = next_change(cluster, now, from); t < to; t = next_change(cluster, now, t)) {
        present = present_at(cluster, now, t);
        free = common(&cluster->pools[p], free, gpus_free(cluster, &present, p, n));
    }
    return free;
}

static int cpus_from(const struct naive_slots *cluster, int p, int n, int64_t now, int64_t from,
                     int64_t to, bool starts) {
    struct nslots_present present = present_at(cluster, now, from);
    int64_t free = nslots_free_cpus(cluster, &present, p, n);
    if (starts) {
        present = nslots_present_now(cluster);
        free = least(free, nslots_free_cpus(cluster, &present, p, n));
    }
    for (int64_t t = next_change(cluster, now, from); t < to; t = next_change(cluster, now, t)) {
        present = present_at(cluster, now, t);
        free = least(free, nslots_free_cpus(cluster, &present, p, n));
    }
    return (int)free;
}

/* Whether there is a place from a moment on, and which. */
static bool place_from(const struct naive_slots *cluster, const struct nslots_job *job, int c,
                       int64_t now, int64_t from, bool starts, struct option *option) {
    int p = job->pool[c];
    bool whole = nslots_takes_whole(cluster, job, p);
    option->from = from;
    option->place = (struct nslots_place){.choice = c, .device = -1};
    if (whole && job->wish == NSLOTS_PROFILE) {
        return false;
    }
    if (!whole) {
        int64_t memory[NSLOTS_DEVICES];
        for (int d = 0; d < cluster->device_count; d++) {
            memory[d] = cluster->devices[d].pool == p
                            ? memory_from(cluster, job, d, now, from, starts)
                            : -1;
        }
        struct nslots_present present =
            starts ? nslots_present_now(cluster) : present_at(cluster, now, from);
        bool fits = nslots_pick_slot(cluster, job, &present, p, memory, &option->place);
        option->to = fits ? from + time_at(cluster, job, &option->place) : from;
        return fits;
    }
    unsigned free[NSLOTS_NODES] = {0};
    int cpus[NSLOTS_NODES] = {0};
    option->to = from + time_at(cluster, job, &option->place);
    for (int n = 0; n < cluster->pools[p].nodes; n++) {
        free[n] = gpus_from(cluster, p, n, now, from, option->to, starts);
        cpus[n] = cpus_from(cluster, p, n, now, from, option->to, starts);
    }
    return nslots_pick_gpus(cluster, job, p, free, cpus, &option->place);
}

static void find_option(const struct naive_slots *cluster, const struct nslots_job *job, int c,
                        int64_t now, struct option *option) {
    int64_t t = now;
    while (t != INT64_MAX && !place_from(cluster, job, c, now, t, false, option)) {
        t = next_change(cluster, now, t);
    }
    option->from = t;
}

/* Whether the place that it has will do then, or (starts) does now. */
static bool keeps_from(const struct naive_slots *cluster, const struct nslots_job *job,
                       const struct option *kept, int64_t now, bool starts) {
    int p = job->pool[kept->place.choice];
    if (kept->place.device >= 0) {
        return memory_from(cluster, job, kept->place.device, now, kept->from, starts) >= 0;
    }
    bool keeps = true;
    for (int n = 0; n < cluster->pools[p].nodes; n++) {
        unsigned free = gpus_from(cluster, p, n, now, kept->from, kept->to, starts);
        unsigned mask = kept->place.gpu_mask[n];
        keeps = keeps && cpus_from(cluster, p, n, now, kept->from, kept->to, starts) >=
                             __builtin_popcount(mask) * job->cpus;
        keeps = keeps &&
                (cluster->pools[p].shared ? (mask & ~free) == 0
                                          : __builtin_popcount(mask) <= __builtin_popcount(free));
    }
    return keeps;
}

/* --- The pass --- */

/* The job's own place, at the first moment of that pool. */
static bool kept_place(const struct naive_slots *cluster, const struct nslots_job *job,
                       const struct option *options, int64_t first, int64_t now,
                       struct option *kept) {
    if (!job->has_place) {
        return false;
    }
    int c = 0;
    while (job->pool[c] != job->in_pool) {
        c++;
    }
    *kept = (struct option){.from = options[c].from, .place = {.choice = c, .device = job->device}};
    memcpy(kept->place.gpu_mask, job->gpu_mask, sizeof job->gpu_mask);
    kept->to = kept->from + time_at(cluster, job, &kept->place);
    return kept->from == first && keeps_from(cluster, job, kept, now, false);
}

/* GPUs of exclusive pools are named when they are taken. */
static void name_gpus(const struct naive_slots *cluster, struct nslots_place *place, int p) {
    struct nslots_present present = nslots_present_now(cluster);
    for (int n = 0; place->device < 0 && n < cluster->pools[p].nodes; n++) {
        unsigned free = nslots_free_gpus(cluster, &present, p, n);
        int gpus = __builtin_popcount(place->gpu_mask[n]);
        for (; !cluster->pools[p].shared && __builtin_popcount(free) > gpus;) {
            free &= ~(1u << (31 - __builtin_clz(free)));
        }
        place->gpu_mask[n] = cluster->pools[p].shared ? place->gpu_mask[n] : free;
    }
}

static void start_or_reserve(struct naive_slots *cluster, int j, int64_t now) {
    struct nslots_job *job = &cluster->jobs[j];
    struct option options[NSLOTS_POOLS];
    struct option chosen = {.from = INT64_MAX};
    struct option kept;
    for (int c = 0; c < job->choices; c++) {
        find_option(cluster, job, c, now, &options[c]);
        chosen = options[c].from < chosen.from ? options[c] : chosen;
    }
    bool keeps = kept_place(cluster, job, options, chosen.from, now, &kept);
    chosen = keeps ? kept : chosen;
    bool starts = chosen.from == now && keeps && keeps_from(cluster, job, &kept, now, true);
    for (int c = 0; chosen.from == now && !starts && c < job->choices; c++) {
        struct option found;
        starts = options[c].from == now && place_from(cluster, job, c, now, now, true, &found);
        chosen = starts ? found : chosen;
    }
    job->has_place = !starts;
    if (starts) {
        name_gpus(cluster, &chosen.place, job->pool[chosen.place.choice]);
        nslots_start(cluster, j, &chosen.place, now);
        return;
    }
    job->reserved_now = true;
    job->in_pool = job->pool[chosen.place.choice];
    job->device = chosen.place.device;
    memcpy(job->gpu_mask, chosen.place.gpu_mask, sizeof job->gpu_mask);
    job->reserved_from = chosen.from;
    job->reserved_to = chosen.to;
    job->first_promise = job->first_promise < 0 ? chosen.from : job->first_promise;
}

/* Whether the job or one behind it fits now. */
static bool any_fits(const struct naive_slots *cluster, int j) {
    struct nslots_present present = nslots_present_now(cluster);
    for (; j >= 0; j = nslots_next_waiting(cluster, j)) {
        if (nslots_find_place(cluster, &cluster->jobs[j], &present).choice >= 0) {
            return true;
        }
    }
    return false;
}

void nslots_backfill_conservative(struct naive_slots *cluster, int64_t now) {
    int reserved = 0;
    for (int j = nslots_next_waiting(cluster, -1);
         j >= 0 && any_fits(cluster, j) && (cluster->depth == 0 || reserved < cluster->depth);
         j = nslots_next_waiting(cluster, j)) {
        start_or_reserve(cluster, j, now);
        reserved += cluster->jobs[j].state == NSLOTS_QUEUED;
    }
    for (int j = 0; j < cluster->job_count; j++) {
        cluster->jobs[j].reserved_now = false;
    }
}
