/* The nodes of a pool by their number of free GPUs: what placement rules look at. Counts only, so
 * that a reservation can try a future state on it and take it back. */
#ifndef SIM_CLUSTER_NODE_INDEX_H
#define SIM_CLUSTER_NODE_INDEX_H

#include <stdint.h>

#include "sim/cluster/index_set.h"

enum { GPUS_PER_NODE_LIMIT = 64 };

struct node_index {
    int32_t nodes;
    int32_t gpus_per_node;
    int64_t free_total;
    uint8_t *free_gpus;        /* by node */
    struct index_set *by_free; /* by_free[f]: the nodes with exactly f GPUs free */
    int32_t *node_count;       /* how many those are */
    uint64_t levels;           /* bit f - 1 is set if some node has exactly f > 0 free */
    int64_t *asked; /* by GPUs on a node: gangs asked for so far; larger ones as whole nodes */
};

/* All GPUs free. 1 <= gpus_per_node <= GPUS_PER_NODE_LIMIT. */
void node_index_initialize(struct node_index *index, int32_t nodes, int32_t gpus_per_node);
void node_index_terminate(struct node_index *index);

/* Changes a node's free GPUs by delta. */
void node_index_change(struct node_index *index, int32_t node, int32_t delta);

/* A gang of this many GPUs is asked for. */
static inline void node_index_note_ask(struct node_index *index, int32_t gpus) {
    index->asked[gpus < index->gpus_per_node ? gpus : index->gpus_per_node]++;
}

/* The levels that hold nodes with at least `gpus` >= 1 free, as bits (see levels). */
static inline uint64_t node_index_levels_from(const struct node_index *index, int32_t gpus) {
    return index->levels & (UINT64_MAX << (gpus - 1));
}

/* The first node with exactly `free_gpus` free; -1 if there is none. */
static inline int32_t node_index_first(const struct node_index *index, int32_t free_gpus) {
    return index_set_first(&index->by_free[free_gpus]);
}

#endif
