#include "sim/scheduling/placement.h"

#include <stddef.h>

#include "sim/scheduling/fragmentation.h"

static int32_t first_fit(const struct node_index *index, const struct node_ask *ask) {
    int32_t first = -1;
    uint64_t levels = node_index_levels_from(index, ask->gpus);
    for (; levels != 0; levels &= levels - 1) {
        int32_t node = node_index_first(index, node_index_lowest_level(levels), &ask->host);
        if (first < 0 || (node >= 0 && node < first)) {
            first = node;
        }
    }
    return first;
}

static int32_t best_fit(const struct node_index *index, const struct node_ask *ask) {
    int32_t node = -1;
    uint64_t levels = node_index_levels_from(index, ask->gpus);
    for (; levels != 0 && node < 0; levels &= levels - 1) {
        node = node_index_first(index, node_index_lowest_level(levels), &ask->host);
    }
    return node;
}

static int32_t worst_fit(const struct node_index *index, const struct node_ask *ask) {
    int32_t node = -1;
    uint64_t levels = node_index_levels_from(index, ask->gpus);
    while (levels != 0 && node < 0) {
        int32_t level = node_index_highest_level(levels);
        node = node_index_first(index, level, &ask->host);
        levels &= ~(UINT64_C(1) << (level - 1));
    }
    return node;
}

/* The k-th, from 0, of the nodes with enough GPUs and room on their hosts, level by level. */
static int32_t nth_with_room(const struct node_index *index, const struct node_ask *ask,
                             int64_t k) {
    uint64_t levels = node_index_levels_from(index, ask->gpus);
    for (; levels != 0; levels &= levels - 1) {
        int32_t level = node_index_lowest_level(levels);
        int32_t node = node_index_first(index, level, &ask->host);
        while (node >= 0 && k-- > 0) {
            node = node_index_next(index, level, &ask->host, node);
        }
        if (node >= 0) {
            return node;
        }
    }
    return -1;
}

static int64_t count_with_room(const struct node_index *index, const struct node_ask *ask) {
    int64_t count = 0;
    uint64_t levels = node_index_levels_from(index, ask->gpus);
    for (; levels != 0; levels &= levels - 1) {
        int32_t level = node_index_lowest_level(levels);
        int32_t node = node_index_first(index, level, &ask->host);
        for (; node >= 0; node = node_index_next(index, level, &ask->host, node)) {
            count++;
        }
    }
    return count;
}

/* Any of the nodes that have enough, each as likely as the others. */
static int32_t by_lot(const struct node_index *index, const struct node_ask *ask) {
    uint64_t levels = node_index_levels_from(index, ask->gpus);
    if (index->free_host != NULL) {
        int64_t count = count_with_room(index, ask);
        return count == 0 ? -1 : nth_with_room(index, ask, place_draws_choose(index->draws, count));
    }
    int64_t count = 0;
    for (uint64_t rest = levels; rest != 0; rest &= rest - 1) {
        count += index->node_count[node_index_lowest_level(rest)];
    }
    if (count == 0) {
        return -1;
    }
    int64_t k = place_draws_choose(index->draws, count);
    while (k >= index->node_count[node_index_lowest_level(levels)]) {
        k -= index->node_count[node_index_lowest_level(levels)];
        levels &= levels - 1;
    }
    return index_set_at(&index->by_free[node_index_lowest_level(levels)], (int32_t)k);
}

/* The fragmentation gradient (Weng et al., Beware of Fragmentation: Scheduling GPU-Sharing
 * Workloads with Fragmentation Gradient Descent, USENIX ATC 2023): the node whose free GPUs become
 * useless, on the average over what was asked for so far, by the fewest. f free GPUs are useless to
 * gangs that ask for more on one node: F(f) = f x (how many did). */
static int32_t fragmentation(const struct node_index *index, const struct node_ask *ask) {
    int64_t useless[GPUS_PER_NODE_LIMIT + 1];
    int64_t asked_in_all = 0;
    int64_t asked_for_more = 0;
    for (int32_t f = 1; f <= index->gpus_per_node; f++) {
        asked_in_all += index->asked[f];
    }
    for (int32_t f = index->gpus_per_node; f >= 0; f--) {
        useless[f] = f * asked_for_more;
        asked_for_more += asked_in_all > 0 ? index->asked[f] : 1;
    }
    int32_t best = -1;
    int64_t least = 0;
    uint64_t levels = node_index_levels_from(index, ask->gpus);
    for (; levels != 0; levels &= levels - 1) {
        int32_t level = node_index_lowest_level(levels);
        int32_t node = node_index_first(index, level, &ask->host);
        int64_t growth = useless[level - ask->gpus] - useless[level];
        if (node >= 0 && (best < 0 || growth < least || (growth == least && node < best))) {
            best = node;
            least = growth;
        }
    }
    return best;
}

/* Slots: first by the node's free ones, then by the GPU's. */
static int64_t fewest_free(int32_t on_node, int32_t on_gpu) {
    return ((int64_t)on_node << 32) + on_gpu;
}

static int64_t most_free(int32_t on_node, int32_t on_gpu) {
    return -fewest_free(on_node, on_gpu);
}

/* GPUs that MIG cuts on demand: by the compute slices that a place leaves free. */
static int64_t fewest_slices(const struct cut_state *before, const struct cut_state *after,
                             const int64_t *weights, size_t profile_count) {
    (void)before;
    (void)weights;
    (void)profile_count;
    return after->free_slices;
}

static int64_t most_slices(const struct cut_state *before, const struct cut_state *after,
                           const int64_t *weights, size_t profile_count) {
    return -fewest_slices(before, after, weights, profile_count);
}

/* The gradient, of free slices beyond those of as many instances of a profile as are possible. */
static int64_t fragmentation_of_slices(const struct cut_state *before,
                                       const struct cut_state *after, const int64_t *weights,
                                       size_t profile_count) {
    int64_t growth = 0;
    for (size_t i = 0; i < profile_count; i++) {
        growth += weights[i] * (after->unusable[i] - before->unusable[i]);
    }
    return growth;
}

const struct placement_rule placement_rules[] = {
    {{.name = "first_fit", .summary = "the first node, in order, with enough free GPUs"},
     first_fit,
     NULL,
     NULL,
     NULL,
     false},
    {{.name = "best_fit", .summary = "the node that is left with the fewest free GPUs"},
     best_fit,
     fewest_free,
     NULL,
     fewest_slices,
     false},
    {{.name = "worst_fit", .summary = "the node that is left with the most free GPUs"},
     worst_fit,
     most_free,
     NULL,
     most_slices,
     false},
    {{.name = "random", .summary = "any node with enough free GPUs, each as likely as the others"},
     by_lot,
     NULL,
     NULL,
     NULL,
     true},
    {{.name = "fragmentation",
      .summary = "where the least of what stays free becomes useless to the requests so far"},
     fragmentation,
     fewest_free,
     fragmentation_growth,
     fragmentation_of_slices,
     false},
};
const size_t placement_rule_count = sizeof placement_rules / sizeof placement_rules[0];
