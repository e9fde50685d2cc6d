/* Finds the shape of a job: jobs that ask for as many GPUs, may use the same pools at the same
 * speeds, and whose memory fits the same GPUs, share one. */
#ifndef SIM_SCHEDULING_SHAPE_TABLE_H
#define SIM_SCHEDULING_SHAPE_TABLE_H

#include "scenarios/scenario.h"
#include "sim/cluster/pool.h"
#include "sim/scheduling/job_queue.h"

/* The pools a workload prefers, with their speeds: equal preferences are kept once. */
struct preference {
    struct shape_pool *pools;
    size_t pool_count;
};

struct shape_table {
    const struct pool *pools; /* borrowed */
    size_t pool_count;
    struct preference *preferences;
    size_t preference_count;
    int32_t *preference_of;      /* by workload */
    int64_t *memories;           /* the pools' GPU memories, ascending */
    struct shape_entry *entries; /* open addressing, a power of two of them */
    size_t capacity;
    size_t count;
    struct arena arena;
};

void shape_table_initialize(struct shape_table *table, const struct scenario *scenario,
                            const struct pool *pools);
void shape_table_terminate(struct shape_table *table);

/* O(1) but for the first job of its shape. */
struct shape *shape_table_find(struct shape_table *table, int32_t workload, int32_t gpus,
                               int64_t memory);

#endif
