/* Which free slot a tenant gets. */
#include "sim/cluster/slots_index.h"

/* In the order of kinds: less memory first, then fewer SMs. */
static bool is_smaller(int64_t memory, int32_t units, const struct device *than) {
    int64_t left = slots_memory_left(than);
    return memory < left || (memory == left && units < than->units);
}

/* An idle instance of a GPU that is cut on demand, if it is smaller than the slot found. */
static struct device *or_idle(const struct slots *slots, const struct slot_ask *ask,
                              struct device *found) {
    struct device *idle = slots->recut == NULL ? NULL : recut_find_idle(slots, ask);
    bool better =
        idle != NULL && (found == NULL || is_smaller(slots_memory_left(idle), idle->units, found));
    return better ? idle : found;
}

/* The trees in which slots for an ask may be. */
struct wanted_trees {
    const struct slot_link *roots[3 * SLOT_KINDS_LIMIT];
    size_t count;
};

static void list_trees(const struct slots *slots, const struct slot_ask *ask,
                       struct wanted_trees *trees) {
    trees->count = 0;
    for (uint64_t kinds = ask->kinds; kinds != 0; kinds &= kinds - 1) {
        size_t kind = (size_t)__builtin_ctzll(kinds);
        int32_t own = SLOTS_GROUPS_FOR_ALL + ask->party;
        const int32_t groups[] = {GROUP_EMPTY, ask->exclusive_party ? -1 : GROUP_OPEN,
                                  slots->groups > SLOTS_GROUPS_FOR_ALL ? own : -1};
        for (int i = 0; i < 3; i++) {
            if (groups[i] >= 0 && *slots_tree(slots, kind, groups[i]) != NULL) {
                trees->roots[trees->count++] = *slots_tree(slots, kind, groups[i]);
            }
        }
    }
}

static bool has_room(const struct slots *slots, const struct slot_ask *ask,
                     const struct slot_link *link) {
    return node_index_has_room(slots->index, slots->devices[link->order].node, &ask->host);
}

const struct slot_link *slots_first_in_tree(const struct slots *slots, const struct slot_ask *ask,
                                            const struct slot_link *root) {
    const struct slot_link *found = slot_tree_find(root, ask->memory, ask->compute);
    while (found != NULL && !has_room(slots, ask, found)) {
        found = slot_tree_next(root, found, ask->compute);
    }
    return found;
}

static bool alike(const struct slots *slots, const struct slot_link *a, const struct slot_link *b) {
    return a->memory == b->memory &&
           slots->devices[a->order].units == slots->devices[b->order].units;
}

const struct slot_link *slots_choose_in_tree(const struct slots *slots, const struct slot_ask *ask,
                                             const struct slot_link *root,
                                             const struct slot_link *first, int32_t k,
                                             int32_t *count) {
    *count = 0;
    if (slots->index->free_host == NULL) {
        *count = slot_tree_count(root, first->memory, ask->compute);
        return k < 0 ? NULL : slot_tree_at(root, first->memory, ask->compute, k);
    }
    const struct slot_link *link = first;
    for (; link != NULL && link->memory == first->memory;
         link = slot_tree_next(root, link, ask->compute)) {
        if (has_room(slots, ask, link) && (*count)++ == k) {
            return link;
        }
    }
    return NULL;
}

/* A device that is open to all and of the asking party, too, is in two trees: the second of its
 * places there does not count. */
static bool stands_twice(const struct slots *slots, const struct slot_ask *ask,
                         const struct slot_link *link) {
    const struct slot_entry *entry = &slots->entries[link->order];
    return link == &entry->links[1] && entry->tree[0] != NULL && !ask->exclusive_party;
}

/* Any of those that are like the best, each as likely as the others. */
static const struct slot_link *by_lot(const struct slots *slots, const struct slot_ask *ask,
                                      const struct wanted_trees *trees,
                                      const struct slot_link *best) {
    int32_t counts[3 * SLOT_KINDS_LIMIT] = {0};
    int64_t total = 0;
    for (size_t i = 0; i < trees->count; i++) {
        const struct slot_link *first = slots_first_in_tree(slots, ask, trees->roots[i]);
        if (first != NULL && alike(slots, first, best)) {
            slots_choose_in_tree(slots, ask, trees->roots[i], first, -1, &counts[i]);
            total += counts[i];
        }
    }
    const struct slot_link *chosen;
    do {
        int64_t k = place_draws_choose(slots->index->draws, total);
        size_t i = 0;
        for (; k >= counts[i]; i++) {
            k -= counts[i];
        }
        const struct slot_link *first = slots_first_in_tree(slots, ask, trees->roots[i]);
        int32_t count;
        chosen = slots_choose_in_tree(slots, ask, trees->roots[i], first, (int32_t)k, &count);
    } while (stands_twice(slots, ask, chosen));
    return chosen;
}

struct device *slots_find(const struct slots *slots, const struct slot_ask *ask) {
    if (slots->states != NULL) {
        return slot_states_find(slots, ask);
    }
    struct wanted_trees trees;
    const struct slot_link *best = NULL;
    list_trees(slots, ask, &trees);
    for (size_t i = 0; i < trees.count; i++) {
        const struct slot_link *found = slots_first_in_tree(slots, ask, trees.roots[i]);
        bool better = found != NULL && (best == NULL || found->memory < best->memory);
        /* Kinds are sorted by SMs within equal memory of their own, not by what is free. */
        if (found != NULL && best != NULL && found->memory == best->memory) {
            int32_t units = slots->devices[found->order].units;
            int32_t best_units = slots->devices[best->order].units;
            better =
                units < best_units ||
                (units == best_units && (found->rank < best->rank || (found->rank == best->rank &&
                                                                      found->order < best->order)));
        }
        best = better ? found : best;
    }
    if (best != NULL && slots->index->draws != NULL) {
        best = by_lot(slots, ask, &trees, best);
    }
    return or_idle(slots, ask, best == NULL ? NULL : &slots->devices[best->order]);
}

bool slots_find_place(const struct slots *slots, const struct slot_ask *ask,
                      struct slot_place *place) {
    if (slots->index->draws != NULL) {
        place_draws_begin(slots->index->draws);
    }
    *place = (struct slot_place){.device = slots_find(slots, ask), .cut_as = -1};
    if (slots->recut == NULL || (slots->recut->patient && place->device != NULL)) {
        return place->device != NULL;
    }
    struct slot_ask smaller = *ask;
    smaller.kinds = 0;
    for (uint64_t kinds = ask->kinds; kinds != 0; kinds &= kinds - 1) {
        const struct slot_kind *kind = &slots->kinds[__builtin_ctzll(kinds)];
        if (place->device == NULL || is_smaller(kind->most_memory, kind->units, place->device)) {
            smaller.kinds |= kinds & (~kinds + 1);
        }
    }
    return recut_find_cut(slots, &smaller, place) || place->device != NULL;
}
