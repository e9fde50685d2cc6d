/* What the host of each node will have free, where hosts are limited: beside those who stay, on
 * whichever of its GPUs, and those for whom it is reserved. */
#include "sim/scheduling/slot_profile.h"

bool slot_profile_limits_hosts(const struct slot_profile *profile) {
    return profile->shared->pool->index.free_host != NULL;
}

static void add(struct host_share *room, const struct host_share *share, int sign) {
    room->cpus += sign * share->cpus;
    room->memory += sign * share->memory;
}

/* The reservations on a node, one by one: NULL after the last. */
struct walk {
    int32_t device;
    size_t use;
};

static const struct slot_use *next_use(struct slot_profile *profile, int32_t node,
                                       struct walk *walk) {
    const struct slots *slots = profile->shared->pool->slots;
    const struct device *devices = &slots->devices[(size_t)node * (size_t)slots->devices_per_node];
    for (; walk->device < slots->devices_per_node; walk->device++) {
        const struct slot_uses *uses = slot_profile_uses(profile, &devices[walk->device]);
        if (walk->use < uses->count) {
            return &uses->items[walk->use++];
        }
        walk->use = 0;
    }
    return NULL;
}

static struct host_share room_at(struct slot_profile *profile, int32_t node, sim_time moment) {
    const struct host_holds *holds = &profile->shared->hosts[node];
    struct host_share room = profile->shared->pool->index.free_host[node];
    struct walk walk = {0};
    const struct slot_use *use;
    for (size_t i = 0; i < holds->count; i++) {
        if (*holds->items[i].end <= moment) {
            add(&room, &holds->items[i].host, 1);
        }
    }
    while ((use = next_use(profile, node, &walk)) != NULL) {
        if (use->from <= moment && moment < use->until) {
            add(&room, &use->host, -1);
        }
    }
    return room;
}

static void take_least(struct host_share *least, const struct host_share *room) {
    least->cpus = room->cpus < least->cpus ? room->cpus : least->cpus;
    least->memory = room->memory < least->memory ? room->memory : least->memory;
}

/* Not less than nothing: what a suspended job is to have again, others may have meanwhile. */
struct host_share slot_profile_host(struct slot_profile *profile, int32_t node, sim_time from,
                                    sim_time until) {
    struct host_share least = room_at(profile, node, from);
    struct walk walk = {0};
    const struct slot_use *use;
    while ((use = next_use(profile, node, &walk)) != NULL) {
        if (use->from > from && use->from < until) {
            struct host_share room = room_at(profile, node, use->from);
            take_least(&least, &room);
        }
    }
    least.cpus = least.cpus > 0 ? least.cpus : 0;
    least.memory = least.memory > 0 ? least.memory : 0;
    return least;
}

bool slot_profile_host_fits(struct slot_profile *profile, int32_t node,
                            const struct host_share *ask, sim_time from, sim_time until,
                            bool starts) {
    if (!slot_profile_limits_hosts(profile)) {
        return true;
    }
    struct host_share room = slot_profile_host(profile, node, from, until);
    return host_share_fits(ask, &room) &&
           (!starts || node_index_has_room(&profile->shared->pool->index, node, ask));
}

sim_time slot_profile_host_next(struct slot_profile *profile, int32_t node, sim_time after) {
    sim_time next = SIM_TIME_NEVER;
    if (!slot_profile_limits_hosts(profile)) {
        return next;
    }
    const struct host_holds *holds = &profile->shared->hosts[node];
    struct walk walk = {0};
    const struct slot_use *use;
    for (size_t i = 0; i < holds->count; i++) {
        sim_time end = *holds->items[i].end;
        next = end > after && end < next ? end : next;
    }
    while ((use = next_use(profile, node, &walk)) != NULL) {
        next = use->until > after && use->until < next ? use->until : next;
    }
    return next;
}
