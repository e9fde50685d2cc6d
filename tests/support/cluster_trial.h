/* Small clusters made up at random, with many ties, run by the simulation and by the naive cluster:
 * gangs, several pools with different speeds and memories, estimates that are wrong, jobs that take
 * no time, longest waits, horizons and jobs that fit nowhere. */
#ifndef TESTS_SUPPORT_CLUSTER_TRIAL_H
#define TESTS_SUPPORT_CLUSTER_TRIAL_H

#include "tests/support/naive_cluster.h"
#include "tests/support/sim_case.h"
#include "tests/support/unit.h"

/* What a case may have besides. */
struct trial_wish {
    bool hosts;  /* CPUs and memory of nodes */
    bool spans;  /* of workloads */
    bool limits; /* head_of_line, kill_at_estimate, a depth of reservations */
    bool exact;  /* instead: nobody withdraws, all take some time, and estimates are exact */
};

/* One case: what both sides are told, and the second workload's first job. */
struct trial {
    struct test_random random;
    struct trial_wish wish;
    struct naive_cluster cluster;
    int gpu_of_pool[NAIVE_POOLS];
    int second_workload; /* its jobs begin at this index */
    enum naive_span span[2];
    int preference_count[2];
    int preference[2][NAIVE_POOLS];
    double speed[2][3]; /* by workload and row of GPUs */
};

struct trial_rules {
    enum naive_order order;
    enum naive_backfill backfill;
    enum naive_placement placement;
};

void trial_make(struct trial *trial, uint64_t number, const struct trial_wish *wish);
/* Sets the case up; the speeds are to live as long. */
void trial_tell(struct trial *trial, struct sim_case *sim_case, struct speed_spec speeds[2][3]);
/* Runs both, and fails the test unless every job fared alike. */
void trial_run(struct trial *trial, struct sim_case *sim_case, const struct trial_rules *rules,
               uint64_t number);

#endif
