/* Conservative backfill of the naive cluster: every moment at which anything is expected to change
 * is tried, and what is free is counted anew each time. */
#include <stddef.h>

#include "tests/support/naive_cluster_parts.h"

/* What is free at a moment beside what is reserved in this pass. */
static struct naive_counts expected_at(const struct naive_cluster *cluster, int64_t now,
                                       int64_t then) {
    struct naive_counts counts = naive_free_at(cluster, now, then);
    for (int j = 0; j < cluster->job_count; j++) {
        const struct naive_job *job = &cluster->jobs[j];
        if (job->reserved_now && job->reserved_from <= then && then < job->reserved_to) {
            naive_add_counts(&counts, &job->reserved, -1);
        }
    }
    return counts;
}

/* The moments later than `after` at which anything is expected to change. */
static int64_t next_change(const struct naive_cluster *cluster, int64_t now, int64_t after) {
    int64_t next = naive_next_believed_end(cluster, now, after);
    for (int j = 0; j < cluster->job_count; j++) {
        const struct naive_job *job = &cluster->jobs[j];
        if (job->reserved_now && job->reserved_from > after && job->reserved_from < next) {
            next = job->reserved_from;
        }
        if (job->reserved_now && job->reserved_to > after && job->reserved_to < next) {
            next = job->reserved_to;
        }
    }
    return next;
}

/* The least that is free at any time of a stretch. */
static struct naive_counts least_free(const struct naive_cluster *cluster, int64_t now,
                                      int64_t from, int64_t to) {
    struct naive_counts least = expected_at(cluster, now, from);
    for (int64_t t = next_change(cluster, now, from); t < to; t = next_change(cluster, now, t)) {
        struct naive_counts then = expected_at(cluster, now, t);
        naive_keep_least(&least, &then);
    }
    return least;
}

/* A place and a time, in one of the job's pools. */
struct naive_option {
    int choice;
    int64_t from;
    int64_t to;
    struct naive_counts holds;
};

static int64_t at_least_one(int64_t duration) {
    return duration > 0 ? duration : 1;
}

static void find_option(const struct naive_cluster *cluster, const struct naive_job *job, int c,
                        int64_t now, struct naive_option *option) {
    int64_t duration = at_least_one(naive_at_speed(job->estimate, job->speed[c]));
    option->choice = c;
    for (int64_t t = now; t != INT64_MAX; t = next_change(cluster, now, t)) {
        struct naive_counts room = least_free(cluster, now, t, t + duration);
        option->from = t;
        option->to = t + duration;
        if (naive_place_in_pool(cluster, job, job->pool[c], &room, &option->holds)) {
            return;
        }
    }
    option->from = INT64_MAX;
}

static bool is_free(const struct naive_cluster *cluster, int64_t now, int64_t from, int64_t to,
                    const struct naive_counts *holds) {
    struct naive_counts room = least_free(cluster, now, from, to);
    return naive_within(holds, &room);
}

/* Also what overdue jobs hold must be left alone by what starts now. */
static bool place_now(const struct naive_cluster *cluster, const struct naive_job *job, int64_t now,
                      const struct naive_option *options, struct naive_option *found) {
    struct naive_counts present = naive_free_now(cluster);
    for (int c = 0; c < job->choices; c++) {
        if (!naive_is_large_enough(cluster, job, c) || options[c].from != now) {
            continue;
        }
        struct naive_counts room = least_free(cluster, now, now, options[c].to);
        naive_keep_least(&room, &present);
        *found = options[c];
        if (naive_place_in_pool(cluster, job, job->pool[c], &room, &found->holds)) {
            return true;
        }
    }
    return false;
}

static void start_or_reserve(struct naive_cluster *cluster, struct naive_job *job, int64_t now) {
    struct naive_option options[NAIVE_POOLS];
    struct naive_counts present = naive_free_now(cluster);
    int best = -1;
    for (int c = 0; c < job->choices; c++) {
        options[c].from = INT64_MAX;
        if (naive_is_large_enough(cluster, job, c)) {
            find_option(cluster, job, c, now, &options[c]);
        }
        if (options[c].from != INT64_MAX && (best < 0 || options[c].from < options[best].from)) {
            best = c;
        }
    }
    struct naive_option chosen = options[best];
    const struct naive_option *before_it = &options[job->has_place ? job->reserved_choice : best];
    bool keeps = job->has_place && before_it->from == chosen.from &&
                 is_free(cluster, now, before_it->from, before_it->to, &job->reserved);
    if (keeps) {
        chosen = *before_it;
        chosen.holds = job->reserved;
    }
    struct naive_option found = chosen;
    if (chosen.from == now && ((keeps && naive_within(&job->reserved, &present)) ||
                               place_now(cluster, job, now, options, &found))) {
        naive_start(job, found.choice, &found.holds, now);
        return;
    }
    job->has_place = true;
    job->reserved_now = true;
    job->reserved_choice = chosen.choice;
    job->reserved = chosen.holds;
    job->reserved_from = chosen.from;
    job->reserved_to = chosen.to;
    job->first_promise = job->first_promise < 0 ? chosen.from : job->first_promise;
}

/* Whether the job or one behind it fits now. */
static bool any_fits(const struct naive_cluster *cluster, int j) {
    struct naive_counts present = naive_free_now(cluster);
    struct naive_counts holds;
    for (; j >= 0; j = naive_next_waiting(cluster, j)) {
        if (naive_place(cluster, &cluster->jobs[j], &present, &holds) >= 0) {
            return true;
        }
    }
    return false;
}

void naive_backfill_conservative(struct naive_cluster *cluster, int64_t now) {
    int reserved = 0;
    for (int j = naive_next_waiting(cluster, -1);
         j >= 0 && any_fits(cluster, j) && !naive_may_not_overtake(cluster, j, now) &&
         (cluster->depth == 0 || reserved < cluster->depth);
         j = naive_next_waiting(cluster, j)) {
        start_or_reserve(cluster, &cluster->jobs[j], now);
        reserved += cluster->jobs[j].state == NAIVE_QUEUED;
    }
    for (int j = 0; j < cluster->job_count; j++) {
        cluster->jobs[j].reserved_now = false;
    }
}
