#include "sim/cluster/slots.h"

#include <assert.h>
#include <stdlib.h>

#include "sim/cluster/pool.h"
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
    int64_t memory = device->memory - device->memory_used;
    bool limited = device->memory_limit > 0 && device->memory_limit < memory;
    return limited ? device->memory_limit : memory;
}

static void enter_trees(struct slots *slots, size_t index) {
    const struct device *device = &slots->devices[index];
    struct slot_entry *entry = &slots->entries[index];
    if (entry->kind < 0 || entry->blocked || device->tenant_count == device->slots) {
        return;
    }
    size_t kind = (size_t)entry->kind;
    size_t gpu = (size_t)device->node * (size_t)slots->gpus_per_node + (size_t)device->gpu;
    struct slot_link values = {
        .memory = memory_left(device),
        .compute = slots_compute(device->sm_share) - slots_compute(device->compute_used),
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

static void count_free(struct slots *slots, const struct device *device, int32_t delta) {
    if (cut_on_demand(slots, device)) {
        return; /* it is ranked by the state of its GPU */
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

struct device *slots_find(const struct slots *slots, const struct slot_ask *ask) {
    const struct slot_link *best = NULL;
    for (uint64_t kinds = ask->kinds; kinds != 0; kinds &= kinds - 1) {
        size_t kind = (size_t)__builtin_ctzll(kinds);
        int32_t own = SLOTS_GROUPS_FOR_ALL + ask->party;
        const int32_t groups[] = {GROUP_EMPTY, ask->exclusive_party ? -1 : GROUP_OPEN,
                                  slots->groups > SLOTS_GROUPS_FOR_ALL ? own : -1};
        for (int i = 0; i < 3; i++) {
            const struct slot_link *found =
                groups[i] < 0
                    ? NULL
                    : slot_tree_find(*tree_of(slots, kind, groups[i]), ask->memory, ask->compute);
            bool better = found != NULL && (best == NULL || found->memory < best->memory);
            /* Kinds are sorted by SMs within equal memory of their own, not by what is free. */
            if (found != NULL && best != NULL && found->memory == best->memory) {
                int32_t units = slots->devices[found->order].units;
                int32_t best_units = slots->devices[best->order].units;
                better = units < best_units ||
                         (units == best_units &&
                          (found->rank < best->rank ||
                           (found->rank == best->rank && found->order < best->order)));
            }
            best = better ? found : best;
        }
    }
    return or_idle(slots, ask, best == NULL ? NULL : &slots->devices[best->order]);
}

bool slots_find_place(const struct slots *slots, const struct slot_ask *ask,
                      struct slot_place *place) {
    *place = (struct slot_place){.device = slots_find(slots, ask), .cut_as = -1};
    if (slots->recut == NULL) {
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

void slots_take(struct slots *slots, struct device *device, struct tenant *tenant, sim_time now) {
    each_of_node(slots, device, leave_trees);
    device_seat(device, tenant, now);
    count_free(slots, device, -1);
    if (device->tenant_count == 1 && cut_on_demand(slots, device)) {
        recut_hold(slots, device, now);
    }
    each_of_node(slots, device, enter_trees);
}

void slots_release(struct slots *slots, struct tenant *tenant, sim_time now) {
    struct device *device = tenant->device;
    each_of_node(slots, device, leave_trees);
    device_unseat(tenant, now);
    count_free(slots, device, 1);
    if (device->tenant_count == 0 && cut_on_demand(slots, device)) {
        recut_free(slots, device, now);
    }
    each_of_node(slots, device, enter_trees);
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
    count_free(slots, device, blocked ? -device->slots : device->slots);
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
