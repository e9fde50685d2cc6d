#include "sim/cluster/device.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

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

static const enum gpu_category category_of[TENANT_STATE_COUNT] = {
    [TENANT_WAITS] = GPU_HELD_IDLE,
    [TENANT_LOADS] = GPU_LOADING,
    [TENANT_RESTORES] = GPU_RESTORE,
    [TENANT_SAVES] = GPU_CHECKPOINT,
};

/* The one that decides where the device's time goes while nobody computes. */
static enum tenant_state first_state(const struct device *device) {
    int state = TENANT_STATE_COUNT - 1;
    while (state > TENANT_WAITS && device->in_state[state] == 0) {
        state--;
    }
    return (enum tenant_state)state;
}

/* Under time-slicing this holds for switches, too: device_book tells them apart later. */
static enum gpu_category category_now(const struct device *device) {
    if (device->tenant_count == 0) {
        return GPU_IDLE;
    }
    return device->task_count > 0 ? GPU_USEFUL : category_of[first_state(device)];
}

/* Counts the time in which nobody computed. */
static void count_waiting(struct device *device, sim_time now) {
    double elapsed = (double)(now - device->since);
    if (elapsed == 0) {
        return; /* nobody may be left to divide by */
    }
    for (int state = 0; state < TENANT_STATE_COUNT; state++) {
        if (device->category == category_of[state]) {
            device->each_in[state] += elapsed / device->in_state[state];
        }
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

/* Moves the switches since the last time within the ledger. While anybody saves, restores or loads,
 * they are that, which the tenants that do so share. */
static void book_switching(struct device *device) {
    double switched = device->engine->switched_in_all(device);
    double part = switched - device->booked_switching;
    device->booked_switching = switched;
    enum tenant_state state = first_state(device);
    bool hidden = state != TENANT_WAITS;
    ledger_transfer(&device->pool->ledger, GPU_USEFUL, hidden ? category_of[state] : GPU_SWITCH,
                    (gpu_time)part * device->units);
    if (hidden) {
        device->each_in[state] += part / device->in_state[state];
    }
}

/* A counter's growth since it was booked last. */
static double grown(double counter, double *booked) {
    double growth = counter - *booked;
    *booked = counter;
    return growth;
}

/* How much it waited for its host while its counter went on from `before` to `after`: held idle.
 * In whole ns that do not depend on how often it is booked. */
static double book_host(const struct device *device, const struct tenant *tenant, double before,
                        double after) {
    if (tenant->host_share == 0) {
        return 0;
    }
    assert(device->slots == 1);
    double share = (double)tenant->host_share / HOST_SHARE_UNIT;
    double waited = floor(after * share) - floor(before * share);
    ledger_transfer(&device->pool->ledger, GPU_USEFUL, GPU_HELD_IDLE,
                    (gpu_time)waited * device->units);
    return waited;
}

/* The tenant's part of the device's time since it was booked last; ns. */
static double book_tenant(struct device *device, struct tenant *tenant) {
    const struct device_engine *engine = device->engine;
    double before = tenant->booked_computing;
    double computed = grown(engine->computed(device, tenant->slot), &tenant->booked_computing);
    double waited = 0;
    for (int state = 0; state < TENANT_STATE_COUNT; state++) {
        double part = grown(device->each_in[state], &tenant->booked_state[state]);
        waited += tenant->state == (enum tenant_state)state ? part : 0;
    }
    double held = computed + waited;
    if (engine->switched != NULL) {
        double switched = grown(engine->switched(device, tenant->slot), &tenant->booked_switching);
        held += first_state(device) != TENANT_WAITS ? 0 : switched;
    }
    computed -= book_host(device, tenant, before, tenant->booked_computing);
    if (engine->occupied == NULL) {
        device->pool->sm_time += computed * demand(device, tenant) * device->units;
    }
    if (tenant->computed_epoch != device->host->epoch) {
        tenant->computed_epoch = device->host->epoch;
        tenant->computed = 0;
        tenant->moved = 0;
    }
    tenant->computed += computed;
    tenant->moved += tenant->state == TENANT_SAVES || tenant->state == TENANT_RESTORES ? waited : 0;
    return held;
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
            host->accounts[(size_t)tenant->account * host->pool_count +
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
    tenant->state = TENANT_WAITS;
    tenant->computed = 0;
    tenant->moved = 0;
    tenant->computed_epoch = device->host->epoch;
    device->tenants[tenant->slot] = tenant;
    device->tenant_count++;
    device->in_state[TENANT_WAITS]++;
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
    memcpy(tenant->booked_state, device->each_in, sizeof tenant->booked_state);
    update_category(device, now);
}

void device_unseat(struct tenant *tenant, sim_time now) {
    struct device *device = tenant->device;
    assert(device != NULL && tenant->tasks == 0);
    device_book(device, now);
    device->in_state[tenant->state]--;
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

void device_set_state(struct tenant *tenant, enum tenant_state state, sim_time now) {
    struct device *device = tenant->device;
    if (tenant->state != state) {
        device_book(device, now);
        device->in_state[tenant->state]--;
        device->in_state[state]++;
        tenant->state = state;
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

sim_time device_withdraw(struct tenant *tenant, struct task *task, sim_time now) {
    struct device *device = tenant->device;
    tenant->tasks--;
    device->task_count--;
    sim_time done = device->engine->withdraw(device, tenant, task, now);
    assert(done >= 0 && done <= task->work);
    update_category(device, now);
    changed(device);
    return done;
}

gpu_time device_take_computed(struct tenant *tenant, sim_time now) {
    device_book(tenant->device, now);
    /* Rounded down, so that the tenants of a device never take more than it has. */
    double computed = floor(tenant->computed);
    tenant->computed -= computed;
    return (gpu_time)computed * tenant->device->units;
}

double device_take_moved(struct tenant *tenant) {
    double moved = tenant->moved;
    tenant->moved = 0;
    return moved * tenant->device->units;
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
