#include "sim/scheduling/placement.h"

#include <assert.h>
#include <stddef.h>

static int32_t lowest_level(uint64_t levels) {
    return __builtin_ctzll(levels) + 1;
}

static int32_t first_fit(const struct node_index *index, int32_t gpus) {
    int32_t first = -1;
    uint64_t levels = node_index_levels_from(index, gpus);
    for (; levels != 0; levels &= levels - 1) {
        int32_t node = node_index_first(index, lowest_level(levels));
        if (first < 0 || node < first) {
            first = node;
        }
    }
    return first;
}

static int32_t best_fit(const struct node_index *index, int32_t gpus) {
    uint64_t levels = node_index_levels_from(index, gpus);
    return levels == 0 ? -1 : node_index_first(index, lowest_level(levels));
}

static int32_t worst_fit(const struct node_index *index, int32_t gpus) {
    uint64_t levels = node_index_levels_from(index, gpus);
    return levels == 0 ? -1 : node_index_first(index, 64 - __builtin_clzll(levels));
}

/* The fragmentation gradient (Weng et al., Beware of Fragmentation: Scheduling GPU-Sharing
 * Workloads with Fragmentation Gradient Descent, USENIX ATC 2023): the node whose free GPUs become
 * useless, on the average over what was asked for so far, by the fewest. f free GPUs are useless to
 * gangs that ask for more on one node: F(f) = f x (how many did). */
static int32_t fragmentation(const struct node_index *index, int32_t gpus) {
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
    uint64_t levels = node_index_levels_from(index, gpus);
    for (; levels != 0; levels &= levels - 1) {
        int32_t level = lowest_level(levels);
        int32_t node = node_index_first(index, level);
        int64_t growth = useless[level - gpus] - useless[level];
        if (best < 0 || growth < least || (growth == least && node < best)) {
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
     NULL},
    {{.name = "best_fit", .summary = "the node that is left with the fewest free GPUs"},
     best_fit,
     fewest_free,
     fewest_slices},
    {{.name = "worst_fit", .summary = "the node that is left with the most free GPUs"},
     worst_fit,
     most_free,
     most_slices},
    {{.name = "fragmentation",
      .summary =
          "where the least of what stays free becomes useless to the sizes asked for so far"},
     fragmentation,
     fewest_free,
     fragmentation_of_slices},
};
const size_t placement_rule_count = sizeof placement_rules / sizeof placement_rules[0];

bool placement_fits(const struct node_index *index, int32_t gpus) {
    int32_t per_node = index->gpus_per_node;
    if (gpus <= per_node) {
        return node_index_levels_from(index, gpus) != 0;
    }
    int32_t whole = gpus / per_node;
    int32_t remainder = gpus % per_node;
    int32_t empty_nodes = index->node_count[per_node];
    if (empty_nodes < whole) {
        return false;
    }
    if (remainder == 0 || empty_nodes > whole) {
        return true;
    }
    uint64_t partly_free = index->levels & ~(UINT64_C(1) << (per_node - 1));
    return (partly_free & (UINT64_MAX << (remainder - 1))) != 0;
}

static void plan_piece(const struct placement_rule *rule, struct node_index *index, int32_t gpus,
                       struct piece *piece) {
    *piece = (struct piece){.node = rule->pick(index, gpus), .gpus = gpus};
    assert(piece->node >= 0);
    node_index_change(index, piece->node, -gpus);
}

bool placement_plan(const struct placement_rule *rule, struct node_index *index, int32_t gpus,
                    struct piece_stock *stock, struct piece *first) {
    if (!placement_fits(index, gpus)) {
        return false;
    }
    int32_t per_node = index->gpus_per_node;
    struct piece *piece = first;
    plan_piece(rule, index, gpus < per_node ? gpus : per_node, piece);
    for (int32_t left = gpus - per_node; left > 0; left -= per_node) {
        piece->next = piece_take(stock);
        piece = piece->next;
        plan_piece(rule, index, left < per_node ? left : per_node, piece);
    }
    return true;
}

void placement_unplan(struct node_index *index, struct piece *first, struct piece_stock *stock) {
    for (const struct piece *piece = first; piece != NULL; piece = piece->next) {
        node_index_change(index, piece->node, piece->gpus);
    }
    piece_return_rest(stock, first);
}
