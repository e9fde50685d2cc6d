/* The nodes of a pool by their number of free GPUs: what placement rules look at. Counts only, so
 * that a reservation can try a future state on it and take it back. Where hosts are limited, it
 * also knows their free CPUs and memory; nodes are not sorted by these, so a search passes over
 * those that have the GPUs but not the rest. */
#ifndef SIM_CLUSTER_NODE_INDEX_H
#define SIM_CLUSTER_NODE_INDEX_H

#include <stdint.h>

#include "sim/cluster/gang.h"
#include "sim/cluster/index_set.h"
#include "sim/cluster/place_draws.h"

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
    struct host_share host;       /* of one node, nothing used */
    struct host_share *free_host; /* by node; NULL: hosts are not limited */
    struct place_draws *draws;    /* NULL: no rule chooses by lot */
    uint8_t *out_gpus; /* by node: whole GPUs that nobody new gets; NULL: there are never */
};

/* All GPUs free. 1 <= gpus_per_node <= GPUS_PER_NODE_LIMIT. */
void node_index_initialize(struct node_index *index, int32_t nodes, int32_t gpus_per_node);
void node_index_terminate(struct node_index *index);
/* Limits what each node's host has. */
void node_index_limit_hosts(struct node_index *index, struct host_share host);
/* Lets a rule choose by lot, with draws that the index owns. */
void node_index_draw(struct node_index *index, uint64_t seed, uint64_t replication,
                     const char *pool);

/* Changes a node's free GPUs by delta. */
void node_index_change(struct node_index *index, int32_t node, int32_t delta);

/* GPUs of a node that are in use, or could be. */
static inline int32_t node_index_usable(const struct node_index *index, int32_t node) {
    return index->gpus_per_node - (index->out_gpus == NULL ? 0 : index->out_gpus[node]);
}

/* A share of a node's host is taken, or (sign -1) given back. */
void node_index_use_host(struct node_index *index, int32_t node, const struct host_share *share,
                         int sign);

/* Whether a node's host has room. */
static inline bool node_index_has_room(const struct node_index *index, int32_t node,
                                       const struct host_share *share) {
    return index->free_host == NULL || host_share_fits(share, &index->free_host[node]);
}

/* What a gang asks of a node for this many of its GPUs: all of the host where it takes whole nodes.
 */
static inline struct node_ask node_index_ask(const struct node_index *index,
                                             const struct gang *gang, int32_t gpus) {
    return (struct node_ask){
        .gpus = gpus,
        .host = gang->span == SPAN_WHOLE_NODES ? index->host : host_share_times(gang->each, gpus)};
}

/* A gang of this many GPUs is asked for. Returns how many of a node it counts as. */
static inline int32_t node_index_note_ask(struct node_index *index, int32_t gpus) {
    int32_t on_node = gpus < index->gpus_per_node ? gpus : index->gpus_per_node;
    index->asked[on_node]++;
    return on_node;
}

/* The levels that hold nodes with at least `gpus` >= 1 free, as bits (see levels). */
static inline uint64_t node_index_levels_from(const struct node_index *index, int32_t gpus) {
    return index->levels & (UINT64_MAX << (gpus - 1));
}

/* Of levels as bits, at least one of them. */
static inline int32_t node_index_lowest_level(uint64_t levels) {
    return __builtin_ctzll(levels) + 1;
}
static inline int32_t node_index_highest_level(uint64_t levels) {
    return 64 - __builtin_clzll(levels);
}

/* The first node with exactly `free_gpus` free and room on its host, after another (-1: of all); -1
 * if there is none. O(1) for each node passed over. */
static inline int32_t node_index_next(const struct node_index *index, int32_t free_gpus,
                                      const struct host_share *host, int32_t after) {
    const struct index_set *set = &index->by_free[free_gpus];
    int32_t node = after < 0 ? index_set_first(set) : index_set_next(set, after);
    while (node >= 0 && !node_index_has_room(index, node, host)) {
        node = index_set_next(set, node);
    }
    return node;
}
static inline int32_t node_index_first(const struct node_index *index, int32_t free_gpus,
                                       const struct host_share *host) {
    return node_index_next(index, free_gpus, host, -1);
}

#endif
