#include "sim/cluster/device_memory.h"

#include <assert.h>

#include "sim/cluster/pool.h"

/* Amounts are in the unit of ramps, so that bytes and what has grown add up exactly. */
static ramp_amount from_bytes(int64_t bytes) {
    return (ramp_amount)bytes * RAMP_UNIT;
}

/* The first ns >= 0 at which rate x ns >= amount; a rate of 0 never gets anywhere. */
static sim_time reach(ramp_amount amount, ramp_amount rate) {
    if (amount <= 0 || rate <= 0) {
        return rate > 0 ? 0 : SIM_TIME_NEVER;
    }
    ramp_amount ns = (amount + rate - 1) / rate;
    return ns < SIM_TIME_NEVER ? (sim_time)ns : SIM_TIME_NEVER;
}

sim_time device_memory_grown_at(int64_t bytes, int64_t growth, sim_time since) {
    return sim_time_add(since, reach(from_bytes(bytes), growth));
}

/* What tenants leave of the device's memory at `now`; below 0: nothing. */
static ramp_amount room(const struct device *device, sim_time now) {
    return from_bytes(device->memory - device->memory_used - device->memory_excess) -
           ramp_tally_value(&device->memory_grown, now);
}

/* When the memory runs out, given that nothing changes. A sum that has reached the device's memory
 * only runs out if it goes on growing. */
static sim_time full_at(const struct device *device) {
    const struct ramp_tally *grown = &device->memory_grown;
    return sim_time_add(grown->since, reach(room(device, grown->since), grown->rate));
}

/* When a tenant comes to its own limit. */
static sim_time limited_at(const struct device *device, const struct tenant *tenant) {
    if (device->memory_limit == 0 || tenant->memory_growth == 0) {
        return SIM_TIME_NEVER;
    }
    int64_t left = device->memory_limit - tenant->memory - tenant->memory_excess;
    return device_memory_grown_at(left, tenant->memory_growth, tenant->seated);
}

/* When the next tenant asks for too much. */
static sim_time next_overflow(const struct device *device, sim_time now) {
    sim_time next = full_at(device);
    for (int32_t slot = 0; slot < device->slots; slot++) {
        const struct tenant *tenant = device->tenants[slot];
        if (tenant != NULL) {
            sim_time limited = tenant->memory_refused ? now : limited_at(device, tenant);
            next = limited < next ? limited : next;
        }
    }
    return next > now ? next : now;
}

static void reschedule(struct device *device, sim_time now) {
    struct device_host *host = device->host;
    sim_time next = next_overflow(device, now);
    if (device->memory_event != 0) {
        event_queue_cancel(host->events, device->memory_event);
        device->memory_event = 0;
    }
    if (next != SIM_TIME_NEVER) {
        assert(host->overflows != NULL);
        device->memory_event =
            event_queue_push(host->events, next, RANK_KILL, host->overflows, device);
    }
    device->memory_time = next;
}

/* Memory of a tenant that has its device alone was counted as wasted beside what it asked for. */
static bool takes_from_waste(const struct device *device, const struct tenant *tenant) {
    return device->slots == 1 && tenant->memory > 0;
}

static void hold(struct device *device, const struct tenant *tenant, int sign, sim_time now) {
    ramp_amount growth = sign * (ramp_amount)tenant->memory_growth;
    ramp_amount grown = ramp_grown(growth, now - tenant->seated);
    device->memory_excess += sign * tenant->memory_excess;
    ramp_tally_change(&device->memory_grown, now, growth, grown);
    pool_change_memory(device->pool, sign * tenant->memory_excess, growth, grown,
                       takes_from_waste(device, tenant), now);
}

/* Whether it finds what it needs; what it was placed with is counted already. */
static bool fits(const struct device *device, const struct tenant *tenant, sim_time now) {
    ramp_amount need = from_bytes(tenant->memory) + from_bytes(tenant->memory_excess);
    return from_bytes(tenant->memory_excess) <= room(device, now) &&
           (device->memory_limit == 0 || need <= from_bytes(device->memory_limit));
}

void device_memory_seat(struct device *device, struct tenant *tenant, sim_time now) {
    tenant->seated = now;
    tenant->memory_watched = true;
    tenant->memory_refused = !fits(device, tenant, now);
    device->memory_watched++;
    if (tenant->memory_refused) {
        tenant->memory_excess = -tenant->memory;
        tenant->memory_growth = 0;
    }
    hold(device, tenant, 1, now);
    reschedule(device, now);
}

void device_memory_unseat(struct device *device, struct tenant *tenant, sim_time now) {
    hold(device, tenant, -1, now);
    device->memory_watched -= tenant->memory_watched;
    tenant->memory_watched = false;
    tenant->memory_refused = false;
    reschedule(device, now);
}

static ramp_amount holding(const struct tenant *tenant, sim_time now) {
    return from_bytes(tenant->memory + tenant->memory_excess) +
           ramp_grown(tenant->memory_growth, now - tenant->seated);
}

/* Whether a is the one to go rather than b. */
static bool grows_before(const struct tenant *a, const struct tenant *b, sim_time now) {
    return a->memory_growth > b->memory_growth ||
           (a->memory_growth == b->memory_growth && holding(a, now) > holding(b, now));
}

static struct tenant *fastest(const struct device *device, sim_time now) {
    struct tenant *fastest = NULL;
    for (int32_t slot = 0; slot < device->slots; slot++) {
        struct tenant *tenant = device->tenants[slot];
        if (tenant != NULL && tenant->memory_growth > 0 &&
            (fastest == NULL || grows_before(tenant, fastest, now))) {
            fastest = tenant;
        }
    }
    return fastest;
}

struct tenant *device_memory_culprit(const struct device *device, sim_time now) {
    for (int32_t slot = 0; slot < device->slots; slot++) {
        struct tenant *tenant = device->tenants[slot];
        if (tenant != NULL && tenant->memory_refused) {
            return tenant;
        }
    }
    for (int32_t slot = 0; slot < device->slots; slot++) {
        struct tenant *tenant = device->tenants[slot];
        if (tenant != NULL && limited_at(device, tenant) <= now) {
            return tenant;
        }
    }
    return full_at(device) <= now ? fastest(device, now) : NULL;
}
