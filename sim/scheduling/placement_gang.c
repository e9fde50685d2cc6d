/* Gangs: whether one fits, and on which nodes its pieces go, one after the other. */
#include <assert.h>

#include "sim/scheduling/placement.h"

static bool any_node_has(const struct node_index *index, const struct node_ask *ask) {
    uint64_t levels = node_index_levels_from(index, ask->gpus);
    if (index->free_host == NULL) {
        return levels != 0;
    }
    for (; levels != 0; levels &= levels - 1) {
        if (node_index_first(index, node_index_lowest_level(levels), &ask->host) >= 0) {
            return true;
        }
    }
    return false;
}

/* How many nodes with exactly so many free GPUs have room for the host's share; no more than `most`
 * are looked for. */
static int32_t count_at_level(const struct node_index *index, int32_t level,
                              const struct host_share *host, int32_t most) {
    if (index->free_host == NULL) {
        return index->node_count[level];
    }
    int32_t count = 0;
    int32_t node = node_index_first(index, level, host);
    for (; node >= 0 && count < most; node = node_index_next(index, level, host, node)) {
        count++;
    }
    return count;
}

/* Whole nodes, and one with some of its GPUs. */
static bool whole_nodes_fit(const struct node_index *index, const struct gang *gang, int32_t whole,
                            int32_t remainder) {
    int32_t per_node = index->gpus_per_node;
    struct node_ask ask = node_index_ask(index, gang, per_node);
    int32_t empty_nodes = count_at_level(index, per_node, &ask.host, whole + 1);
    if (empty_nodes < whole) {
        return false;
    }
    if (remainder == 0 || empty_nodes > whole) {
        return true;
    }
    ask = node_index_ask(index, gang, remainder);
    uint64_t partly_free = index->levels & ~(UINT64_C(1) << (per_node - 1));
    partly_free &= UINT64_MAX << (remainder - 1);
    for (; partly_free != 0; partly_free &= partly_free - 1) {
        if (count_at_level(index, node_index_lowest_level(partly_free), &ask.host, 1) > 0) {
            return true;
        }
    }
    return false;
}

/* How many GPUs of a node with `free_gpus` the gang can have, by its host's room. */
static int32_t usable(const struct node_index *index, int32_t node, const struct gang *gang) {
    int64_t gpus = index->free_gpus[node];
    if (index->free_host != NULL) {
        const struct host_share *room = &index->free_host[node];
        int64_t by_cpus = gang->each.cpus > 0 ? room->cpus / gang->each.cpus : gpus;
        int64_t by_memory = gang->each.memory > 0 ? room->memory / gang->each.memory : gpus;
        gpus = by_cpus < gpus ? by_cpus : gpus;
        gpus = by_memory < gpus ? by_memory : gpus;
    }
    return (int32_t)gpus;
}

/* The first of the nodes of which the gang can have the most GPUs, *most; -1: of none any. Without
 * limits it is of the highest level; with them, lower levels count for as long as they could be
 * better. */
static int32_t most_usable(const struct node_index *index, const struct gang *gang, int32_t *most) {
    int32_t best = -1;
    *most = 0;
    for (uint64_t levels = index->levels; levels != 0;) {
        int32_t level = node_index_highest_level(levels);
        levels &= ~(UINT64_C(1) << (level - 1));
        if (level < *most) {
            break;
        }
        int32_t node = index_set_first(&index->by_free[level]);
        while (node >= 0) {
            int32_t gpus = usable(index, node, gang);
            if (gpus > *most || (gpus == *most && gpus > 0 && node < best)) {
                best = node;
                *most = gpus;
            }
            bool done = index->free_host == NULL;
            node = done ? -1 : index_set_next(&index->by_free[level], node);
        }
    }
    return best;
}

static bool spread_fits(const struct node_index *index, const struct gang *gang) {
    if (index->free_host == NULL) {
        return index->free_total >= gang->gpus;
    }
    int64_t gpus = 0;
    for (uint64_t levels = index->levels; levels != 0; levels &= levels - 1) {
        const struct index_set *set = &index->by_free[node_index_lowest_level(levels)];
        int32_t node = index_set_first(set);
        for (; node >= 0 && gpus < gang->gpus; node = index_set_next(set, node)) {
            gpus += usable(index, node, gang);
        }
    }
    return gpus >= gang->gpus;
}

/* Of a gang with span `any`: whether one node has what is left of it. */
static bool rest_fits(const struct node_index *index, const struct gang *gang, int32_t left) {
    struct node_ask ask = node_index_ask(index, gang, left);
    return left <= index->gpus_per_node && any_node_has(index, &ask);
}

bool placement_fits(const struct node_index *index, const struct gang *gang) {
    int32_t per_node = index->gpus_per_node;
    if (gang->span == SPAN_ANY) {
        return spread_fits(index, gang);
    }
    int32_t held = gang_held(gang, per_node);
    if (held <= per_node) {
        struct node_ask ask = node_index_ask(index, gang, held);
        return any_node_has(index, &ask);
    }
    return whole_nodes_fit(index, gang, held / per_node, held % per_node);
}

static void take_piece(struct node_index *index, const struct gang *gang, int32_t node,
                       int32_t gpus, struct piece *piece) {
    assert(node >= 0);
    struct node_ask ask = node_index_ask(index, gang, gpus);
    *piece = (struct piece){.node = node, .gpus = gpus};
    node_index_change(index, node, -gpus);
    node_index_use_host(index, node, &ask.host, 1);
}

/* The next piece of a gang that has `left` GPUs to place. */
static void plan_piece(const struct placement_rule *rule, struct node_index *index,
                       const struct gang *gang, int32_t left, struct piece *piece) {
    if (gang->span == SPAN_ANY && !rest_fits(index, gang, left)) {
        int32_t gpus;
        int32_t node = most_usable(index, gang, &gpus);
        take_piece(index, gang, node, gpus, piece);
        return;
    }
    int32_t gpus = gang_piece(gang, left, index->gpus_per_node);
    struct node_ask ask = node_index_ask(index, gang, gpus);
    take_piece(index, gang, rule->pick(index, &ask), gpus, piece);
}

static bool plan(const struct placement_rule *rule, struct node_index *index,
                 const struct gang *gang, struct piece_stock *stock, struct piece *first) {
    if (!placement_fits(index, gang)) {
        return false;
    }
    struct piece *piece = first;
    plan_piece(rule, index, gang, gang->gpus, piece);
    for (int32_t left = gang->gpus - piece->gpus; left > 0; left -= piece->gpus) {
        piece->next = piece_take(stock);
        piece = piece->next;
        plan_piece(rule, index, gang, left, piece);
    }
    placement_use_hosts(index, gang, first, -1); /* so far only among its own pieces */
    return true;
}

bool placement_plan(const struct placement_rule *rule, struct node_index *index,
                    const struct gang *gang, struct piece_stock *stock, struct piece *first) {
    if (index->draws != NULL) {
        place_draws_begin(index->draws);
    }
    return plan(rule, index, gang, stock, first);
}

bool placement_plan_ahead(const struct placement_rule *rule, struct node_index *index,
                          const struct gang *gang, struct piece_stock *stock, struct piece *first) {
    if (index->draws != NULL) {
        index->draws->looks_ahead = true;
    }
    bool fits = plan(rule, index, gang, stock, first);
    if (index->draws != NULL) {
        index->draws->looks_ahead = false;
    }
    return fits;
}

void placement_unplan(struct node_index *index, struct piece *first, struct piece_stock *stock) {
    for (const struct piece *piece = first; piece != NULL; piece = piece->next) {
        node_index_change(index, piece->node, piece->gpus);
    }
    piece_return_rest(stock, first);
}

void placement_use_hosts(struct node_index *index, const struct gang *gang,
                         const struct piece *first, int sign) {
    if (index->free_host == NULL) {
        return;
    }
    for (const struct piece *piece = first; piece != NULL; piece = piece->next) {
        struct node_ask ask = node_index_ask(index, gang, piece->gpus);
        node_index_use_host(index, piece->node, &ask.host, sign);
    }
}
