/* Inside the naive cluster: what its rules share. */
#ifndef TESTS_SUPPORT_NAIVE_CLUSTER_PARTS_H
#define TESTS_SUPPORT_NAIVE_CLUSTER_PARTS_H

#include "tests/support/naive_cluster.h"

void naive_add_counts(struct naive_counts *to, const struct naive_counts *what, int sign);
void naive_keep_least(struct naive_counts *to, const struct naive_counts *what);
bool naive_within(const struct naive_counts *what, const struct naive_counts *limit);
struct naive_counts naive_free_now(const struct naive_cluster *cluster);
bool naive_place_in_pool(const struct naive_cluster *cluster, const struct naive_job *job, int p,
                         const struct naive_counts *room, struct naive_counts *holds);
bool naive_is_large_enough(const struct naive_cluster *cluster, const struct naive_job *job, int c);
int naive_place(const struct naive_cluster *cluster, const struct naive_job *job,
                const struct naive_counts *room, struct naive_counts *holds);
int64_t naive_at_speed(int64_t time, double speed);
int naive_next_waiting(const struct naive_cluster *cluster, int after);
void naive_start(struct naive_job *job, int choice, const struct naive_counts *holds, int64_t now);
bool naive_may_not_overtake(const struct naive_cluster *cluster, int j, int64_t now);
int64_t naive_next_believed_end(const struct naive_cluster *cluster, int64_t now, int64_t after);
struct naive_counts naive_free_at(const struct naive_cluster *cluster, int64_t now, int64_t then);

/* Starts and reserves for the waiting jobs, in their order. */
void naive_backfill_conservative(struct naive_cluster *cluster, int64_t now);

#endif
