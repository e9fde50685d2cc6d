/* Time-slicing: tenants take turns (time_slicer.h). */
#include <stdlib.h>

#include "sim/cluster/engines.h"
#include "sim/kernel/memory.h"

static void initialize(struct device *device, const struct sharing_spec *spec) {
    time_slicer_initialize(&device->turns.slicer, device->slots, spec->slice, spec->switch_time);
    device->turns.tasks = memory_zero((size_t)device->slots, sizeof *device->turns.tasks);
}

static void terminate(struct device *device) {
    time_slicer_terminate(&device->turns.slicer);
    free(device->turns.tasks);
}

static void seat(struct device *device, const struct tenant *tenant, sim_time now) {
    time_slicer_seat(&device->turns.slicer, tenant->slot, now);
}

static void begin(struct device *device, struct tenant *tenant, struct task *task, sim_time now) {
    struct turns *turns = &device->turns;
    turns->tasks[tenant->slot] = task;
    time_slicer_begin(&turns->slicer, tenant->slot, task->work, now);
    task->counter = (double)time_slicer_switching(&turns->slicer);
}

static sim_time withdraw(struct device *device, struct tenant *tenant, struct task *task,
                         sim_time now) {
    device->turns.tasks[tenant->slot] = NULL;
    return task->work - time_slicer_withdraw(&device->turns.slicer, tenant->slot, now);
}

static void settle(struct device *device, sim_time now) {
    time_slicer_settle(&device->turns.slicer, now);
}

static sim_time next(const struct device *device) {
    return time_slicer_next(&device->turns.slicer);
}

static struct task *end(struct device *device, sim_time now, struct tenant **tenant,
                        struct task_parts *parts) {
    struct turns *turns = &device->turns;
    int32_t slot = time_slicer_end(&turns->slicer, now);
    if (slot < 0) {
        return NULL;
    }
    struct task *task = turns->tasks[slot];
    turns->tasks[slot] = NULL;
    *tenant = device->tenants[slot];
    parts->switching = (double)time_slicer_switching(&turns->slicer) - task->counter;
    parts->others = (double)(now - task->begun - task->work) - parts->switching;
    return task;
}

static void advance(struct device *device, sim_time now) {
    time_slicer_advance(&device->turns.slicer, now);
}

static double computed(const struct device *device, int32_t slot) {
    return (double)time_slicer_computing(&device->turns.slicer, slot);
}

static double switched(const struct device *device, int32_t slot) {
    return (double)time_slicer_switching_to(&device->turns.slicer, slot);
}

static double switched_in_all(const struct device *device) {
    return (double)time_slicer_switching(&device->turns.slicer);
}

const struct device_engine engine_turns = {
    .initialize = initialize,
    .terminate = terminate,
    .seat = seat,
    .begin = begin,
    .withdraw = withdraw,
    .settle = settle,
    .next = next,
    .end = end,
    .advance = advance,
    .computed = computed,
    .switched = switched,
    .switched_in_all = switched_in_all,
};
