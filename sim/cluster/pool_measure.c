/* The integrals of a pool over time, and whether its books agree. */
#include "sim/cluster/pool.h"

struct pool_measure pool_measure_at(struct pool *pool, sim_time now) {
    if (pool->slots != NULL) {
        slots_book(pool->slots, now);
    }
    struct pool_measure measure = {
        .sm_time = pool->sm_time,
        .memory = time_tally_integral(&pool->memory_used, now) +
                  (gpu_time)ramp_tally_integral(&pool->memory_grown, now),
        .memory_wasted = time_tally_integral(&pool->memory_wasted, now) -
                         (gpu_time)ramp_tally_integral(&pool->memory_refilled, now),
        .queued_jobs = time_tally_integral(&pool->queued_jobs, now),
        .tenants = time_tally_integral(&pool->tenants, now) + pool->gang_time,
        .crash_takes = time_tally_integral(&pool->crash_takes, now) + pool->gang_time,
    };
    for (int i = 0; i < GPU_STATE_COUNT; i++) {
        measure.category[i] = ledger_integral(&pool->ledger, (enum gpu_category)i, now);
    }
    gpu_time host = time_tally_integral(&pool->host_waits, now) / HOST_SHARE_UNIT;
    measure.category[GPU_USEFUL] -= host;
    measure.category[GPU_HELD_IDLE] += host;
    return measure;
}

struct pool_measure pool_measure_between(const struct pool_measure *from,
                                         const struct pool_measure *to) {
    struct pool_measure between = {.sm_time = to->sm_time - from->sm_time,
                                   .memory = to->memory - from->memory,
                                   .memory_wasted = to->memory_wasted - from->memory_wasted,
                                   .queued_jobs = to->queued_jobs - from->queued_jobs,
                                   .tenants = to->tenants - from->tenants,
                                   .crash_takes = to->crash_takes - from->crash_takes};
    for (int i = 0; i < GPU_STATE_COUNT; i++) {
        between.category[i] = to->category[i] - from->category[i];
    }
    return between;
}

gpu_time pool_measure_held(const struct pool_measure *measure) {
    gpu_time held = 0;
    for (int i = 0; i < GPU_STATE_COUNT; i++) {
        held += gpu_category_is_held((enum gpu_category)i) ? measure->category[i] : 0;
    }
    return held;
}

bool pool_is_consistent(const struct pool *pool) {
    int64_t free_gpus = 0;
    for (int32_t node = 0; node < pool->index.nodes; node++) {
        int in_mask = __builtin_popcountll(pool->free_mask[node]);
        if (in_mask != pool->index.free_gpus[node] ||
            !index_set_contains(&pool->index.by_free[in_mask], node)) {
            return false;
        }
        free_gpus += in_mask;
    }
    return free_gpus == pool->index.free_total && (pool->slots != NULL || pool->outages != NULL ||
                                                   free_gpus == pool->ledger.now_in[GPU_IDLE]);
}
