#include "sim/cluster/slots.h"

#include <assert.h>
#include <stdlib.h>

#include "sim/cluster/pool.h"
#include "sim/cluster/relayout.h"
#include "sim/kernel/memory.h"

enum { GROUP_EMPTY, GROUP_OPEN };

/* The index */

static struct slot_link **tree_of(const struct slots *slots, size_t kind, int32_t group) {
    return &slots->trees[kind * (size_t)slots->groups + (size_t)group];
}

/* Whether its tenants let others in: 1: anybody, 2: their own party, 3: both have their say (all
 * are of one party and open to all). 0: nobody is there yet. */
static int company(const struct device *device, int32_t *party) {
    bool keeps_apart = false;
    bool mixed = false;
    *party = -1;
    for (int32_t slot = 0; slot < device->slots; slot++) {
        const struct tenant *tenant = device->tenants[slot];
        if (tenant != NULL) {
            keeps_apart |= tenant->exclusive_party;
            mixed |= *party >= 0 && tenant->party != *party;
            *party = tenant->party;
        }
    }
    return *party < 0 ? 0 : keeps_apart ? 2 : mixed ? 1 : 3;
}

static void leave_trees(struct slots *slots, size_t index) {
    struct slot_entry *entry = &slots->entries[index];
    for (int i = 0; i < 2; i++) {
        if (entry->tree[i] != NULL) {
            *entry->tree[i] = slot_tree_remove(*entry->tree[i], &entry->links[i]);
            entry->tree[i] = NULL;
        }
    }
}

static void enter_tree(struct slot_entry *entry, int which, struct slot_link **tree,
                       const struct slot_link *values) {
    entry->links[which] = *values;
    entry->tree[which] = tree;
    *tree = slot_tree_add(*tree, &entry->links[which]);
}

static bool cut_on_demand(const struct slots *slots, const struct device *device) {
    return slots->recut != NULL && slots->recut->of_gpu[device->gpu] != NULL;
}

/* What a tenant could have there now. */
static int64_t memory_left(const struct device *device) {
    int64_t memory = device->memory - device->memory_used - device->promised.memory;
    bool limited = device->memory_limit > 0 && device->memory_limit < memory;
    return limited ? device->memory_limit : memory;
}

static void enter_trees(struct slots *slots, size_t index) {
    const struct device *device = &slots->devices[index];
    struct slot_entry *entry = &slots->entries[index];
    if (entry->kind < 0 || entry->blocked || entry->closed || entry->barred > 0 ||
        device->tenant_count + device->promised.slots >= device->slots) {
        return;
    }
    size_t kind = (size_t)entry->kind;
    size_t gpu = (size_t)device->node * (size_t)slots->gpus_per_node + (size_t)device->gpu;
    struct slot_link values = {
        .memory = memory_left(device),
        .compute = slots_compute(device->sm_share) - slots_compute(device->compute_used) -
                   device->promised.compute,
        .order = (int32_t)index,
    };
    if (cut_on_demand(slots, device)) {
        values.rank =
            slots->rank != NULL ? slots->rank(0, device->slots - device->tenant_count) : 0;
    } else if (slots->rank != NULL) {
        values.rank = slots->rank(slots->free_on_node[device->node], slots->free_on_gpu[gpu]);
    }
    int32_t party;
    int who = company(device, &party);
    if (who == 0 && cut_on_demand(slots, device)) {
        enter_tree(entry, 0, recut_idle_tree(slots, device), &values);
    } else if (who == 0) {
        enter_tree(entry, 0, tree_of(slots, kind, GROUP_EMPTY), &values);
    } else if ((who & 1) != 0) {
        enter_tree(entry, 0, tree_of(slots, kind, GROUP_OPEN), &values);
    }
    if ((who & 2) != 0 && slots->groups > SLOTS_GROUPS_FOR_ALL) {
        enter_tree(entry, 1, tree_of(slots, kind, SLOTS_GROUPS_FOR_ALL + party), &values);
    }
}

const struct sharing_mode *slots_mode(const struct slots *slots, const struct device *device) {
    return slots->kinds[slots->entries[device - slots->devices].kind].mode;
}

/* Counts change what the others of the node rank at, too, and the state of a GPU that is cut on
 * demand where its idle instances are found. */
static void each_of_node(struct slots *slots, const struct device *changed,
                         void (*act)(struct slots *slots, size_t index)) {
    size_t first = (size_t)changed->node * (size_t)slots->devices_per_node;
    if (cut_on_demand(slots, changed)) {
        for (int32_t i = slots->first_of_gpu[changed->gpu];
             i < slots->first_of_gpu[changed->gpu + 1]; i++) {
            act(slots, first + (size_t)i);
        }
        return;
    }
    if (slots->rank == NULL) {
        act(slots, (size_t)(changed - slots->devices));
        return;
    }
    for (size_t i = 0; i < (size_t)slots->devices_per_node; i++) {
        act(slots, first + i);
    }
}

void slots_count_free(struct slots *slots, const struct device *device, int32_t delta) {
    const struct slot_entry *entry = &slots->entries[device - slots->devices];
    if (cut_on_demand(slots, device) || entry->closed || entry->barred > 0) {
        return; /* it is ranked by the state of its GPU, or nobody's */
    }
    slots->free_on_node[device->node] += delta;
    slots->free_on_gpu[device->node * slots->gpus_per_node + device->gpu] += delta;
}

/* In the order of kinds: less memory first, then fewer SMs. */
static bool is_smaller(int64_t memory, int32_t units, const struct device *than) {
    int64_t left = memory_left(than);
    return memory < left || (memory == left && units < than->units);
}

/* An idle instance of a GPU that is cut on demand, if it is smaller than the slot found. */
static struct device *or_idle(const struct slots *slots, const struct slot_ask *ask,
                              struct device *found) {
    struct device *idle = slots->recut == NULL ? NULL : recut_find_idle(slots, ask);
    bool better =
        idle != NULL && (found == NULL || is_smaller(memory_left(idle), idle->units, found));
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
            if (groups[i] >= 0 && *tree_of(slots, kind, groups[i]) != NULL) {
                trees->roots[trees->count++] = *tree_of(slots, kind, groups[i]);
            }
        }
    }
}

static bool has_room(const struct slots *slots, const struct slot_ask *ask,
                     const struct slot_link *link) {
    return node_index_has_room(slots->index, slots->devices[link->order].node, &ask->host);
}

/* The first place of a tree that will do. */
static const struct slot_link *first_in_tree(const struct slots *slots, const struct slot_ask *ask,
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

/* Those in one tree that are alike: how many; and the k-th of them, from 0. */
static const struct slot_link *choose_in_tree(const struct slots *slots, const struct slot_ask *ask,
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
        const struct slot_link *first = first_in_tree(slots, ask, trees->roots[i]);
        if (first != NULL && alike(slots, first, best)) {
            choose_in_tree(slots, ask, trees->roots[i], first, -1, &counts[i]);
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
        const struct slot_link *first = first_in_tree(slots, ask, trees->roots[i]);
        int32_t count;
        chosen = choose_in_tree(slots, ask, trees->roots[i], first, (int32_t)k, &count);
    } while (stands_twice(slots, ask, chosen));
    return chosen;
}

struct device *slots_find(const struct slots *slots, const struct slot_ask *ask) {
    struct wanted_trees trees;
    const struct slot_link *best = NULL;
    list_trees(slots, ask, &trees);
    for (size_t i = 0; i < trees.count; i++) {
        const struct slot_link *found = first_in_tree(slots, ask, trees.roots[i]);
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
    uint64_t smaller = 0;
    for (uint64_t kinds = ask->kinds; kinds != 0; kinds &= kinds - 1) {
        const struct slot_kind *kind = &slots->kinds[__builtin_ctzll(kinds)];
        if (place->device == NULL || is_smaller(kind->most_memory, kind->units, place->device)) {
            smaller |= kinds & (~kinds + 1);
        }
    }
    return recut_find_cut(slots, smaller, place) || place->device != NULL;
}

void slots_begin_cut(struct slots *slots, const struct slot_place *place, sim_time now) {
    each_of_node(slots, place->device, leave_trees);
    recut_begin(slots, place->device, place->cut_as, now);
    each_of_node(slots, place->device, enter_trees);
}

void slots_end_cut(struct slots *slots, struct device *device, sim_time now) {
    each_of_node(slots, device, leave_trees);
    recut_end(slots, device, now);
    each_of_node(slots, device, enter_trees);
}

void slots_let_go(struct slots *slots, const struct device *device, sim_time now) {
    each_of_node(slots, device, leave_trees);
    recut_release(slots, device, now);
    each_of_node(slots, device, enter_trees);
}

/* Somebody has come to what is to be cut anew, or has left it. */
static void note_change(struct slots *slots, const struct device *device, bool came) {
    if (slots->relayout != NULL && slots->entries[device - slots->devices].closed) {
        relayout_note_change(slots->relayout, device, came);
    }
}

void slots_take(struct slots *slots, struct device *device, struct tenant *tenant, sim_time now) {
    each_of_node(slots, device, leave_trees);
    device_seat(device, tenant, now);
    slots_count_free(slots, device, -1);
    if (device->tenant_count == 1 && cut_on_demand(slots, device)) {
        recut_hold(slots, device, now);
    }
    each_of_node(slots, device, enter_trees);
    note_change(slots, device, true);
}

void slots_release(struct slots *slots, struct tenant *tenant, sim_time now) {
    struct device *device = tenant->device;
    each_of_node(slots, device, leave_trees);
    device_unseat(tenant, now);
    slots_count_free(slots, device, 1);
    if (device->tenant_count == 0 && cut_on_demand(slots, device)) {
        recut_free(slots, device, now);
    }
    each_of_node(slots, device, enter_trees);
    note_change(slots, device, false);
}

void slots_refresh(struct slots *slots, struct device *device) {
    size_t index = (size_t)(device - slots->devices);
    leave_trees(slots, index);
    enter_trees(slots, index);
}

static int32_t first_device(const struct slots *slots, int32_t node, int32_t gpu) {
    return node * slots->devices_per_node + slots->first_of_gpu[gpu];
}

void slots_block_gpu(struct slots *slots, int32_t node, int32_t gpu, bool blocked) {
    size_t index = (size_t)first_device(slots, node, gpu);
    struct device *device = &slots->devices[index];
    assert(device->tenant_count == 0 && slots->entries[index].blocked != blocked);
    each_of_node(slots, device, leave_trees);
    slots->entries[index].blocked = blocked;
    slots_count_free(slots, device, blocked ? -device->slots : device->slots);
    each_of_node(slots, device, enter_trees);
    note_change(slots, device, false);
}

bool slots_gpu_is_free(const struct slots *slots, int32_t node, int32_t gpu) {
    int32_t index = first_device(slots, node, gpu);
    const struct slot_entry *entry = &slots->entries[index];
    const struct device *device = &slots->devices[index];
    return entry->kind >= 0 && device->profile < 0 && device->tenant_count == 0 &&
           device->keeps == 0 && !entry->blocked;
}

void slots_unlist(struct slots *slots, const struct device *device) {
    each_of_node(slots, device, leave_trees);
}

void slots_list(struct slots *slots, const struct device *device) {
    each_of_node(slots, device, enter_trees);
}

void slots_book(struct slots *slots, sim_time now) {
    size_t count = (size_t)slots->node_count * (size_t)slots->devices_per_node;
    for (size_t i = 0; i < count; i++) {
        if (slots->devices[i].tenant_count > 0) {
            device_book(&slots->devices[i], now);
        }
    }
}
