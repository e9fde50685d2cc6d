/* Finds the shape of a job: jobs that ask for as many GPUs, or for the same kinds of slots, may use
 * the same pools at the same speeds, and whose memory fits the same places, share one. */
#ifndef SIM_SCHEDULING_SHAPE_TABLE_H
#define SIM_SCHEDULING_SHAPE_TABLE_H

#include "scenarios/scenario.h"
#include "sim/cluster/pool.h"
#include "sim/scheduling/job_queue.h"
#include "sim/scheduling/preference.h"
#include "sim/scheduling/quotas.h"

struct shape_table {
    const struct scenario *scenario; /* borrowed, like the pools */
    const struct pool *pools;
    size_t pool_count;
    struct preferences *preferences; /* borrowed */
    const struct quotas *quotas;     /* borrowed; NULL: none */
    /* Where memory decides: the sizes of GPUs and instances, ascending. What several tenants share
     * has no size of its own; with such devices every need is a shape of its own. */
    int64_t *memories;
    size_t memory_count;
    bool exact_memory;
    bool limits_cpus; /* any pool does */
    bool limits_memory;
    struct shape_entry *entries; /* open addressing, a power of two of them */
    size_t capacity;
    size_t count;
};

void shape_table_initialize(struct shape_table *table, const struct scenario *scenario,
                            const struct pool *pools, struct preferences *preferences);
void shape_table_terminate(struct shape_table *table);

/* What tells the shapes of jobs apart. */
struct shape_ask {
    int32_t workload;
    int32_t gpus;
    struct host_share each; /* of a host, with each GPU */
    int64_t memory;         /* bytes */
    int32_t compute;        /* in 1e-9 of a GPU's SMs; 0: no say */
    int32_t owner;          /* to whose quota it counts; 0 without quotas */
    int32_t urgency;        /* whom it may preempt; 0 without preemption */
};

/* The shape of a job. It stays until as many releases as finds. O(1) but for the first job of its
 * shape. */
struct shape *shape_table_find(struct shape_table *table, const struct shape_ask *ask);
static inline void shape_table_release(struct shape *shape) {
    shape->jobs--;
}

/* The jobs that ask for this preference may not start from now on, or may again. O(shapes). */
void shape_table_close(struct shape_table *table, struct job_queue *queue, int32_t preference,
                       bool closed);

#endif
