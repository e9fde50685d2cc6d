#include "tests/support/naive_slots.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

/* What a hypothetical cluster has beside a reservation. */
struct reserved {
    struct nslots_place place;
    int pool;
    int64_t shadow;
    struct nslots_present then;             /* without the newcomer */
    int beside[NSLOTS_POOLS][NSLOTS_NODES]; /* whole GPUs */
};

static int count(unsigned mask) {
    return __builtin_popcount(mask);
}

/* --- The scheduler --- */

static int64_t at_speed(int64_t time, double speed) {
    return speed == 1 ? time : llround((double)time / speed);
}

/* On whole GPUs there is nobody else, but a cap on threads holds. */
static double whole_speed(const struct naive_slots *cluster, const struct nslots_job *job,
                          int choice) {
    double cap = cluster->pools[job->pool[choice]].thread_share;
    return job->speed[choice] * (fmin(job->saturation, cap) / job->saturation);
}

/* The same on a device, as an estimate has it: alone there, with the cap of its threads. */
static double capped_speed(const struct naive_slots *cluster, const struct nslots_job *job, int d) {
    const struct nslots_device *device = &cluster->devices[d];
    double speed = nslots_speed(cluster, job, d);
    if (device->mode != NSLOTS_TOGETHER) {
        return speed;
    }
    double saturation = fmin(1, job->saturation / device->sm_share);
    double cap = device->thread_share;
    if (job->compute > 0) {
        cap = fmin(cap, (double)job->compute / NSLOTS_MOST_COMPUTE / device->sm_share);
    }
    return speed * (fmin(saturation, cap) / saturation);
}

int64_t nslots_estimated_time(const struct naive_slots *cluster, const struct nslots_job *job,
                              const struct nslots_place *place) {
    double speed = place->device < 0 ? whole_speed(cluster, job, place->choice)
                                     : capped_speed(cluster, job, place->device);
    return at_speed(job->estimate, speed);
}

static int64_t estimated_end(const struct naive_slots *cluster, const struct nslots_job *job,
                             const struct nslots_place *place, int64_t now) {
    return now + nslots_estimated_time(cluster, job, place);
}

void nslots_start(struct naive_slots *cluster, int j, const struct nslots_place *place,
                  int64_t now) {
    struct nslots_job *job = &cluster->jobs[j];
    job->state = NSLOTS_RUNNING;
    job->start = now;
    job->estimated_end = estimated_end(cluster, job, place, now);
    job->in_pool = job->pool[place->choice];
    job->device = place->device;
    memcpy(job->gpu_mask, place->gpu_mask, sizeof job->gpu_mask);
    if (place->device >= 0) {
        nslots_seat(cluster, j, place->device, now);
    } else {
        job->end = now + at_speed(job->duration, whole_speed(cluster, job, place->choice));
    }
}

static bool before(const struct naive_slots *cluster, int a, int b) {
    const struct nslots_job *left = &cluster->jobs[a];
    const struct nslots_job *right = &cluster->jobs[b];
    if (cluster->order == NSLOTS_SJF && left->estimate != right->estimate) {
        return left->estimate < right->estimate;
    }
    if (cluster->order == NSLOTS_PRIORITY && left->priority != right->priority) {
        return left->priority < right->priority;
    }
    return left->submit != right->submit ? left->submit < right->submit : a < b;
}

/* The first waiting job behind `after` (-1: of all); -1: none. */
int nslots_next_waiting(const struct naive_slots *cluster, int after) {
    int first = -1;
    for (int j = 0; j < cluster->job_count; j++) {
        if (cluster->jobs[j].state == NSLOTS_QUEUED && (after < 0 || before(cluster, after, j)) &&
            (first < 0 || before(cluster, j, first))) {
            first = j;
        }
    }
    return first;
}

static bool try_start(struct naive_slots *cluster, int j, int64_t now) {
    struct nslots_present present = nslots_present_now(cluster);
    struct nslots_place place = nslots_find_place(cluster, &cluster->jobs[j], &present);
    if (place.choice >= 0) {
        nslots_start(cluster, j, &place, now);
    }
    return place.choice >= 0;
}

/* --- EASY --- */

int64_t nslots_believed_end(const struct nslots_job *job, int64_t now) {
    return job->estimated_end < now ? now : job->estimated_end;
}

static struct nslots_present present_at(const struct naive_slots *cluster, int64_t now,
                                        int64_t then) {
    struct nslots_present present = nslots_present_now(cluster);
    for (int j = 0; j < cluster->job_count; j++) {
        present.job[j] = present.job[j] && nslots_believed_end(&cluster->jobs[j], now) > then;
    }
    return present;
}

int64_t nslots_next_believed_end(const struct naive_slots *cluster, int64_t now, int64_t after) {
    int64_t earliest = INT64_MAX;
    for (int j = 0; j < cluster->job_count; j++) {
        int64_t end = nslots_believed_end(&cluster->jobs[j], now);
        if (cluster->jobs[j].state == NSLOTS_RUNNING && end > after && end < earliest) {
            earliest = end;
        }
    }
    return earliest;
}

static struct reserved reserve(const struct naive_slots *cluster, const struct nslots_job *head,
                               int64_t now) {
    struct reserved reserved = {.shadow = now - 1};
    do {
        reserved.shadow = nslots_next_believed_end(cluster, now, reserved.shadow);
        reserved.then = present_at(cluster, now, reserved.shadow);
        reserved.place = nslots_find_place(cluster, head, &reserved.then);
    } while (reserved.place.choice < 0);
    reserved.pool = head->pool[reserved.place.choice];
    for (int p = 0; p < cluster->pool_count; p++) {
        for (int n = 0; n < cluster->pools[p].nodes; n++) {
            reserved.beside[p][n] = count(nslots_free_gpus(cluster, &reserved.then, p, n));
            reserved.beside[p][n] -= p == reserved.pool ? count(reserved.place.gpu_mask[n]) : 0;
        }
    }
    return reserved;
}

/* How many GPUs that would be free at the shadow time a job takes of each node. */
static void taken_then(const struct naive_slots *cluster, const struct reserved *reserved, int p,
                       const struct nslots_place *place, int taken[NSLOTS_NODES]) {
    memset(taken, 0, NSLOTS_NODES * sizeof taken[0]);
    for (int n = 0; n < cluster->pools[p].nodes; n++) {
        taken[n] = count(place->gpu_mask[n]);
    }
    if (place->device >= 0) {
        const struct nslots_device *device = &cluster->devices[place->device];
        unsigned free = nslots_free_gpus(cluster, &reserved->then, p, device->node);
        taken[device->node] = (int)((free >> device->gpu) & 1u);
    }
}

/* Whether the head finds what is reserved for it, although `job` is still there then. */
static bool leaves_alone(const struct naive_slots *cluster, const struct reserved *reserved,
                         const struct nslots_job *head, int j, const struct nslots_place *place) {
    int p = cluster->jobs[j].pool[place->choice];
    if (reserved->place.device >= 0 || cluster->pools[reserved->pool].cpus > 0) {
        struct naive_slots copy = *cluster;
        struct nslots_present then = reserved->then;
        struct nslots_place again;
        then.job[j] = true;
        copy.jobs[j].device = place->device;
        copy.jobs[j].in_pool = p;
        memcpy(copy.jobs[j].gpu_mask, place->gpu_mask, sizeof place->gpu_mask);
        return reserved->place.device < 0
                   ? nslots_place_whole(&copy, head, &then, reserved->pool, &again)
                   : nslots_memory_there(&copy, head, &then, reserved->place.device) >= 0;
    }
    int taken[NSLOTS_NODES];
    taken_then(cluster, reserved, p, place, taken);
    for (int n = 0; n < cluster->pools[p].nodes; n++) {
        if (taken[n] > 0 && taken[n] > reserved->beside[p][n]) {
            return false;
        }
    }
    return true;
}

static void backfill_easy(struct naive_slots *cluster, int head, int64_t now) {
    const struct nslots_job first = cluster->jobs[head];
    struct reserved reserved = reserve(cluster, &first, now);
    if (cluster->jobs[head].first_promise < 0) {
        cluster->jobs[head].first_promise = reserved.shadow;
    }
    for (int j = nslots_next_waiting(cluster, head); j >= 0; j = nslots_next_waiting(cluster, j)) {
        struct nslots_present present = nslots_present_now(cluster);
        struct nslots_place place = nslots_find_place(cluster, &cluster->jobs[j], &present);
        if (place.choice < 0) {
            continue;
        }
        int p = cluster->jobs[j].pool[place.choice];
        bool in_time = estimated_end(cluster, &cluster->jobs[j], &place, now) <= reserved.shadow;
        if (!in_time && !leaves_alone(cluster, &reserved, &first, j, &place)) {
            continue;
        }
        int taken[NSLOTS_NODES];
        taken_then(cluster, &reserved, p, &place, taken);
        nslots_start(cluster, j, &place, now);
        if (!in_time) {
            for (int n = 0; n < cluster->pools[p].nodes; n++) {
                reserved.beside[p][n] -= taken[n];
            }
            reserved.then.job[j] = true;
        }
    }
}

void nslots_schedule(struct naive_slots *cluster, int64_t now) {
    if (cluster->backfill == NSLOTS_CONSERVATIVE) {
        nslots_backfill_conservative(cluster, now);
        return;
    }
    int head = nslots_next_waiting(cluster, -1);
    while (head >= 0 && try_start(cluster, head, now)) {
        head = nslots_next_waiting(cluster, -1);
    }
    if (head < 0 || cluster->backfill == NSLOTS_NONE) {
        return;
    }
    if (cluster->backfill == NSLOTS_EASY) {
        backfill_easy(cluster, head, now);
        return;
    }
    for (int j = nslots_next_waiting(cluster, head); j >= 0; j = nslots_next_waiting(cluster, j)) {
        try_start(cluster, j, now);
    }
}
