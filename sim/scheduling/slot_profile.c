#include "sim/scheduling/slot_profile.h"

#include <stdlib.h>

#include "sim/kernel/memory.h"

static size_t device_count(const struct slots *slots) {
    return (size_t)slots->node_count * (size_t)slots->devices_per_node;
}

void slot_profile_initialize(struct slot_profile *profile, struct shared_pool *shared) {
    size_t gpus = (size_t)shared->pool->gpus;
    size_t nodes = (size_t)shared->pool->index.nodes;
    *profile = (struct slot_profile){
        .shared = shared,
        .uses = memory_zero(device_count(shared->pool->slots), sizeof *profile->uses),
        .firsts = memory_zero(gpus, sizeof *profile->firsts),
        .masks = memory_zero(nodes, sizeof *profile->masks),
        .before = memory_zero(nodes, sizeof *profile->before),
        .moments = memory_zero(gpus, sizeof *profile->moments)};
    if (shared->pool->index.free_host != NULL) {
        profile->hosts = memory_zero(nodes, sizeof *profile->hosts);
        profile->hosts_before = memory_zero(nodes, sizeof *profile->hosts_before);
    }
    for (int i = 0; shared->pool->slots->relayout != NULL && i < OUTLOOK_LAYOUTS; i++) {
        profile->outlook.ready[i] = memory_zero(gpus, sizeof *profile->outlook.ready[i]);
    }
    if (shared->pool->slots->relayout != NULL) {
        profile->outlook.free_places = memory_zero(gpus, sizeof *profile->outlook.free_places);
        profile->outlook.latest = memory_zero(gpus, sizeof *profile->outlook.latest);
    }
}

void slot_profile_terminate(struct slot_profile *profile) {
    size_t count = profile->shared == NULL ? 0 : device_count(profile->shared->pool->slots);
    for (size_t i = 0; i < count; i++) {
        free(profile->uses[i].items);
    }
    free(profile->uses);
    free(profile->firsts);
    free(profile->masks);
    free(profile->before);
    free(profile->moments);
    free(profile->hosts);
    free(profile->hosts_before);
    for (int i = 0; i < OUTLOOK_LAYOUTS; i++) {
        free(profile->outlook.ready[i]);
    }
    free(profile->outlook.free_places);
    free(profile->outlook.latest);
}

void slot_profile_begin(struct slot_profile *profile, sim_time now) {
    profile->round++;
    profile->now = now;
    slot_outlook_begin(profile);
}

void slot_profile_note_start(struct slot_profile *profile) {
    profile->looked = false;
}

/* --- What is reserved --- */

struct slot_uses *slot_profile_uses(struct slot_profile *profile, const struct device *device) {
    struct slot_uses *uses = &profile->uses[device - profile->shared->pool->slots->devices];
    if (uses->made_for != profile->round) {
        uses->made_for = profile->round;
        uses->count = 0;
    }
    return uses;
}

void slot_profile_add_use(struct slot_profile *profile, const struct device *device,
                          const struct slot_use *use) {
    struct slot_uses *uses = slot_profile_uses(profile, device);
    uses->items = memory_grow(uses->items, &uses->capacity, uses->count + 1, sizeof *uses->items);
    uses->items[uses->count++] = *use;
    slot_outlook_note_use(profile, device, use->from);
}

/* --- When --- */

static sim_time earlier_after(sim_time moment, sim_time after, sim_time earliest) {
    return moment > after && moment < earliest ? moment : earliest;
}

/* When somebody next leaves it, or is to, or it is cut by the clock, or its host has more room. */
static sim_time next_end(struct slot_profile *profile, const struct slot_spot *spot,
                         sim_time after) {
    const struct device *device = spot->device;
    if (slot_profile_is_cut(profile, device)) {
        sim_time next = slot_profile_cut_next(profile, device, after);
        return earlier_after(slot_profile_host_next(profile, device->node, after), after, next);
    }
    const struct slot_uses *uses = slot_profile_uses(profile, device);
    sim_time next = shared_pool_next_end(profile->shared, device, after);
    for (size_t i = 0; i < uses->count; i++) {
        next = earlier_after(uses->items[i].until, after, next);
    }
    struct slot_window windows[OUTLOOK_LAYOUTS];
    int count = slot_outlook_covers(profile, device)
                    ? slot_outlook_windows(profile, device, spot->kind, windows)
                    : 0;
    for (int i = 0; i < count; i++) {
        next = earlier_after(windows[i].from, after, next);
    }
    return earlier_after(slot_profile_host_next(profile, device->node, after), after, next);
}

/* What the device is, or can be, that would do. */
static uint64_t kinds_at(const struct slot_profile *profile, const struct slot_stay *stay,
                         const struct device *device) {
    const struct slots *slots = profile->shared->pool->slots;
    int32_t kind = slots->entries[device - slots->devices].kind;
    if (slot_profile_is_cut(profile, device)) {
        return stay->kinds & slot_profile_cut_kinds(profile, device);
    }
    if (slot_outlook_covers(profile, device)) {
        return stay->kinds & slot_outlook_kinds(profile, device);
    }
    return kind < 0 ? 0 : stay->kinds & (UINT64_C(1) << kind);
}

bool slot_profile_holds(struct slot_profile *profile, const struct slot_stay *stay,
                        const struct slot_spot *spot, sim_time from, bool starts) {
    int64_t memory;
    return ((kinds_at(profile, stay, spot->device) >> spot->kind) & 1) != 0 &&
           slot_profile_has_room(profile, stay, spot, from, starts, &memory);
}

static sim_time first_at(struct slot_profile *profile, const struct slot_stay *stay,
                         const struct slot_spot *spot, sim_time before) {
    int64_t memory;
    sim_time moment = profile->now;
    while (moment < before && !slot_profile_has_room(profile, stay, spot, moment, false, &memory)) {
        moment = next_end(profile, spot, moment);
    }
    return moment;
}

sim_time slot_profile_first(struct slot_profile *profile, const struct slot_stay *stay) {
    const struct slots *slots = profile->shared->pool->slots;
    size_t count = device_count(slots);
    sim_time first = SIM_TIME_NEVER;
    for (size_t i = 0; i < count && first > profile->now; i++) {
        struct slot_spot spot = {.device = &slots->devices[i]};
        uint64_t kinds = kinds_at(profile, stay, spot.device);
        for (; kinds != 0 && first > profile->now; kinds &= kinds - 1) {
            spot.kind = __builtin_ctzll(kinds);
            sim_time moment = first_at(profile, stay, &spot, first);
            first = moment < first ? moment : first;
        }
    }
    return first;
}

/* Whether a reservation, for the moment not counted itself, could begin when it is to. */
static bool could_begin(struct slot_profile *profile, struct device *device,
                        const struct slot_use *use) {
    struct slot_spot spot = {.device = device, .kind = use->kind};
    struct slot_stay stay = {.ask = use->ask};
    int64_t memory;
    if (use->ask != NULL) {
        return slot_profile_has_room(profile, &stay, &spot, use->from, false, &memory);
    }
    return slot_profile_gpu_is_free(profile, device, use->from) &&
           slot_profile_host_fits(profile, device->node, &use->host, use->from, use->from + 1,
                                  false);
}

bool slot_profile_keeps_promises(struct slot_profile *profile) {
    const struct slots *slots = profile->shared->pool->slots;
    size_t count = device_count(slots);
    bool keeps = true;
    for (size_t i = 0; i < count; i++) {
        struct slot_uses *uses = slot_profile_uses(profile, &slots->devices[i]);
        for (size_t k = 0; k < uses->count; k++) {
            struct slot_use last = uses->items[uses->count - 1];
            struct slot_use use = uses->items[k];
            uses->items[k] = last;
            uses->count--;
            keeps &= could_begin(profile, &slots->devices[i], &use);
            uses->items[uses->count++] = last;
            uses->items[k] = use;
        }
    }
    return keeps;
}

void slot_profile_reserve(struct slot_profile *profile, const struct slot_stay *stay,
                          const struct slot_spot *spot, sim_time from) {
    sim_time cut = slot_profile_cut_before(profile, spot, from);
    struct slot_use use = {.from = from,
                           .until =
                               sim_time_add(from, sim_time_add(cut, stay->durations[spot->kind])),
                           .cut = cut,
                           .ask = stay->ask,
                           .host = stay->ask->host,
                           .kind = spot->kind};
    slot_profile_add_use(profile, spot->device, &use);
}

/* --- Which device --- */

/* What slots_find goes by, in its order. */
struct merit {
    int64_t memory;
    int32_t units;
    int64_t rank;
};

static int compare_merits(const struct merit *a, const struct merit *b) {
    if (a->memory != b->memory) {
        return a->memory < b->memory ? -1 : 1;
    }
    if (a->units != b->units) {
        return a->units < b->units ? -1 : 1;
    }
    return (a->rank > b->rank) - (a->rank < b->rank);
}

/* Slots of a device that nobody has at a moment; of who starts now, that nobody has now. */
static int32_t free_slots(struct slot_profile *profile, const struct device *device,
                          sim_time moment, bool starts) {
    sim_time believed = starts ? SHARED_POOL_FREE : moment;
    if (shared_pool_is_held(profile->shared, device, believed)) {
        return 0;
    }
    int32_t count = device->slots - shared_pool_staying(device, believed);
    const struct slot_uses *uses = slot_profile_uses(profile, device);
    for (size_t i = 0; !starts && i < uses->count; i++) {
        if (slot_use_covers(&uses->items[i], moment)) {
            count = uses->items[i].ask == NULL ? 0 : count - 1;
        }
    }
    return count > 0 ? count : 0;
}

static int64_t rank_of(struct slot_profile *profile, const struct device *device, sim_time moment,
                       bool starts) {
    const struct slots *slots = profile->shared->pool->slots;
    const struct device *of_node =
        &slots->devices[(size_t)device->node * (size_t)slots->devices_per_node];
    int32_t on_node = 0;
    int32_t on_gpu = 0;
    for (int32_t i = 0; slots->rank != NULL && i < slots->devices_per_node; i++) {
        int32_t count = free_slots(profile, &of_node[i], moment, starts);
        on_node += count;
        on_gpu += of_node[i].gpu == device->gpu ? count : 0;
    }
    return slots->rank == NULL ? 0 : slots->rank(on_node, on_gpu);
}

static struct merit merit_of(struct slot_profile *profile, const struct slot_spot *spot,
                             int64_t memory, sim_time moment, bool starts) {
    const struct slot_kind *kind = &profile->shared->pool->slots->kinds[spot->kind];
    int64_t limit = kind->spec != NULL ? kind->spec->memory_limit : 0;
    bool is_cut = slot_profile_is_cut(profile, spot->device);
    return (struct merit){.memory = limit > 0 && limit < memory ? limit : memory,
                          .units = kind->units,
                          .rank = is_cut ? 0 : rank_of(profile, spot->device, moment, starts)};
}

/* Where MIG cuts on demand, or the rule weighs places, the one that it finds now, if it will do. */
static bool place_by_rule(struct slot_profile *profile, const struct slot_stay *stay,
                          struct slot_spot *spot) {
    const struct slots *slots = profile->shared->pool->slots;
    struct slot_ask ask = *stay->ask;
    struct slot_place place;
    ask.kinds = stay->kinds;
    if ((slots->recut == NULL && slots->states == NULL) || !slots_find_place(slots, &ask, &place)) {
        return false;
    }
    int32_t kind = slots->entries[place.device - slots->devices].kind;
    *spot = (struct slot_spot){place.device, place.cut_as >= 0 ? place.cut_as : kind};
    return slot_profile_holds(profile, stay, spot, profile->now, true);
}

bool slot_profile_place(struct slot_profile *profile, const struct slot_stay *stay, sim_time from,
                        bool starts, struct slot_spot *spot) {
    const struct slots *slots = profile->shared->pool->slots;
    size_t count = device_count(slots);
    struct place_draws *draws = starts ? slots->index->draws : NULL;
    struct merit best = {0};
    int64_t alike = 0; /* as good as the best; 0: none will do so far */
    if (starts && place_by_rule(profile, stay, spot)) {
        return true;
    }
    if (draws != NULL) {
        place_draws_begin(draws);
    }
    for (size_t i = 0; i < count; i++) {
        struct slot_spot other = {.device = &slots->devices[i]};
        uint64_t kinds = kinds_at(profile, stay, other.device);
        for (; kinds != 0; kinds &= kinds - 1) {
            int64_t memory;
            other.kind = __builtin_ctzll(kinds);
            if (!slot_profile_has_room(profile, stay, &other, from, starts, &memory)) {
                continue;
            }
            struct merit merit = merit_of(profile, &other, memory, from, starts);
            int order = alike == 0 ? -1 : compare_merits(&merit, &best);
            alike = order < 0 ? 1 : alike + (order == 0);
            /* Of n that are alike, the n-th is taken with a chance of 1 in n. */
            if (order < 0 ||
                (order == 0 && draws != NULL && place_draws_choose(draws, alike) == 0)) {
                *spot = other;
                best = merit;
            }
        }
    }
    return alike > 0;
}
