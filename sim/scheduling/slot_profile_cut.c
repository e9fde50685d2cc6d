/* GPUs that MIG cuts on demand, in times to come. An instance is in the way of others while
 * somebody is on it, or is to be, and for as long as the hysteresis keeps it after that; who gets
 * it as it is need not wait for that. Nobody knows which idle instances a cut will destroy, so that
 * until it is over none begins on its GPU: a promise says when a cut may begin, and counts on the
 * longest that it may take. */
#include "models/mig.h"
#include "sim/scheduling/job.h"
#include "sim/scheduling/slot_profile.h"
#include "workloads/draws.h"

bool slot_profile_is_cut(const struct slot_profile *profile, const struct device *device) {
    const struct recut *recut = profile->shared->pool->slots->recut;
    return recut != NULL && recut->of_gpu[device->gpu] != NULL;
}

static const struct sharing_spec *spec_of(const struct slot_profile *profile,
                                          const struct device *device) {
    return profile->shared->pool->slots->recut->of_gpu[device->gpu]->spec;
}

sim_time slot_profile_cut_time(const struct slot_profile *profile, const struct device *device) {
    if (!slot_profile_is_cut(profile, device)) {
        return 0;
    }
    sim_time most =
        draws_round_time(distribution_most(&spec_of(profile, device)->reconfigure.time));
    return most < SIM_TIME_LONGEST ? most : SIM_TIME_NEVER;
}

/* The device that stands for what begins at the first unit of its GPU. */
static struct device *first_device(const struct slots *slots, const struct device *device) {
    return &slots->devices[(size_t)device->node * (size_t)slots->devices_per_node +
                           (size_t)slots->first_of_gpu[device->gpu]];
}

/* The units at which anything may begin on its GPU. */
static int unit_count(const struct slots *slots, const struct device *device) {
    return slots->first_of_gpu[device->gpu + 1] - slots->first_of_gpu[device->gpu];
}

uint64_t slot_profile_cut_kinds(const struct slot_profile *profile, const struct device *device) {
    const struct slots *slots = profile->shared->pool->slots;
    const struct gpu_model *gpu = slots->recut->gpu;
    const int32_t *kinds = slots->recut->of_gpu[device->gpu]->kind_of_profile;
    int start = (int)(device - first_device(slots, device));
    uint64_t possible = 0;
    for (size_t i = 0; i < gpu->profile_count; i++) {
        possible |= (uint64_t)(gpu->profiles[i].starts >> start & 1) << kinds[i];
    }
    return possible;
}

/* --- What stands there --- */

/* One that is held now, by whom or for whatever reason. */
struct holding {
    int32_t profile;
    sim_time leaves;    /* when the last of those on it does, */
    sim_time gives_way; /* and when others may be cut in its place */
    sim_time cut_until; /* it is being cut; else 0 */
};

static bool holding_at(const struct slot_profile *profile, const struct device *device, int unit,
                       struct holding *holding) {
    const struct slots *slots = profile->shared->pool->slots;
    size_t gpu = (size_t)device->node * (size_t)slots->gpus_per_node + (size_t)device->gpu;
    const struct device *there = first_device(slots, device) + unit;
    const struct cut_work *work = recut_work(slots, there);
    *holding = (struct holding){.profile = slots->recut->state[gpu]->held[unit] - 1};
    if (holding->profile < 0) {
        return false;
    }
    if (!slots_is_there(slots, there)) {
        const struct job *job = work->holder;
        holding->leaves = job->expected_end;
        holding->cut_until = job->start;
    } else if (there->tenant_count == 0) {
        holding->gives_way = work->gives_way;
        return true;
    }
    for (int32_t slot = 0; slots_is_there(slots, there) && slot < there->slots; slot++) {
        const struct tenant *tenant = there->tenants[slot];
        if (tenant != NULL && tenant->expected_end > holding->leaves) {
            holding->leaves = tenant->expected_end;
        }
    }
    sim_time leaves = holding->leaves > profile->now ? holding->leaves : profile->now;
    holding->gives_way = sim_time_add(leaves, spec_of(profile, device)->hysteresis);
    return true;
}

/* The instances that a moment finds on a GPU, but for the one at a spot. */
struct standing {
    struct mig_instance instances[MIG_INSTANCES_LIMIT];
    size_t count;
    bool possible; /* nothing else is at the spot */
};

static void add_standing(struct standing *standing, const struct mig_instance *own, int profile,
                         int start) {
    if (start == own->start) {
        standing->possible &= profile == own->profile;
        return;
    }
    bool listed = false;
    for (size_t i = 0; i < standing->count; i++) {
        const struct mig_instance *other = &standing->instances[i];
        listed |= other->start == start && other->profile == profile;
    }
    standing->possible &= listed || standing->count < MIG_INSTANCES_LIMIT;
    if (!listed && standing->possible) {
        standing->instances[standing->count++] = (struct mig_instance){profile, start};
    }
}

bool slot_profile_cut_stands(struct slot_profile *profile, const struct slot_spot *spot,
                             sim_time moment) {
    const struct slots *slots = profile->shared->pool->slots;
    const struct gpu_model *gpu = slots->recut->gpu;
    const struct device *first = first_device(slots, spot->device);
    sim_time hysteresis = spec_of(profile, spot->device)->hysteresis;
    struct mig_instance own = {slots->kinds[spot->kind].profile, (int)(spot->device - first)};
    struct standing standing = {.possible = true};
    for (int unit = 0; unit < unit_count(slots, spot->device); unit++) {
        struct holding holding;
        if (holding_at(profile, spot->device, unit, &holding) && holding.gives_way > moment) {
            bool taken = unit == own.start && holding.cut_until > 0 && holding.leaves > moment;
            standing.possible &= !taken;
            add_standing(&standing, &own, holding.profile, unit);
        }
        const struct slot_uses *uses = slot_profile_uses(profile, &first[unit]);
        for (size_t i = 0; i < uses->count; i++) {
            const struct slot_use *use = &uses->items[i];
            if (use->from <= moment && moment < sim_time_add(use->until, hysteresis)) {
                add_standing(&standing, &own, slots->kinds[use->kind].profile, unit);
            }
        }
    }
    return standing.possible &&
           mig_can_add(gpu, standing.instances, standing.count, own.profile, own.start);
}

/* --- Cuts in each other's way --- */

bool slot_profile_cut_may_begin(struct slot_profile *profile, const struct slot_spot *spot,
                                sim_time from, sim_time cut) {
    const struct slots *slots = profile->shared->pool->slots;
    const struct gpu_model *gpu = slots->recut->gpu;
    const struct device *first = first_device(slots, spot->device);
    uint32_t own = cut_units(gpu, slots->kinds[spot->kind].profile, (int)(spot->device - first));
    bool may = true;
    for (int unit = 0; cut > 0 && unit < unit_count(slots, spot->device); unit++) {
        struct holding holding;
        if (holding_at(profile, spot->device, unit, &holding) && holding.cut_until > from) {
            may &= (recut_work(slots, &first[unit])->blocked & own) == 0;
        }
        const struct slot_uses *uses = slot_profile_uses(profile, &first[unit]);
        for (size_t i = 0; i < uses->count; i++) {
            const struct slot_use *use = &uses->items[i];
            may &= from < use->from || from >= sim_time_add(use->from, use->cut);
            may &= use->from <= from || use->from >= sim_time_add(from, cut);
        }
    }
    return may;
}

static void keep_next(sim_time moment, sim_time after, sim_time *next) {
    *next = moment > after && moment < *next ? moment : *next;
}

sim_time slot_profile_cut_next(struct slot_profile *profile, const struct device *device,
                               sim_time after) {
    const struct slots *slots = profile->shared->pool->slots;
    const struct device *first = first_device(slots, device);
    sim_time hysteresis = spec_of(profile, device)->hysteresis;
    sim_time next = SIM_TIME_NEVER;
    for (int unit = 0; unit < unit_count(slots, device); unit++) {
        struct holding holding;
        if (slots_is_there(slots, &first[unit])) {
            keep_next(shared_pool_next_end(profile->shared, &first[unit], after), after, &next);
        }
        if (holding_at(profile, device, unit, &holding)) {
            keep_next(holding.leaves, after, &next);
            keep_next(holding.gives_way, after, &next);
            keep_next(holding.cut_until, after, &next);
        }
        const struct slot_uses *uses = slot_profile_uses(profile, &first[unit]);
        for (size_t i = 0; i < uses->count; i++) {
            const struct slot_use *use = &uses->items[i];
            keep_next(use->until, after, &next);
            keep_next(sim_time_add(use->until, hysteresis), after, &next);
            keep_next(sim_time_add(use->from, use->cut), after, &next);
        }
    }
    return next;
}
