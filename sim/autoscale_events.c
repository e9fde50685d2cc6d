#include "sim/autoscale_events.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

#include "sim/kernel/memory.h"
#include "sim/scheduling/placement.h"
#include "workloads/draws.h"

struct scaled_node {
    struct pool_outages *of;
    int32_t node;
    sim_time idle_since; /* where nobody has anything of it */
    bool awaited;        /* the end of its idle time is among the events */
};

struct pool_scale {
    const struct autoscale_spec *spec;
    struct stream stream;
    int32_t most;
    int32_t up;
    int32_t ordered; /* and not up yet */
    struct index_set gone;
    struct index_set kept; /* nodes that have been idle for long enough, and had to stay */
    struct scaled_node *nodes;
};

static uint64_t all_of(const struct pool_outages *of) {
    return outages_all(of->pool->outages);
}

/* --- What is needed --- */

/* How a shape asks for whole GPUs of the pool; NULL: it does not. */
static const struct shape_pool *ask_of(const struct shape *shape, const struct pool *pool) {
    for (size_t i = 0; i < shape->pool_count; i++) {
        if (shape->pools[i].pool == pool->position && shape->pools[i].whole) {
            return &shape->pools[i];
        }
    }
    return NULL;
}

/* The GPUs that waiting jobs lack beside idle and ordered nodes; below 0: as many too many. Free
 * GPUs of other nodes are only for jobs that would fit there. */
static int64_t lacking_gpus(const struct run_state *run, const struct pool_outages *of) {
    const struct job_queue *queue = &run->scheduler.queue;
    const struct node_index *index = &of->pool->index;
    int64_t per_node = index->gpus_per_node;
    int64_t on_idle_nodes = index->node_count[per_node] * per_node;
    int64_t fitting = 0;
    int64_t others = 0;
    for (size_t i = 0; i < queue->active_count; i++) {
        const struct shape *shape = queue->active[i];
        if (ask_of(shape, of->pool) == NULL || !job_queue_admits(queue, shape)) {
            continue;
        }
        struct gang gang = shape_gang(shape);
        int64_t gpus = (int64_t)shape->waiting.count * gang_held(&gang, index->gpus_per_node);
        *(placement_fits(index, &gang) ? &fitting : &others) += gpus;
    }
    int64_t fill = index->free_total - on_idle_nodes;
    fitting = fitting > fill ? fitting - fill : 0;
    return fitting + others - on_idle_nodes - of->scale->ordered * per_node;
}

/* --- Nodes go --- */

static bool may_go(const struct pool_outages *of, int64_t lacking) {
    const struct pool_scale *scale = of->scale;
    return scale->up > scale->spec->least && lacking + of->pool->index.gpus_per_node <= 0;
}

static void await_end(struct run_state *run, struct scaled_node *scaled);

static void idle_for_long(void *context, void *subject) {
    struct run_state *run = context;
    struct scaled_node *scaled = subject;
    struct pool_outages *of = scaled->of;
    struct pool_scale *scale = of->scale;
    scaled->awaited = false;
    if (of->pool->outages->held[scaled->node] > 0) {
        return;
    }
    if (sim_time_add(scaled->idle_since, scale->spec->idle_time) > run->now) {
        await_end(run, scaled);
        return;
    }
    /* Its GPUs may be set aside for somebody who waits for more of them. */
    bool is_free = of->pool->index.free_gpus[scaled->node] == of->pool->index.gpus_per_node;
    if (!is_free || !may_go(of, lacking_gpus(run, of))) {
        index_set_add(&scale->kept, scaled->node);
        return;
    }
    outage_events_strike(run, of, scaled->node, all_of(of), OUTAGE_ABSENT);
    index_set_add(&scale->gone, scaled->node);
    scale->up--;
}

/* After arrivals and the scheduler: whoever can start there at that instant does. */
static void await_end(struct run_state *run, struct scaled_node *scaled) {
    sim_time end = sim_time_add(scaled->idle_since, scaled->of->scale->spec->idle_time);
    if (!scaled->awaited && end != SIM_TIME_NEVER) {
        scaled->awaited = true;
        event_queue_push(run->events, end, RANK_TIMEOUT, idle_for_long, scaled);
    }
}

static void begin_idle(struct run_state *run, struct pool_outages *of, int32_t node) {
    struct scaled_node *scaled = &of->scale->nodes[node];
    scaled->idle_since = run->now;
    if (index_set_contains(&of->scale->kept, node)) {
        index_set_remove(&of->scale->kept, node);
    }
    await_end(run, scaled);
}

static void left(void *context, struct pool *pool, int32_t node) {
    struct run_state *run = context;
    begin_idle(run, &run->outages->pools[pool->position], node);
}

/* Those that had to stay need not any more: their idle time begins anew. */
static void begin_kept_anew(struct run_state *run, struct pool_outages *of) {
    const struct index_set *kept = &of->scale->kept;
    for (int32_t node = index_set_first(kept); node >= 0; node = index_set_first(kept)) {
        begin_idle(run, of, node);
    }
}

/* --- Nodes come --- */

static void comes_up(void *context, void *subject) {
    struct run_state *run = context;
    struct scaled_node *scaled = subject;
    struct pool_outages *of = scaled->of;
    of->scale->ordered--;
    of->scale->up++;
    outage_events_relieve(run, of, scaled->node, all_of(of), OUTAGE_DOWN);
    begin_idle(run, of, scaled->node);
}

static void order_node(struct run_state *run, struct pool_outages *of) {
    struct pool_scale *scale = of->scale;
    struct outages *outages = of->pool->outages;
    int32_t node = index_set_first(&scale->gone);
    assert(node >= 0);
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

static void passed(struct run_state *run, struct pool_outages *of) {
    struct pool_scale *scale = of->scale;
    int64_t lacking = lacking_gpus(run, of);
    for (int64_t gpus = lacking; gpus > 0 && scale->up + scale->ordered < scale->most;
         gpus -= of->pool->index.gpus_per_node) {
        order_node(run, of);
    }
    if (may_go(of, lacking)) {
        begin_kept_anew(run, of);
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

static void begin_node(struct run_state *run, struct pool_outages *of, int32_t node) {
    struct pool_scale *scale = of->scale;
    scale->nodes[node] = (struct scaled_node){.of = of, .node = node};
    of->pool->outages->watched[node] = true;
    if (node < scale->spec->least) {
        index_set_add(&scale->kept, node);
    } else {
        index_set_add(&scale->gone, node);
        outage_events_strike(run, of, node, all_of(of), OUTAGE_ABSENT);
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
    scale->most = spec->most < nodes ? spec->most : nodes;
    scale->up = spec->least;
    of->pool->most_nodes = scale->most;
    of->pool->outages->left = left;
    of->pool->outages->context = run;
    snprintf(purpose, sizeof purpose, "autoscaler of pool %s", of->pool->name);
    stream_initialize(&scale->stream, run->request->seed, run->request->replication, purpose);
    index_set_initialize(&scale->gone, nodes);
    index_set_initialize(&scale->kept, nodes);
    scale->nodes = memory_zero((size_t)nodes, sizeof *scale->nodes);
    for (int32_t node = 0; node < nodes; node++) {
        begin_node(run, of, node);
    }
}

void autoscale_events_terminate(struct pool_outages *of) {
    if (of->scale != NULL) {
        index_set_terminate(&of->scale->gone);
        index_set_terminate(&of->scale->kept);
        free(of->scale->nodes);
        free(of->scale);
    }
}
