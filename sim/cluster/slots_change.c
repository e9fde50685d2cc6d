/* Devices that close, come and go as GPUs are cut anew. */
#include <assert.h>

#include "sim/cluster/slots.h"

static int32_t free_slots(const struct slots *slots, const struct device *device) {
    bool blocked = slots->entries[device - slots->devices].blocked;
    return blocked ? 0 : device->slots - device->tenant_count;
}

void slots_close(struct slots *slots, struct device *device) {
    slots_unlist(slots, device);
    slots_count_free(slots, device, -free_slots(slots, device));
    slots->entries[device - slots->devices].closed = true;
    slots_list(slots, device);
}

void slots_open(struct slots *slots, struct device *device) {
    slots_unlist(slots, device);
    slots->entries[device - slots->devices].closed = false;
    slots_count_free(slots, device, free_slots(slots, device));
    slots_list(slots, device);
}

void slots_bar(struct slots *slots, struct device *device, int delta) {
    struct slot_entry *entry = &slots->entries[device - slots->devices];
    int32_t before = entry->kind < 0 ? 0 : free_slots(slots, device);
    slots_unlist(slots, device);
    slots_count_free(slots, device, -before); /* unless it is barred already, */
    entry->barred = (uint16_t)(entry->barred + delta);
    slots_count_free(slots, device, before); /* or still */
    slots_list(slots, device);
}

void slots_abort_cut(struct slots *slots, struct device *device, sim_time now) {
    slots_unlist(slots, device);
    recut_abort(slots, device, now);
    slots_list(slots, device);
}

void slots_bar_gpu(struct slots *slots, int32_t node, int32_t gpu, int delta) {
    for (int32_t i = slots->first_of_gpu[gpu]; i < slots->first_of_gpu[gpu + 1]; i++) {
        slots_bar(slots, &slots->devices[node * slots->devices_per_node + i], delta);
    }
}

int32_t slots_units_there(const struct slots *slots, int32_t node, int32_t gpu) {
    int32_t units = 0;
    for (int32_t i = slots->first_of_gpu[gpu]; i < slots->first_of_gpu[gpu + 1]; i++) {
        int32_t index = node * slots->devices_per_node + i;
        units += slots->entries[index].kind >= 0 ? slots->devices[index].units : 0;
    }
    return units;
}

void slots_make_device(struct slots *slots, struct device *device, int32_t index) {
    struct slot_entry *entry = &slots->entries[device - slots->devices];
    const struct slot_kind *kind = &slots->kinds[index];
    const struct slot_kind *made = &slots->kinds[entry->made_as > 0 ? entry->made_as - 1 : 0];
    bool alike = entry->made_as > 0 && made->mode == kind->mode && made->spec == kind->spec;
    if (!alike && entry->made_as > 0) {
        if (device->event != 0) {
            event_queue_cancel(device->host->events, device->event);
        }
        device->event = 0;
        device->booked_switching = 0; /* its engine's counters begin anew */
        device->booked_occupied = 0;
        device_terminate(device);
    }
    slots_shape_device(slots, device, index);
    if (!alike) {
        device_initialize(device, kind->mode->engine, kind->spec);
    }
}

void slots_add_device(struct slots *slots, struct device *device, int32_t kind) {
    slots_unlist(slots, device);
    slots_make_device(slots, device, kind);
    slots->entries[device - slots->devices].closed = false;
    slots_count_free(slots, device, device->slots);
    slots_list(slots, device);
}

void slots_remove_device(struct slots *slots, struct device *device) {
    struct slot_entry *entry = &slots->entries[device - slots->devices];
    assert(device->tenant_count == 0 && !entry->blocked);
    slots_unlist(slots, device);
    slots_count_free(slots, device, -device->slots);
    entry->kind = -1;
    entry->closed = false;
    slots_list(slots, device);
}
