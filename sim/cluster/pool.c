#include "sim/cluster/pool.h"

#include <assert.h>
#include <stdlib.h>

#include "sim/cluster/engines.h"
#include "sim/cluster/relayout.h"
#include "sim/kernel/memory.h"

static uint64_t all_gpus(int32_t gpus_per_node) {
    return UINT64_MAX >> (64 - gpus_per_node);
}

void pool_initialize(struct pool *pool, const char *name, int32_t nodes, int32_t gpus_per_node,
                     int64_t gpu_memory) {
    *pool = (struct pool){.name = name, .gpu_memory = gpu_memory, .units_per_gpu = 1};
    pool->gpus = (int64_t)nodes * gpus_per_node;
    pool->most_nodes = nodes;
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
    time_tally_initialize(&pool->host_waits, 0, 0);
}

void pool_share(struct pool *pool, const struct pool_spec *spec, const struct gpu_model *gpu,
                struct device_host *host, int32_t parties, slot_rank *rank) {
    if (!slots_needed(spec)) {
        return;
    }
    int32_t nodes = pool_node_count(spec);
    pool->slots = slots_create(spec, gpu, pool, host, parties, rank);
    pool->units_per_gpu = slots_units_per_gpu(spec, gpu);
    ledger_initialize(&pool->ledger, pool->gpus * pool->units_per_gpu);
    ledger_move(&pool->ledger, 0, GPU_IDLE, GPU_STRANDED,
                (int64_t)nodes * pool->slots->stranded_units);
    int32_t whole = __builtin_popcountll(pool->slots->whole_mask);
    int32_t most = __builtin_popcountll(pool->slots->ever_whole_mask);
    most = most > 0 ? most : 1;
    node_index_terminate(&pool->index);
    node_index_initialize(&pool->index, nodes, most);
    for (int32_t node = 0; node < nodes; node++) {
        pool->free_mask[node] = pool->slots->whole_mask;
        if (whole < most) {
            node_index_change(&pool->index, node, whole - most);
        }
    }
    if (pool->slots->relayout != NULL) {
        pool->closed_mask = memory_zero((size_t)nodes, sizeof *pool->closed_mask);
    }
}

void pool_terminate(struct pool *pool) {
    storage_terminate(&pool->storage);
    slots_destroy(pool->slots);
    node_index_terminate(&pool->index);
    free(pool->free_mask);
    free(pool->closed_mask);
    outages_destroy(pool->outages);
}

/* How many GPUs with their share of the host a node could give to one gang. */
static int64_t most_on_node(const struct pool *pool, const struct gang *gang) {
    const struct host_share *host = &pool->index.host;
    int64_t gpus = pool->slots == NULL ? pool->index.gpus_per_node
                                       : __builtin_popcountll(pool->slots->ever_whole_mask);
    if (gang->each.cpus > 0 && host->cpus / gang->each.cpus < gpus) {
        gpus = host->cpus / gang->each.cpus;
    }
    if (gang->each.memory > 0 && host->memory / gang->each.memory < gpus) {
        gpus = host->memory / gang->each.memory;
    }
    return gpus;
}

bool pool_could_hold(const struct pool *pool, const struct gang *gang, int64_t memory) {
    int64_t per_node = pool->index.gpus_per_node;
    int64_t most = most_on_node(pool, gang);
    if (memory > pool->gpu_memory) {
        return false;
    }
    if (gang->span == SPAN_ANY) {
        return gang->gpus <= most * pool->most_nodes;
    }
    /* Whole nodes and one node for the remainder: exactly ceil(gpus / gpus_per_node) nodes. */
    int64_t largest = gang->gpus < per_node ? gang->gpus : per_node;
    int64_t nodes = gang->span == SPAN_NODE ? 1 : pool->most_nodes;
    return largest <= most && gang->gpus <= per_node * nodes;
}

double pool_gang_speed(const struct pool *pool, const struct piece *pieces) {
    const struct interconnect_spec *links = &pool->interconnect;
    if (pieces->next == NULL || links->nodes_per_rack == 0) {
        return 1;
    }
    bool one_rack = true;
    for (const struct piece *piece = pieces->next; piece != NULL; piece = piece->next) {
        one_rack =
            one_rack && piece->node / links->nodes_per_rack == pieces->node / links->nodes_per_rack;
    }
    return one_rack ? links->same_rack : links->across;
}

double pool_least_gang_speed(const struct pool *pool, const struct gang *gang) {
    const struct interconnect_spec *links = &pool->interconnect;
    bool one_node = gang->span != SPAN_ANY && gang->gpus <= pool->index.gpus_per_node;
    if (gang->gpus == 1 || one_node || links->nodes_per_rack == 0) {
        return 1;
    }
    bool one_rack = pool->index.nodes <= links->nodes_per_rack;
    return one_rack || links->same_rack < links->across ? links->same_rack : links->across;
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

static void block_slots(struct pool *pool, int32_t node, uint64_t gpus, bool blocked) {
    for (uint64_t mask = gpus; pool->slots != NULL && mask != 0; mask &= mask - 1) {
        slots_block_gpu(pool->slots, node, __builtin_ctzll(mask), blocked);
    }
}

uint64_t pool_lowest_free(const struct pool *pool, int32_t node, int32_t gpus) {
    return lowest_bits(pool->free_mask[node], gpus);
}

void pool_take(struct pool *pool, struct piece *pieces) {
    for (struct piece *piece = pieces; piece != NULL; piece = piece->next) {
        uint64_t *free_mask = &pool->free_mask[piece->node];
        assert(__builtin_popcountll(*free_mask) >= piece->gpus);
        piece->mask = pool_lowest_free(pool, piece->node, piece->gpus);
        *free_mask &= ~piece->mask;
        block_slots(pool, piece->node, piece->mask, true);
    }
}

void pool_take_named(struct pool *pool, const struct piece *pieces) {
    for (const struct piece *piece = pieces; piece != NULL; piece = piece->next) {
        assert((piece->mask & ~pool->free_mask[piece->node]) == 0);
        pool->free_mask[piece->node] &= ~piece->mask;
        block_slots(pool, piece->node, piece->mask, true);
    }
}

static uint64_t closed_gpus(const struct pool *pool, int32_t node) {
    uint64_t closed = pool->closed_mask == NULL ? 0 : pool->closed_mask[node];
    return closed | outages_closed(pool->outages, node);
}

int32_t pool_open_gpus(const struct pool *pool, const struct piece *piece) {
    return __builtin_popcountll(piece->mask & ~closed_gpus(pool, piece->node));
}

/* GPUs of a node are free again, but for those that nobody is to take. */
static void free_gpus(struct pool *pool, int32_t node, uint64_t gpus) {
    uint64_t closed = closed_gpus(pool, node);
    assert((pool->free_mask[node] & gpus) == 0);
    pool->free_mask[node] |= gpus & ~closed;
    node_index_change(&pool->index, node, __builtin_popcountll(gpus & ~closed));
    if (pool->closed_mask != NULL) {
        relayout_forget(pool->slots->relayout, node, gpus);
    }
    block_slots(pool, node, gpus, false);
    if (pool->outages != NULL) {
        outages_forget(pool->outages, node, gpus);
    }
}

void pool_give_back(struct pool *pool, const struct piece *pieces) {
    for (const struct piece *piece = pieces; piece != NULL; piece = piece->next) {
        free_gpus(pool, piece->node, piece->mask);
    }
}

static bool is_free(const struct pool *pool, int32_t node, int32_t gpu) {
    return (pool->free_mask[node] >> gpu & 1) != 0;
}

void pool_withhold_gpu(struct pool *pool, int32_t node, int32_t gpu) {
    if (is_free(pool, node, gpu)) {
        pool->free_mask[node] ^= UINT64_C(1) << gpu;
        node_index_change(&pool->index, node, -1);
    }
}

/* Whether a GPU is a whole one that nobody has. */
static bool is_unheld(const struct pool *pool, int32_t node, int32_t gpu) {
    return pool->slots != NULL ? slots_gpu_is_free(pool->slots, node, gpu)
                               : !outages_has_holder(pool->outages, node, gpu);
}

void pool_release_gpu(struct pool *pool, int32_t node, int32_t gpu) {
    bool closed = (closed_gpus(pool, node) >> gpu & 1) != 0;
    if (!closed && !is_free(pool, node, gpu) && is_unheld(pool, node, gpu)) {
        pool->free_mask[node] ^= UINT64_C(1) << gpu;
        node_index_change(&pool->index, node, 1);
    }
}

void pool_close_gpu(struct pool *pool, int32_t node, int32_t gpu) {
    pool->closed_mask[node] |= UINT64_C(1) << gpu;
    pool_withhold_gpu(pool, node, gpu);
}

void pool_open_gpu(struct pool *pool, int32_t node, int32_t gpu) {
    pool->closed_mask[node] &= ~(UINT64_C(1) << gpu);
    pool_release_gpu(pool, node, gpu);
}

static void note_aside(struct pool *pool, int32_t node, int32_t delta) {
    if (pool->outages != NULL) {
        outages_note_aside(pool->outages, node, delta);
    }
}

int32_t pool_set_aside(struct pool *pool, struct piece *piece, int32_t most) {
    uint64_t *free_mask = &pool->free_mask[piece->node];
    int32_t there = __builtin_popcountll(*free_mask);
    int32_t count = there < most ? there : most;
    uint64_t mask = lowest_bits(*free_mask, count);
    *free_mask &= ~mask;
    piece->mask |= mask;
    node_index_change(&pool->index, piece->node, -count);
    block_slots(pool, piece->node, mask, true);
    note_aside(pool, piece->node, count);
    return count;
}

void pool_take_aside(struct pool *pool, const struct piece *pieces) {
    for (const struct piece *piece = pieces; piece != NULL; piece = piece->next) {
        note_aside(pool, piece->node, -__builtin_popcountll(piece->mask));
    }
}

void pool_give_back_aside(struct pool *pool, struct piece *piece) {
    note_aside(pool, piece->node, -__builtin_popcountll(piece->mask));
    free_gpus(pool, piece->node, piece->mask);
    piece->mask = 0;
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

void pool_begin_use(struct pool *pool, const struct piece *pieces, int64_t memory, sim_time now) {
    int64_t gpus = gpus_of(pieces);
    ledger_move(&pool->ledger, now, GPU_IDLE, GPU_USEFUL, gpus * pool->units_per_gpu);
    count_memory(pool, gpus, memory, now);
    if (pool->closed_mask != NULL) {
        relayout_note_gang(pool->slots->relayout, pieces);
    }
    if (pool->outages != NULL) {
        outages_note_gang(pool->outages, pieces);
    }
}

void pool_vacate(struct pool *pool, const struct piece *pieces, int64_t memory, sim_time now) {
    int64_t gpus = gpus_of(pieces);
    pool_give_back(pool, pieces);
    ledger_move(&pool->ledger, now, GPU_USEFUL, GPU_IDLE, gpus * pool->units_per_gpu);
    count_memory(pool, -gpus, memory, now);
}

void pool_leave_idle(struct pool *pool, int32_t gpus, int64_t memory, int sign, sim_time now) {
    int64_t units = (int64_t)gpus * pool->units_per_gpu;
    if (gpus == 0) {
        return;
    }
    ledger_move(&pool->ledger, now, sign > 0 ? GPU_USEFUL : GPU_HELD_IDLE,
                sign > 0 ? GPU_HELD_IDLE : GPU_USEFUL, units);
    change(&pool->memory_used, now, -sign * gpus * memory);
    change(&pool->memory_wasted, now, sign * gpus * memory);
}

void pool_change_host_waits(struct pool *pool, int64_t units, int32_t host_share, sim_time now) {
    change(&pool->host_waits, now, units * host_share);
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
    bool closed = (closed_gpus(pool, device->node) >> device->gpu & 1) != 0;
    if (device->profile < 0 && !closed && delta != 0) {
        node_index_change(&pool->index, device->node, delta);
        pool->free_mask[device->node] ^= UINT64_C(1) << device->gpu;
    }
}

static void note_held(struct pool *pool, const struct device *device, int32_t delta) {
    if (pool->outages != NULL) {
        outages_note_held(pool->outages, device->node, delta);
    }
}

void pool_begin_cut(struct pool *pool, const struct slot_place *place, sim_time now) {
    slots_begin_cut(pool->slots, place, now);
    note_held(pool, place->device, 1);
}

void pool_end_cut(struct pool *pool, const struct device *device) {
    note_held(pool, device, -1);
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
    if (device->tenant_count == 1 && device->keeps == 0) {
        count_gpu(pool, device, -1);
        note_held(pool, device, 1);
    }
}

void pool_unseat(struct pool *pool, struct tenant *tenant, sim_time now) {
    struct device *device = tenant->device;
    count_tenants(pool, device->tenant_count, slots_mode(pool->slots, device)->crash_takes_all, -1,
                  now);
    slots_release(pool->slots, tenant, now);
    if (device->tenant_count == 0 && device->keeps == 0) {
        count_gpu(pool, device, 1);
        note_held(pool, device, -1);
    }
}

void pool_keep_memory(struct pool *pool, struct device *device, int64_t bytes, int sign,
                      sim_time now) {
    bool alone = device->tenant_count == 0 && device->keeps == (sign > 0 ? 0 : 1);
    device->keeps += sign;
    device->promised.memory += sign * bytes;
    change(&pool->memory_used, now, sign * bytes);
    if (alone) {
        count_gpu(pool, device, -sign);
        note_held(pool, device, sign);
    }
    slots_refresh(pool->slots, device);
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
    if (pool->closed_mask != NULL) {
        relayout_note_alone(pool->slots->relayout, piece, tenant);
    }
    if (pool->outages != NULL) {
        outages_note_alone(pool->outages, piece, tenant);
    }
    count_tenants(pool, 1, false, 1, now);
}

void pool_unseat_alone(struct pool *pool, struct tenant *tenant, sim_time now) {
    struct device *device = tenant->device;
    count_tenants(pool, 1, false, -1, now);
    device_unseat(tenant, now);
    device_host_remove(device->host, device);
    device_terminate(device);
}
