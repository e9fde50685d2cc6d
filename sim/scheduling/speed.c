#include "sim/scheduling/speed.h"

#include <math.h>
#include <string.h>
#include <strings.h>

#include "models/mps.h"
#include "sim/cluster/engines.h"
#include "sim/cluster/pool.h"

double speed_of_gpu(const struct scenario *scenario, const struct workload_spec *workload,
                    int gpu) {
    const struct model_spec *needs = &workload->needs;
    for (size_t i = 0; i < needs->speed_count; i++) {
        if (needs->speeds[i].profile == NULL && needs->speeds[i].gpu == gpu) {
            return needs->speeds[i].factor;
        }
    }
    if (needs->speed_rule == SPEED_CATALOGUE && gpu != scenario->reference_gpu) {
        const struct gpu_model *gpus = scenario->catalogue->gpus;
        return (double)gpus[gpu].sms / gpus[scenario->reference_gpu].sms;
    }
    return 1;
}

double speed_of_profile(const struct scenario *scenario, const struct workload_spec *workload,
                        const struct mig_profile *profile, double sm_share) {
    const struct model_spec *needs = &workload->needs;
    for (size_t i = 0; i < needs->speed_count; i++) {
        const char *name = needs->speeds[i].profile;
        if (name != NULL && strcasecmp(name, profile->name) == 0) {
            return needs->speeds[i].factor;
        }
    }
    double measured;
    int gpu;
    if (needs->speed_rule == SPEED_MEASURED &&
        catalogue_measured_speed(scenario->catalogue, needs->measured_as,
                                 workload_measured_work(workload), profile->compute_slices,
                                 needs->measured_batch, &measured, &gpu)) {
        return measured;
    }
    return fmin(1, sm_share / needs->saturation);
}

double speed_saturation(const struct workload_spec *workload) {
    return workload->needs.saturation > 0 ? workload->needs.saturation : 1;
}

double speed_thread_share(const struct scenario *scenario, int32_t pool) {
    const struct sharing_spec *sharing = scenario->pools[pool].sharing.options;
    return sharing != NULL && sharing->thread_percentage > 0 ? sharing->thread_percentage : 1;
}

double speed_on_gpu(const struct scenario *scenario, const struct workload_spec *workload,
                    int32_t pool) {
    double speed = speed_of_gpu(scenario, workload, scenario->pools[pool].gpu);
    return speed *
           mps_tenant_of(speed_saturation(workload), speed_thread_share(scenario, pool)).speed;
}

double speed_on_device(const struct scenario *scenario, const struct workload_spec *workload,
                       const struct device *device) {
    const struct gpu_model *gpu =
        &scenario->catalogue->gpus[scenario->pools[device->pool->position].gpu];
    double speed = speed_of_gpu(scenario, workload, scenario->pools[device->pool->position].gpu);
    if (device->profile >= 0) {
        speed *=
            speed_of_profile(scenario, workload, &gpu->profiles[device->profile], device->sm_share);
    }
    return speed;
}

double speed_capped_on_device(const struct scenario *scenario, const struct workload_spec *workload,
                              const struct device *device, double compute) {
    double speed = speed_on_device(scenario, workload, device);
    if (device->engine != &engine_together) {
        return speed;
    }
    return speed * engine_together_alone(device, speed_saturation(workload), compute);
}
