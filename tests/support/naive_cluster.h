/* A cluster stepped the slow and obvious way: plain arrays that are scanned from their beginnings,
 * and no code in common with the simulation. What it says is what the rules say. */
#ifndef TESTS_SUPPORT_NAIVE_CLUSTER_H
#define TESTS_SUPPORT_NAIVE_CLUSTER_H

#include <stdbool.h>
#include <stdint.h>

enum { NAIVE_POOLS = 3, NAIVE_NODES = 8, NAIVE_JOBS = 64 };

enum naive_order { NAIVE_FIFO, NAIVE_SJF };
enum naive_backfill { NAIVE_NONE, NAIVE_SKIP, NAIVE_EASY };
enum naive_placement { NAIVE_FIRST_FIT, NAIVE_BEST_FIT, NAIVE_WORST_FIT };
enum naive_state {
    NAIVE_TO_COME, /* not submitted by the end of the run */
    NAIVE_QUEUED,
    NAIVE_RUNNING,
    NAIVE_COMPLETED,
    NAIVE_TIMED_OUT,
    NAIVE_REJECTED
};

struct naive_pool {
    int nodes;
    int gpus_per_node;
    int64_t gpu_memory;
};

/* GPUs by pool and node. */
struct naive_counts {
    int at[NAIVE_POOLS][NAIVE_NODES];
};

/* Times are nanoseconds. */
struct naive_job {
    int64_t submit;
    int64_t duration; /* at speed 1, like the estimate */
    int64_t estimate;
    int64_t max_wait; /* -1: waits for ever */
    int gpus;
    int64_t memory; /* of each GPU */
    int choices;    /* pools it may use, in order of preference */
    int pool[NAIVE_POOLS];
    double speed[NAIVE_POOLS];

    enum naive_state state;
    int64_t start;
    int64_t end; /* completed, timed out or rejected at; while it runs, when it will end */
    int64_t estimated_end;
    struct naive_counts holds;
};

struct naive_cluster {
    enum naive_order order;
    enum naive_backfill backfill;
    enum naive_placement placement;
    int64_t horizon; /* -1: until all work has ended */
    struct naive_pool pools[NAIVE_POOLS];
    int pool_count;
    struct naive_job jobs[NAIVE_JOBS]; /* at one instant, the lower index was submitted first */
    int job_count;
};

/* Fills in what became of the jobs. */
void naive_cluster_run(struct naive_cluster *cluster);

#endif
