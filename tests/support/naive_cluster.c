#include "tests/support/naive_cluster.h"

#include <math.h>
#include <stddef.h>

#include "tests/support/naive_cluster_parts.h"

/* --- Counting --- */

void naive_add_counts(struct naive_counts *to, const struct naive_counts *what, int sign) {
    for (int r = 0; r < NAIVE_RESOURCES; r++) {
        for (int p = 0; p < NAIVE_POOLS; p++) {
            for (int n = 0; n < NAIVE_NODES; n++) {
                to->at[r][p][n] += sign * what->at[r][p][n];
            }
        }
    }
}

void naive_keep_least(struct naive_counts *to, const struct naive_counts *what) {
    for (int r = 0; r < NAIVE_RESOURCES; r++) {
        for (int p = 0; p < NAIVE_POOLS; p++) {
            for (int n = 0; n < NAIVE_NODES; n++) {
                bool less = what->at[r][p][n] < to->at[r][p][n];
                to->at[r][p][n] = less ? what->at[r][p][n] : to->at[r][p][n];
            }
        }
    }
}

bool naive_within(const struct naive_counts *what, const struct naive_counts *limit) {
    for (int r = 0; r < NAIVE_RESOURCES; r++) {
        for (int p = 0; p < NAIVE_POOLS; p++) {
            for (int n = 0; n < NAIVE_NODES; n++) {
                if (what->at[r][p][n] > 0 && what->at[r][p][n] > limit->at[r][p][n]) {
                    return false;
                }
            }
        }
    }
    return true;
}

enum { UNLIMITED = 1000000000 };

static int capacity(const struct naive_pool *pool, int resource) {
    int host = resource == NAIVE_CPUS ? pool->cpus_per_node : pool->memory_per_node;
    return resource == NAIVE_GPUS ? pool->gpus_per_node : host > 0 ? host : UNLIMITED;
}

static struct naive_counts everything(const struct naive_cluster *cluster) {
    struct naive_counts counts = {{{{0}}}};
    for (int r = 0; r < NAIVE_RESOURCES; r++) {
        for (int p = 0; p < cluster->pool_count; p++) {
            for (int n = 0; n < cluster->pools[p].nodes; n++) {
                counts.at[r][p][n] = capacity(&cluster->pools[p], r);
            }
        }
    }
    return counts;
}

struct naive_counts naive_free_now(const struct naive_cluster *cluster) {
    struct naive_counts counts = everything(cluster);
    for (int j = 0; j < cluster->job_count; j++) {
        if (cluster->jobs[j].state == NAIVE_RUNNING) {
            naive_add_counts(&counts, &cluster->jobs[j].holds, -1);
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

/* What the job takes of a node with `gpus` of its GPUs there. */
static int needs(const struct naive_cluster *cluster, const struct naive_job *job, int p, int gpus,
                 int resource) {
    if (resource == NAIVE_GPUS) {
        return gpus;
    }
    if (job->span == NAIVE_WHOLE_NODES) {
        return capacity(&cluster->pools[p], resource);
    }
    return gpus * (resource == NAIVE_CPUS ? job->cpus : job->host_memory);
}

static bool node_has(const struct naive_cluster *cluster, const struct naive_job *job, int p, int n,
                     int gpus, const struct naive_counts *room) {
    bool has = true;
    for (int r = 0; r < NAIVE_RESOURCES; r++) {
        has = has && room->at[r][p][n] >= needs(cluster, job, p, gpus, r);
    }
    return has;
}

/* The node for `gpus` GPUs, not one the job has a part on already; -1: none. */
static int choose_node(const struct naive_cluster *cluster, const struct naive_job *job, int p,
                       const struct naive_counts *room, const struct naive_counts *holds,
                       int gpus) {
    const int *free_gpus = room->at[NAIVE_GPUS][p];
    int best = -1;
    for (int n = 0; n < cluster->pools[p].nodes; n++) {
        if (holds->at[NAIVE_GPUS][p][n] == 0 && node_has(cluster, job, p, n, gpus, room) &&
            (best < 0 || preferred(cluster->placement, free_gpus[n], free_gpus[best]))) {
            best = n;
        }
    }
    return best;
}

/* The first of the nodes of which the job can have the most GPUs. */
static int largest_node(const struct naive_cluster *cluster, const struct naive_job *job, int p,
                        const struct naive_counts *room, const struct naive_counts *holds,
                        int *gpus) {
    int best = -1;
    *gpus = 0;
    for (int n = 0; n < cluster->pools[p].nodes; n++) {
        int there = 0;
        while (holds->at[NAIVE_GPUS][p][n] == 0 && node_has(cluster, job, p, n, there + 1, room)) {
            there++;
        }
        if (there > *gpus) {
            *gpus = there;
            best = n;
        }
    }
    return best;
}

bool naive_place_in_pool(const struct naive_cluster *cluster, const struct naive_job *job, int p,
                         const struct naive_counts *room, struct naive_counts *holds) {
    int per_node = cluster->pools[p].gpus_per_node;
    *holds = (struct naive_counts){{{{0}}}};
    if (job->span == NAIVE_NODE && job->gpus > per_node) {
        return false;
    }
    for (int left = job->gpus; left > 0;) {
        int part = left < per_node && job->span != NAIVE_WHOLE_NODES ? left : per_node;
        int n = -1;
        if (job->span != NAIVE_ANY || left <= per_node) {
            n = choose_node(cluster, job, p, room, holds, part);
        }
        if (n < 0 && job->span == NAIVE_ANY) {
            n = largest_node(cluster, job, p, room, holds, &part);
        }
        if (n < 0) {
            return false;
        }
        for (int r = 0; r < NAIVE_RESOURCES; r++) {
            holds->at[r][p][n] = needs(cluster, job, p, part, r);
        }
        left -= part;
    }
    return true;
}

/* Whether GPUs and hosts of the pool are large enough; whole nodes must have what its GPUs need. */
bool naive_is_large_enough(const struct naive_cluster *cluster, const struct naive_job *job,
                           int c) {
    const struct naive_pool *pool = &cluster->pools[job->pool[c]];
    int most = job->gpus < pool->gpus_per_node ? job->gpus : pool->gpus_per_node;
    bool host = most * job->cpus <= capacity(pool, NAIVE_CPUS) &&
                most * job->host_memory <= capacity(pool, NAIVE_MEMORY);
    return job->memory <= pool->gpu_memory && (host || job->span == NAIVE_ANY);
}

/* Where the job would go: its place among the pools it may use, -1 if it fits in none. */
int naive_place(const struct naive_cluster *cluster, const struct naive_job *job,
                const struct naive_counts *room, struct naive_counts *holds) {
    for (int c = 0; c < job->choices; c++) {
        if (naive_is_large_enough(cluster, job, c) &&
            naive_place_in_pool(cluster, job, job->pool[c], room, holds)) {
            return c;
        }
    }
    return -1;
}

static bool possible(const struct naive_cluster *cluster, const struct naive_job *job) {
    struct naive_counts all = everything(cluster);
    struct naive_counts holds;
    return naive_place(cluster, job, &all, &holds) >= 0;
}

/* --- The scheduler --- */

int64_t naive_at_speed(int64_t time, double speed) {
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
int naive_next_waiting(const struct naive_cluster *cluster, int after) {
    int first = -1;
    for (int j = 0; j < cluster->job_count; j++) {
        if (cluster->jobs[j].state == NAIVE_QUEUED && (after < 0 || before(cluster, after, j)) &&
            (first < 0 || before(cluster, j, first))) {
            first = j;
        }
    }
    return first;
}

void naive_start(struct naive_job *job, int choice, const struct naive_counts *holds, int64_t now) {
    job->state = NAIVE_RUNNING;
    job->start = now;
    job->end = now + naive_at_speed(job->duration, job->speed[choice]);
    job->estimated_end = now + naive_at_speed(job->estimate, job->speed[choice]);
    job->holds = *holds;
    job->has_place = false;
    job->reserved_now = false;
}

/* Whether a job that has waited for the limit is ahead of it. */
bool naive_may_not_overtake(const struct naive_cluster *cluster, int j, int64_t now) {
    for (int i = 0; i < cluster->job_count; i++) {
        const struct naive_job *job = &cluster->jobs[i];
        if (cluster->head_of_line >= 0 && job->state == NAIVE_QUEUED &&
            now - job->submit >= cluster->head_of_line && before(cluster, i, j)) {
            return true;
        }
    }
    return false;
}

static bool try_start(struct naive_cluster *cluster, int j, int64_t now) {
    struct naive_counts free_gpus = naive_free_now(cluster);
    struct naive_counts holds;
    int choice = naive_place(cluster, &cluster->jobs[j], &free_gpus, &holds);
    if (choice >= 0) {
        naive_start(&cluster->jobs[j], choice, &holds, now);
    }
    return choice >= 0;
}

static int64_t believed_end(const struct naive_job *job, int64_t now) {
    return job->estimated_end < now ? now : job->estimated_end;
}

/* The earliest believed end later than `after`. */
int64_t naive_next_believed_end(const struct naive_cluster *cluster, int64_t now, int64_t after) {
    int64_t earliest = INT64_MAX;
    for (int j = 0; j < cluster->job_count; j++) {
        int64_t end = believed_end(&cluster->jobs[j], now);
        if (cluster->jobs[j].state == NAIVE_RUNNING && end > after && end < earliest) {
            earliest = end;
        }
    }
    return earliest;
}

struct naive_counts naive_free_at(const struct naive_cluster *cluster, int64_t now, int64_t then) {
    struct naive_counts counts = naive_free_now(cluster);
    for (int j = 0; j < cluster->job_count; j++) {
        const struct naive_job *job = &cluster->jobs[j];
        if (job->state == NAIVE_RUNNING && believed_end(job, now) <= then) {
            naive_add_counts(&counts, &job->holds, 1);
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
        shadow = naive_next_believed_end(cluster, now, shadow);
        *beside = naive_free_at(cluster, now, shadow);
    } while (naive_place(cluster, head, beside, &holds) < 0);
    naive_add_counts(beside, &holds, -1);
    return shadow;
}

static void backfill_easy(struct naive_cluster *cluster, int head, int64_t now) {
    struct naive_counts beside;
    int64_t shadow = reserve(cluster, &cluster->jobs[head], now, &beside);
    if (cluster->jobs[head].first_promise < 0) {
        cluster->jobs[head].first_promise = shadow;
    }
    for (int j = naive_next_waiting(cluster, head);
         j >= 0 && !naive_may_not_overtake(cluster, j, now); j = naive_next_waiting(cluster, j)) {
        struct naive_job *job = &cluster->jobs[j];
        struct naive_counts free_gpus = naive_free_now(cluster);
        struct naive_counts holds;
        int choice = naive_place(cluster, job, &free_gpus, &holds);
        if (choice < 0) {
            continue;
        }
        bool in_time = now + naive_at_speed(job->estimate, job->speed[choice]) <= shadow;
        if (in_time || naive_within(&holds, &beside)) {
            naive_start(job, choice, &holds, now);
        }
        if (job->state == NAIVE_RUNNING && !in_time) {
            naive_add_counts(&beside, &holds, -1);
        }
    }
}

static void schedule(struct naive_cluster *cluster, int64_t now) {
    if (cluster->backfill == NAIVE_CONSERVATIVE) {
        naive_backfill_conservative(cluster, now);
        return;
    }
    int head = naive_next_waiting(cluster, -1);
    while (head >= 0 && try_start(cluster, head, now)) {
        head = naive_next_waiting(cluster, -1);
    }
    if (head < 0 || cluster->backfill == NAIVE_NONE) {
        return;
    }
    if (cluster->backfill == NAIVE_EASY) {
        backfill_easy(cluster, head, now);
        return;
    }
    for (int j = naive_next_waiting(cluster, head);
         j >= 0 && !naive_may_not_overtake(cluster, j, now); j = naive_next_waiting(cluster, j)) {
        try_start(cluster, j, now);
    }
}

/* --- Time --- */

static bool times_out(const struct naive_job *job) {
    return job->state == NAIVE_QUEUED && job->max_wait >= 0;
}

static int64_t last_moment(const struct naive_cluster *cluster, const struct naive_job *job) {
    bool killed = cluster->kill_at_estimate && job->estimated_end < job->end;
    return killed ? job->estimated_end : job->end;
}

/* The next moment at which something happens; INT64_MAX: never. */
static int64_t next_moment(const struct naive_cluster *cluster) {
    int64_t next = INT64_MAX;
    for (int j = 0; j < cluster->job_count; j++) {
        const struct naive_job *job = &cluster->jobs[j];
        int64_t moment = job->state == NAIVE_TO_COME   ? job->submit
                         : job->state == NAIVE_RUNNING ? last_moment(cluster, job)
                         : times_out(job)              ? job->submit + job->max_wait
                                                       : INT64_MAX;
        next = moment < next ? moment : next;
    }
    return next;
}

static bool end_jobs(struct naive_cluster *cluster, int64_t now) {
    bool any = false;
    for (int j = 0; j < cluster->job_count; j++) {
        struct naive_job *job = &cluster->jobs[j];
        if (job->state == NAIVE_RUNNING && job->end == now) {
            job->state = NAIVE_COMPLETED;
            any = true;
        } else if (job->state == NAIVE_RUNNING && cluster->kill_at_estimate &&
                   job->estimated_end == now) {
            job->state = NAIVE_KILLED;
            job->end = now;
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
        cluster->jobs[j].has_place = false;
        cluster->jobs[j].reserved_now = false;
        cluster->jobs[j].first_promise = -1;
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
