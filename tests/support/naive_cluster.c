#include "tests/support/naive_cluster.h"

#include <math.h>
#include <stddef.h>

/* --- Counting --- */

static void add_counts(struct naive_counts *to, const struct naive_counts *what, int sign) {
    for (int p = 0; p < NAIVE_POOLS; p++) {
        for (int n = 0; n < NAIVE_NODES; n++) {
            to->at[p][n] += sign * what->at[p][n];
        }
    }
}

static bool within(const struct naive_counts *what, const struct naive_counts *limit) {
    for (int p = 0; p < NAIVE_POOLS; p++) {
        for (int n = 0; n < NAIVE_NODES; n++) {
            if (what->at[p][n] > 0 && what->at[p][n] > limit->at[p][n]) {
                return false;
            }
        }
    }
    return true;
}

static struct naive_counts free_now(const struct naive_cluster *cluster) {
    struct naive_counts counts = {{{0}}};
    for (int p = 0; p < cluster->pool_count; p++) {
        for (int n = 0; n < cluster->pools[p].nodes; n++) {
            counts.at[p][n] = cluster->pools[p].gpus_per_node;
        }
    }
    for (int j = 0; j < cluster->job_count; j++) {
        if (cluster->jobs[j].state == NAIVE_RUNNING) {
            add_counts(&counts, &cluster->jobs[j].holds, -1);
        }
    }
    return counts;
}

/* --- Placing --- */

static bool preferred(enum naive_placement rule, int free_gpus, int best) {
    switch (rule) {
    case NAIVE_BEST_FIT:
        return free_gpus < best;
    case NAIVE_WORST_FIT:
        return free_gpus > best;
    default:
        return false;
    }
}

/* The node for `gpus` GPUs, not one the job has a part on already; -1: none. */
static int choose_node(const struct naive_cluster *cluster, int p, const int *free_gpus,
                       const int *holds, int gpus) {
    int best = -1;
    for (int n = 0; n < cluster->pools[p].nodes; n++) {
        if (holds[n] == 0 && free_gpus[n] >= gpus &&
            (best < 0 || preferred(cluster->placement, free_gpus[n], free_gpus[best]))) {
            best = n;
        }
    }
    return best;
}

static bool place_in_pool(const struct naive_cluster *cluster, const struct naive_job *job, int p,
                          const struct naive_counts *free_gpus, struct naive_counts *holds) {
    *holds = (struct naive_counts){{{0}}};
    int left = job->gpus;
    while (left > 0) {
        int part = left < cluster->pools[p].gpus_per_node ? left : cluster->pools[p].gpus_per_node;
        int n = choose_node(cluster, p, free_gpus->at[p], holds->at[p], part);
        if (n < 0) {
            return false;
        }
        holds->at[p][n] = part;
        left -= part;
    }
    return true;
}

/* Where the job would go: its place among the pools it may use, -1 if it fits in none. */
static int place(const struct naive_cluster *cluster, const struct naive_job *job,
                 const struct naive_counts *free_gpus, struct naive_counts *holds) {
    for (int c = 0; c < job->choices; c++) {
        if (job->memory <= cluster->pools[job->pool[c]].gpu_memory &&
            place_in_pool(cluster, job, job->pool[c], free_gpus, holds)) {
            return c;
        }
    }
    return -1;
}

static bool possible(const struct naive_cluster *cluster, const struct naive_job *job) {
    struct naive_cluster empty = *cluster;
    empty.job_count = 0;
    struct naive_counts everything = free_now(&empty);
    struct naive_counts holds;
    return place(cluster, job, &everything, &holds) >= 0;
}

/* --- The scheduler --- */

static int64_t at_speed(int64_t time, double speed) {
    return speed == 1 ? time : llround((double)time / speed);
}

static bool before(const struct naive_cluster *cluster, int a, int b) {
    const struct naive_job *left = &cluster->jobs[a];
    const struct naive_job *right = &cluster->jobs[b];
    if (cluster->order == NAIVE_SJF && left->estimate != right->estimate) {
        return left->estimate < right->estimate;
    }
    if (left->submit != right->submit) {
        return left->submit < right->submit;
    }
    return a < b;
}

/* The first waiting job behind `after` (-1: of all); -1: none. */
static int next_waiting(const struct naive_cluster *cluster, int after) {
    int first = -1;
    for (int j = 0; j < cluster->job_count; j++) {
        if (cluster->jobs[j].state == NAIVE_QUEUED && (after < 0 || before(cluster, after, j)) &&
            (first < 0 || before(cluster, j, first))) {
            first = j;
        }
    }
    return first;
}

static void start(struct naive_job *job, int choice, const struct naive_counts *holds,
                  int64_t now) {
    job->state = NAIVE_RUNNING;
    job->start = now;
    job->end = now + at_speed(job->duration, job->speed[choice]);
    job->estimated_end = now + at_speed(job->estimate, job->speed[choice]);
    job->holds = *holds;
}

static bool try_start(struct naive_cluster *cluster, int j, int64_t now) {
    struct naive_counts free_gpus = free_now(cluster);
    struct naive_counts holds;
    int choice = place(cluster, &cluster->jobs[j], &free_gpus, &holds);
    if (choice >= 0) {
        start(&cluster->jobs[j], choice, &holds, now);
    }
    return choice >= 0;
}

static int64_t believed_end(const struct naive_job *job, int64_t now) {
    return job->estimated_end < now ? now : job->estimated_end;
}

/* The earliest believed end later than `after`. */
static int64_t next_believed_end(const struct naive_cluster *cluster, int64_t now, int64_t after) {
    int64_t earliest = INT64_MAX;
    for (int j = 0; j < cluster->job_count; j++) {
        int64_t end = believed_end(&cluster->jobs[j], now);
        if (cluster->jobs[j].state == NAIVE_RUNNING && end > after && end < earliest) {
            earliest = end;
        }
    }
    return earliest;
}

static struct naive_counts free_at(const struct naive_cluster *cluster, int64_t now, int64_t then) {
    struct naive_counts counts = free_now(cluster);
    for (int j = 0; j < cluster->job_count; j++) {
        const struct naive_job *job = &cluster->jobs[j];
        if (job->state == NAIVE_RUNNING && believed_end(job, now) <= then) {
            add_counts(&counts, &job->holds, 1);
        }
    }
    return counts;
}

/* When the head would fit; *beside is what is free then beside it. */
static int64_t reserve(const struct naive_cluster *cluster, const struct naive_job *head,
                       int64_t now, struct naive_counts *beside) {
    struct naive_counts holds;
    int64_t shadow = now - 1;
    do {
        shadow = next_believed_end(cluster, now, shadow);
        *beside = free_at(cluster, now, shadow);
    } while (place(cluster, head, beside, &holds) < 0);
    add_counts(beside, &holds, -1);
    return shadow;
}

static void backfill_easy(struct naive_cluster *cluster, int head, int64_t now) {
    struct naive_counts beside;
    int64_t shadow = reserve(cluster, &cluster->jobs[head], now, &beside);
    for (int j = next_waiting(cluster, head); j >= 0; j = next_waiting(cluster, j)) {
        struct naive_job *job = &cluster->jobs[j];
        struct naive_counts free_gpus = free_now(cluster);
        struct naive_counts holds;
        int choice = place(cluster, job, &free_gpus, &holds);
        if (choice < 0) {
            continue;
        }
        bool in_time = now + at_speed(job->estimate, job->speed[choice]) <= shadow;
        if (in_time || within(&holds, &beside)) {
            start(job, choice, &holds, now);
        }
        if (job->state == NAIVE_RUNNING && !in_time) {
            add_counts(&beside, &holds, -1);
        }
    }
}

static void schedule(struct naive_cluster *cluster, int64_t now) {
    int head = next_waiting(cluster, -1);
    while (head >= 0 && try_start(cluster, head, now)) {
        head = next_waiting(cluster, -1);
    }
    if (head < 0 || cluster->backfill == NAIVE_NONE) {
        return;
    }
    if (cluster->backfill == NAIVE_EASY) {
        backfill_easy(cluster, head, now);
        return;
    }
    for (int j = next_waiting(cluster, head); j >= 0; j = next_waiting(cluster, j)) {
        try_start(cluster, j, now);
    }
}

/* --- Time --- */

static bool times_out(const struct naive_job *job) {
    return job->state == NAIVE_QUEUED && job->max_wait >= 0;
}

/* The next moment at which something happens; INT64_MAX: never. */
static int64_t next_moment(const struct naive_cluster *cluster) {
    int64_t next = INT64_MAX;
    for (int j = 0; j < cluster->job_count; j++) {
        const struct naive_job *job = &cluster->jobs[j];
        int64_t moment = job->state == NAIVE_TO_COME   ? job->submit
                         : job->state == NAIVE_RUNNING ? job->end
                         : times_out(job)              ? job->submit + job->max_wait
                                                       : INT64_MAX;
        next = moment < next ? moment : next;
    }
    return next;
}

static bool end_jobs(struct naive_cluster *cluster, int64_t now) {
    bool any = false;
    for (int j = 0; j < cluster->job_count; j++) {
        if (cluster->jobs[j].state == NAIVE_RUNNING && cluster->jobs[j].end == now) {
            cluster->jobs[j].state = NAIVE_COMPLETED;
            any = true;
        }
    }
    return any;
}

static void submit_jobs(struct naive_cluster *cluster, int64_t now) {
    for (int j = 0; j < cluster->job_count; j++) {
        struct naive_job *job = &cluster->jobs[j];
        if (job->state == NAIVE_TO_COME && job->submit == now) {
            job->state = possible(cluster, job) ? NAIVE_QUEUED : NAIVE_REJECTED;
            job->end = now;
        }
    }
}

static bool withdraw_jobs(struct naive_cluster *cluster, int64_t now) {
    bool any = false;
    for (int j = 0; j < cluster->job_count; j++) {
        struct naive_job *job = &cluster->jobs[j];
        if (times_out(job) && job->submit + job->max_wait == now) {
            job->state = NAIVE_TIMED_OUT;
            job->end = now;
            any = true;
        }
    }
    return any;
}

/* Again for as long as what it starts ends at once. */
static void schedule_and_end(struct naive_cluster *cluster, int64_t now) {
    do {
        schedule(cluster, now);
    } while (end_jobs(cluster, now));
}

void naive_cluster_run(struct naive_cluster *cluster) {
    for (int j = 0; j < cluster->job_count; j++) {
        cluster->jobs[j].state = NAIVE_TO_COME;
    }
    for (int64_t now = next_moment(cluster);
         now != INT64_MAX && (cluster->horizon < 0 || now <= cluster->horizon);
         now = next_moment(cluster)) {
        end_jobs(cluster, now);
        submit_jobs(cluster, now);
        schedule_and_end(cluster, now);
        if (withdraw_jobs(cluster, now)) {
            schedule_and_end(cluster, now);
        }
    }
}
