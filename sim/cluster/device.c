#include "sim/cluster/device.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

#include "sim/cluster/device_memory.h"
#include "sim/cluster/pool.h"
#include "sim/kernel/memory.h"

void device_initialize(struct device *device, const struct device_engine *engine,
                       const struct sharing_spec *spec) {
    device->engine = engine;
    device->tenants = memory_zero((size_t)device->slots, sizeof *device->tenants);
    device->category = GPU_IDLE;
    engine->initialize(device, spec);
}

void device_terminate(struct device *device) {
    if (device->engine != NULL) {
        device->engine->terminate(device);
        free(device->tenants);
        device->engine = NULL;
    }
}

static void ends(void *context, void *subject);

/* The event of the next end follows the engine. */
static void reschedule(struct device *device) {
    sim_time next = device->engine->next(device);
    if (device->event != 0) {
        if (device->event_time == next) {
            return;
        }
        event_queue_cancel(device->host->events, device->event);
    }
    device->event = next == SIM_TIME_NEVER
                        ? 0
                        : event_queue_push(device->host->events, next, RANK_END, ends, device);
    device->event_time = next;
}

/* Something changed that decides what comes next: now, or when the instant is over. */
static void changed(struct device *device) {
    if (device->engine->settle == NULL) {
        reschedule(device);
    } else if (!device->unsettled) {
        struct device_host *host = device->host;
        host->unsettled = memory_grow(host->unsettled, &host->unsettled_capacity,
                                      host->unsettled_count + 1, sizeof *host->unsettled);
        host->unsettled[host->unsettled_count++] = device;
        device->unsettled = true;
    }
}

void device_host_settle(struct device_host *host, sim_time now) {
    for (size_t i = 0; i < host->unsettled_count; i++) {
        struct device *device = host->unsettled[i];
        device->unsettled = false;
        if (device->engine->settle != NULL) { /* else MIG has made it another kind of instance */
            device->engine->settle(device, now);
        }
        reschedule(device);
    }
    host->unsettled_count = 0;
}

void device_host_add(struct device_host *host, struct device *single) {
    single->previous_single = NULL;
    single->next_single = host->singles;
    if (host->singles != NULL) {
        host->singles->previous_single = single;
    }
    host->singles = single;
}

void device_host_remove(struct device_host *host, struct device *single) {
    if (single->next_single != NULL) {
        single->next_single->previous_single = single->previous_single;
    }
    if (single->previous_single != NULL) {
        single->previous_single->next_single = single->next_single;
    } else {
        host->singles = single->next_single;
    }
}

void device_host_book_singles(struct device_host *host, sim_time now) {
    for (struct device *single = host->singles; single != NULL; single = single->next_single) {
        device_book(single, now);
    }
}

/* Under time-slicing this holds for switches, too: device_book tells them apart later. */
static enum gpu_category category_now(const struct device *device) {
    if (device->tenant_count == 0) {
        return GPU_IDLE;
    }
    return device->task_count > 0      ? GPU_USEFUL
           : device->loading_count > 0 ? GPU_LOADING
                                       : GPU_HELD_IDLE;
}

/* Counts the time in which nobody computed. */
static void count_waiting(struct device *device, sim_time now) {
    double elapsed = (double)(now - device->since);
    if (elapsed == 0) {
        return; /* nobody may be left to divide by */
    }
    if (device->category == GPU_HELD_IDLE) {
        device->waiting_each += elapsed / device->tenant_count;
    } else if (device->category == GPU_LOADING) {
        device->loading_each += elapsed / device->loading_count;
    }
    device->since = now;
}

static void update_category(struct device *device, sim_time now) {
    enum gpu_category category = category_now(device);
    if (category != device->category) {
        count_waiting(device, now);
        ledger_move(&device->pool->ledger, now, device->category, category, device->units);
        device->category = category;
    }
}

/* The share of the device's SMs that a tenant makes use of when it computes alone. */
static double demand(const struct device *device, const struct tenant *tenant) {
    return fmin(device->thread_percentage, tenant->saturation / device->sm_share);
}

/* Moves the switches since the last time within the ledger. While anybody loads, they are loading
 * time, which the loading tenants share. */
static void book_switching(struct device *device) {
    double switched = device->engine->switched_in_all(device);
    double part = switched - device->booked_switching;
    device->booked_switching = switched;
    bool loads = device->loading_count > 0;
    ledger_transfer(&device->pool->ledger, GPU_USEFUL, loads ? GPU_LOADING : GPU_SWITCH,
                    (gpu_time)part * device->units);
    if (loads) {
        device->loading_each += part / device->loading_count;
    }
}

/* A counter's growth since it was booked last. */
static double grown(double counter, double *booked) {
    double growth = counter - *booked;
    *booked = counter;
    return growth;
}

/* The tenant's part of the device's time since it was booked last; ns. */
static double book_tenant(struct device *device, struct tenant *tenant) {
    const struct device_engine *engine = device->engine;
    double computed = grown(engine->computed(device, tenant->slot), &tenant->booked_computing);
    double loaded = grown(device->loading_each, &tenant->booked_loading);
    double held = computed + grown(device->waiting_each, &tenant->booked_waiting);
    if (engine->switched != NULL) {
        double switched = grown(engine->switched(device, tenant->slot), &tenant->booked_switching);
        held += device->loading_count > 0 ? 0 : switched;
    }
    if (engine->occupied == NULL) {
        device->pool->sm_time += computed * demand(device, tenant) * device->units;
    }
    return held + (tenant->loading ? loaded : 0);
}

void device_book(struct device *device, sim_time now) {
    const struct device_engine *engine = device->engine;
    engine->advance(device, now);
    count_waiting(device, now);
    if (engine->switched_in_all != NULL) {
        book_switching(device);
    }
    struct device_host *host = device->host;
    for (int32_t slot = 0; slot < device->slots; slot++) {
        struct tenant *tenant = device->tenants[slot];
        if (tenant != NULL) {
            double held = book_tenant(device, tenant) * device->units;
            host->accounts[(size_t)tenant->workload * host->pool_count +
                           (size_t)device->pool->position] += (gpu_time)nearbyint(held);
        }
    }
    if (engine->occupied != NULL) {
        device->pool->sm_time +=
            grown(engine->occupied(device), &device->booked_occupied) * device->units;
    }
}

static int32_t first_free_slot(const struct device *device) {
    int32_t slot = 0;
    while (device->tenants[slot] != NULL) {
        slot++;
    }
    return slot;
}

static void change_memory(struct device *device, int64_t delta, sim_time now) {
    struct time_tally *used = &device->pool->memory_used;
    device->memory_used += delta;
    time_tally_set(used, now, used->value + delta);
}

/* What a tenant that has its device alone (+1), or leaves it (-1), keeps from others. Memory is
 * wasted only by tenants that said how much they need. */
static void count_wasted(struct device *device, const struct tenant *tenant, int sign,
                         sim_time now) {
    struct time_tally *wasted = &device->pool->memory_wasted;
    if (device->slots == 1 && tenant->memory > 0) {
        time_tally_set(wasted, now, wasted->value + sign * (device->memory - tenant->memory));
    }
}

void device_seat(struct device *device, struct tenant *tenant, sim_time now) {
    assert(tenant->device == NULL && device->tenant_count < device->slots);
    device_book(device, now);
    tenant->device = device;
    tenant->slot = first_free_slot(device);
    tenant->tasks = 0;
    tenant->loading = false;
    device->tenants[tenant->slot] = tenant;
    device->tenant_count++;
    device->compute_used += tenant->compute;
    change_memory(device, tenant->memory, now);
    count_wasted(device, tenant, 1, now);
    if (device_memory_varies(device, tenant)) {
        device_memory_seat(device, tenant, now);
    }
    device->engine->seat(device, tenant, now);
    tenant->booked_computing = device->engine->computed(device, tenant->slot);
    tenant->booked_switching =
        device->engine->switched != NULL ? device->engine->switched(device, tenant->slot) : 0;
    tenant->booked_waiting = device->waiting_each;
    tenant->booked_loading = device->loading_each;
    update_category(device, now);
}

void device_unseat(struct tenant *tenant, sim_time now) {
    struct device *device = tenant->device;
    assert(device != NULL && tenant->tasks == 0);
    device_book(device, now);
    device->loading_count -= tenant->loading;
    tenant->loading = false;
    device->tenants[tenant->slot] = NULL;
    device->tenant_count--;
    device->compute_used -= tenant->compute;
    change_memory(device, -tenant->memory, now);
    count_wasted(device, tenant, -1, now);
    if (device->memory_watched > 0) {
        device_memory_unseat(device, tenant, now);
    }
    tenant->device = NULL;
    update_category(device, now);
}

void device_set_loading(struct tenant *tenant, bool loading, sim_time now) {
    struct device *device = tenant->device;
    if (tenant->loading != loading) {
        device_book(device, now);
        tenant->loading = loading;
        device->loading_count += loading ? 1 : -1;
        update_category(device, now);
    }
}

void device_begin(struct tenant *tenant, struct task *task, sim_time work, sim_time now) {
    struct device *device = tenant->device;
    assert(tenant->tasks < tenant->concurrency);
    task->begun = now;
    task->work = work;
    tenant->tasks++;
    device->task_count++;
    device->engine->begin(device, tenant, task, now);
    update_category(device, now);
    changed(device);
}

void device_withdraw(struct tenant *tenant, struct task *task, sim_time now) {
    struct device *device = tenant->device;
    tenant->tasks--;
    device->task_count--;
    device->engine->withdraw(device, tenant, task, now);
    update_category(device, now);
    changed(device);
}

static void ends(void *context, void *subject) {
    struct device *device = subject;
    sim_time now = device->event_time;
    struct tenant *tenant = NULL;
    struct task_parts parts = {0};
    device->event = 0;
    struct task *task = device->engine->end(device, now, &tenant, &parts);
    if (task != NULL) {
        tenant->tasks--;
        device->task_count--;
        tenant->task_ended(context, tenant, task, &parts, now);
    }
    if (device->engine == NULL) {
        return; /* a GPU that its tenant had alone, and left */
    }
    update_category(device, now);
    if (device->event == 0) {
        changed(device);
    }
}
