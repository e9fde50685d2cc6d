#include "sim/cluster/pool.h"

#include <assert.h>
#include <stdlib.h>

#include "sim/cluster/engines.h"
#include "sim/kernel/memory.h"

enum { PIECES_PER_BLOCK = 1024 };

struct piece_block {
    struct piece_block *next;
    struct piece pieces[PIECES_PER_BLOCK];
};

static void stock_grow(struct piece_stock *stock) {
    struct piece_block *block = memory_zero(1, sizeof *block);
    block->next = stock->blocks;
    stock->blocks = block;
    for (int i = PIECES_PER_BLOCK - 1; i >= 0; i--) {
        block->pieces[i].next = stock->free_list;
        stock->free_list = &block->pieces[i];
    }
}

struct piece *piece_take(struct piece_stock *stock) {
    if (stock->free_list == NULL) {
        stock_grow(stock);
    }
    struct piece *piece = stock->free_list;
    stock->free_list = piece->next;
    *piece = (struct piece){0};
    return piece;
}

void piece_return_rest(struct piece_stock *stock, struct piece *first) {
    struct piece *pieces = first->next;
    first->next = NULL;
    while (pieces != NULL) {
        struct piece *next = pieces->next;
        pieces->next = stock->free_list;
        stock->free_list = pieces;
        pieces = next;
    }
}

void piece_stock_clear(struct piece_stock *stock) {
    while (stock->blocks != NULL) {
        struct piece_block *next = stock->blocks->next;
        free(stock->blocks);
        stock->blocks = next;
    }
    stock->free_list = NULL;
}

static uint64_t all_gpus(int32_t gpus_per_node) {
    return UINT64_MAX >> (64 - gpus_per_node);
}

void pool_initialize(struct pool *pool, const char *name, int32_t nodes, int32_t gpus_per_node,
                     int64_t gpu_memory) {
    *pool = (struct pool){.name = name, .gpu_memory = gpu_memory, .units_per_gpu = 1};
    pool->gpus = (int64_t)nodes * gpus_per_node;
    node_index_initialize(&pool->index, nodes, gpus_per_node);
    pool->free_mask = memory_zero((size_t)nodes, sizeof *pool->free_mask);
    for (int32_t node = 0; node < nodes; node++) {
        pool->free_mask[node] = all_gpus(gpus_per_node);
    }
    ledger_initialize(&pool->ledger, pool->gpus);
    time_tally_initialize(&pool->memory_used, 0, 0);
    time_tally_initialize(&pool->memory_wasted, 0, 0);
    time_tally_initialize(&pool->queued_jobs, 0, 0);
    time_tally_initialize(&pool->tenants, 0, 0);
    time_tally_initialize(&pool->crash_takes, 0, 0);
}

void pool_share(struct pool *pool, const struct pool_spec *spec, const struct gpu_model *gpu,
                struct device_host *host, int32_t parties, slot_rank *rank) {
    if (!slots_needed(spec)) {
        return;
    }
    pool->slots = slots_create(spec, gpu, pool, host, parties, rank);
    pool->units_per_gpu = slots_units_per_gpu(spec, gpu);
    ledger_initialize(&pool->ledger, pool->gpus * pool->units_per_gpu);
    ledger_move(&pool->ledger, 0, GPU_IDLE, GPU_STRANDED,
                (int64_t)spec->nodes * pool->slots->stranded_units);
    int32_t whole = __builtin_popcountll(pool->slots->whole_mask);
    node_index_terminate(&pool->index);
    node_index_initialize(&pool->index, spec->nodes, whole > 0 ? whole : 1);
    for (int32_t node = 0; node < spec->nodes; node++) {
        pool->free_mask[node] = pool->slots->whole_mask;
        if (whole == 0) {
            node_index_change(&pool->index, node, -1);
        }
    }
}

void pool_terminate(struct pool *pool) {
    slots_destroy(pool->slots);
    node_index_terminate(&pool->index);
    free(pool->free_mask);
}

bool pool_could_hold(const struct pool *pool, int64_t gpus, int64_t memory) {
    int64_t whole = pool->slots == NULL ? pool->gpus
                                        : (int64_t)pool->index.nodes *
                                              __builtin_popcountll(pool->slots->whole_mask);
    /* Whole nodes and one node for the remainder: exactly ceil(gpus / gpus_per_node) nodes. */
    return gpus <= whole && memory <= pool->gpu_memory;
}

/* The `count` lowest bits set in `mask`. */
static uint64_t lowest_bits(uint64_t mask, int32_t count) {
    uint64_t rest = mask;
    for (int32_t i = 0; i < count; i++) {
        rest &= rest - 1;
    }
    return mask ^ rest;
}

static void change(struct time_tally *tally, sim_time now, int64_t delta) {
    if (delta != 0) {
        time_tally_set(tally, now, tally->value + delta);
    }
}

static void block_slots(struct pool *pool, const struct piece *piece, bool blocked) {
    for (uint64_t mask = piece->mask; pool->slots != NULL && mask != 0; mask &= mask - 1) {
        slots_block_gpu(pool->slots, piece->node, __builtin_ctzll(mask), blocked);
    }
}

void pool_take(struct pool *pool, struct piece *pieces) {
    for (struct piece *piece = pieces; piece != NULL; piece = piece->next) {
        uint64_t *free_mask = &pool->free_mask[piece->node];
        assert(__builtin_popcountll(*free_mask) >= piece->gpus);
        piece->mask = lowest_bits(*free_mask, piece->gpus);
        *free_mask &= ~piece->mask;
        block_slots(pool, piece, true);
    }
}

void pool_give_back(struct pool *pool, const struct piece *pieces) {
    for (const struct piece *piece = pieces; piece != NULL; piece = piece->next) {
        uint64_t *free_mask = &pool->free_mask[piece->node];
        assert((*free_mask & piece->mask) == 0);
        *free_mask |= piece->mask;
        node_index_change(&pool->index, piece->node, piece->gpus);
        block_slots(pool, piece, false);
    }
}

static int64_t gpus_of(const struct piece *pieces) {
    int64_t gpus = 0;
    for (const struct piece *piece = pieces; piece != NULL; piece = piece->next) {
        gpus += piece->gpus;
    }
    return gpus;
}

/* GPUs come to be held, or are left (below 0). Memory is wasted only by tenants that said how much
 * they need. */
static void count_memory(struct pool *pool, int64_t gpus, int64_t memory, sim_time now) {
    change(&pool->memory_used, now, gpus * memory);
    change(&pool->memory_wasted, now, memory > 0 ? gpus * (pool->gpu_memory - memory) : 0);
}

void pool_occupy(struct pool *pool, struct piece *pieces, int64_t memory, sim_time now) {
    int64_t gpus = gpus_of(pieces);
    pool_take(pool, pieces);
    ledger_move(&pool->ledger, now, GPU_IDLE, GPU_USEFUL, gpus * pool->units_per_gpu);
    count_memory(pool, gpus, memory, now);
}

void pool_vacate(struct pool *pool, const struct piece *pieces, int64_t memory, sim_time now) {
    int64_t gpus = gpus_of(pieces);
    pool_give_back(pool, pieces);
    ledger_move(&pool->ledger, now, GPU_USEFUL, GPU_IDLE, gpus * pool->units_per_gpu);
    count_memory(pool, -gpus, memory, now);
}

void pool_change_memory(struct pool *pool, int64_t bytes, ramp_amount growth, ramp_amount grown,
                        bool from_waste, sim_time now) {
    change(&pool->memory_used, now, bytes);
    if (growth != 0) {
        ramp_tally_change(&pool->memory_grown, now, growth, grown);
    }
    if (from_waste) {
        change(&pool->memory_wasted, now, -bytes);
        if (growth != 0) {
            ramp_tally_change(&pool->memory_refilled, now, growth, grown);
        }
    }
}

/* A GPU with its first tenant is no longer one that a gang could take; MIG's never were. */
static void count_gpu(struct pool *pool, const struct device *device, int32_t delta) {
    if (device->profile < 0) {
        node_index_change(&pool->index, device->node, delta);
        pool->free_mask[device->node] ^= UINT64_C(1) << device->gpu;
    }
}

/* One of `count` tenants of a device has come (1), or goes (-1). Of n whom a crash takes down
 * together each takes n, which are n x n. */
static void count_tenants(struct pool *pool, int32_t count, bool crash_takes_all, int sign,
                          sim_time now) {
    int64_t takes = crash_takes_all ? 2 * (int64_t)count - 1 : 1;
    change(&pool->tenants, now, sign);
    change(&pool->crash_takes, now, sign * takes);
}

void pool_seat(struct pool *pool, struct device *device, struct tenant *tenant, sim_time now) {
    slots_take(pool->slots, device, tenant, now);
    count_tenants(pool, device->tenant_count, slots_mode(pool->slots, device)->crash_takes_all, 1,
                  now);
    if (device->tenant_count == 1) {
        count_gpu(pool, device, -1);
    }
}

void pool_unseat(struct pool *pool, struct tenant *tenant, sim_time now) {
    struct device *device = tenant->device;
    count_tenants(pool, device->tenant_count, slots_mode(pool->slots, device)->crash_takes_all, -1,
                  now);
    slots_release(pool->slots, tenant, now);
    if (device->tenant_count == 0) {
        count_gpu(pool, device, 1);
    }
}

void pool_seat_alone(struct pool *pool, const struct piece *piece, struct device_host *host,
                     struct device *device, struct tenant *tenant, sim_time now) {
    *device = (struct device){.host = host,
                              .pool = pool,
                              .node = piece->node,
                              .gpu = __builtin_ctzll(piece->mask),
                              .profile = -1,
                              .units = pool->units_per_gpu,
                              .sm_share = 1,
                              .memory = pool->gpu_memory,
                              .thread_percentage = 1,
                              .slots = 1};
    device_initialize(device, &engine_alone, NULL);
    device_host_add(host, device);
    device_seat(device, tenant, now);
    count_tenants(pool, 1, false, 1, now);
}

void pool_unseat_alone(struct pool *pool, struct tenant *tenant, sim_time now) {
    struct device *device = tenant->device;
    count_tenants(pool, 1, false, -1, now);
    device_unseat(tenant, now);
    device_host_remove(device->host, device);
    device_terminate(device);
}

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
    for (int i = 0; i < GPU_CATEGORY_COUNT; i++) {
        measure.category[i] = ledger_integral(&pool->ledger, (enum gpu_category)i, now);
    }
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
    for (int i = 0; i < GPU_CATEGORY_COUNT; i++) {
        between.category[i] = to->category[i] - from->category[i];
    }
    return between;
}

gpu_time pool_measure_held(const struct pool_measure *measure) {
    gpu_time held = 0;
    for (int i = 0; i < GPU_CATEGORY_COUNT; i++) {
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
    return free_gpus == pool->index.free_total &&
           (pool->slots != NULL || free_gpus == pool->ledger.now_in[GPU_IDLE]);
}
