/* A pool at run time: nodes of equal GPUs, which GPUs of each are free, and the pool's ledger. */
#ifndef SIM_CLUSTER_POOL_H
#define SIM_CLUSTER_POOL_H

#include <stdint.h>

#include "sim/cluster/ledger.h"
#include "sim/cluster/node_index.h"
#include "sim/kernel/sim_time.h"
#include "sim/kernel/tally.h"

/* What a gang holds on one node. A gang of several nodes is a list: the first piece belongs to the
 * job, the others come from a stock. */
struct piece {
    struct piece *next;
    int32_t node;
    int32_t gpus;
    uint64_t mask; /* which GPUs of the node; 0 while only planned */
};

/* Pieces are used anew rather than freed: nothing is allocated per job once warm. */
struct piece_stock {
    struct piece *free_list;
    struct piece_block *blocks;
};

struct piece *piece_take(struct piece_stock *stock);
/* Returns what is listed behind the first piece. */
void piece_return_rest(struct piece_stock *stock, struct piece *first);
void piece_stock_clear(struct piece_stock *stock);

struct pool {
    const char *name;
    int64_t gpus;
    int64_t gpu_memory; /* bytes of one GPU */
    struct node_index index;
    uint64_t *free_mask; /* by node: its free GPUs */
    struct ledger ledger;
    struct time_tally memory_used; /* bytes */
    struct time_tally queued_jobs; /* waiting jobs that may run here */
};

void pool_initialize(struct pool *pool, const char *name, int32_t nodes, int32_t gpus_per_node,
                     int64_t gpu_memory);
void pool_terminate(struct pool *pool);

/* Whether an empty pool could hold a gang of this many GPUs with this much memory on each. */
bool pool_could_hold(const struct pool *pool, int64_t gpus, int64_t memory);

/* Gives the planned pieces (already counted in the index) their GPUs, lowest first, at `now`. */
void pool_occupy(struct pool *pool, struct piece *pieces, int64_t memory, sim_time now);
/* Frees the pieces' GPUs, in the index too. */
void pool_vacate(struct pool *pool, const struct piece *pieces, int64_t memory, sim_time now);

/* The integrals of a pool from 0 to a moment; the difference of two tells what lies between. */
struct pool_measure {
    gpu_time category[GPU_CATEGORY_COUNT]; /* GPU-ns */
    gpu_time memory;                       /* byte-ns */
    gpu_time queued_jobs;                  /* job-ns */
};

struct pool_measure pool_measure_at(struct pool *pool, sim_time now);
struct pool_measure pool_measure_between(const struct pool_measure *from,
                                         const struct pool_measure *to);

/* Programmer's check, O(nodes): masks, index and ledger tell the same story. */
bool pool_is_consistent(const struct pool *pool);

#endif
