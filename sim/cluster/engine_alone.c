/* A GPU or a MIG instance that one tenant has alone. Its tasks run at full speed, one at a time;
 * a tenant that begins several at once shares the device among them equally. */
#include <assert.h>
#include <stdlib.h>

#include "sim/cluster/engines.h"
#include "sim/kernel/memory.h"

static void initialize(struct device *device, const struct sharing_spec *spec) {
    (void)spec;
    device->alone = (struct alone){.end = SIM_TIME_NEVER};
}

static void terminate(struct device *device) {
    if (device->alone.tasks != NULL) {
        processor_sharing_terminate(device->alone.tasks);
        free(device->alone.tasks);
    }
}

static void seat(struct device *device, const struct tenant *tenant, sim_time now) {
    (void)now;
    struct alone *alone = &device->alone;
    alone->several = tenant->concurrency > 1;
    if (alone->several && alone->tasks == NULL) {
        alone->tasks = memory_zero(1, sizeof *alone->tasks);
        processor_sharing_initialize(alone->tasks, 1, 0);
        processor_sharing_seat(alone->tasks, 0, 1, 1);
    }
}

static void begin(struct device *device, struct tenant *tenant, struct task *task, sim_time now) {
    struct alone *alone = &device->alone;
    alone->tenant = tenant;
    if (alone->several) {
        processor_sharing_begin(alone->tasks, 0, &task->shared, task->work, now);
    } else {
        assert(alone->task == NULL);
        alone->task = task;
        alone->since = now;
        alone->end = sim_time_add(now, task->work);
    }
}

/* Counts the time computed so far; one at a time. */
static void count(struct alone *alone, sim_time now) {
    if (alone->task != NULL) {
        alone->computed += now - alone->since;
        alone->since = now;
    }
}

static sim_time withdraw(struct device *device, struct tenant *tenant, struct task *task,
                         sim_time now) {
    struct alone *alone = &device->alone;
    (void)tenant;
    if (alone->several) {
        return task->work - processor_sharing_withdraw(alone->tasks, 0, &task->shared, now);
    }
    count(alone, now);
    alone->task = NULL;
    alone->end = SIM_TIME_NEVER;
    return now - task->begun;
}

static sim_time next(const struct device *device) {
    const struct alone *alone = &device->alone;
    return alone->several ? processor_sharing_next(alone->tasks) : alone->end;
}

static struct task *end(struct device *device, sim_time now, struct tenant **tenant,
                        struct task_parts *parts) {
    struct alone *alone = &device->alone;
    struct task *task = alone->task;
    *tenant = alone->tenant;
    if (alone->several) {
        task = (struct task *)processor_sharing_end(alone->tasks, now);
        parts->batching = (double)(now - task->begun - task->work);
    } else {
        count(alone, now);
        alone->task = NULL;
        alone->end = SIM_TIME_NEVER;
    }
    return task;
}

static void advance(struct device *device, sim_time now) {
    struct alone *alone = &device->alone;
    count(alone, now);
    if (alone->tasks != NULL) {
        processor_sharing_advance(alone->tasks, now);
    }
}

static double computed(const struct device *device, int32_t slot) {
    const struct alone *alone = &device->alone;
    (void)slot;
    sim_time several = alone->tasks != NULL ? processor_sharing_computing_time(alone->tasks) : 0;
    return (double)(alone->computed + several);
}

const struct device_engine engine_alone = {
    .initialize = initialize,
    .terminate = terminate,
    .seat = seat,
    .begin = begin,
    .withdraw = withdraw,
    .next = next,
    .end = end,
    .advance = advance,
    .computed = computed,
};
