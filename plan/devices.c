#include "plan/devices.h"

#include <math.h>

#include "models/mps.h"
#include "sim/scheduling/speed.h"

static const struct chosen alone = {.index = SHARING_EXCLUSIVE};

static double slots_of(const struct chosen *sharing) {
    const struct sharing_spec *spec = sharing->options;
    return sharing->index == SHARING_MPS         ? spec->clients
           : sharing->index == SHARING_TIMESLICE ? spec->replicas
                                                 : 1;
}

static void visit_instances(const struct plan_device *whole, const struct sharing_spec *mig,
                            void (*visit)(void *, const struct plan_device *), void *context) {
    const struct gpu_model *gpu = whole->gpu;
    for (size_t i = 0; i < mig->layout_count; i++) {
        const struct layout_item *item = &mig->layout[i];
        struct plan_device device = *whole;
        device.profile = &gpu->profiles[item->profile_row];
        device.sharing = &item->sharing;
        device.count *= item->count;
        device.slots = slots_of(&item->sharing);
        device.share = device.profile->sms > 0 && gpu->sms > 0
                           ? (double)device.profile->sms / gpu->sms
                           : (double)device.profile->compute_slices / gpu->compute_slices;
        device.memory =
            device.profile->memory_mib > 0 ? device.profile->memory_mib * 1024 * 1024 : INT64_MAX;
        visit(context, &device);
    }
}

/* The most tenants that the GPU ever has at one time, over the hours of its calendar. */
static double most_slots(const struct sharing_spec *mig) {
    enum { MOST_INSTANCES = 7 };
    double most = mig->dynamic ? MOST_INSTANCES : 0;
    for (size_t k = 0; k < sharing_way_count(mig); k++) {
        struct layout_way way = sharing_way(mig, k);
        double slots = way.whole ? 1 : 0;
        for (size_t i = 0; i < way.count; i++) {
            slots += way.items[i].count * slots_of(&way.items[i].sharing);
        }
        most = fmax(most, slots);
    }
    return most;
}

static void visit_gpu(const struct scenario *scenario, size_t pool, int32_t gpu,
                      void (*visit)(void *, const struct plan_device *), void *context) {
    const struct pool_spec *spec = &scenario->pools[pool];
    const struct chosen *sharing = pool_sharing_of(spec, gpu);
    const struct sharing_spec *options = sharing->options;
    bool mig = sharing->index == SHARING_MIG;
    struct plan_device device = {.pool = pool,
                                 .gpu = &scenario->catalogue->gpus[spec->gpu],
                                 .sharing = sharing,
                                 .count = pool_node_count(spec),
                                 .share = 1,
                                 .slots = slots_of(sharing),
                                 .ever_whole = !mig || sharing_is_ever_whole(options)};
    device.memory = device.gpu->memory_mib > 0 ? device.gpu->memory_mib * 1024 * 1024 : INT64_MAX;
    if (!mig) {
        visit(context, &device);
    } else if (options->dynamic || options->calendar_count > 0) {
        device.sharing = &alone;
        device.changes = true;
        device.slots = most_slots(options);
        visit(context, &device);
    } else {
        visit_instances(&device, options, visit, context);
    }
}

void plan_each_device(const struct scenario *scenario,
                      void (*visit)(void *context, const struct plan_device *device),
                      void *context) {
    for (size_t pool = 0; pool < scenario->pool_count; pool++) {
        for (int32_t gpu = 0; gpu < scenario->pools[pool].gpus_per_node; gpu++) {
            visit_gpu(scenario, pool, gpu, visit, context);
        }
    }
}

bool plan_is_constant(const struct distribution *distribution) {
    return distribution->kind == &distribution_kinds[0];
}

bool plan_memory_is_known(const struct workload_spec *workload) {
    const struct memory_spec *memory = &workload->needs.memory;
    return plan_is_constant(&memory->start) && memory->growth_per_s == 0 && !workload->has_trace;
}

bool plan_may_use(const struct workload_spec *workload, const struct plan_device *device) {
    bool may = workload->pool_count == 0;
    for (size_t i = 0; i < workload->pool_count && !may; i++) {
        may = (size_t)workload->pools[i] == device->pool;
    }
    return may;
}

int64_t plan_most_memory(const struct plan_device *device) {
    const struct sharing_spec *spec = device->sharing->options;
    int64_t limit = spec != NULL ? spec->memory_limit : 0;
    return limit > 0 && limit < device->memory ? limit : device->memory;
}

/* On the device alone, whatever MPS allows. */
static double base_speed(const struct scenario *scenario, const struct workload_spec *workload,
                         const struct plan_device *device) {
    double speed = speed_of_gpu(scenario, workload, scenario->pools[device->pool].gpu);
    if (device->profile != NULL) {
        speed *= speed_of_profile(scenario, workload, device->profile, device->share);
    }
    return speed;
}

double plan_speed_of_one(const struct scenario *scenario, const struct workload_spec *workload,
                         const struct plan_device *device) {
    if (device->changes) {
        return (double)INFINITY;
    }
    double speed = base_speed(scenario, workload, device);
    if (device->sharing->index == SHARING_MPS && device->profile == NULL) {
        const struct sharing_spec *spec = device->sharing->options;
        speed *= mps_tenant_of(speed_saturation(workload), spec->thread_percentage).speed;
    }
    return speed;
}

/* Under MPS each takes its saturation of the SMs, so 1 / saturation of them at full speed. On a
 * shared device others compute while a job waits for its host. */
double plan_speed_of_all(const struct scenario *scenario, const struct workload_spec *workload,
                         const struct plan_device *device) {
    if (device->changes) {
        return (double)INFINITY;
    }
    double speed = base_speed(scenario, workload, device);
    double active = workload->iterations.gpu_active;
    double room = device->sharing->index == SHARING_MPS
                      ? fmax(1, device->share / speed_saturation(workload))
                      : 1;
    bool shared = device->sharing->index != SHARING_EXCLUSIVE;
    return speed * (shared && active > 0 ? room / active : room);
}
