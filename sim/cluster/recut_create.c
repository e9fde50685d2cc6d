/* From what a scenario says of GPUs that MIG cuts on demand to their states at the start. */
#include <stdlib.h>

#include "sim/cluster/recut.h"
#include "sim/cluster/slots.h"
#include "sim/kernel/memory.h"

struct layout_item recut_instance(const struct sharing_spec *spec, int profile) {
    for (size_t i = 0; i < spec->layout_count; i++) {
        if (spec->layout[i].profile_row == profile) {
            return spec->layout[i];
        }
    }
    return (struct layout_item){.profile_row = profile, .sharing = {.index = SHARING_EXCLUSIVE}};
}

static struct cutter *cutter_for(const struct slots *slots, struct recut *recut,
                                 const struct sharing_spec *spec, int32_t units_per_gpu) {
    for (size_t i = 0; i < recut->cutter_count; i++) {
        if (recut->cutters[i].spec == spec) {
            return &recut->cutters[i];
        }
    }
    size_t profiles = recut->gpu->profile_count;
    struct cutter *cutter = &recut->cutters[recut->cutter_count++];
    cutter->spec = spec;
    recut->patient |= spec->hysteresis > 0;
    cutter->kind_of_profile = memory_zero(profiles, sizeof *cutter->kind_of_profile);
    for (size_t i = 0; i < profiles; i++) {
        struct layout_item item = recut_instance(spec, (int)i);
        cutter->kind_of_profile[i] = slots_find_kind(slots, item.profile_row, &item.sharing);
        recut->units[i] = slots->kinds[cutter->kind_of_profile[i]].units;
    }
    cut_states_initialize(&cutter->states, recut->gpu, recut->units, units_per_gpu);
    return cutter;
}

struct recut *recut_create(const struct slots *slots, const struct gpu_model *gpu,
                           const struct sharing_spec *const *of_gpu, int32_t units_per_gpu) {
    size_t gpus = (size_t)slots->gpus_per_node;
    size_t nodes = (size_t)slots->node_count;
    size_t profiles = gpu->profile_count;
    struct recut *recut = memory_zero(1, sizeof *recut);
    recut->gpu = gpu;
    recut->cutters = memory_zero(gpus, sizeof *recut->cutters);
    recut->of_gpu = memory_zero(gpus, sizeof(struct cutter *));
    recut->units = memory_zero(profiles, sizeof *recut->units);
    recut->state = memory_zero(nodes * gpus, sizeof(struct cut_state *));
    recut->shut = memory_zero(nodes * gpus, sizeof *recut->shut);
    recut->works = memory_zero(nodes * (size_t)slots->devices_per_node, sizeof *recut->works);
    recut->idle_count = memory_zero(slots->kind_count, sizeof *recut->idle_count);
    recut->asked = memory_zero(profiles, sizeof *recut->asked);
    recut->alike = memory_zero(profiles, sizeof *recut->alike);
    for (size_t i = 0; i < profiles; i++) {
        recut->alike[i] = mig_selected(gpu, (int)i, MIG_SIZES);
    }
    for (size_t i = 0; i < gpus; i++) {
        recut->of_gpu[i] =
            of_gpu[i] == NULL ? NULL : cutter_for(slots, recut, of_gpu[i], units_per_gpu);
    }
    return recut;
}

int32_t recut_stranded_units(const struct slots *slots) {
    int32_t stranded = 0;
    for (int32_t i = 0; i < slots->gpus_per_node; i++) {
        struct cutter *cutter = slots->recut->of_gpu[i];
        if (cutter != NULL) {
            struct cut_states *states = &cutter->states;
            stranded += states->units_per_gpu - cut_states_empty(states)->usable;
        }
    }
    return stranded;
}

void recut_destroy(struct recut *recut) {
    if (recut == NULL) {
        return;
    }
    for (size_t i = 0; i < recut->cutter_count; i++) {
        cut_states_terminate(&recut->cutters[i].states);
        free(recut->cutters[i].kind_of_profile);
        free(recut->cutters[i].present);
    }
    free(recut->cutters);
    free(recut->of_gpu);
    free(recut->units);
    free(recut->state);
    free(recut->shut);
    free(recut->works);
    free(recut->idle_count);
    free(recut->asked);
    free(recut->alike);
    free(recut);
}
