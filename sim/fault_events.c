#include "sim/fault_events.h"

#include <stdio.h>
#include <stdlib.h>

#include "sim/cluster/fault_clock.h"
#include "sim/cluster/sharing.h"
#include "sim/kernel/memory.h"

/* The faults of one kind: one event for all its units, which are GPUs by node, devices of the
 * pool's slots, or nodes. */
struct fault_process {
    struct pool_outages *of;
    enum fault_kind kind;
    struct fault_clock clock;
    event_id event; /* of the next turn; 0: none */
    bool *has_hit;  /* by unit that is down: it is an instance or server that was there */
};

/* A node on its way into the place of one that has failed. */
struct joining {
    struct pool_outages *of;
    int32_t node;
    event_id event; /* 0: none */
};

struct pool_faults {
    struct fault_process processes[FAULT_KIND_COUNT]; /* without a pool: no faults of that kind */
    bool *stands_by;                                  /* by node: a spare */
    struct joining *joining;                          /* by node */
    int32_t joining_count;                            /* nodes on their way */
};

/* --- Spares --- */

static uint64_t all_of(const struct pool_outages *of) {
    return outages_all(of->pool->outages);
}

static void joins(void *context, void *subject) {
    struct joining *joining = subject;
    joining->event = 0;
    joining->of->kept_faults->joining_count--;
    outage_events_open(context, joining->of, joining->node, all_of(joining->of));
}

static void join(struct run_state *run, struct pool_outages *of, int32_t node) {
    struct joining *joining = &of->kept_faults->joining[node];
    sim_time at = sim_time_add(run->now, of->spec->spare_time);
    *joining = (struct joining){.of = of, .node = node};
    of->kept_faults->joining_count++;
    if (at == run->now) {
        joins(run, joining);
    } else if (at != SIM_TIME_NEVER) {
        joining->event = event_queue_push(run->events, at, RANK_END, joins, joining);
    }
}

/* The node stands by from now on; it may have been on its way to a place. */
static void stand_by(struct run_state *run, struct pool_outages *of, int32_t node) {
    struct pool_faults *faults = of->kept_faults;
    faults->stands_by[node] = true;
    if (faults->joining[node].event != 0) {
        event_queue_cancel(run->events, faults->joining[node].event);
        faults->joining[node].event = 0;
        faults->joining_count--;
    } else {
        outage_events_close(run, of, node, all_of(of));
    }
}

/* The first node in this role that is up, or down; -1: none. */
static int32_t find_node(const struct pool_outages *of, bool stands_by, bool is_down) {
    const struct pool_faults *faults = of->kept_faults;
    const struct fault_clock *clock = &faults->processes[FAULT_NODE].clock;
    for (int32_t node = 0; node < clock->units; node++) {
        if (faults->stands_by[node] == stands_by && clock->is_down[node] == is_down) {
            return node;
        }
    }
    return -1;
}

/* One takes the place of the other. */
static void replace(struct run_state *run, struct pool_outages *of, int32_t failed, int32_t spare) {
    if (failed >= 0 && spare >= 0) {
        of->kept_faults->stands_by[spare] = false;
        stand_by(run, of, failed);
        join(run, of, spare);
    }
}

static void node_turned(struct run_state *run, struct pool_outages *of, int32_t node, bool failed) {
    bool stands_by = of->kept_faults->stands_by[node];
    if (of->spec->spares == 0) {
        return;
    }
    if (failed && !stands_by) {
        replace(run, of, node, find_node(of, true, false));
    } else if (!failed && stands_by) {
        replace(run, of, find_node(of, false, true), node);
    }
}

/* --- Faults --- */

static bool is_mps(const struct slots *slots, const struct device *device) {
    return slots_is_there(slots, device) &&
           slots_mode(slots, device) == &sharing_modes[SHARING_MPS];
}

/* A device of the slots fails, or is repaired: what is there now, if it is of that kind. */
static void device_turns(struct run_state *run, struct fault_process *process, int32_t unit,
                         bool fails) {
    struct pool_outages *of = process->of;
    struct slots *slots = of->pool->slots;
    struct device *device = &slots->devices[unit];
    if (fails) {
        process->has_hit[unit] = process->kind == FAULT_MPS
                                     ? is_mps(slots, device)
                                     : slots_is_there(slots, device) && device->profile >= 0;
        of->faults[process->kind] += process->has_hit[unit] && run->now >= run->warmup;
    }
    if (!process->has_hit[unit]) {
        return;
    }
    uint64_t gpu = UINT64_C(1) << device->gpu;
    if (device->profile < 0 && fails) {
        outage_events_strike(run, of, device->node, gpu, OUTAGE_DOWN);
    } else if (device->profile < 0) {
        outage_events_relieve(run, of, device->node, gpu, OUTAGE_DOWN);
    } else if (fails) {
        outage_events_strike_instance(run, of, device);
    } else {
        outage_events_relieve_instance(run, of, device);
    }
}

static void gpus_turn(struct run_state *run, struct fault_process *process, int32_t unit,
                      bool fails) {
    struct pool_outages *of = process->of;
    int32_t per_node = of->pool->outages->gpus_per_node;
    bool node = process->kind == FAULT_NODE;
    int32_t on = node ? unit : unit / per_node;
    uint64_t gpus = node ? all_of(of) : UINT64_C(1) << unit % per_node;
    if (fails) {
        of->faults[process->kind] += run->now >= run->warmup;
        outage_events_strike(run, of, on, gpus, OUTAGE_DOWN);
    } else {
        outage_events_relieve(run, of, on, gpus, OUTAGE_DOWN);
    }
    if (node) {
        node_turned(run, of, unit, fails);
    }
}

static void turn(void *context, void *subject);

static void await_turn(struct run_state *run, struct fault_process *process) {
    const struct fault_clock *clock = &process->clock;
    sim_time next = fault_clock_next(clock);
    if (process->event != 0) {
        event_queue_cancel(run->events, process->event);
        process->event = 0;
    }
    if (next != SIM_TIME_NEVER) {
        bool repair = clock->is_down[clock->heap[0]];
        process->event =
            event_queue_push(run->events, next, repair ? RANK_END : RANK_KILL, turn, process);
    }
}

static void turn(void *context, void *subject) {
    struct run_state *run = context;
    struct fault_process *process = subject;
    process->event = 0;
    int32_t unit = fault_clock_turn(&process->clock);
    bool fails = process->clock.is_down[unit];
    if (process->kind == FAULT_GPU || process->kind == FAULT_NODE) {
        gpus_turn(run, process, unit, fails);
    } else {
        device_turns(run, process, unit, fails);
    }
    await_turn(run, process);
}

/* --- Nodes that come and go --- */

int32_t fault_events_joining(const struct pool_outages *of) {
    return of->kept_faults->joining_count;
}

/* The units of a kind that are on a node: so many from the first on. */
static int32_t units_on_node(const struct fault_process *process) {
    return process->of == NULL ? 0 : process->clock.units / process->of->pool->index.nodes;
}

static void repair(struct run_state *run, struct fault_process *process, int32_t unit) {
    if (process->kind == FAULT_INSTANCE || process->kind == FAULT_MPS) {
        device_turns(run, process, unit, false);
    } else if (process->kind == FAULT_GPU) {
        gpus_turn(run, process, unit, false);
    }
}

void fault_events_node_goes(struct run_state *run, struct pool_outages *of, int32_t node) {
    for (int kind = 0; kind < FAULT_KIND_COUNT; kind++) {
        struct fault_process *process = &of->kept_faults->processes[kind];
        int32_t count = units_on_node(process);
        for (int32_t unit = node * count; unit < (node + 1) * count; unit++) {
            if (process->clock.is_down[unit]) {
                repair(run, process, unit);
            }
            fault_clock_stop(&process->clock, unit);
        }
        if (count > 0) {
            await_turn(run, process);
        }
    }
}

void fault_events_node_comes(struct run_state *run, struct pool_outages *of, int32_t node) {
    for (int kind = 0; kind < FAULT_KIND_COUNT; kind++) {
        struct fault_process *process = &of->kept_faults->processes[kind];
        int32_t count = units_on_node(process);
        for (int32_t unit = node * count; unit < (node + 1) * count; unit++) {
            fault_clock_begin_anew(&process->clock, unit, run->now);
        }
        if (count > 0) {
            await_turn(run, process);
        }
    }
}

/* --- All of it --- */

static int32_t units_of(const struct pool *pool, enum fault_kind kind) {
    const struct slots *slots = pool->slots;
    return kind == FAULT_NODE  ? pool->index.nodes
           : kind == FAULT_GPU ? (int32_t)pool->gpus
           : slots == NULL     ? 0
                               : slots->node_count * slots->devices_per_node;
}

static void begin_process(struct run_state *run, struct pool_outages *of, enum fault_kind kind) {
    const struct fault_spec *spec = &of->spec->faults[kind];
    struct fault_process *process = &of->kept_faults->processes[kind];
    char purpose[256];
    if (!spec->given) {
        return;
    }
    int32_t units = units_of(of->pool, kind);
    snprintf(purpose, sizeof purpose, "%s faults of pool %s", fault_kind_names[kind],
             of->pool->name);
    process->of = of;
    process->kind = kind;
    process->has_hit = memory_zero((size_t)units, sizeof *process->has_hit);
    fault_clock_initialize(&process->clock, units, &spec->mtbf, &spec->mttr, 0, run->request->seed,
                           run->request->replication, purpose);
    await_turn(run, process);
}

static void begin_spares(struct run_state *run, struct pool_outages *of) {
    struct pool *pool = of->pool;
    pool->most_nodes -= of->spec->spares;
    for (int32_t node = pool->index.nodes - of->spec->spares; node < pool->index.nodes; node++) {
        stand_by(run, of, node);
    }
}

void fault_events_begin(struct run_state *run, struct pool_outages *of) {
    size_t nodes = (size_t)of->pool->index.nodes;
    struct pool_faults *faults = memory_zero(1, sizeof *faults);
    of->kept_faults = faults;
    faults->stands_by = memory_zero(nodes, sizeof *faults->stands_by);
    faults->joining = memory_zero(nodes, sizeof *faults->joining);
    for (int kind = 0; kind < FAULT_KIND_COUNT; kind++) {
        begin_process(run, of, (enum fault_kind)kind);
    }
    begin_spares(run, of);
}

void fault_events_terminate(struct pool_outages *of) {
    struct pool_faults *faults = of->kept_faults;
    if (faults == NULL) {
        return;
    }
    for (int kind = 0; kind < FAULT_KIND_COUNT; kind++) {
        fault_clock_terminate(&faults->processes[kind].clock);
        free(faults->processes[kind].has_hit);
    }
    free(faults->stands_by);
    free(faults->joining);
    free(faults);
}
