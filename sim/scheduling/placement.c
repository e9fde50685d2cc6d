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

const struct placement_rule placement_rules[] = {
    {{.name = "first_fit", .summary = "the first node, in order, with enough free GPUs"},
     first_fit},
    {{.name = "best_fit", .summary = "the node that is left with the fewest free GPUs"}, best_fit},
    {{.name = "worst_fit", .summary = "the node that is left with the most free GPUs"}, worst_fit},
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
