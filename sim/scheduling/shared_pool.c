#include "sim/scheduling/shared_pool.h"

#include <stdlib.h>

#include "sim/kernel/memory.h"

void shared_pool_initialize(struct shared_pool *shared, const struct pool *pool) {
    size_t gpus = (size_t)pool->gpus;
    *shared = (struct shared_pool){.pool = pool,
                                   .held = memory_zero(gpus, sizeof *shared->held),
                                   .moments = memory_zero(gpus, sizeof *shared->moments),
                                   .sorted = memory_zero(gpus, sizeof *shared->sorted)};
    for (size_t i = 0; i < gpus; i++) {
        shared->held[i] = SHARED_POOL_FREE;
    }
}

void shared_pool_terminate(struct shared_pool *shared) {
    free(shared->held);
    free(shared->moments);
    free(shared->sorted);
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

/* --- Slots --- */

/* What the tenants that stay beyond a moment leave of a device. */
struct rest {
    int64_t memory;
    double compute;
    int32_t slots;
    bool company; /* whether all of them would have the newcomer beside them */
};

static bool may_meet(const struct slot_ask *ask, int32_t party, bool exclusive_party) {
    return ask->party == party || !(ask->exclusive_party || exclusive_party);
}

static struct rest rest_at(const struct device *device, const struct slot_ask *ask,
                           sim_time moment) {
    struct rest rest = {.memory = device->memory,
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

static bool rest_is_enough(const struct device *device, const struct rest *rest,
                           const struct slot_ask *ask) {
    bool limited = device->memory_limit > 0 && device->memory_limit < ask->memory;
    return rest->slots > 0 && rest->company && !limited && rest->memory >= ask->memory &&
           slots_compute(rest->compute) >= ask->compute;
}

/* Out of use for nobody knows how long counts as held for ever. */
static bool is_barred(const struct shared_pool *shared, const struct device *device) {
    const struct slots *slots = shared->pool->slots;
    return slots->entries[device - slots->devices].barred > 0;
}

static bool is_held(const struct shared_pool *shared, const struct device *device,
                    sim_time moment) {
    if (is_barred(shared, device)) {
        return true;
    }
    return shared->held[place_of(shared, device->node, device->gpu)] > moment &&
           device->profile < 0;
}

static bool fits_at(const struct shared_pool *shared, const struct device *device,
                    const struct slot_ask *ask, sim_time moment) {
    struct rest rest = rest_at(device, ask, moment);
    return !is_held(shared, device, moment) && rest_is_enough(device, &rest, ask);
}

static sim_time earlier_after(sim_time moment, sim_time after, sim_time earliest) {
    return moment > after && moment < earliest ? moment : earliest;
}

/* When the next of those who are on the device leaves. */
static sim_time next_end(const struct shared_pool *shared, const struct device *device,
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

static bool is_of_kind(const struct slots *slots, const struct device *device, uint64_t kinds) {
    size_t index = (size_t)(device - slots->devices);
    int32_t kind = slots->entries[index].kind;
    return kind >= 0 && ((kinds >> kind) & 1) != 0;
}

sim_time shared_pool_first_slot(const struct shared_pool *shared, const struct slot_ask *ask,
                                sim_time now) {
    const struct slots *slots = shared->pool->slots;
    size_t count = (size_t)slots->node_count * (size_t)slots->devices_per_node;
    sim_time first = SIM_TIME_NEVER;
    for (size_t i = 0; i < count && first > now; i++) {
        const struct device *device = &slots->devices[i];
        /* Most are no better than the best so far, which is one look. */
        if (!is_of_kind(slots, device, ask->kinds) || !fits_at(shared, device, ask, first - 1)) {
            continue;
        }
        sim_time moment = now;
        while (!fits_at(shared, device, ask, moment)) {
            moment = next_end(shared, device, moment);
        }
        first = moment;
    }
    return first;
}

/* Free slots of a device. */
static int32_t free_at(const struct shared_pool *shared, const struct device *device,
                       sim_time moment) {
    return is_held(shared, device, moment) ? 0
                                           : device->slots - shared_pool_staying(device, moment);
}

static int64_t rank_at(const struct shared_pool *shared, const struct device *device,
                       sim_time moment) {
    const struct slots *slots = shared->pool->slots;
    const struct device *of_node =
        &slots->devices[(size_t)device->node * (size_t)slots->devices_per_node];
    int32_t on_node = 0;
    int32_t on_gpu = 0;
    for (int32_t i = 0; i < slots->devices_per_node; i++) {
        int32_t slots_free = free_at(shared, &of_node[i], moment);
        on_node += slots_free;
        on_gpu += of_node[i].gpu == device->gpu ? slots_free : 0;
    }
    return slots->rank(on_node, on_gpu);
}

/* What slots_find goes by, in its order. */
struct merit {
    int64_t memory;
    int32_t units;
    int64_t rank;
};

static bool is_better(const struct merit *a, const struct merit *b) {
    if (a->memory != b->memory) {
        return a->memory < b->memory;
    }
    return a->units != b->units ? a->units < b->units : a->rank < b->rank;
}

const struct device *shared_pool_slot_at(const struct shared_pool *shared,
                                         const struct slot_ask *ask, sim_time moment) {
    const struct slots *slots = shared->pool->slots;
    size_t count = (size_t)slots->node_count * (size_t)slots->devices_per_node;
    const struct device *best = NULL;
    struct merit best_merit = {0};
    for (size_t i = 0; i < count; i++) {
        const struct device *device = &slots->devices[i];
        if (!is_of_kind(slots, device, ask->kinds) || !fits_at(shared, device, ask, moment)) {
            continue;
        }
        struct merit merit = {.memory = rest_at(device, ask, moment).memory,
                              .units = device->units};
        if (device->memory_limit > 0 && device->memory_limit < merit.memory) {
            merit.memory = device->memory_limit;
        }
        merit.rank = slots->rank != NULL ? rank_at(shared, device, moment) : 0;
        if (best == NULL || is_better(&merit, &best_merit)) {
            best = device;
            best_merit = merit;
        }
    }
    return best;
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
    struct rest rest = rest_at(device, first, moment);
    rest.memory -= other->memory;
    rest.compute -= (double)other->compute / SLOTS_MOST_COMPUTE;
    rest.slots--;
    rest.company &= may_meet(first, other->party, other->exclusive_party);
    return rest_is_enough(device, &rest, first);
}

/* --- Whole GPUs --- */

/* SHARED_POOL_FREE: now. */
static sim_time gpu_moment(const struct shared_pool *shared, int32_t node, int32_t gpu) {
    const struct slots *slots = shared->pool->slots;
    if (((slots->whole_mask >> gpu) & 1) == 0) {
        return SIM_TIME_NEVER;
    }
    const struct device *device = &slots->devices[(size_t)node * (size_t)slots->devices_per_node +
                                                  (size_t)slots->first_of_gpu[gpu]];
    sim_time moment =
        is_barred(shared, device) ? SIM_TIME_NEVER : shared->held[place_of(shared, node, gpu)];
    for (int32_t slot = 0; slot < device->slots; slot++) {
        const struct tenant *tenant = device->tenants[slot];
        if (tenant != NULL && tenant->expected_end > moment) {
            moment = tenant->expected_end;
        }
    }
    return moment;
}

static int32_t gpus_at(const struct shared_pool *shared, int32_t node, sim_time moment) {
    int32_t gpus = 0;
    for (uint64_t mask = shared->pool->slots->whole_mask; mask != 0; mask &= mask - 1) {
        gpus += shared->moments[place_of(shared, node, __builtin_ctzll(mask))] <= moment;
    }
    return gpus;
}

/* Whole nodes and one for the remainder, or any. */
static bool gang_fits_at(const struct shared_pool *shared, const struct gang *gang,
                         sim_time moment) {
    const struct node_index *index = &shared->pool->index;
    int32_t held = gang_held(gang, index->gpus_per_node);
    int32_t whole = held / index->gpus_per_node;
    int32_t remainder = held % index->gpus_per_node;
    int64_t all = 0;
    int32_t with_all = 0;
    int32_t with_remainder = 0;
    for (int32_t node = 0; node < index->nodes; node++) {
        int32_t there = gpus_at(shared, node, moment);
        all += there;
        with_all += there == index->gpus_per_node;
        with_remainder += there >= remainder;
    }
    if (gang->span == SPAN_ANY) {
        return all >= gang->gpus;
    }
    return with_all >= whole && (remainder == 0 || with_remainder > whole);
}

static int compare_moments(const void *a, const void *b) {
    sim_time left = *(const sim_time *)a;
    sim_time right = *(const sim_time *)b;
    return (left > right) - (left < right);
}

sim_time shared_pool_first_gang(struct shared_pool *shared, const struct gang *gang, sim_time now) {
    int32_t per_node = shared->pool->slots->gpus_per_node;
    size_t count = (size_t)shared->pool->gpus;
    for (size_t i = 0; i < count; i++) {
        shared->moments[i] =
            gpu_moment(shared, (int32_t)(i / (size_t)per_node), (int32_t)(i % (size_t)per_node));
        shared->sorted[i] = shared->moments[i] > now ? shared->moments[i] : now;
    }
    qsort(shared->sorted, count, sizeof *shared->sorted, compare_moments);
    size_t low = 0;
    size_t high = count - 1;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (gang_fits_at(shared, gang, shared->sorted[middle])) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    return shared->sorted[low];
}

int32_t shared_pool_returned(const struct shared_pool *shared, int32_t node, sim_time moment) {
    return gpus_at(shared, node, moment) - gpus_at(shared, node, SHARED_POOL_FREE);
}
