/* What one spot of a shared pool leaves for somebody, at a moment and from that on. */
#include "sim/scheduling/slot_profile.h"

/* Whether it is there now, idle or not. */
static bool is_there(const struct slot_profile *profile, const struct slot_spot *spot) {
    const struct slots *slots = profile->shared->pool->slots;
    return slots->entries[spot->device - slots->devices].kind == spot->kind;
}

/* Whether nobody gets it then, as its GPU is somebody's, or out of use. */
static bool is_held(const struct slot_profile *profile, const struct slot_spot *spot,
                    sim_time moment) {
    const struct slots *slots = profile->shared->pool->slots;
    return is_there(profile, spot) ? shared_pool_is_held(profile->shared, spot->device, moment)
                                   : slots->entries[spot->device - slots->devices].barred > 0;
}

/* What those who stay beyond a moment leave of it. What is yet to be cut is all there, but where it
 * is being cut for somebody. */
static struct shared_rest rest_of(const struct slot_profile *profile, const struct slot_spot *spot,
                                  const struct slot_ask *ask, sim_time moment) {
    const struct slots *slots = profile->shared->pool->slots;
    const struct slot_kind *kind = &slots->kinds[spot->kind];
    if (is_there(profile, spot)) {
        return shared_pool_rest(spot->device, ask, moment);
    }
    return (struct shared_rest){.memory = kind->memory,
                                .compute = kind->sm_share,
                                .slots = kind->mode->slots(kind->spec),
                                .company = true};
}

static bool is_enough(const struct slot_profile *profile, const struct slot_spot *spot,
                      const struct shared_rest *rest, const struct slot_ask *ask) {
    const struct slot_kind *kind = &profile->shared->pool->slots->kinds[spot->kind];
    return shared_rest_is_enough(rest, kind->spec != NULL ? kind->spec->memory_limit : 0, ask);
}

/* What it leaves for the ask at a moment, if those there end as estimated. */
static bool has_room(struct slot_profile *profile, const struct slot_spot *spot,
                     const struct slot_ask *ask, sim_time moment, struct shared_rest *rest) {
    const struct slot_uses *uses = slot_profile_uses(profile, spot->device);
    if (is_held(profile, spot, moment) || (slot_profile_is_cut(profile, spot->device) &&
                                           !slot_profile_cut_stands(profile, spot, moment))) {
        return false;
    }
    *rest = rest_of(profile, spot, ask, moment);
    for (size_t i = 0; i < uses->count; i++) {
        /* Who is there as something else leaves before that is cut. */
        bool beside = slot_use_covers(&uses->items[i], moment) && uses->items[i].kind == spot->kind;
        if (beside && uses->items[i].ask == NULL) {
            return false;
        }
        if (beside) {
            shared_rest_seat(rest, ask, uses->items[i].ask);
        }
    }
    return is_enough(profile, spot, rest, ask);
}

struct slot_place slot_profile_now(const struct slot_profile *profile,
                                   const struct slot_spot *spot) {
    return (struct slot_place){.device = spot->device,
                               .cut_as = is_there(profile, spot) ? -1 : spot->kind};
}

static bool can_cut_now(const struct slot_profile *profile, const struct slot_spot *spot) {
    const struct slots *slots = profile->shared->pool->slots;
    const struct device *device = spot->device;
    if (!slot_profile_is_cut(profile, device)) {
        return false;
    }
    size_t gpu = (size_t)device->node * (size_t)slots->gpus_per_node + (size_t)device->gpu;
    int32_t start = (int32_t)(device - slots->devices) % slots->devices_per_node -
                    slots->first_of_gpu[device->gpu];
    uint32_t starts = slots->recut->state[gpu]->starts[slots->kinds[spot->kind].profile];
    return (starts >> start & 1) != 0;
}

/* What it leaves now: beside those who are there, overdue or not, and what is set aside. */
static bool has_room_now(const struct slot_profile *profile, const struct slot_spot *spot,
                         const struct slot_ask *ask, struct shared_rest *rest) {
    const struct slots *slots = profile->shared->pool->slots;
    const struct device *device = spot->device;
    if (is_held(profile, spot, SHARED_POOL_FREE) ||
        slots->entries[device - slots->devices].closed ||
        (!is_there(profile, spot) && !can_cut_now(profile, spot))) {
        return false;
    }
    *rest = rest_of(profile, spot, ask, SHARED_POOL_FREE);
    rest->memory -= device->promised.memory;
    rest->compute -= (double)device->promised.compute / SLOTS_MOST_COMPUTE;
    rest->slots -= device->promised.slots;
    return is_enough(profile, spot, rest, ask);
}

/* Whether a calendar has it there for somebody who starts at a moment and stays up to another. */
static bool is_open(struct slot_profile *profile, const struct slot_spot *spot, sim_time from,
                    sim_time until) {
    if (!slot_outlook_covers(profile, spot->device)) {
        return true;
    }
    struct slot_window windows[OUTLOOK_LAYOUTS];
    int count = slot_outlook_windows(profile, spot->device, spot->kind, windows);
    bool open = false;
    for (int i = 0; i < count; i++) {
        open |= windows[i].from <= from && from < windows[i].before &&
                (until <= windows[i].before ||
                 !slot_outlook_is_awaited(profile, spot->device, windows[i].before));
    }
    return open;
}

sim_time slot_profile_cut_before(const struct slot_profile *profile, const struct slot_spot *spot,
                                 sim_time from) {
    bool stays = is_there(profile, spot) &&
                 (from == profile->now || shared_pool_staying(spot->device, from) > 0);
    if (stays || !slot_profile_is_cut(profile, spot->device)) {
        return 0;
    }
    sim_time time = slot_profile_cut_time(profile, spot->device);
    return time > 0 ? time : 1;
}

/* Others leave, or come when it is reserved for them: it is enough to look at these moments. */
bool slot_profile_has_room(struct slot_profile *profile, const struct slot_stay *stay,
                           const struct slot_spot *spot, sim_time from, bool starts,
                           int64_t *memory) {
    const struct slots *slots = profile->shared->pool->slots;
    sim_time cut = slot_profile_cut_before(profile, spot, from);
    sim_time until = sim_time_add(from, sim_time_add(cut, stay->durations[spot->kind]));
    struct shared_rest rest = {0};
    bool is_cut = slot_profile_is_cut(profile, spot->device);
    bool room = is_open(profile, spot, from, until) &&
                has_room(profile, spot, stay->ask, from, &rest) &&
                slot_profile_host_fits(profile, spot->device->node, &stay->ask->host, from, until,
                                       starts) &&
                (!is_cut || slot_profile_cut_may_begin(profile, spot, from, cut));
    *memory = rest.memory;
    if (room && starts) {
        room = has_room_now(profile, spot, stay->ask, &rest);
        *memory = rest.memory < *memory ? rest.memory : *memory;
    }
    /* On a GPU that is cut on demand, others come beside it. */
    int32_t gpu = spot->device->gpu;
    int32_t count = is_cut ? slots->first_of_gpu[gpu + 1] - slots->first_of_gpu[gpu] : 1;
    const struct device *first =
        is_cut ? &slots->devices[(size_t)spot->device->node * (size_t)slots->devices_per_node +
                                 (size_t)slots->first_of_gpu[gpu]]
               : spot->device;
    for (int32_t k = 0; k < count; k++) {
        const struct slot_uses *uses = slot_profile_uses(profile, &first[k]);
        for (size_t i = 0; room && i < uses->count; i++) {
            sim_time moment = uses->items[i].from;
            if (moment > from && moment < until) {
                room = has_room(profile, spot, stay->ask, moment, &rest);
                *memory = rest.memory < *memory ? rest.memory : *memory;
            }
        }
    }
    return room;
}
