/* Placing instances: the rules, and a search that tries every placement. */
#include <assert.h>

#include "models/mig_internal.h"

enum { MOST_UNITS = 32 }; /* bits of mig_profile.starts */

static uint32_t units_mask(int start, int length) {
    return (uint32_t)(((UINT64_C(1) << length) - 1) << start);
}

static uint32_t units_of(const struct gpu_model *gpu, struct mig_instance instance) {
    return units_mask(instance.start, gpu->profiles[instance.profile].memory_units);
}

static bool engines_suffice(const struct gpu_model *gpu, const struct mig_instance *instances,
                            size_t count, const struct mig_profile *added, enum mig_engine engine) {
    int taken = mig_engines_of(added, engine);
    int there = mig_engines_there(gpu, engine);
    if (taken == 0 || there < 0) {
        return true;
    }
    for (size_t i = 0; i < count; i++) {
        taken += mig_engines_of(&gpu->profiles[instances[i].profile], engine);
    }
    return taken <= there;
}

bool mig_can_add(const struct gpu_model *gpu, const struct mig_instance *instances, size_t count,
                 int profile, int start) {
    const struct mig_profile *added = &gpu->profiles[profile];
    if (count >= MIG_INSTANCES_LIMIT || start < 0 || start >= MOST_UNITS ||
        start + added->memory_units > gpu->memory_units || (added->starts >> start & 1) == 0) {
        return false;
    }
    int slices = added->compute_slices;
    int equal = 1;
    uint32_t taken = 0;
    for (size_t i = 0; i < count; i++) {
        slices += gpu->profiles[instances[i].profile].compute_slices;
        equal += instances[i].profile == profile;
        taken |= units_of(gpu, instances[i]);
    }
    return slices <= gpu->compute_slices && equal <= added->max_instances &&
           (taken & units_mask(start, added->memory_units)) == 0 &&
           engines_suffice(gpu, instances, count, added, MIG_JPEG) &&
           engines_suffice(gpu, instances, count, added, MIG_OPTICAL_FLOW);
}

/* Where an instance may begin at the earliest: equal ones lie in order, since exchanging them
 * changes nothing. */
static int first_start(const struct gpu_model *gpu, const struct mig_instance *instances,
                       size_t placed, int profile) {
    for (size_t i = placed; i > 0; i--) {
        if (instances[i - 1].profile == profile) {
            return instances[i - 1].start + gpu->profiles[profile].memory_units;
        }
    }
    return 0;
}

static bool place_rest(const struct gpu_model *gpu, const int *profiles, size_t count,
                       struct mig_instance *instances, size_t placed) {
    if (placed == count) {
        return true;
    }
    int profile = profiles[placed];
    int start = first_start(gpu, instances, placed, profile);
    for (; start < gpu->memory_units; start++) {
        if (mig_can_add(gpu, instances, placed, profile, start)) {
            instances[placed] = (struct mig_instance){profile, start};
            if (place_rest(gpu, profiles, count, instances, placed + 1)) {
                return true;
            }
        }
    }
    return false;
}

/* Spares the search, and bounds it. */
static bool could_suffice(const struct gpu_model *gpu, const int *profiles, size_t count) {
    int slices = 0;
    int units = 0;
    for (size_t i = 0; i < count && slices <= gpu->compute_slices; i++) {
        assert(profiles[i] >= 0 && (size_t)profiles[i] < gpu->profile_count);
        slices += gpu->profiles[profiles[i]].compute_slices;
        units += gpu->profiles[profiles[i]].memory_units;
    }
    return count <= MIG_INSTANCES_LIMIT && slices <= gpu->compute_slices &&
           units <= gpu->memory_units;
}

bool mig_place(const struct gpu_model *gpu, const int *profiles, size_t count,
               struct mig_instance *instances, struct error *error) {
    if (could_suffice(gpu, profiles, count) && place_rest(gpu, profiles, count, instances, 0)) {
        return true;
    }
    mig_refuse(gpu, profiles, count, error);
    return false;
}
