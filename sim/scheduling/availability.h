/* When the nodes of a pool will have how many GPUs free, if running jobs end as estimated: what a
 * reservation asks. For each node and each number n of GPUs it keeps the first moment at which the
 * node has n free; a tournament tree over the nodes holds the minima, so the pool's first moment is
 * at its root.
 *
 * A start or an end costs O(GPUs per node x log nodes), however many jobs run. */
#ifndef SIM_SCHEDULING_AVAILABILITY_H
#define SIM_SCHEDULING_AVAILABILITY_H

#include <stddef.h>
#include <stdint.h>

#include "sim/cluster/node_index.h"
#include "sim/kernel/sim_time.h"

/* GPUs of one node that are held until an estimated end. */
struct held {
    sim_time end;
    int32_t gpus;
    struct host_share host; /* with them */
};

struct availability {
    const struct node_index *index; /* borrowed: what is free now */
    int32_t gpus_per_node;
    size_t leaf_count;      /* a power of two, >= nodes */
    struct held *held;      /* by node: up to gpus_per_node entries, by end */
    uint8_t *held_count;    /* by node */
    sim_time *first_moment; /* by tree node and n - 1: 0 is now, SIM_TIME_NEVER not at all; [1] the
                               root, the children of [i] are [2i] and [2i + 1] */
    /* Scratch of the searches. */
    struct frontier_entry *frontier;
    size_t frontier_capacity;
    int32_t *nodes;
    size_t node_capacity;
};

/* A pool whose GPUs are all free. */
void availability_initialize(struct availability *availability, const struct node_index *index);
void availability_terminate(struct availability *availability);

/* A job begins or ends to hold GPUs of a node, up to an estimated end; the index has been changed
 * already. */
void availability_hold(struct availability *availability, int32_t node, const struct held *what);
void availability_release(struct availability *availability, int32_t node, const struct held *what);

/* GPUs of a node are out of use, or no longer. */
void availability_look_again(struct availability *availability, int32_t node);

/* The first moment at which a gang fits, on one node or on whole ones and one for the remainder;
 * moments in the past mean now. O(1) for one node, O(k log k) for k nodes. */
sim_time availability_first_fit(struct availability *availability, int32_t gpus);

/* The nodes that can take part in placing the gang at `moment`: *count of them, valid until the
 * next call. Other nodes have too few GPUs free then. */
const int32_t *availability_nodes(struct availability *availability, int32_t gpus, sim_time moment,
                                  size_t *count);

/* What is held on a node, by estimated end. */
const struct held *availability_held(const struct availability *availability, int32_t node,
                                     size_t *count);
/* A lower bound of when a node has `gpus` GPUs free; [at] is a node of the tree. */
static inline sim_time availability_bound(const struct availability *availability, size_t at,
                                          int32_t gpus) {
    return availability->first_moment[at * (size_t)availability->gpus_per_node + (size_t)gpus - 1];
}

/* How many GPUs of a node running jobs will have given back by `moment`, for others to take. */
int32_t availability_returned(const struct availability *availability, int32_t node,
                              sim_time moment);

#endif
