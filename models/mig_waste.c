/* What a MIG layout leaves in no instance. */
#include "models/mig_internal.h"

/* Figures of boards are rounded, so a full layout may add up to a little more than the whole. */
static int64_t at_least_zero(int64_t value) {
    return value < 0 ? 0 : value;
}

struct mig_waste mig_waste_of(const struct gpu_model *gpu, const int *profiles, size_t count) {
    const struct mig_profile *whole = mig_whole_gpu(gpu);
    int slices = gpu->compute_slices;
    int units = gpu->memory_units;
    int sms = gpu->sms;
    int64_t mib = whole == NULL ? 0 : whole->memory_mib;
    bool sms_known = sms > 0;
    bool mib_known = mib > 0;
    for (size_t i = 0; i < count; i++) {
        const struct mig_profile *profile = &gpu->profiles[profiles[i]];
        slices -= profile->compute_slices;
        units -= profile->memory_units;
        sms -= profile->sms;
        mib -= profile->memory_mib;
        sms_known = sms_known && profile->sms > 0;
        mib_known = mib_known && profile->memory_mib > 0;
    }
    return (struct mig_waste){
        .stranded_slices = slices,
        .stranded_units = units,
        .stranded_mib = mib_known ? at_least_zero(mib) : -1,
        .lost_sms = sms_known ? (int)at_least_zero(sms) : -1,
    };
}
