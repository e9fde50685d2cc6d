#include "sim/cluster/relayout.h"

#include <assert.h>

#include "sim/cluster/pool.h"
#include "sim/cluster/slots.h"
#include "sim/kernel/memory.h"

static struct device *device_at(const struct relayout_gpu *gpu, int unit) {
    const struct slots *slots = gpu->program->owner->slots;
    return &slots->devices[(size_t)gpu->node * (size_t)slots->devices_per_node +
                           (size_t)slots->first_of_gpu[gpu->gpu] + (size_t)unit];
}

static struct slot_entry *entry_at(const struct relayout_gpu *gpu, int unit) {
    const struct slots *slots = gpu->program->owner->slots;
    return &slots->entries[device_at(gpu, unit) - slots->devices];
}

static int units_of(const struct relayout_gpu *gpu) {
    return gpu->program->owner->catalogued->memory_units;
}

static struct relayout_gpu *gpu_of(const struct relayout *relayout, int32_t node, int32_t gpu) {
    return &relayout->gpus[node * relayout->slots->gpus_per_node + gpu];
}

bool relayout_is_touched(const struct relayout_gpu *gpu, int32_t from, int32_t to, int unit) {
    const struct cut_plan *plans = gpu->program->plans;
    int32_t kind = plans[from].kind_at[unit];
    return kind >= 0 && kind != plans[to].kind_at[unit];
}

bool relayout_is_alike(const struct relayout_gpu *gpu, int32_t from, int32_t to) {
    bool alike = true;
    for (int unit = 0; unit < units_of(gpu); unit++) {
        alike = alike && !relayout_is_touched(gpu, from, to, unit) &&
                !relayout_is_touched(gpu, to, from, unit);
    }
    return alike;
}

/* --- Draining --- */

/* The run looks at it before the instant is over. */
static void list(struct relayout_gpu *gpu) {
    struct device_host *host = device_at(gpu, 0)->host;
    if (!gpu->listed) {
        gpu->listed = true;
        host->changed = memory_grow(host->changed, &host->changed_capacity, host->changed_count + 1,
                                    sizeof(struct relayout_gpu *));
        host->changed[host->changed_count++] = gpu;
    }
}

static void evict_tenants(const struct relayout_gpu *gpu, struct device *device, enum drain how) {
    struct device_host *host = device->host;
    for (int32_t slot = 0; slot < device->slots; slot++) {
        if (device->tenants[slot] != NULL) {
            host->evict(host->context, device->tenants[slot], NULL, how);
        }
    }
    if (device->profile < 0 && (gpu->alone != NULL || gpu->gang != NULL)) {
        host->evict(host->context, gpu->alone, gpu->gang, how);
    }
}

static enum drain how_to_drain(const struct relayout_gpu *gpu) {
    return gpu->limit_is_over ? DRAIN_KILL : gpu->program->spec->reconfigure.drain;
}

/* A whole GPU is also one that gangs may take. */
static void close_device(struct relayout_gpu *gpu, int unit) {
    struct relayout *relayout = gpu->program->owner;
    if (device_at(gpu, unit)->profile < 0) {
        pool_close_gpu(relayout->pool, gpu->node, gpu->gpu);
    }
    slots_close(relayout->slots, device_at(gpu, unit));
}

static void open_device(struct relayout_gpu *gpu, int unit) {
    struct relayout *relayout = gpu->program->owner;
    slots_open(relayout->slots, device_at(gpu, unit));
    if (device_at(gpu, unit)->profile < 0) {
        pool_open_gpu(relayout->pool, gpu->node, gpu->gpu);
    }
}

/* What is touched on the way to the goal closes, and what is no longer opens again. */
static void close_touched(struct relayout_gpu *gpu) {
    for (int unit = 0; unit < units_of(gpu); unit++) {
        bool touched = relayout_is_touched(gpu, gpu->way, gpu->goal, unit);
        bool closed = entry_at(gpu, unit)->closed;
        if (touched && !closed) {
            close_device(gpu, unit);
        } else if (!touched && closed) {
            open_device(gpu, unit);
        }
    }
}

static void evict_all(struct relayout_gpu *gpu) {
    for (int unit = 0; unit < units_of(gpu); unit++) {
        if (entry_at(gpu, unit)->closed) {
            evict_tenants(gpu, device_at(gpu, unit), how_to_drain(gpu));
        }
    }
}

static void cancel_limit(struct relayout_gpu *gpu) {
    if (gpu->limit != 0) {
        event_queue_cancel(device_at(gpu, 0)->host->events, gpu->limit);
        gpu->limit = 0;
    }
}

/* Begins anew for every goal. */
static void watch_limit(struct relayout_gpu *gpu, sim_time now) {
    const struct reconfigure_spec *spec = &gpu->program->spec->reconfigure;
    struct device_host *host = device_at(gpu, 0)->host;
    sim_time end = sim_time_add(now, spec->drain_limit);
    cancel_limit(gpu);
    gpu->limit_is_over = false;
    if (spec->drain != DRAIN_KILL && end != SIM_TIME_NEVER) {
        gpu->limit = event_queue_push(host->events, end, RANK_KILL, host->drain_limit, gpu);
    }
}

static void drain(struct relayout_gpu *gpu, sim_time now) {
    gpu->phase = RELAYOUT_DRAINS;
    gpu->goal = gpu->program->way;
    gpu->newcomers = false;
    watch_limit(gpu, now);
    close_touched(gpu);
    evict_all(gpu);
    list(gpu);
}

/* It is as it is to be, or waits for its turn. */
static void rest(struct relayout_gpu *gpu) {
    bool alike = relayout_is_alike(gpu, gpu->way, gpu->program->way);
    gpu->phase = alike ? RELAYOUT_SETTLED : RELAYOUT_WAITS;
    gpu->way = alike ? gpu->program->way : gpu->way;
}

/* The next layout holds: one that drains for another goes for this one at once. */
static void redirect(struct relayout_gpu *gpu, sim_time now) {
    if (gpu->phase == RELAYOUT_SETTLED || gpu->phase == RELAYOUT_WAITS) {
        rest(gpu);
    } else if (gpu->phase == RELAYOUT_DRAINS &&
               !relayout_is_alike(gpu, gpu->way, gpu->program->way)) {
        drain(gpu, now);
    } else if (gpu->phase == RELAYOUT_DRAINS) {
        gpu->goal = gpu->program->way;
        close_touched(gpu);
        cancel_limit(gpu);
        gpu->program->changing--;
        rest(gpu);
    }
}

static struct relayout_gpu *next_of(struct relayout_program *program, int64_t *i) {
    struct relayout *relayout = program->owner;
    int64_t count = (int64_t)relayout->slots->node_count * relayout->slots->gpus_per_node;
    while (*i < count && relayout->gpus[*i].program != program) {
        ++*i;
    }
    return *i < count ? &relayout->gpus[(*i)++] : NULL;
}

/* As many as may change at once drain, in order. */
static void drain_next(struct relayout_program *program, sim_time now) {
    int64_t i = 0;
    struct relayout_gpu *gpu;
    while (program->changing < program->spec->reconfigure.at_most &&
           (gpu = next_of(program, &i)) != NULL) {
        if (gpu->phase == RELAYOUT_WAITS) {
            program->changing++;
            drain(gpu, now);
        }
    }
}

/* --- The calendar --- */

int32_t relayout_way_at(const struct relayout_program *program, sim_time moment) {
    return 1 + weekly_calendar_at(&program->calendar, moment);
}

void relayout_begin(struct relayout *relayout, int64_t week_position) {
    for (size_t k = 0; k < relayout->program_count; k++) {
        struct relayout_program *program = &relayout->programs[k];
        program->calendar.at_zero = week_position;
        program->way = relayout_way_at(program, 0);
        int64_t i = 0;
        struct relayout_gpu *gpu;
        while ((gpu = next_of(program, &i)) != NULL) {
            gpu->goal = program->way;
            program->changing++;
            close_touched(gpu);
            relayout_begin_cut(gpu, 0);
            relayout_end_cut(gpu, 0);
        }
    }
}

sim_time relayout_next(const struct relayout_program *program, sim_time now) {
    return weekly_calendar_next_change(&program->calendar, now);
}

void relayout_turn(struct relayout_program *program, sim_time now) {
    program->way = relayout_way_at(program, now);
    int64_t i = 0;
    struct relayout_gpu *gpu;
    while ((gpu = next_of(program, &i)) != NULL) {
        redirect(gpu, now);
    }
    drain_next(program, now);
}

/* --- What happens meanwhile --- */

void relayout_note_change(struct relayout *relayout, const struct device *device, bool came) {
    struct relayout_gpu *gpu = gpu_of(relayout, device->node, device->gpu);
    gpu->newcomers |= came;
    list(gpu);
}

static void note_holder(struct relayout_gpu *gpu, const struct piece *gang, struct tenant *alone) {
    gpu->gang = gang;
    gpu->alone = alone;
    if (gpu->program != NULL && gpu->phase == RELAYOUT_DRAINS) {
        gpu->newcomers = true;
        list(gpu);
    }
}

void relayout_note_gang(struct relayout *relayout, const struct piece *first) {
    for (const struct piece *piece = first; piece != NULL; piece = piece->next) {
        for (uint64_t mask = piece->mask; mask != 0; mask &= mask - 1) {
            note_holder(gpu_of(relayout, piece->node, __builtin_ctzll(mask)), first, NULL);
        }
    }
}

void relayout_note_alone(struct relayout *relayout, const struct piece *piece,
                         struct tenant *tenant) {
    note_holder(gpu_of(relayout, piece->node, __builtin_ctzll(piece->mask)), NULL, tenant);
}

void relayout_forget(struct relayout *relayout, int32_t node, uint64_t gpus) {
    for (; gpus != 0; gpus &= gpus - 1) {
        struct relayout_gpu *gpu = gpu_of(relayout, node, __builtin_ctzll(gpus));
        gpu->gang = NULL;
        gpu->alone = NULL;
    }
}

void relayout_look_again(struct relayout *relayout, int32_t node, int32_t gpu) {
    struct relayout_gpu *own = gpu_of(relayout, node, gpu);
    if (own->program != NULL && own->phase == RELAYOUT_DRAINS) {
        list(own);
    }
}

int32_t relayout_units_in_work(const struct relayout *relayout, int32_t node, int32_t gpu) {
    const struct relayout_gpu *own = gpu_of(relayout, node, gpu);
    return own->phase == RELAYOUT_CUTS ? own->reconfiguring : 0;
}

/* Whether somebody is there, or has it promised; or nobody can cut it. */
static bool is_held(const struct relayout_gpu *gpu, int unit) {
    const struct device *device = device_at(gpu, unit);
    return device->tenant_count > 0 || device->promised.slots > 0 || entry_at(gpu, unit)->blocked ||
           outages_device_is_out(device->pool->outages, device);
}

bool relayout_has_drained(struct relayout_gpu *gpu) {
    gpu->listed = false;
    if (gpu->phase != RELAYOUT_DRAINS) {
        return false;
    }
    if (gpu->newcomers) {
        gpu->newcomers = false;
        evict_all(gpu);
    }
    bool held = false;
    for (int unit = 0; unit < units_of(gpu); unit++) {
        held |= entry_at(gpu, unit)->closed && is_held(gpu, unit);
    }
    return !held;
}

void relayout_end_limit(struct relayout_gpu *gpu) {
    gpu->limit = 0;
    gpu->limit_is_over = true;
    evict_all(gpu);
}

/* --- Cutting --- */

const struct distribution *relayout_time_between(const struct relayout_gpu *gpu, int32_t from,
                                                 int32_t to) {
    const struct cut_plan *plans = gpu->program->plans;
    const struct reconfigure_spec *spec = &gpu->program->spec->reconfigure;
    return plans[from].whole != plans[to].whole ? &spec->mode_time : &spec->time;
}

const struct distribution *relayout_cut_time(const struct relayout_gpu *gpu) {
    return relayout_time_between(gpu, gpu->way, gpu->goal);
}

/* The units of what one way has and the other has not. */
static int32_t touched_units(const struct relayout_gpu *gpu, int32_t from, int32_t to) {
    const struct slots *slots = gpu->program->owner->slots;
    int32_t units = 0;
    for (int unit = 0; unit < units_of(gpu); unit++) {
        if (relayout_is_touched(gpu, from, to, unit)) {
            units += slots->kinds[gpu->program->plans[from].kind_at[unit]].units;
        }
    }
    return units;
}

void relayout_begin_cut(struct relayout_gpu *gpu, sim_time now) {
    struct relayout *relayout = gpu->program->owner;
    struct ledger *ledger = &relayout->pool->ledger;
    int32_t before = touched_units(gpu, gpu->way, gpu->goal);
    int32_t after = touched_units(gpu, gpu->goal, gpu->way);
    for (int unit = 0; unit < units_of(gpu); unit++) {
        if (relayout_is_touched(gpu, gpu->way, gpu->goal, unit)) {
            slots_remove_device(relayout->slots, device_at(gpu, unit));
        }
    }
    gpu->phase = RELAYOUT_CUTS;
    gpu->reconfiguring = before > after ? before : after;
    cancel_limit(gpu);
    ledger_move(ledger, now, GPU_IDLE, GPU_RECONFIGURING, before);
    ledger_move(ledger, now, GPU_STRANDED, GPU_RECONFIGURING, gpu->reconfiguring - before);
}

void relayout_end_cut(struct relayout_gpu *gpu, sim_time now) {
    struct relayout_program *program = gpu->program;
    struct relayout *relayout = program->owner;
    struct ledger *ledger = &relayout->pool->ledger;
    int32_t made = touched_units(gpu, gpu->goal, gpu->way);
    ledger_move(ledger, now, GPU_RECONFIGURING, GPU_IDLE, made);
    ledger_move(ledger, now, GPU_RECONFIGURING, GPU_STRANDED, gpu->reconfiguring - made);
    for (int unit = 0; unit < units_of(gpu); unit++) {
        if (relayout_is_touched(gpu, gpu->goal, gpu->way, unit)) {
            slots_add_device(relayout->slots, device_at(gpu, unit),
                             program->plans[gpu->goal].kind_at[unit]);
            if (device_at(gpu, unit)->profile < 0) {
                pool_open_gpu(relayout->pool, gpu->node, gpu->gpu);
            }
        }
    }
    if (relayout->pool->outages != NULL) {
        outages_note_cut(relayout->pool->outages, gpu->node, gpu->gpu, made,
                         gpu->reconfiguring - made, now);
    }
    gpu->way = gpu->goal;
    program->changing--;
    rest(gpu);
    drain_next(program, now);
}
