/* MPS: tenants compute at the same time (processor_sharing.h). */
#include <math.h>

#include "models/mps.h"
#include "sim/cluster/engines.h"

static void initialize(struct device *device, const struct sharing_spec *spec) {
    processor_sharing_initialize(&device->sharing, device->slots, spec->interference);
}

static void terminate(struct device *device) {
    processor_sharing_terminate(&device->sharing);
}

/* Of the device's SMs: what a tenant can use, and what it may. */
static double saturation_here(const struct device *device, double saturation) {
    return fmin(1, saturation / device->sm_share);
}

static double cap_here(const struct device *device, double compute) {
    double asked = compute > 0 ? compute / device->sm_share : 1;
    return fmin(device->thread_percentage, asked);
}

double engine_together_alone(const struct device *device, double saturation, double compute) {
    return mps_tenant_of(saturation_here(device, saturation), cap_here(device, compute)).speed;
}

static void seat(struct device *device, const struct tenant *tenant, sim_time now) {
    (void)now;
    processor_sharing_seat(&device->sharing, tenant->slot,
                           saturation_here(device, tenant->saturation),
                           cap_here(device, tenant->compute));
}

static void begin(struct device *device, struct tenant *tenant, struct task *task, sim_time now) {
    processor_sharing_begin(&device->sharing, tenant->slot, &task->shared, task->work, now);
    task->counter = processor_sharing_slot_times(&device->sharing, tenant->slot).delayed;
    task->tenant = tenant;
}

static sim_time withdraw(struct device *device, struct tenant *tenant, struct task *task,
                         sim_time now) {
    return task->work -
           processor_sharing_withdraw(&device->sharing, tenant->slot, &task->shared, now);
}

static sim_time next(const struct device *device) {
    return processor_sharing_next(&device->sharing);
}

static struct task *end(struct device *device, sim_time now, struct tenant **tenant,
                        struct task_parts *parts) {
    struct task *task = (struct task *)processor_sharing_end(&device->sharing, now);
    *tenant = task->tenant;
    double rate_alone = engine_together_alone(device, (*tenant)->saturation, (*tenant)->compute);
    double elapsed = (double)(now - task->begun);
    double slowed = elapsed - (double)task->work / rate_alone;
    if (slowed < 1) {
        slowed = 0; /* an end is told at a whole nanosecond */
    }
    parts->capped = elapsed - slowed - (double)task->work;
    if ((*tenant)->concurrency > 1) {
        double delayed =
            processor_sharing_slot_times(&device->sharing, (*tenant)->slot).delayed - task->counter;
        parts->interference = fmin(delayed, slowed);
        parts->batching = slowed - parts->interference;
    } else {
        parts->interference = slowed;
    }
    return task;
}

static void advance(struct device *device, sim_time now) {
    processor_sharing_advance(&device->sharing, now);
}

static double computed(const struct device *device, int32_t slot) {
    return processor_sharing_slot_times(&device->sharing, slot).part;
}

static double occupied(const struct device *device) {
    return processor_sharing_occupied_time(&device->sharing);
}

const struct device_engine engine_together = {
    .initialize = initialize,
    .terminate = terminate,
    .seat = seat,
    .begin = begin,
    .withdraw = withdraw,
    .next = next,
    .end = end,
    .advance = advance,
    .computed = computed,
    .occupied = occupied,
};
