#include "sim/cluster/slots_capacity.h"

#include "sim/cluster/relayout.h"

static int32_t at_most(int64_t places, int64_t room, int64_t each) {
    int64_t by_room = each > 0 ? room / each : places;
    return (int32_t)(by_room < 0 ? 0 : by_room < places ? by_room : places);
}

static bool is_wanted(const struct slot_ask *ask, int32_t kind) {
    return kind >= 0 && (ask->kinds >> kind & 1) != 0;
}

/* Of a device of that kind. */
static int32_t most_in(const struct slots *slots, const struct slot_ask *ask, int32_t index) {
    const struct slot_kind *kind = &slots->kinds[index];
    int32_t places = at_most(kind->mode->slots(kind->spec), kind->memory, ask->memory);
    return at_most(places, kind->most_compute, ask->compute);
}

/* --- GPUs that are cut on demand --- */

/* In instances of the smallest profile that would do and can be had: as many as there can be beside
 * what is held in a state. */
static int32_t most_in_state(const struct slots *slots, const struct slot_ask *ask,
                             const struct cutter *cutter, const struct cut_state *state) {
    const struct gpu_model *gpu = slots->recut->gpu;
    for (uint64_t kinds = ask->kinds; kinds != 0; kinds &= kinds - 1) {
        int32_t kind = __builtin_ctzll(kinds);
        int32_t profile = slots->kinds[kind].profile;
        if (profile < 0 || cutter->kind_of_profile[profile] != kind) {
            continue;
        }
        int32_t instances = (state->free_slices - state->unusable[profile]) /
                            (int32_t)gpu->profiles[profile].compute_slices;
        if (instances > 0) {
            return instances * most_in(slots, ask, kind);
        }
    }
    return 0;
}

static struct cutter *cutter_of(const struct slots *slots, int32_t gpu) {
    return slots->recut == NULL ? NULL : slots->recut->of_gpu[gpu];
}

/* --- An empty node --- */

static const struct relayout_program *program_of(const struct slots *slots, int32_t gpu) {
    return slots->relayout == NULL ? NULL : slots->relayout->gpus[gpu].program;
}

static int32_t most_on_gpu(const struct slots *slots, const struct slot_ask *ask, int32_t gpu) {
    struct cutter *cutter = cutter_of(slots, gpu);
    const struct relayout_program *program = program_of(slots, gpu);
    int32_t first = slots->first_of_gpu[gpu];
    int32_t places = 0;
    if (cutter != NULL) {
        return most_in_state(slots, ask, cutter, cut_states_empty(&cutter->states));
    }
    for (int32_t i = first; i < slots->first_of_gpu[gpu + 1]; i++) {
        int32_t kind =
            program == NULL ? slots->kind_of[i] : program->plans[program->way].kind_at[i - first];
        places += is_wanted(ask, kind) ? most_in(slots, ask, kind) : 0;
    }
    return places;
}

int32_t slots_most_on_node(const struct slots *slots, const struct slot_ask *ask) {
    int32_t places = 0;
    for (int32_t gpu = 0; gpu < slots->gpus_per_node; gpu++) {
        places += most_on_gpu(slots, ask, gpu);
    }
    return places;
}

int32_t slots_whole_gpus_of_node(const struct slots *slots) {
    int32_t whole = __builtin_popcountll(slots->whole_mask);
    for (int32_t gpu = 0; gpu < slots->gpus_per_node; gpu++) {
        const struct relayout_program *program = program_of(slots, gpu);
        whole += program != NULL && program->plans[program->way].whole;
    }
    return whole;
}

/* --- What is left --- */

static int32_t left_in(const struct slots *slots, const struct slot_ask *ask, size_t index) {
    const struct device *device = &slots->devices[index];
    const struct slot_entry *entry = &slots->entries[index];
    if (!is_wanted(ask, entry->kind) || entry->blocked || entry->closed || entry->barred > 0 ||
        !slots_may_meet(device, ask)) {
        return 0;
    }
    int32_t free_slots = device->slots - device->tenant_count - device->promised.slots;
    int32_t compute = slots_compute(device->sm_share) - slots_compute(device->compute_used) -
                      device->promised.compute;
    int32_t places = at_most(
        free_slots, device->memory - device->memory_used - device->promised.memory, ask->memory);
    return at_most(places, compute, ask->compute);
}

int32_t slots_left_on_node(const struct slots *slots, const struct slot_ask *ask, int32_t node) {
    int32_t places = 0;
    for (int32_t gpu = 0; gpu < slots->gpus_per_node; gpu++) {
        const struct cutter *cutter = cutter_of(slots, gpu);
        for (int32_t i = slots->first_of_gpu[gpu]; i < slots->first_of_gpu[gpu + 1]; i++) {
            size_t index = (size_t)node * (size_t)slots->devices_per_node + (size_t)i;
            bool gives_way = cutter != NULL && slots->devices[index].tenant_count == 0;
            places += gives_way ? 0 : left_in(slots, ask, index);
        }
        if (cutter != NULL) {
            places += most_in_state(slots, ask, cutter,
                                    slots->recut->state[node * slots->gpus_per_node + gpu]);
        }
    }
    return places;
}
