#include "sim/cluster/pool.h"

#include <assert.h>
#include <stdlib.h>

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
    *pool = (struct pool){.name = name, .gpu_memory = gpu_memory};
    pool->gpus = (int64_t)nodes * gpus_per_node;
    node_index_initialize(&pool->index, nodes, gpus_per_node);
    pool->free_mask = memory_zero((size_t)nodes, sizeof *pool->free_mask);
    for (int32_t node = 0; node < nodes; node++) {
        pool->free_mask[node] = all_gpus(gpus_per_node);
    }
    ledger_initialize(&pool->ledger, pool->gpus);
    time_tally_initialize(&pool->memory_used, 0, 0);
    time_tally_initialize(&pool->queued_jobs, 0, 0);
}

void pool_terminate(struct pool *pool) {
    node_index_terminate(&pool->index);
    free(pool->free_mask);
}

bool pool_could_hold(const struct pool *pool, int64_t gpus, int64_t memory) {
    /* Whole nodes and one node for the remainder: exactly ceil(gpus / gpus_per_node) nodes. */
    return gpus <= pool->gpus && memory <= pool->gpu_memory;
}

/* The `count` lowest bits set in `mask`. */
static uint64_t lowest_bits(uint64_t mask, int32_t count) {
    uint64_t rest = mask;
    for (int32_t i = 0; i < count; i++) {
        rest &= rest - 1;
    }
    return mask ^ rest;
}

static void change_memory(struct pool *pool, sim_time now, int64_t delta) {
    if (delta != 0) {
        time_tally_set(&pool->memory_used, now, pool->memory_used.value + delta);
    }
}

void pool_occupy(struct pool *pool, struct piece *pieces, int64_t memory, sim_time now) {
    int64_t gpus = 0;
    for (struct piece *piece = pieces; piece != NULL; piece = piece->next) {
        uint64_t *free_mask = &pool->free_mask[piece->node];
        assert(__builtin_popcountll(*free_mask) >= piece->gpus);
        piece->mask = lowest_bits(*free_mask, piece->gpus);
        *free_mask &= ~piece->mask;
        gpus += piece->gpus;
    }
    ledger_move(&pool->ledger, now, GPU_IDLE, GPU_USEFUL, gpus);
    change_memory(pool, now, gpus * memory);
}

void pool_vacate(struct pool *pool, const struct piece *pieces, int64_t memory, sim_time now) {
    int64_t gpus = 0;
    for (const struct piece *piece = pieces; piece != NULL; piece = piece->next) {
        uint64_t *free_mask = &pool->free_mask[piece->node];
        assert((*free_mask & piece->mask) == 0);
        *free_mask |= piece->mask;
        node_index_change(&pool->index, piece->node, piece->gpus);
        gpus += piece->gpus;
    }
    ledger_move(&pool->ledger, now, GPU_USEFUL, GPU_IDLE, gpus);
    change_memory(pool, now, -gpus * memory);
}

struct pool_measure pool_measure_at(struct pool *pool, sim_time now) {
    struct pool_measure measure = {
        .memory = time_tally_integral(&pool->memory_used, now),
        .queued_jobs = time_tally_integral(&pool->queued_jobs, now),
    };
    ledger_advance(&pool->ledger, now);
    for (int i = 0; i < GPU_CATEGORY_COUNT; i++) {
        measure.category[i] = pool->ledger.integral[i];
    }
    return measure;
}

struct pool_measure pool_measure_between(const struct pool_measure *from,
                                         const struct pool_measure *to) {
    struct pool_measure between = {.memory = to->memory - from->memory,
                                   .queued_jobs = to->queued_jobs - from->queued_jobs};
    for (int i = 0; i < GPU_CATEGORY_COUNT; i++) {
        between.category[i] = to->category[i] - from->category[i];
    }
    return between;
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
    return free_gpus == pool->index.free_total && free_gpus == pool->ledger.now_in[GPU_IDLE];
}
