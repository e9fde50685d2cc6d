#include "sim/spot_events.h"

#include <stdio.h>
#include <stdlib.h>

#include "sim/cluster/fault_clock.h"
#include "sim/kernel/memory.h"

struct spot_node {
    struct pool_outages *of;
    int32_t node;
};

struct pool_spot {
    struct fault_clock clock; /* a node turns when notice is given, and when it is back */
    event_id event;           /* of the next turn; 0: none */
    struct spot_node *nodes;
};

static uint64_t all_of(const struct pool_outages *of) {
    return outages_all(of->pool->outages);
}

/* It is taken away, and whoever is left there is killed. */
static void goes(void *context, void *subject) {
    const struct spot_node *spot = subject;
    outage_events_strike(context, spot->of, spot->node, all_of(spot->of), OUTAGE_ABSENT);
}

/* Jobs save, if that takes no longer than the notice; else they leave at once. */
static void give_notice(struct run_state *run, struct pool_outages *of, int32_t node) {
    struct pool_spot *spot = of->kept_spot;
    sim_time notice = spot->clock.warned[node];
    const struct eviction eviction = {.jobs = DRAIN_PREEMPT,
                                      .replicas = DRAIN_WAIT,
                                      .grace = notice,
                                      .reason = LEAVES_INTERRUPTED};
    of->reclaims += run->now >= run->warmup;
    outage_events_close(run, of, node, all_of(of));
    if (notice == 0) {
        goes(run, &spot->nodes[node]);
        return;
    }
    outage_events_evict(run, of, node, all_of(of), &eviction);
    sim_time at = sim_time_add(run->now, notice);
    if (at != SIM_TIME_NEVER) {
        event_queue_push(run->events, at, RANK_KILL, goes, &spot->nodes[node]);
    }
}

static void turn(void *context, void *subject);

static void await_turn(struct run_state *run, struct pool_outages *of) {
    struct pool_spot *spot = of->kept_spot;
    sim_time next = fault_clock_next(&spot->clock);
    if (spot->event != 0) {
        event_queue_cancel(run->events, spot->event);
        spot->event = 0;
    }
    if (next != SIM_TIME_NEVER) {
        spot->event = event_queue_push(run->events, next, RANK_KILL, turn, of);
    }
}

static void turn(void *context, void *subject) {
    struct run_state *run = context;
    struct pool_outages *of = subject;
    of->kept_spot->event = 0;
    int32_t node = fault_clock_turn(&of->kept_spot->clock);
    if (of->kept_spot->clock.is_down[node]) {
        give_notice(run, of, node);
    } else {
        outage_events_relieve(run, of, node, all_of(of), OUTAGE_ABSENT);
        outage_events_open(run, of, node, all_of(of)); /* closed since the notice */
    }
    await_turn(run, of);
}

void spot_events_node_goes(struct run_state *run, struct pool_outages *of, int32_t node) {
    if (of->kept_spot != NULL) {
        fault_clock_stop(&of->kept_spot->clock, node);
        await_turn(run, of);
    }
}

void spot_events_node_comes(struct run_state *run, struct pool_outages *of, int32_t node) {
    if (of->kept_spot != NULL) {
        fault_clock_begin_anew(&of->kept_spot->clock, node, run->now);
        await_turn(run, of);
    }
}

void spot_events_begin(struct run_state *run, struct pool_outages *of) {
    const struct spot_spec *spec = &of->spec->spot;
    int32_t nodes = of->pool->index.nodes;
    char purpose[256];
    if (!spec->given) {
        return;
    }
    of->kept_spot = memory_zero(1, sizeof *of->kept_spot);
    of->kept_spot->nodes = memory_zero((size_t)nodes, sizeof *of->kept_spot->nodes);
    for (int32_t node = 0; node < nodes; node++) {
        of->kept_spot->nodes[node] = (struct spot_node){of, node};
    }
    snprintf(purpose, sizeof purpose, "reclaims of pool %s", of->pool->name);
    fault_clock_initialize(&of->kept_spot->clock, nodes, &spec->reclaim, &spec->back_after,
                           spec->notice, run->request->seed, run->request->replication, purpose);
    await_turn(run, of);
}

void spot_events_terminate(struct pool_outages *of) {
    if (of->kept_spot != NULL) {
        fault_clock_terminate(&of->kept_spot->clock);
        free(of->kept_spot->nodes);
        free(of->kept_spot);
    }
}
