/* What a job on whole GPUs asks of a pool. */
#ifndef SIM_CLUSTER_GANG_H
#define SIM_CLUSTER_GANG_H

#include <math.h>
#include <stdint.h>

#include "scenarios/scenario.h"

/* CPUs and memory of a node that go with GPUs. */
struct host_share {
    int64_t cpus;   /* thousandths of one */
    int64_t memory; /* bytes */
};

static inline int64_t host_cpus(double cpus) {
    return (int64_t)llround(cpus * 1000);
}

static inline struct host_share host_share_times(struct host_share each, int32_t gpus) {
    return (struct host_share){each.cpus * gpus, each.memory * gpus};
}

static inline bool host_share_fits(const struct host_share *ask, const struct host_share *room) {
    return ask->cpus <= room->cpus && ask->memory <= room->memory;
}

struct gang {
    int32_t gpus;
    enum gang_span span;    /* how it may be spread over nodes */
    struct host_share each; /* with each of its GPUs */
};

/* On one node. */
struct node_ask {
    int32_t gpus; /* 1 to GPUs per node */
    struct host_share host;
};

/* How many of its GPUs a gang that takes whole nodes and one for the remainder has on the node that
 * is next while so many are left. */
static inline int32_t gang_piece(const struct gang *gang, int32_t left, int32_t gpus_per_node) {
    bool all = gang->span == SPAN_WHOLE_NODES || left > gpus_per_node;
    return all ? gpus_per_node : left;
}

/* The GPUs that it holds in all: with span `whole_nodes`, perhaps more than it asks for. */
static inline int32_t gang_held(const struct gang *gang, int32_t gpus_per_node) {
    if (gang->span != SPAN_WHOLE_NODES) {
        return gang->gpus;
    }
    return (gang->gpus + gpus_per_node - 1) / gpus_per_node * gpus_per_node;
}

#endif
