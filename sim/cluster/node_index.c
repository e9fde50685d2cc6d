#include "sim/cluster/node_index.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

#include "sim/kernel/memory.h"

void node_index_initialize(struct node_index *index, int32_t nodes, int32_t gpus_per_node) {
    assert(gpus_per_node >= 1 && gpus_per_node <= GPUS_PER_NODE_LIMIT);
    size_t level_count = (size_t)gpus_per_node + 1;
    index->nodes = nodes;
    index->gpus_per_node = gpus_per_node;
    index->free_total = (int64_t)nodes * gpus_per_node;
    index->free_gpus = memory_zero((size_t)nodes, sizeof *index->free_gpus);
    index->by_free = memory_zero(level_count, sizeof *index->by_free);
    index->node_count = memory_zero(level_count, sizeof *index->node_count);
    index->asked = memory_zero(level_count, sizeof *index->asked);
    for (size_t f = 0; f < level_count; f++) {
        index_set_initialize(&index->by_free[f], nodes);
    }
    for (int32_t node = 0; node < nodes; node++) {
        index->free_gpus[node] = (uint8_t)gpus_per_node;
        index_set_add(&index->by_free[gpus_per_node], node);
    }
    index->node_count[gpus_per_node] = nodes;
    index->levels = UINT64_C(1) << (gpus_per_node - 1);
    index->host = (struct host_share){INT64_MAX, INT64_MAX};
    index->free_host = NULL;
    index->draws = NULL;
    index->out_gpus = NULL;
}

void node_index_limit_hosts(struct node_index *index, struct host_share host) {
    index->host = host;
    index->free_host = memory_zero((size_t)index->nodes, sizeof *index->free_host);
    for (int32_t node = 0; node < index->nodes; node++) {
        index->free_host[node] = host;
    }
}

void node_index_draw(struct node_index *index, uint64_t seed, uint64_t replication,
                     const char *pool) {
    char now[160];
    char ahead[160];
    snprintf(now, sizeof now, "placement of pool %s", pool);
    snprintf(ahead, sizeof ahead, "reservations of pool %s", pool);
    index->draws = memory_zero(1, sizeof *index->draws);
    place_draws_initialize(index->draws, seed, replication, now, ahead);
    for (int32_t f = 0; f <= index->gpus_per_node; f++) {
        index_set_count_members(&index->by_free[f]);
    }
}

void node_index_terminate(struct node_index *index) {
    for (int32_t f = 0; f <= index->gpus_per_node; f++) {
        index_set_terminate(&index->by_free[f]);
    }
    free(index->by_free);
    free(index->node_count);
    free(index->asked);
    free(index->free_gpus);
    free(index->free_host);
    free(index->draws);
    free(index->out_gpus);
}

static void mark_level(struct node_index *index, int32_t free_gpus) {
    if (free_gpus == 0) {
        return;
    }
    uint64_t bit = UINT64_C(1) << (free_gpus - 1);
    index->levels = index->node_count[free_gpus] > 0 ? index->levels | bit : index->levels & ~bit;
}

void node_index_change(struct node_index *index, int32_t node, int32_t delta) {
    int32_t before = index->free_gpus[node];
    int32_t after = before + delta;
    assert(after >= 0 && after <= index->gpus_per_node);
    index_set_remove(&index->by_free[before], node);
    index_set_add(&index->by_free[after], node);
    index->node_count[before]--;
    index->node_count[after]++;
    mark_level(index, before);
    mark_level(index, after);
    index->free_gpus[node] = (uint8_t)after;
    index->free_total += delta;
}

void node_index_use_host(struct node_index *index, int32_t node, const struct host_share *share,
                         int sign) {
    if (index->free_host != NULL) {
        index->free_host[node].cpus -= sign * share->cpus;
        index->free_host[node].memory -= sign * share->memory;
        assert(index->free_host[node].cpus >= 0 && index->free_host[node].memory >= 0);
    }
}
