/* The calendar of `capacity` in a pool with an autoscaler: how many nodes may be in use or on their
 * way at most. When that is lowered the last nodes drain and go; which ones is the autoscaler's
 * choice, so that hours say no more than a number. */
#include "sim/autoscale_parts.h"
#include "sim/kernel/memory.h"

static uint64_t all_of(const struct pool_outages *of) {
    return outages_all(of->pool->outages);
}

/* The entry that holds now and has the fewest nodes; NULL: none holds. */
static const struct capacity_spec *bound_now(const struct pool_outages *of) {
    const struct capacity_spec *least = NULL;
    for (size_t i = 0; i < of->spec->capacity_count; i++) {
        const struct scale_bound *bound = &of->scale->bounds[i];
        if (bound->holds && (least == NULL || bound->spec->nodes < least->nodes)) {
            least = bound->spec;
        }
    }
    return least;
}

static struct eviction eviction_by(enum drain how) {
    return (struct eviction){
        .jobs = how, .replicas = how, .grace = SIM_TIME_NEVER, .reason = LEAVES_INTERRUPTED};
}

static void limit_ends(void *context, void *subject) {
    struct scaled_node *scaled = subject;
    const struct eviction eviction = eviction_by(DRAIN_KILL);
    scaled->limit = 0;
    outage_events_evict(context, scaled->of, scaled->node, all_of(scaled->of), &eviction);
}

static void ends_draining(struct run_state *run, struct scaled_node *scaled) {
    scaled->drains = false;
    if (scaled->limit != 0) {
        event_queue_cancel(run->events, scaled->limit);
        scaled->limit = 0;
    }
    outage_events_open(run, scaled->of, scaled->node, all_of(scaled->of));
}

/* It goes; if it is broken or the like by now, once that is over. */
static void goes(void *context, void *subject) {
    struct run_state *run = context;
    struct scaled_node *scaled = subject;
    if (!scaled->drains || !autoscale_is_left(scaled)) {
        return;
    }
    if (outages_is_shut_once(scaled->of->pool->outages, scaled->node)) {
        autoscale_let_go(run, scaled);
    }
    ends_draining(run, scaled);
}

/* Whoever leaves still does so. */
void autoscale_bound_left(struct run_state *run, struct scaled_node *scaled) {
    event_queue_push(run->events, run->now, RANK_KILL, goes, scaled);
}

static void drain(struct run_state *run, struct scaled_node *scaled,
                  const struct capacity_spec *spec) {
    const struct eviction eviction = eviction_by(spec->drain);
    sim_time limit = sim_time_add(run->now, spec->drain_limit);
    scaled->drains = true;
    outage_events_close(run, scaled->of, scaled->node, all_of(scaled->of));
    outage_events_evict(run, scaled->of, scaled->node, all_of(scaled->of), &eviction);
    if (autoscale_is_left(scaled)) {
        autoscale_bound_left(run, scaled);
    } else if (limit != SIM_TIME_NEVER) {
        scaled->limit = event_queue_push(run->events, limit, RANK_KILL, limit_ends, scaled);
    }
}

/* The last node that is in use, left if any is, and may go; NULL: there is none. */
static struct scaled_node *next_to_go(struct pool_outages *of) {
    struct scaled_node *last = NULL;
    for (int32_t node = 0; node < of->pool->index.nodes; node++) {
        struct scaled_node *scaled = &of->scale->nodes[node];
        bool in_use = scaled->up && !outages_is_shut(of->pool->outages, node);
        bool may_go = in_use && scaled->others == 0;
        if (may_go && (last == NULL || autoscale_is_left(scaled) || !autoscale_is_left(last))) {
            last = scaled;
        }
    }
    return last;
}

/* Those that still drain stay, as far as there may be more again. */
static void keep(struct run_state *run, struct pool_outages *of) {
    for (int32_t node = 0; node < of->pool->index.nodes; node++) {
        struct scaled_node *scaled = &of->scale->nodes[node];
        if (scaled->drains && autoscale_in_use(of) < of->scale->most) {
            ends_draining(run, scaled);
        }
    }
}

static void keep_to_bound(struct run_state *run, struct pool_outages *of) {
    const struct capacity_spec *bound = bound_now(of);
    int32_t most = of->spec->autoscale.most;
    of->scale->most = bound != NULL && bound->nodes < most ? bound->nodes : most;
    keep(run, of);
    struct scaled_node *scaled;
    while (bound != NULL && autoscale_in_use(of) > of->scale->most &&
           (scaled = next_to_go(of)) != NULL) {
        drain(run, scaled, bound);
    }
    run->pass_due = true;
}

static void turns(void *context, void *subject);

static void begin(struct run_state *run, struct scale_bound *bound) {
    bound->holds = weekly_calendar_at(&bound->calendar, run->now) >= 0;
    sim_time next = weekly_calendar_next_change(&bound->calendar, run->now);
    if (next != SIM_TIME_NEVER) {
        event_queue_push(run->events, next, RANK_KILL, turns, bound);
    }
}

/* All that turn at this instant do before anybody drains. */
static void keeps(void *context, void *subject) {
    keep_to_bound(context, subject);
}

static void turns(void *context, void *subject) {
    struct run_state *run = context;
    struct scale_bound *bound = subject;
    begin(run, bound);
    event_queue_push(run->events, run->now, RANK_KILL, keeps, bound->of);
}

void autoscale_bound_begin(struct run_state *run, struct pool_outages *of) {
    size_t count = of->spec->capacity_count;
    int64_t start = run->scenario->has_start ? run->scenario->start : 0;
    of->scale->bounds = memory_zero(count, sizeof *of->scale->bounds);
    for (size_t i = 0; i < count; i++) {
        struct scale_bound *bound = &of->scale->bounds[i];
        const struct capacity_spec *spec = &of->spec->capacity[i];
        *bound = (struct scale_bound){.of = of, .spec = spec};
        bound->calendar = (struct weekly_calendar){&spec->span, 1, weekly_position(start)};
        begin(run, bound);
    }
    if (count > 0) {
        keep_to_bound(run, of);
    }
}
