#include "sim/scheduling/slot_outlook.h"

#include "sim/cluster/relayout.h"
#include "sim/scheduling/slot_profile.h"
#include "workloads/draws.h"

static struct relayout *relayout_of(const struct slot_profile *profile) {
    return profile->shared->pool->slots->relayout;
}

static size_t gpu_count(const struct slot_profile *profile) {
    const struct slots *slots = profile->shared->pool->slots;
    return (size_t)slots->node_count * (size_t)slots->gpus_per_node;
}

static struct relayout_gpu *gpu_of(const struct slot_profile *profile,
                                   const struct device *device) {
    int32_t per_node = profile->shared->pool->slots->gpus_per_node;
    return &relayout_of(profile)->gpus[device->node * per_node + device->gpu];
}

static const struct device *first_device(const struct slot_profile *profile,
                                         const struct relayout_gpu *gpu) {
    const struct slots *slots = profile->shared->pool->slots;
    return &slots->devices[(size_t)gpu->node * (size_t)slots->devices_per_node +
                           (size_t)slots->first_of_gpu[gpu->gpu]];
}

static int unit_count(const struct slot_profile *profile) {
    return relayout_of(profile)->catalogued->memory_units;
}

bool slot_outlook_covers(const struct slot_profile *profile, const struct device *device) {
    return relayout_of(profile) != NULL && gpu_of(profile, device)->program != NULL;
}

static size_t program_of(const struct slot_profile *profile, const struct device *device) {
    return (size_t)(gpu_of(profile, device)->program - relayout_of(profile)->programs);
}

bool slot_outlook_is_awaited(const struct slot_profile *profile, const struct device *device,
                             sim_time drains) {
    return profile->outlook.latest[program_of(profile, device)] >= drains;
}

void slot_outlook_note_use(struct slot_profile *profile, const struct device *device,
                           sim_time from) {
    profile->looked = false;
    if (slot_outlook_covers(profile, device)) {
        sim_time *latest = &profile->outlook.latest[program_of(profile, device)];
        *latest = from > *latest ? from : *latest;
    }
}

void slot_outlook_begin(struct slot_profile *profile) {
    const struct relayout *relayout = relayout_of(profile);
    profile->looked = false;
    for (size_t k = 0; relayout != NULL && k < relayout->program_count; k++) {
        profile->outlook.latest[k] = 0;
    }
}

/* --- When a GPU has changed --- */

/* A boundary, and the layout that holds from then on. */
struct boundary {
    sim_time time;
    int32_t way;
};

static struct boundary boundary_after(const struct relayout_program *program, sim_time time) {
    struct boundary next = {.time = SIM_TIME_NEVER, .way = program->way};
    next.time = time == SIM_TIME_NEVER ? SIM_TIME_NEVER : relayout_next(program, time);
    if (next.time != SIM_TIME_NEVER) {
        next.way = relayout_way_at(program, next.time);
    }
    return next;
}

static sim_time later(sim_time a, sim_time b) {
    return a > b ? a : b;
}

/* When somebody leaves a GPU that has begun to drain. A replica soon does. */
static sim_time leaves(const struct relayout_gpu *gpu, sim_time end, sim_time drains) {
    const struct reconfigure_spec *spec = &gpu->program->spec->reconfigure;
    sim_time limit = sim_time_add(drains, spec->drain_limit);
    if (spec->drain == DRAIN_KILL || end == SIM_TIME_NEVER || end < drains) {
        return drains;
    }
    return end < limit ? end : limit;
}

/* When all have left a device, one of this kind, that is touched. */
static sim_time left_by_all(struct slot_profile *profile, const struct relayout_gpu *gpu,
                            const struct device *device, int32_t kind, sim_time drains) {
    const struct slots *slots = profile->shared->pool->slots;
    const struct slot_uses *uses = slot_profile_uses(profile, device);
    const struct slot_entry *entry = &slots->entries[device - slots->devices];
    sim_time left = drains;
    if (entry->barred > 0) {
        return SIM_TIME_NEVER; /* what is down is not cut */
    }
    for (int32_t slot = 0; entry->kind == kind && slot < device->slots; slot++) {
        const struct tenant *tenant = device->tenants[slot];
        if (tenant != NULL) {
            left = later(left, leaves(gpu, tenant->expected_end, drains));
        }
    }
    if (entry->kind == kind && device->profile < 0) {
        size_t at = (size_t)gpu->node * (size_t)slots->gpus_per_node + (size_t)gpu->gpu;
        left = later(left, leaves(gpu, profile->shared->held[at], drains));
    }
    for (size_t i = 0; i < uses->count; i++) {
        if (uses->items[i].kind == kind && uses->items[i].from <= drains) {
            left = later(left, leaves(gpu, uses->items[i].until, drains));
        }
    }
    return left;
}

/* When a GPU that begins to drain then has been cut anew. */
static sim_time changed_at(struct slot_profile *profile, const struct relayout_gpu *gpu,
                           int32_t from, int32_t to, sim_time drains) {
    sim_time idle = drains;
    for (int unit = 0; drains != SIM_TIME_NEVER && unit < unit_count(profile); unit++) {
        if (relayout_is_touched(gpu, from, to, unit)) {
            int32_t kind = gpu->program->plans[from].kind_at[unit];
            const struct device *device = first_device(profile, gpu) + unit;
            idle = later(idle, left_by_all(profile, gpu, device, kind, drains));
        }
    }
    double most = distribution_most(relayout_time_between(gpu, from, to));
    bool bounded = most < (double)SIM_TIME_LONGEST;
    return bounded ? sim_time_add(idle, draws_round_time(most)) : SIM_TIME_NEVER;
}

/* --- All of a program --- */

/* The places of GPUs that may change at once: a heap would do, but these are few. */
struct places {
    sim_time *free;
    size_t count; /* 0: any number may */
};

static sim_time *first_place(const struct places *places) {
    sim_time *first = places->free;
    for (size_t i = 1; i < places->count; i++) {
        first = places->free[i] < *first ? &places->free[i] : first;
    }
    return first;
}

static struct places places_of(const struct slot_profile *profile,
                               const struct relayout_program *program, sim_time from) {
    int64_t at_most = program->spec->reconfigure.at_most;
    bool limited = at_most < (int64_t)gpu_count(profile);
    struct places places = {profile->outlook.free_places, limited ? (size_t)at_most : 0};
    for (size_t i = 0; i < places.count; i++) {
        places.free[i] = from;
    }
    return places;
}

/* A GPU changes once there is a place. */
static sim_time change_in_turn(struct slot_profile *profile, const struct relayout_gpu *gpu,
                               const struct places *places, int32_t from, int32_t to,
                               sim_time turn) {
    sim_time *place = places->count > 0 ? first_place(places) : NULL;
    sim_time drains = place != NULL ? later(*place, turn) : turn;
    sim_time ready = changed_at(profile, gpu, from, to, drains);
    if (place != NULL) {
        *place = ready;
    }
    return ready;
}

/* When those that are changing now are done; NEVER where that leaves them in yet another layout. */
static sim_time change_under_way(struct slot_profile *profile, const struct relayout_gpu *gpu) {
    if (gpu->goal != gpu->program->way) {
        return SIM_TIME_NEVER;
    }
    return gpu->phase == RELAYOUT_CUTS
               ? gpu->cut_until
               : changed_at(profile, gpu, gpu->way, gpu->goal, profile->now);
}

/* The layout that holds now: GPUs that are not cut so yet. Whether all are by some moment. */
static bool look_at_present(struct slot_profile *profile, const struct relayout_program *program,
                            sim_time by) {
    struct relayout *relayout = relayout_of(profile);
    struct places places = places_of(profile, program, profile->now);
    sim_time *ready = profile->outlook.ready[0];
    bool all = true;
    size_t count = gpu_count(profile);
    for (size_t i = 0; i < count; i++) {
        const struct relayout_gpu *gpu = &relayout->gpus[i];
        if (gpu->program != program) {
            continue;
        }
        ready[i] = profile->now;
        if (gpu->phase == RELAYOUT_DRAINS || gpu->phase == RELAYOUT_CUTS) {
            ready[i] = change_under_way(profile, gpu);
            if (places.count > 0) {
                *first_place(&places) = ready[i];
            }
        }
    }
    for (size_t i = 0; i < count; i++) {
        const struct relayout_gpu *gpu = &relayout->gpus[i];
        if (gpu->program == program && gpu->phase == RELAYOUT_WAITS) {
            ready[i] = change_in_turn(profile, gpu, &places, gpu->way, program->way, profile->now);
        }
        all = all && (gpu->program != program || ready[i] <= by);
    }
    return all;
}

/* The next one: from its boundary on, GPUs change in order. */
static void look_ahead(struct slot_profile *profile, const struct relayout_program *program,
                       const struct boundary *next, bool settled) {
    struct relayout *relayout = relayout_of(profile);
    struct places places = places_of(profile, program, next->time);
    size_t count = gpu_count(profile);
    for (size_t i = 0; i < count; i++) {
        const struct relayout_gpu *gpu = &relayout->gpus[i];
        if (gpu->program != program) {
            continue;
        }
        bool alike = relayout_is_alike(gpu, program->way, next->way);
        profile->outlook.ready[1][i] =
            !settled ? SIM_TIME_NEVER
            : alike  ? next->time
                     : change_in_turn(profile, gpu, &places, program->way, next->way, next->time);
    }
}

static void look(struct slot_profile *profile) {
    struct relayout *relayout = relayout_of(profile);
    for (size_t k = 0; k < relayout->program_count && !profile->looked; k++) {
        const struct relayout_program *program = &relayout->programs[k];
        struct boundary next = boundary_after(program, profile->now);
        bool settled = look_at_present(profile, program, next.time);
        look_ahead(profile, program, &next, settled && next.time != SIM_TIME_NEVER);
    }
    profile->looked = true;
}

/* --- Windows --- */

/* Up to when what is there in one way stays, if it is not to be touched then: for ever, where no
 * layout has anything else. */
static sim_time stays_until(const struct relayout_gpu *gpu, int unit, const struct boundary *last) {
    const struct cut_plan *plans = gpu->program->plans;
    int32_t kind = plans[gpu->program->way].kind_at[unit];
    bool always = true;
    size_t ways = sharing_way_count(gpu->program->spec);
    for (size_t k = 0; k < ways; k++) {
        always = always && plans[k].kind_at[unit] == kind;
    }
    return always ? SIM_TIME_NEVER : last->time;
}

uint64_t slot_outlook_kinds(const struct slot_profile *profile, const struct device *device) {
    const struct slots *slots = profile->shared->pool->slots;
    const struct relayout_gpu *gpu = gpu_of(profile, device);
    struct boundary next = boundary_after(gpu->program, profile->now);
    int unit = (int)(device - first_device(profile, gpu));
    const int32_t kinds[] = {slots->entries[device - slots->devices].kind,
                             gpu->program->plans[gpu->program->way].kind_at[unit],
                             gpu->program->plans[next.way].kind_at[unit]};
    uint64_t mask = 0;
    for (int i = 0; i < 3; i++) {
        mask |= kinds[i] >= 0 ? UINT64_C(1) << kinds[i] : 0;
    }
    return mask;
}

static int add_window(struct slot_window *windows, int count, sim_time from, sim_time before) {
    windows[count] = (struct slot_window){from, before};
    return count + (from < before);
}

int slot_outlook_windows(struct slot_profile *profile, const struct device *device, int32_t kind,
                         struct slot_window windows[OUTLOOK_LAYOUTS]) {
    const struct slots *slots = profile->shared->pool->slots;
    const struct relayout_gpu *gpu = gpu_of(profile, device);
    const struct slot_entry *entry = &slots->entries[device - slots->devices];
    const struct relayout_program *program = gpu->program;
    int unit = (int)(device - first_device(profile, gpu));
    size_t at = (size_t)(gpu - relayout_of(profile)->gpus);
    struct boundary next = boundary_after(program, profile->now);
    struct boundary last = boundary_after(program, next.time);
    bool in_present = program->plans[program->way].kind_at[unit] == kind;
    bool in_next = program->plans[next.way].kind_at[unit] == kind && next.time != SIM_TIME_NEVER;
    bool is_there = entry->kind == kind && !entry->closed;
    int count = 0;
    look(profile);
    if (!in_present && is_there) { /* up to its turn, which may come at any time */
        count = add_window(windows, count, profile->now, profile->now + 1);
    }
    if (in_present) {
        sim_time from = is_there ? profile->now : profile->outlook.ready[0][at];
        count =
            add_window(windows, count, from, in_next ? stays_until(gpu, unit, &last) : next.time);
    } else if (in_next && count < OUTLOOK_LAYOUTS) {
        count = add_window(windows, count, profile->outlook.ready[1][at], last.time);
    }
    return count;
}

sim_time slot_outlook_next_turn(const struct slot_profile *profile) {
    const struct relayout *relayout = relayout_of(profile);
    sim_time next = SIM_TIME_NEVER;
    for (size_t k = 0; k < relayout->program_count; k++) {
        sim_time turn = relayout_next(&relayout->programs[k], profile->now);
        next = turn < next ? turn : next;
    }
    size_t count = gpu_count(profile);
    for (size_t i = 0; i < count; i++) {
        const struct relayout_gpu *gpu = &relayout->gpus[i];
        next = gpu->program != NULL && gpu->phase != RELAYOUT_SETTLED ? profile->now : next;
    }
    return next;
}
