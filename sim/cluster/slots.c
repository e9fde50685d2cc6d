#include <assert.h>

#include "sim/cluster/relayout.h"
#include "sim/cluster/slots_index.h"

/* The index */

int slots_company(const struct device *device, int32_t *party) {
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
    return *party < 0    ? COMPANY_NOBODY
           : keeps_apart ? COMPANY_OWN_PARTY
           : mixed       ? COMPANY_OPEN
                         : COMPANY_OPEN | COMPANY_OWN_PARTY;
}

static void leave_trees(struct slots *slots, size_t index) {
    struct slot_entry *entry = &slots->entries[index];
    if (entry->state != NULL) {
        slot_states_remove(slots, index);
    }
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

int64_t slots_memory_left(const struct device *device) {
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
        .memory = slots_memory_left(device),
        .compute = slots_compute_left(device),
        .order = (int32_t)index,
    };
    if (cut_on_demand(slots, device)) {
        values.rank =
            slots->rank != NULL ? slots->rank(0, device->slots - device->tenant_count) : 0;
    } else if (slots->rank != NULL) {
        values.rank = slots->rank(slots->free_on_node[device->node], slots->free_on_gpu[gpu]);
    }
    if (slots->states != NULL) {
        slot_states_add(slots, index, values.rank);
        return;
    }
    int32_t party;
    int who = slots_company(device, &party);
    if (who == COMPANY_NOBODY && cut_on_demand(slots, device)) {
        enter_tree(entry, 0, recut_idle_tree(slots, device), &values);
    } else if (who == COMPANY_NOBODY) {
        enter_tree(entry, 0, slots_tree(slots, kind, GROUP_EMPTY), &values);
    } else if ((who & COMPANY_OPEN) != 0) {
        enter_tree(entry, 0, slots_tree(slots, kind, GROUP_OPEN), &values);
    }
    if ((who & COMPANY_OWN_PARTY) != 0 && slots->groups > SLOTS_GROUPS_FOR_ALL) {
        enter_tree(entry, 1, slots_tree(slots, kind, SLOTS_GROUPS_FOR_ALL + party), &values);
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
    if (slots->states != NULL) { /* how many GPUs of the node are free is in the states of others */
        each_of_node(slots, device, leave_trees);
        each_of_node(slots, device, enter_trees);
        return;
    }
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

bool slots_is_for_gangs(const struct slots *slots, int32_t node, int32_t gpu) {
    const struct slot_entry *entry = &slots->entries[first_device(slots, node, gpu)];
    return slots_gpu_is_free(slots, node, gpu) && !entry->closed && entry->barred == 0;
}

int32_t slots_free_gpus(const struct slots *slots, int32_t node) {
    int32_t count = 0;
    for (int32_t gpu = 0; gpu < slots->gpus_per_node; gpu++) {
        count += slots_is_for_gangs(slots, node, gpu);
    }
    return count;
}

void slots_weigh(struct slots *slots, slot_growth *growth, int64_t gpu_memory) {
    size_t count = (size_t)slots->node_count * (size_t)slots->devices_per_node;
    assert(slots->rank != NULL && slots->states == NULL);
    if (slots->recut != NULL) {
        return;
    }
    for (size_t i = 0; i < count; i++) {
        leave_trees(slots, i);
    }
    slots->states = slot_states_create(growth, gpu_memory);
    for (size_t i = 0; i < count; i++) {
        enter_trees(slots, i);
    }
}

void slots_note_ask(struct slots *slots, int32_t gpus, const struct slot_ask *ask) {
    if (slots->states != NULL) {
        request_mix_note(&slots->states->mix, gpus, ask);
    }
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
