#include "sim/autoscale_events.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

#include "sim/autoscale_parts.h"
#include "sim/fault_events.h"
#include "sim/kernel/memory.h"
#include "sim/spot_events.h"
#include "workloads/draws.h"

static uint64_t all_of(const struct pool_outages *of) {
    return outages_all(of->pool->outages);
}

int32_t autoscale_in_use(const struct pool_outages *of) {
    return of->pool->index.nodes - of->pool->outages->shut_nodes;
}

int32_t autoscale_to_come(const struct pool_outages *of) {
    return of->scale->ordered + fault_events_joining(of);
}

bool autoscale_events_is_up(const struct pool_outages *of, int32_t node) {
    return of->scale == NULL || of->scale->nodes[node].up;
}

/* --- Nodes go --- */

bool autoscale_is_left(const struct scaled_node *scaled) {
    const struct outages *outages = scaled->of->pool->outages;
    return scaled->up && scaled->others == 0 && outages->held[scaled->node] == 0 &&
           outages->aside[scaled->node] == 0;
}

/* Nobody has anything of it, and it is in use. */
static bool is_idle(const struct scaled_node *scaled) {
    return autoscale_is_left(scaled) && !outages_is_shut(scaled->of->pool->outages, scaled->node);
}

static bool may_go(const struct run_state *run, const struct scaled_node *scaled) {
    const struct pool_outages *of = scaled->of;
    return autoscale_in_use(of) > of->scale->spec->least &&
           autoscale_lacking(run, of, scaled->node) <= 0;
}

void autoscale_let_go(struct run_state *run, struct scaled_node *scaled) {
    struct pool_outages *of = scaled->of;
    scaled->up = false;
    outage_events_strike(run, of, scaled->node, all_of(of), OUTAGE_ABSENT);
    fault_events_node_goes(run, of, scaled->node);
    spot_events_node_goes(run, of, scaled->node);
    index_set_add(&of->scale->gone, scaled->node);
}

static void await_end(struct run_state *run, struct scaled_node *scaled);

static void idle_for_long(void *context, void *subject) {
    struct run_state *run = context;
    struct scaled_node *scaled = subject;
    struct pool_scale *scale = scaled->of->scale;
    scaled->awaited = false;
    if (!scaled->up || scaled->of->pool->outages->held[scaled->node] > 0) {
        return;
    }
    if (sim_time_add(scaled->idle_since, scale->spec->idle_time) > run->now) {
        await_end(run, scaled);
        return;
    }
    /* Its GPUs may be set aside for somebody who waits for more of them. */
    if (is_idle(scaled) && may_go(run, scaled)) {
        autoscale_let_go(run, scaled);
    } else {
        index_set_add(&scale->kept, scaled->node);
    }
}

/* After arrivals and the scheduler: whoever can start there at that instant does. */
static void await_end(struct run_state *run, struct scaled_node *scaled) {
    sim_time end = sim_time_add(scaled->idle_since, scaled->of->scale->spec->idle_time);
    if (!scaled->awaited && end != SIM_TIME_NEVER) {
        scaled->awaited = true;
        event_queue_push(run->events, end, RANK_TIMEOUT, idle_for_long, scaled);
    }
}

/* There are more than the bound in use: it goes, whatever waits. */
static void is_too_many(void *context, void *subject) {
    struct scaled_node *scaled = subject;
    if (is_idle(scaled) && autoscale_in_use(scaled->of) > scaled->of->scale->most) {
        autoscale_let_go(context, scaled);
    }
}

static void begin_idle(struct run_state *run, struct pool_outages *of, int32_t node) {
    struct scaled_node *scaled = &of->scale->nodes[node];
    scaled->idle_since = run->now;
    if (index_set_contains(&of->scale->kept, node)) {
        index_set_remove(&of->scale->kept, node);
    }
    if (autoscale_in_use(of) > of->scale->most) { /* once whoever leaves has left */
        event_queue_push(run->events, run->now, RANK_KILL, is_too_many, scaled);
    }
    await_end(run, scaled);
}

void autoscale_events_left(struct run_state *run, struct pool_outages *of, int32_t node) {
    if (of->scale->nodes[node].drains) {
        autoscale_bound_left(run, &of->scale->nodes[node]);
    } else {
        begin_idle(run, of, node);
    }
}

void autoscale_events_in_use_again(struct run_state *run, struct pool_outages *of, int32_t node) {
    if (of->scale->nodes[node].up && of->pool->outages->held[node] == 0) {
        begin_idle(run, of, node);
    }
}

void autoscale_events_given_back(struct run_state *run, struct pool_outages *of, int32_t node) {
    struct scaled_node *scaled = &of->scale->nodes[node];
    scaled->others--;
    if (is_idle(scaled)) {
        begin_idle(run, of, node);
    }
}

/* Those that had to stay need not any more: their idle time begins anew. */
static void begin_kept_anew(struct run_state *run, struct pool_outages *of) {
    const struct index_set *kept = &of->scale->kept;
    for (int32_t node = index_set_first(kept); node >= 0; node = index_set_first(kept)) {
        begin_idle(run, of, node);
    }
}

/* What is not all open counts for less than a node, so that it may go where another may not. */
static void begin_parts_anew(struct run_state *run, struct pool_outages *of) {
    const struct index_set *kept = &of->scale->kept;
    int32_t next;
    for (int32_t node = index_set_first(kept); node >= 0; node = next) {
        struct scaled_node *scaled = &of->scale->nodes[node];
        next = index_set_next(kept, node);
        if (of->pool->outages->closed[node] != 0 && is_idle(scaled) && may_go(run, scaled)) {
            begin_idle(run, of, node);
        }
    }
}

/* --- Nodes come --- */

static void comes_up(void *context, void *subject) {
    struct run_state *run = context;
    struct scaled_node *scaled = subject;
    struct pool_outages *of = scaled->of;
    struct pool_scale *scale = of->scale;
    scale->ordered--;
    if (autoscale_in_use(of) >= scale->most) { /* the bound has been lowered meanwhile */
        outages_end(of->pool->outages, scaled->node, all_of(of), OUTAGE_DOWN, run->now);
        outages_begin(of->pool->outages, scaled->node, all_of(of), OUTAGE_ABSENT, run->now);
        index_set_add(&scale->gone, scaled->node);
        return;
    }
    scaled->up = true;
    fault_events_node_comes(run, of, scaled->node);
    spot_events_node_comes(run, of, scaled->node);
    outage_events_relieve(run, of, scaled->node, all_of(of), OUTAGE_DOWN);
}

static void order_node(struct run_state *run, struct pool_outages *of, int32_t node) {
    struct pool_scale *scale = of->scale;
    struct outages *outages = of->pool->outages;
    sim_time up =
        sim_time_add(run->now, draw_duration(&scale->spec->provision_time, &scale->stream));
    index_set_remove(&scale->gone, node);
    outages_begin(outages, node, all_of(of), OUTAGE_DOWN, run->now);
    outages_end(outages, node, all_of(of), OUTAGE_ABSENT, run->now);
    scale->ordered++;
    of->orders += run->now >= run->warmup;
    if (up != SIM_TIME_NEVER) {
        event_queue_push(run->events, up, RANK_END, comes_up, &scale->nodes[node]);
    }
}

static bool is_ever_in_parts(const struct outage_spec *spec) {
    return spec->faults[FAULT_GPU].given || spec->faults[FAULT_MPS].given ||
           spec->occupied_count > 0;
}

static void passed(struct run_state *run, struct pool_outages *of) {
    struct pool_scale *scale = of->scale;
    int64_t lacking = autoscale_lacking(run, of, -1);
    bool too_many = lacking + autoscale_node(of) <= 0;
    int32_t node = index_set_first(&scale->gone);
    for (; lacking > 0 && node >= 0 && autoscale_in_use(of) + autoscale_to_come(of) < scale->most;
         lacking -= autoscale_node(of)) {
        order_node(run, of, node);
        node = index_set_first(&scale->gone);
    }
    if (autoscale_in_use(of) > scale->spec->least && too_many) {
        begin_kept_anew(run, of);
    } else if (is_ever_in_parts(of->spec)) {
        begin_parts_anew(run, of);
    }
}

void autoscale_events_passed(struct run_state *run) {
    for (size_t i = 0; i < run->scenario->pool_count; i++) {
        if (run->outages->pools[i].scale != NULL) {
            passed(run, &run->outages->pools[i]);
        }
    }
}

/* --- All of it --- */

/* Cordoned nodes are there, and spares, and what somebody else has; of the others as many as are to
 * be up at least, in order. */
static void begin_nodes(struct run_state *run, struct pool_outages *of) {
    struct pool_scale *scale = of->scale;
    int32_t nodes = of->pool->index.nodes;
    for (int32_t node = 0; node < nodes; node++) {
        scale->nodes[node] = (struct scaled_node){.of = of, .node = node};
        of->pool->outages->watched[node] = true;
    }
    for (size_t i = 0; i < of->spec->occupied_count; i++) {
        scale->nodes[of->spec->occupied[i].node].others++;
    }
    int32_t up = 0;
    for (int32_t node = 0; node < nodes; node++) {
        up += scale->nodes[node].others > 0 && !outages_is_shut(of->pool->outages, node);
    }
    for (int32_t node = 0; node < nodes; node++) {
        struct scaled_node *scaled = &scale->nodes[node];
        scaled->up = true;
        if (outages_is_shut(of->pool->outages, node) || scaled->others > 0) {
            continue;
        }
        if (up < scale->spec->least) {
            up++;
            index_set_add(&scale->kept, node);
        } else {
            autoscale_let_go(run, scaled);
        }
    }
}

void autoscale_events_begin(struct run_state *run, struct pool_outages *of) {
    const struct autoscale_spec *spec = &of->spec->autoscale;
    int32_t nodes = of->pool->index.nodes;
    char purpose[256];
    if (!spec->given) {
        return;
    }
    struct pool_scale *scale = memory_zero(1, sizeof *scale);
    of->scale = scale;
    scale->spec = spec;
    scale->most = spec->most;
    if (spec->most < of->pool->most_nodes) { /* which leaves out cordoned nodes and spares */
        of->pool->most_nodes = spec->most;
    }
    snprintf(purpose, sizeof purpose, "autoscaler of pool %s", of->pool->name);
    stream_initialize(&scale->stream, run->request->seed, run->request->replication, purpose);
    index_set_initialize(&scale->gone, nodes);
    index_set_initialize(&scale->kept, nodes);
    scale->nodes = memory_zero((size_t)nodes, sizeof *scale->nodes);
    begin_nodes(run, of);
    autoscale_bound_begin(run, of);
}

void autoscale_events_terminate(struct pool_outages *of) {
    if (of->scale != NULL) {
        index_set_terminate(&of->scale->gone);
        index_set_terminate(&of->scale->kept);
        free(of->scale->nodes);
        free(of->scale->bounds);
        free(of->scale);
    }
}
