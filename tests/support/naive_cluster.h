/* A cluster stepped the slow and obvious way: plain arrays that are scanned from their beginnings,
 * and no code in common with the simulation. What it says is what the rules say. */
#ifndef TESTS_SUPPORT_NAIVE_CLUSTER_H
#define TESTS_SUPPORT_NAIVE_CLUSTER_H

#include <stdbool.h>
#include <stdint.h>

enum { NAIVE_POOLS = 3, NAIVE_NODES = 8, NAIVE_JOBS = 64 };

enum naive_order { NAIVE_FIFO, NAIVE_SJF };
enum naive_backfill { NAIVE_NONE, NAIVE_SKIP, NAIVE_EASY, NAIVE_CONSERVATIVE };
enum naive_span { NAIVE_BY_SIZE, NAIVE_NODE, NAIVE_ANY, NAIVE_WHOLE_NODES };
enum naive_placement { NAIVE_FIRST_FIT, NAIVE_BEST_FIT, NAIVE_WORST_FIT };
enum naive_state {
    NAIVE_TO_COME, /* not submitted by the end of the run */
    NAIVE_QUEUED,
    NAIVE_RUNNING,
    NAIVE_COMPLETED,
    NAIVE_TIMED_OUT,
    NAIVE_REJECTED,
    NAIVE_KILLED /* at its estimate */
};

/* What a node has. */
enum { NAIVE_GPUS, NAIVE_CPUS, NAIVE_MEMORY, NAIVE_RESOURCES };

struct naive_pool {
    int nodes;
    int gpus_per_node;
    int cpus_per_node; /* 0: not limited, as is the memory of its host */
    int memory_per_node;
    int64_t gpu_memory;
};

struct naive_counts {
    int at[NAIVE_RESOURCES][NAIVE_POOLS][NAIVE_NODES];
};

/* Times are nanoseconds. */
struct naive_job {
    int64_t submit;
    int64_t duration; /* at speed 1, like the estimate */
    int64_t estimate;
    int64_t max_wait; /* -1: waits for ever */
    int gpus;
    int64_t memory; /* of each GPU */
    int cpus;       /* of the host with each GPU, like its memory */
    int host_memory;
    enum naive_span span;
    int choices; /* pools it may use, in order of preference */
    int pool[NAIVE_POOLS];
    double speed[NAIVE_POOLS];

    enum naive_state state;
    int64_t start;
    int64_t end; /* completed, timed out or rejected at; while it runs, when it will end */
    int64_t estimated_end;
    struct naive_counts holds;

    /* Under conservative backfill, while it waits: */
    bool has_place;
    int reserved_choice;
    struct naive_counts reserved;
    int64_t reserved_from;
    int64_t reserved_to;
    bool reserved_now;     /* in the pass under way */
    int64_t first_promise; /* the first moment that was reserved for it; -1: none was */
};

struct naive_cluster {
    enum naive_order order;
    enum naive_backfill backfill;
    enum naive_placement placement;
    int64_t head_of_line; /* -1: none */
    int depth;            /* of reservations under conservative backfill; 0: all */
    bool kill_at_estimate;
    int64_t horizon; /* -1: until all work has ended */
    struct naive_pool pools[NAIVE_POOLS];
    int pool_count;
    struct naive_job jobs[NAIVE_JOBS]; /* at one instant, the lower index was submitted first */
    int job_count;
};

/* Fills in what became of the jobs. */
void naive_cluster_run(struct naive_cluster *cluster);

#endif
