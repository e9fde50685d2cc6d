/* Slots that are kept for a tenant while others make room for it. */
#include "sim/cluster/slots.h"

void slots_promise(struct slots *slots, struct device *device, const struct slot_ask *ask,
                   int sign) {
    device->promised.slots += sign;
    device->promised.memory += sign * ask->memory;
    device->promised.compute += sign * ask->compute;
    slots_refresh(slots, device);
}

void slots_promise_all(struct slots *slots, struct device *device, int sign) {
    device->promised.slots += sign * device->slots;
    slots_refresh(slots, device);
}

void slots_lacking(const struct slots *slots, const struct device *device,
                   const struct slot_ask *ask, int64_t *memory, int32_t *compute,
                   int32_t *free_slots) {
    const struct slot_kind *kind = &slots->kinds[slots->entries[device - slots->devices].kind];
    int64_t most = device->memory - device->memory_used - device->promised.memory;
    *memory = ask->memory - (most < kind->most_memory ? most : kind->most_memory);
    *compute = ask->compute - (slots_compute(device->sm_share) -
                               slots_compute(device->compute_used) - device->promised.compute);
    *free_slots = 1 - (device->slots - device->tenant_count - device->promised.slots);
}

bool slots_may_meet(const struct device *device, const struct slot_ask *ask) {
    bool meet = true;
    for (int32_t slot = 0; slot < device->slots; slot++) {
        const struct tenant *tenant = device->tenants[slot];
        meet &= tenant == NULL || tenant->party == ask->party ||
                (!ask->exclusive_party && !tenant->exclusive_party);
    }
    return meet;
}

bool slots_has_room(const struct slots *slots, const struct device *device,
                    const struct slot_ask *ask) {
    int64_t memory;
    int32_t compute;
    int32_t free_slots;
    size_t index = (size_t)(device - slots->devices);
    if (slots->entries[index].kind < 0 || slots->entries[index].blocked) {
        return false;
    }
    slots_lacking(slots, device, ask, &memory, &compute, &free_slots);
    return memory <= 0 && compute <= 0 && free_slots <= 0;
}
