#include "sim/scheduling/shared_pool.h"

#include <assert.h>
#include <stdlib.h>

#include "sim/kernel/memory.h"

void shared_pool_initialize(struct shared_pool *shared, struct pool *pool) {
    size_t gpus = (size_t)pool->gpus;
    *shared = (struct shared_pool){.pool = pool, .held = memory_zero(gpus, sizeof *shared->held)};
    for (size_t i = 0; i < gpus; i++) {
        shared->held[i] = SHARED_POOL_FREE;
    }
    if (pool->index.free_host != NULL) {
        shared->hosts = memory_zero((size_t)pool->index.nodes, sizeof *shared->hosts);
    }
}

void shared_pool_terminate(struct shared_pool *shared) {
    for (int32_t node = 0; shared->hosts != NULL && node < shared->pool->index.nodes; node++) {
        free(shared->hosts[node].items);
    }
    free(shared->hosts);
    free(shared->held);
}

static size_t place_of(const struct shared_pool *shared, int32_t node, int32_t gpu) {
    return (size_t)node * (size_t)shared->pool->slots->gpus_per_node + (size_t)gpu;
}

void shared_pool_hold(struct shared_pool *shared, const struct piece *pieces, sim_time until) {
    for (const struct piece *piece = pieces; piece != NULL; piece = piece->next) {
        for (uint64_t mask = piece->mask; mask != 0; mask &= mask - 1) {
            shared->held[place_of(shared, piece->node, __builtin_ctzll(mask))] = until;
        }
    }
}

void shared_pool_hold_host(struct shared_pool *shared, int32_t node, const struct host_hold *hold) {
    if (shared->hosts != NULL) {
        struct host_holds *holds = &shared->hosts[node];
        holds->items =
            memory_grow(holds->items, &holds->capacity, holds->count + 1, sizeof *holds->items);
        holds->items[holds->count++] = *hold;
    }
}

void shared_pool_release_host(struct shared_pool *shared, int32_t node, const sim_time *end) {
    if (shared->hosts == NULL) {
        return;
    }
    struct host_holds *holds = &shared->hosts[node];
    size_t i = 0;
    while (holds->items[i].end != end) {
        i++;
        assert(i < holds->count);
    }
    holds->items[i] = holds->items[--holds->count];
}

/* --- Slots --- */

static bool may_meet(const struct slot_ask *ask, int32_t party, bool exclusive_party) {
    return ask->party == party || !(ask->exclusive_party || exclusive_party);
}

struct shared_rest shared_pool_rest(const struct device *device, const struct slot_ask *ask,
                                    sim_time moment) {
    struct shared_rest rest = {.memory = device->memory,
                               .compute = device->sm_share,
                               .slots = device->slots,
                               .company = true};
    for (int32_t slot = 0; slot < device->slots; slot++) {
        const struct tenant *tenant = device->tenants[slot];
        if (tenant != NULL && tenant->expected_end > moment) {
            rest.memory -= tenant->memory;
            rest.compute -= tenant->compute;
            rest.slots--;
            rest.company &= may_meet(ask, tenant->party, tenant->exclusive_party);
        }
    }
    return rest;
}

void shared_rest_seat(struct shared_rest *rest, const struct slot_ask *ask,
                      const struct slot_ask *other) {
    rest->memory -= other->memory;
    rest->compute -= (double)other->compute / SLOTS_MOST_COMPUTE;
    rest->slots--;
    rest->company &= may_meet(ask, other->party, other->exclusive_party);
}

bool shared_rest_is_enough(const struct shared_rest *rest, int64_t memory_limit,
                           const struct slot_ask *ask) {
    bool limited = memory_limit > 0 && memory_limit < ask->memory;
    return rest->slots > 0 && rest->company && !limited && rest->memory >= ask->memory &&
           slots_compute(rest->compute) >= ask->compute;
}

/* Out of use for nobody knows how long counts as held for ever. */
static bool is_barred(const struct shared_pool *shared, const struct device *device) {
    const struct slots *slots = shared->pool->slots;
    return slots->entries[device - slots->devices].barred > 0;
}

bool shared_pool_is_held(const struct shared_pool *shared, const struct device *device,
                         sim_time moment) {
    if (is_barred(shared, device)) {
        return true;
    }
    return shared->held[place_of(shared, device->node, device->gpu)] > moment &&
           device->profile < 0;
}

static sim_time earlier_after(sim_time moment, sim_time after, sim_time earliest) {
    return moment > after && moment < earliest ? moment : earliest;
}

sim_time shared_pool_next_end(const struct shared_pool *shared, const struct device *device,
                              sim_time after) {
    sim_time next = SIM_TIME_NEVER;
    for (int32_t slot = 0; slot < device->slots; slot++) {
        if (device->tenants[slot] != NULL) {
            next = earlier_after(device->tenants[slot]->expected_end, after, next);
        }
    }
    if (device->profile >= 0) {
        return next;
    }
    return earlier_after(shared->held[place_of(shared, device->node, device->gpu)], after, next);
}

int32_t shared_pool_staying(const struct device *device, sim_time moment) {
    int32_t staying = 0;
    for (int32_t slot = 0; slot < device->slots; slot++) {
        const struct tenant *tenant = device->tenants[slot];
        staying += tenant != NULL && tenant->expected_end > moment;
    }
    return staying;
}

bool shared_pool_holds_both(const struct device *device, const struct slot_ask *first,
                            const struct slot_ask *other, sim_time moment) {
    struct shared_rest rest = shared_pool_rest(device, first, moment);
    shared_rest_seat(&rest, first, other);
    return shared_rest_is_enough(&rest, device->memory_limit, first);
}
