/* Who may start beside the reservation of the queue's head: who ends before it, or leaves its place
 * alone. */
#include "sim/scheduling/reservation_parts.h"

static struct reserved_node *reserved_at(struct reservation *reservation, int32_t pool,
                                         int32_t node) {
    uint32_t entry = reservation->entry[pool][node];
    return entry == 0 ? NULL : &reservation->nodes[entry - 1];
}

static bool leaves_nodes_alone(struct reservation *reservation, const struct node_index *index,
                               int32_t pool, const struct gang *gang, const struct piece *pieces) {
    for (const struct piece *piece = pieces; piece != NULL; piece = piece->next) {
        const struct reserved_node *node = reserved_at(reservation, pool, piece->node);
        struct node_ask ask = node_index_ask(index, gang, piece->gpus);
        if (node != NULL &&
            (piece->gpus > node->extra || !host_share_fits(&ask.host, &node->extra_host))) {
            return false;
        }
    }
    return true;
}

/* Whether a tenant of the device takes one of the GPUs that its node has free at the shadow time
 * if `others` more than it are there now. */
static bool takes_gpu(const struct reservation *reservation, const struct device *device,
                      int32_t others) {
    return device->profile < 0 && shared_pool_staying(device, reservation->shadow) - others == 0;
}

/* The same of a slot: on a device that is reserved, it must leave the head's slot; a GPU that
 * would be free at the shadow time counts. */
static bool leaves_slot_alone(struct reservation *reservation, const struct shape_pool *where,
                              const struct device *device) {
    const struct device *reserved = reservation->spot.device;
    if (reserved != NULL) {
        return device != reserved ||
               shared_pool_holds_both(device, reservation->ask, &where->slot, reservation->shadow);
    }
    const struct reserved_node *node = reserved_at(reservation, where->pool, device->node);
    return node == NULL || node->extra > 0 || !takes_gpu(reservation, device, 0);
}

void reservation_use_extra(struct reservation *reservation, const struct node_index *index,
                           const struct job *job) {
    struct gang gang = shape_gang(job->shape);
    for (const struct piece *piece = &job->pieces; piece != NULL; piece = piece->next) {
        struct reserved_node *node = reserved_at(reservation, job->pool, piece->node);
        bool slot = piece->gpus == 0;
        if (node != NULL && slot) {
            /* Who waits for an instance to be cut is on no whole GPU. */
            node->extra -= job->tenant != NULL && takes_gpu(reservation, job->tenant->device, 1);
        } else if (node != NULL) {
            struct node_ask ask = node_index_ask(index, &gang, piece->gpus);
            node->extra -= piece->gpus;
            if (index->free_host != NULL) {
                node->extra_host.cpus -= ask.host.cpus;
                node->extra_host.memory -= ask.host.memory;
            }
        }
    }
}

/* The longest estimate that ends within `time` at this speed, as scheduler_scale rounds. */
static sim_time longest_estimate(sim_time time, double speed) {
    if (speed == 1 || time >= SIM_TIME_LONGEST) {
        return time;
    }
    sim_time estimate = sim_time_from_seconds(sim_time_to_seconds(time) * speed);
    while (estimate < SIM_TIME_LONGEST && scheduler_scale(estimate + 1, speed) <= time) {
        estimate++;
    }
    while (estimate >= 0 && scheduler_scale(estimate, speed) > time) {
        estimate--;
    }
    return estimate;
}

/* Whether GPUs of the head's pool follow a calendar, so that who comes to one may hold up how
 * others are cut. */
static bool follows_clock(const struct scheduler *scheduler) {
    const struct shape_pool *where = scheduler->reservation->where;
    const struct slots *slots = where == NULL ? NULL : scheduler->pools[where->pool].slots;
    return slots != NULL && slots->relayout != NULL;
}

/* Whether jobs may be in the head's way elsewhere than in its slot or on its nodes' whole GPUs: by
 * how GPUs are cut, or by what hosts have. */
static bool is_to_be_tried(const struct scheduler *scheduler) {
    const struct reservation *reservation = scheduler->reservation;
    const struct shape_pool *where = reservation->where;
    if (where == NULL || !reservation_is_shared(reservation, where->pool)) {
        return false;
    }
    const struct slot_profile *profile = &reservation->slots[where->pool];
    const struct device *device = reservation->spot.device;
    return follows_clock(scheduler) || slot_profile_limits_hosts(profile) ||
           (device != NULL && slot_profile_is_cut(profile, device));
}

/* As if somebody were there from now on, for longer than any job. */
static void try_use(struct scheduler *scheduler, const struct shape_pool *where,
                    const struct slot_place *place, const struct gang *gang,
                    const struct piece *pieces) {
    struct slot_profile *profile = &scheduler->reservation->slots[where->pool];
    const struct pool *pool = &scheduler->pools[where->pool];
    const sim_time for_ever = SIM_TIME_NEVER - 1; /* no replica */
    slot_profile_begin(profile, scheduler->now);
    if (place->device != NULL) {
        bool is_cut = place->cut_as >= 0;
        struct slot_use use = {
            .from = scheduler->now,
            .until = for_ever,
            .cut = is_cut ? slot_profile_cut_time(profile, place->device) : 0,
            .ask = &where->slot,
            .host = where->slot.host,
            .kind = is_cut ? place->cut_as
                           : pool->slots->entries[place->device - pool->slots->devices].kind};
        slot_profile_add_use(profile, place->device, &use);
        return;
    }
    for (const struct piece *piece = pieces; piece != NULL; piece = piece->next) {
        /* As pool_take will name them. */
        struct piece named = {.node = piece->node,
                              .gpus = piece->gpus,
                              .mask = pool_lowest_free(pool, piece->node, piece->gpus)};
        slot_profile_reserve_gang(profile, gang, &named, scheduler->now, for_ever - scheduler->now);
    }
}

/* Whether the head could have its place when it is to, although somebody else stays there. */
static bool leaves_all_alone(struct scheduler *scheduler, const struct shape_pool *where,
                             const struct slot_place *place, const struct gang *gang,
                             const struct piece *pieces) {
    struct reservation *reservation = scheduler->reservation;
    struct slot_profile *profile = &reservation->slots[where->pool];
    bool alone;
    if (where->pool != reservation->where->pool) {
        return true;
    }
    try_use(scheduler, where, place, gang, pieces);
    if (reservation->spot.device != NULL) {
        struct slot_stay stay = reservation_stay_of(reservation->where);
        alone = slot_profile_holds(profile, &stay, &reservation->spot, reservation->shadow, false);
    } else {
        alone = slot_profile_first_gang(profile, &reservation->gang, 1) <= reservation->shadow;
    }
    slot_profile_begin(profile, scheduler->now);
    return alone;
}

/* By when a job has to be over if it does not leave the head's place alone: also before any GPU
 * drains, if that place is to be there only after that. */
static sim_time latest_end(const struct scheduler *scheduler) {
    const struct reservation *reservation = scheduler->reservation;
    if (!follows_clock(scheduler)) {
        return reservation->shadow;
    }
    const struct slot_profile *profile = &reservation->slots[reservation->where->pool];
    sim_time turn = slot_outlook_next_turn(profile);
    return turn < reservation->shadow ? turn : reservation->shadow;
}

/* For how long more than it runs a job keeps others from what is cut there: while it is cut itself,
 * and by the hysteresis. */
static sim_time time_beside(const struct scheduler *scheduler, const struct shape_pool *where,
                            const struct slot_place *place) {
    const struct slot_profile *profile = &scheduler->reservation->slots[where->pool];
    if (place->device == NULL || !slot_profile_is_cut(profile, place->device)) {
        return 0;
    }
    const struct slots *slots = scheduler->pools[where->pool].slots;
    sim_time cut = place->cut_as >= 0 ? slot_profile_cut_time(profile, place->device) : 0;
    return sim_time_add(cut, slots->recut->of_gpu[place->device->gpu]->spec->hysteresis);
}

bool reservation_is_left_alone(struct scheduler *scheduler, const struct shape *shape,
                               const struct shape_pool *where, const struct slot_place *place,
                               const struct piece *pieces) {
    struct gang gang = shape_gang(shape);
    if (is_to_be_tried(scheduler)) {
        return leaves_all_alone(scheduler, where, place, &gang, pieces);
    }
    if (place->device != NULL) {
        return leaves_slot_alone(scheduler->reservation, where, place->device);
    }
    return leaves_nodes_alone(scheduler->reservation, &scheduler->pools[where->pool].index,
                              where->pool, &gang, pieces);
}

sim_time reservation_longest_estimate(const struct scheduler *scheduler,
                                      const struct shape_pool *where,
                                      const struct slot_place *place, double speed) {
    sim_time left = latest_end(scheduler) - scheduler->now;
    sim_time others = time_beside(scheduler, where, place);
    return others > left ? -1 : longest_estimate(left - others, speed);
}
