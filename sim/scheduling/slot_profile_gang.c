/* Whole GPUs of a pool that tenants share: each GPU is looked at by name, as what is reserved in a
 * slot of it is not to be had elsewhere. */
#include <stdlib.h>

#include "sim/scheduling/slot_profile.h"

static const struct device *device_of(const struct slots *slots, int32_t node, int32_t gpu) {
    return &slots->devices[(size_t)node * (size_t)slots->devices_per_node +
                           (size_t)slots->first_of_gpu[gpu]];
}

static size_t place_of(const struct slots *slots, int32_t node, int32_t gpu) {
    return (size_t)node * (size_t)slots->gpus_per_node + (size_t)gpu;
}

int32_t slot_profile_whole_kind(const struct slot_profile *profile, const struct device *device) {
    const struct slots *slots = profile->shared->pool->slots;
    if (((slots->whole_mask >> device->gpu) & 1) != 0) {
        return slots->entries[device - slots->devices].kind;
    }
    const struct chosen exclusive = {.index = SHARING_EXCLUSIVE};
    bool ever = ((slots->ever_whole_mask >> device->gpu) & 1) != 0;
    return ever ? slots_find_kind(slots, -1, &exclusive) : -1;
}

/* When those on a whole GPU have left it; SIM_TIME_NEVER where nobody knows: it is out of use, or
 * kept from others though nobody runs there. */
static sim_time left_by_all(const struct slot_profile *profile, int32_t node, int32_t gpu) {
    const struct slots *slots = profile->shared->pool->slots;
    const struct device *device = device_of(slots, node, gpu);
    sim_time held = profile->shared->held[place_of(slots, node, gpu)];
    bool is_free = (profile->shared->pool->free_mask[node] >> gpu & 1) != 0;
    bool kept = !is_free && held == SHARED_POOL_FREE && device->tenant_count == 0;
    if (kept || slots->entries[device - slots->devices].barred > 0) {
        return SIM_TIME_NEVER;
    }
    sim_time moment = held;
    for (int32_t slot = 0; slot < device->slots; slot++) {
        const struct tenant *tenant = device->tenants[slot];
        moment = tenant != NULL && tenant->expected_end > moment ? tenant->expected_end : moment;
    }
    return moment;
}

/* What is reserved of it for any time of a stretch. */
static const struct slot_use *in_the_way(const struct slot_uses *uses, sim_time from,
                                         sim_time until) {
    for (size_t i = 0; i < uses->count; i++) {
        if (uses->items[i].from < until && from < uses->items[i].until) {
            return &uses->items[i];
        }
    }
    return NULL;
}

/* The first moment, `from` or later, at which nothing is reserved of it for so long. */
static sim_time first_unreserved(struct slot_profile *profile, const struct device *device,
                                 sim_time from, sim_time duration) {
    const struct slot_uses *uses = slot_profile_uses(profile, device);
    const struct slot_use *use;
    sim_time moment = from;
    while (moment != SIM_TIME_NEVER &&
           (use = in_the_way(uses, moment, sim_time_add(moment, duration))) != NULL) {
        moment = use->until;
    }
    return moment;
}

/* When a calendar lets somebody take it whole. */
static int windows_of(struct slot_profile *profile, const struct device *device,
                      struct slot_window windows[OUTLOOK_LAYOUTS]) {
    if (slot_outlook_covers(profile, device)) {
        int32_t kind = slot_profile_whole_kind(profile, device);
        return slot_outlook_windows(profile, device, kind, windows);
    }
    windows[0] = (struct slot_window){profile->now, SIM_TIME_NEVER};
    return 1;
}

static sim_time later(sim_time a, sim_time b) {
    return a > b ? a : b;
}

/* The first moment, `from` or later, at which a GPU is free for so long. */
static sim_time first_of_gpu(struct slot_profile *profile, int32_t node, int32_t gpu, sim_time from,
                             sim_time duration) {
    const struct slots *slots = profile->shared->pool->slots;
    const struct device *device = device_of(slots, node, gpu);
    struct slot_window windows[OUTLOOK_LAYOUTS];
    int count = windows_of(profile, device, windows);
    bool is_whole = slots->entries[device - slots->devices].kind >= 0 && device->profile < 0;
    for (int i = 0; i < count; i++) {
        sim_time moment = later(from, windows[i].from);
        /* What is cut to be whole by then, nobody has. */
        if (windows[i].from <= profile->now || is_whole) {
            moment = later(moment, left_by_all(profile, node, gpu));
        }
        moment = first_unreserved(profile, device, moment, duration);
        bool waits = sim_time_add(moment, duration) > windows[i].before &&
                     slot_outlook_is_awaited(profile, device, windows[i].before);
        if (moment < windows[i].before && !waits) {
            return moment;
        }
    }
    return SIM_TIME_NEVER;
}

uint64_t slot_profile_gpus(struct slot_profile *profile, int32_t node, sim_time from,
                           sim_time duration) {
    uint64_t mask = 0;
    for (uint64_t rest = profile->shared->pool->slots->ever_whole_mask; rest != 0;
         rest &= rest - 1) {
        int32_t gpu = __builtin_ctzll(rest);
        bool is_free = first_of_gpu(profile, node, gpu, from, duration) == from;
        mask |= is_free ? UINT64_C(1) << gpu : 0;
    }
    return mask;
}

/* --- The index, as it is then --- */

/* What the hosts will have free, into profile->hosts; no more than now, of who is to start. */
static void survey_host(struct slot_profile *profile, int32_t node, sim_time from,
                        sim_time duration, bool starts) {
    if (!slot_profile_limits_hosts(profile)) {
        return;
    }
    struct host_share room = slot_profile_host(profile, node, from, sim_time_add(from, duration));
    const struct host_share *now = &profile->shared->pool->index.free_host[node];
    room.cpus = starts && now->cpus < room.cpus ? now->cpus : room.cpus;
    room.memory = starts && now->memory < room.memory ? now->memory : room.memory;
    profile->hosts[node] = room;
}

/* Puts the index into the state of a stretch of time, by profile->masks and profile->hosts. */
static void look_ahead(struct slot_profile *profile) {
    struct node_index *index = &profile->shared->pool->index;
    for (int32_t node = 0; node < index->nodes; node++) {
        profile->before[node] = index->free_gpus[node];
        int32_t gpus = __builtin_popcountll(profile->masks[node]);
        node_index_change(index, node, gpus - profile->before[node]);
        if (index->free_host != NULL) {
            profile->hosts_before[node] = index->free_host[node];
            index->free_host[node] = profile->hosts[node];
        }
    }
}

static void look_back(struct slot_profile *profile) {
    struct node_index *index = &profile->shared->pool->index;
    for (int32_t node = 0; node < index->nodes; node++) {
        node_index_change(index, node, profile->before[node] - index->free_gpus[node]);
        if (index->free_host != NULL) {
            index->free_host[node] = profile->hosts_before[node];
        }
    }
}

/* --- The first moment --- */

static int compare_moments(const void *a, const void *b) {
    sim_time left = *(const sim_time *)a;
    sim_time right = *(const sim_time *)b;
    return (left > right) - (left < right);
}

static sim_time of_rank(sim_time *moments, size_t count, size_t rank) {
    qsort(moments, count, sizeof *moments, compare_moments);
    return rank <= count ? moments[rank - 1] : SIM_TIME_NEVER;
}

/* When a node has so many GPUs free, each for long enough from some moment on. */
static sim_time node_has(struct slot_profile *profile, int32_t node, int32_t gpus) {
    const struct slots *slots = profile->shared->pool->slots;
    sim_time moments[GPUS_PER_NODE_LIMIT];
    size_t count = 0;
    for (uint64_t rest = slots->ever_whole_mask; rest != 0; rest &= rest - 1) {
        moments[count++] = profile->firsts[place_of(slots, node, __builtin_ctzll(rest))];
    }
    return of_rank(moments, count, (size_t)gpus);
}

/* A bound: no moment before this one will do, by the GPUs' own first moments. */
static sim_time earliest(struct slot_profile *profile, const struct gang *gang) {
    const struct slots *slots = profile->shared->pool->slots;
    const struct node_index *index = &profile->shared->pool->index;
    int32_t held = gang_held(gang, index->gpus_per_node);
    size_t count = 0;
    if (gang->span == SPAN_ANY) {
        for (int32_t node = 0; node < index->nodes; node++) {
            for (uint64_t rest = slots->ever_whole_mask; rest != 0; rest &= rest - 1) {
                profile->moments[count++] =
                    profile->firsts[place_of(slots, node, __builtin_ctzll(rest))];
            }
        }
        return of_rank(profile->moments, count, (size_t)held);
    }
    bool several = held > index->gpus_per_node;
    for (int32_t node = 0; node < index->nodes; node++) {
        profile->moments[count++] = node_has(profile, node, several ? index->gpus_per_node : held);
    }
    return of_rank(profile->moments, count, several ? (size_t)(held / index->gpus_per_node) : 1);
}

/* When a GPU next becomes free, or may, after a moment. */
static sim_time next_rise(struct slot_profile *profile, int32_t node, int32_t gpu, sim_time after) {
    const struct slots *slots = profile->shared->pool->slots;
    sim_time first = profile->firsts[place_of(slots, node, gpu)];
    if (first > after) {
        return first;
    }
    sim_time next = SIM_TIME_NEVER;
    const struct slot_uses *uses = slot_profile_uses(profile, device_of(slots, node, gpu));
    for (size_t i = 0; i < uses->count; i++) {
        sim_time end = uses->items[i].until;
        next = end > after && end < next ? end : next;
    }
    struct slot_window windows[OUTLOOK_LAYOUTS];
    int count = windows_of(profile, device_of(slots, node, gpu), windows);
    for (int i = 0; i < count; i++) {
        next = windows[i].from > after && windows[i].from < next ? windows[i].from : next;
    }
    return next;
}

/* Fills in what is free from a moment on; returns the next at which more may be. */
static sim_time survey(struct slot_profile *profile, sim_time moment, sim_time duration) {
    const struct slots *slots = profile->shared->pool->slots;
    sim_time next = SIM_TIME_NEVER;
    for (int32_t node = 0; node < slots->node_count; node++) {
        profile->masks[node] = 0;
        survey_host(profile, node, moment, duration, false);
        sim_time room = slot_profile_host_next(profile, node, moment);
        next = room < next ? room : next;
        for (uint64_t rest = slots->ever_whole_mask; rest != 0; rest &= rest - 1) {
            int32_t gpu = __builtin_ctzll(rest);
            sim_time first = first_of_gpu(profile, node, gpu, moment, duration);
            profile->firsts[place_of(slots, node, gpu)] = first;
            profile->masks[node] |= first == moment ? UINT64_C(1) << gpu : 0;
            sim_time rise = next_rise(profile, node, gpu, moment);
            next = rise < next ? rise : next;
        }
    }
    return next;
}

sim_time slot_profile_first_gang(struct slot_profile *profile, const struct gang *gang,
                                 sim_time duration) {
    sim_time moment = profile->now;
    while (moment != SIM_TIME_NEVER) {
        sim_time next = survey(profile, moment, duration);
        sim_time bound = earliest(profile, gang);
        if (bound <= moment) {
            look_ahead(profile);
            bool fits = placement_fits(&profile->shared->pool->index, gang);
            look_back(profile);
            if (fits) {
                return moment;
            }
        }
        moment = bound > next ? bound : next;
    }
    return SIM_TIME_NEVER;
}

/* --- Places --- */

static uint64_t lowest_bits(uint64_t mask, int32_t count) {
    uint64_t rest = mask;
    for (int32_t i = 0; i < count; i++) {
        rest &= rest - 1;
    }
    return mask ^ rest;
}

bool slot_profile_plan_gang(struct slot_profile *profile, const struct placement_rule *rule,
                            struct piece_stock *stock, const struct gang *gang, sim_time from,
                            sim_time duration, bool starts, struct piece *first) {
    struct pool *pool = profile->shared->pool;
    for (int32_t node = 0; node < pool->index.nodes; node++) {
        profile->masks[node] = slot_profile_gpus(profile, node, from, duration) &
                               (starts ? pool->free_mask[node] : UINT64_MAX);
        survey_host(profile, node, from, duration, starts);
    }
    look_ahead(profile);
    bool fits = placement_plan_ahead(rule, &pool->index, gang, stock, first);
    for (struct piece *piece = first; fits && piece != NULL; piece = piece->next) {
        piece->mask = lowest_bits(profile->masks[piece->node], piece->gpus);
    }
    look_back(profile);
    return fits;
}

bool slot_profile_holds_gang(struct slot_profile *profile, const struct gang *gang,
                             const struct piece *pieces, sim_time from, sim_time duration,
                             bool starts) {
    bool holds = true;
    for (const struct piece *piece = pieces; holds && piece != NULL; piece = piece->next) {
        struct host_share host =
            node_index_ask(&profile->shared->pool->index, gang, piece->gpus).host;
        uint64_t mask = slot_profile_gpus(profile, piece->node, from, duration) &
                        (starts ? profile->shared->pool->free_mask[piece->node] : UINT64_MAX);
        holds = (piece->mask & ~mask) == 0 &&
                slot_profile_host_fits(profile, piece->node, &host, from,
                                       sim_time_add(from, duration), starts);
    }
    return holds;
}

void slot_profile_reserve_gang(struct slot_profile *profile, const struct gang *gang,
                               const struct piece *pieces, sim_time from, sim_time duration) {
    const struct slots *slots = profile->shared->pool->slots;
    struct slot_use use = {.from = from, .until = sim_time_add(from, duration)};
    for (const struct piece *piece = pieces; piece != NULL; piece = piece->next) {
        use.host = node_index_ask(&profile->shared->pool->index, gang, piece->gpus).host;
        for (uint64_t mask = piece->mask; mask != 0; mask &= mask - 1) {
            const struct device *device = device_of(slots, piece->node, __builtin_ctzll(mask));
            use.kind = slot_profile_whole_kind(profile, device);
            slot_profile_add_use(profile, device, &use);
            use.host = (struct host_share){0}; /* all of it is with the first */
        }
    }
}

bool slot_profile_gpu_is_free(struct slot_profile *profile, const struct device *device,
                              sim_time moment) {
    return first_of_gpu(profile, device->node, device->gpu, moment, 1) == moment;
}
