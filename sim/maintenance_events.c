#include "sim/maintenance_events.h"

#include <stdlib.h>

#include "sim/autoscale_events.h"
#include "sim/kernel/memory.h"

enum phase {
    WORK_NONE,
    WORK_WAITS, /* for its turn: in use as before */
    WORK_DRAINS,
    WORK_GOES_ON
};

struct round;

/* One node in one of the pool's rounds. */
struct serviced {
    struct round *round;
    int32_t node;
    enum phase phase;
    event_id limit; /* of draining; 0: none */
};

/* One entry of `maintenance` or `capacity`. */
struct round {
    struct pool_outages *of;
    const struct weekly_span *span;
    enum outage how;
    sim_time duration; /* of one node; SIM_TIME_NEVER: to the end of the hours */
    enum drain drain;
    sim_time drain_limit;
    int32_t at_most;
    struct weekly_calendar calendar;
    struct serviced *nodes; /* in order */
    size_t count;
    size_t next; /* whose turn it is, if it waits */
    int32_t under_way;
    bool open;      /* nodes may be begun with */
    sim_time until; /* the end of the hours; SIM_TIME_NEVER: none */
};

struct pool_maintenance {
    struct round *rounds;
    size_t count;
};

static uint64_t all_of(const struct pool_outages *of) {
    return outages_all(of->pool->outages);
}

static void push(struct run_state *run, sim_time time, event_handler *handle, void *subject) {
    if (time != SIM_TIME_NEVER) {
        event_queue_push(run->events, time, RANK_KILL, handle, subject);
    }
}

static void begin_next(struct run_state *run, struct round *round);

/* Whether any round has the node drain. */
static bool is_watched(const struct pool_outages *of, int32_t node) {
    const struct pool_maintenance *kept = of->kept_maintenance;
    bool watched = false;
    for (size_t i = 0; i < kept->count; i++) {
        for (size_t k = 0; k < kept->rounds[i].count; k++) {
            const struct serviced *serviced = &kept->rounds[i].nodes[k];
            watched |= serviced->node == node && serviced->phase == WORK_DRAINS;
        }
    }
    return watched;
}

static void leave_draining(struct run_state *run, struct serviced *serviced, enum phase phase) {
    struct pool_outages *of = serviced->round->of;
    serviced->phase = phase;
    of->pool->outages->watched[serviced->node] =
        of->scale != NULL || is_watched(of, serviced->node);
    if (serviced->limit != 0) {
        event_queue_cancel(run->events, serviced->limit);
        serviced->limit = 0;
    }
}

/* --- One node --- */

static void in_use_again(struct run_state *run, struct serviced *serviced) {
    struct round *round = serviced->round;
    serviced->phase = WORK_NONE;
    round->under_way--;
    outage_events_open(run, round->of, serviced->node, all_of(round->of));
}

static void work_ends(void *context, void *subject) {
    struct run_state *run = context;
    struct serviced *serviced = subject;
    struct round *round = serviced->round;
    outages_end(round->of->pool->outages, serviced->node, all_of(round->of), round->how, run->now);
    in_use_again(run, serviced);
    begin_next(run, round);
}

static void begin_work(struct run_state *run, struct serviced *serviced) {
    struct round *round = serviced->round;
    sim_time end =
        round->duration == SIM_TIME_NEVER ? round->until : sim_time_add(run->now, round->duration);
    leave_draining(run, serviced, WORK_GOES_ON);
    outages_begin(round->of->pool->outages, serviced->node, all_of(round->of), round->how,
                  run->now);
    push(run, end, work_ends, serviced);
}

static bool is_empty(const struct serviced *serviced) {
    return serviced->round->of->pool->outages->held[serviced->node] == 0;
}

static struct eviction eviction_by(enum drain how) {
    return (struct eviction){
        .jobs = how, .replicas = how, .grace = SIM_TIME_NEVER, .reason = LEAVES_INTERRUPTED};
}

static void limit_ends(void *context, void *subject) {
    struct run_state *run = context;
    struct serviced *serviced = subject;
    const struct eviction eviction = eviction_by(DRAIN_KILL);
    serviced->limit = 0;
    outage_events_evict(run, serviced->round->of, serviced->node, all_of(serviced->round->of),
                        &eviction);
}

static void drain(struct run_state *run, struct serviced *serviced) {
    struct round *round = serviced->round;
    const struct eviction eviction = eviction_by(round->drain);
    sim_time limit = sim_time_add(run->now, round->drain_limit);
    serviced->phase = WORK_DRAINS;
    round->under_way++;
    outage_events_close(run, round->of, serviced->node, all_of(round->of));
    outage_events_evict(run, round->of, serviced->node, all_of(round->of), &eviction);
    if (is_empty(serviced)) {
        begin_work(run, serviced);
        return;
    }
    round->of->pool->outages->watched[serviced->node] = true;
    if (limit != SIM_TIME_NEVER) {
        serviced->limit = event_queue_push(run->events, limit, RANK_KILL, limit_ends, serviced);
    }
}

/* Nodes of the pool have been left: those that drained are empty. */
static void look(void *context, void *subject) {
    struct run_state *run = context;
    struct pool_outages *of = subject;
    for (size_t i = 0; i < of->kept_maintenance->count; i++) {
        struct round *round = &of->kept_maintenance->rounds[i];
        for (size_t k = 0; k < round->count; k++) {
            if (round->nodes[k].phase == WORK_DRAINS && is_empty(&round->nodes[k])) {
                begin_work(run, &round->nodes[k]);
            }
        }
    }
}

/* Whoever leaves still does so: what is done with the node comes after that. */
void maintenance_events_left(struct run_state *run, struct pool_outages *of, int32_t node) {
    if (outages_is_shut(of->pool->outages, node) && is_watched(of, node)) {
        event_queue_push(run->events, run->now, RANK_KILL, look, of);
    }
}

/* --- A round --- */

/* As many as may be at a time, in order; those that the last hours were too short for come first.
 */
static void begin_next(struct run_state *run, struct round *round) {
    for (size_t tried = 0; round->open && round->under_way < round->at_most && tried < round->count;
         tried++) {
        struct serviced *serviced = &round->nodes[round->next];
        round->next = (round->next + 1) % round->count;
        if (serviced->phase == WORK_WAITS &&
            !autoscale_events_is_up(serviced->round->of, serviced->node)) {
            serviced->phase = WORK_NONE; /* there is nothing to work on */
        } else if (serviced->phase == WORK_WAITS) {
            drain(run, serviced);
        }
    }
}

static void opens(void *context, void *subject);

/* What has not begun to be worked on stays in use, unless a node takes as long as it takes. */
static void closes(void *context, void *subject) {
    struct run_state *run = context;
    struct round *round = subject;
    bool found = false;
    round->open = false;
    for (size_t tried = 0; tried < round->count; tried++) {
        size_t k = (round->next + tried) % round->count;
        struct serviced *serviced = &round->nodes[k];
        bool gives_up = serviced->phase == WORK_DRAINS && round->duration == SIM_TIME_NEVER;
        if (gives_up) {
            leave_draining(run, serviced, WORK_WAITS);
            in_use_again(run, serviced);
        }
        if (!found && (gives_up || serviced->phase == WORK_WAITS)) {
            found = true;
            round->next = k;
        }
        serviced->phase = serviced->phase == WORK_WAITS ? WORK_NONE : serviced->phase;
    }
    push(run, weekly_calendar_next_open(&round->calendar, run->now), opens, round);
}

static void opens(void *context, void *subject) {
    struct run_state *run = context;
    struct round *round = subject;
    round->open = true;
    round->until = round->calendar.count == 0
                       ? SIM_TIME_NEVER
                       : weekly_calendar_next_closed(&round->calendar, run->now);
    for (size_t k = 0; k < round->count; k++) {
        if (round->nodes[k].phase == WORK_NONE) {
            round->nodes[k].phase = WORK_WAITS;
        }
    }
    begin_next(run, round);
    push(run, round->until, closes, round);
}

/* --- All of it --- */

/* Of the nodes listed, or from `first` on. */
static void list_nodes(struct round *round, const int32_t *listed, size_t count, int32_t first) {
    int32_t all = round->of->pool->index.nodes;
    round->count = count > 0 ? count : first < all ? (size_t)(all - first) : 0;
    round->nodes = memory_zero(round->count, sizeof *round->nodes);
    for (size_t k = 0; k < round->count; k++) {
        round->nodes[k] =
            (struct serviced){.round = round, .node = count > 0 ? listed[k] : first + (int32_t)k};
    }
}

static void await_hours(struct run_state *run, struct round *round) {
    int64_t start = run->scenario->has_start ? run->scenario->start : 0;
    round->calendar = (struct weekly_calendar){round->span, 1, weekly_position(start)};
    push(run, weekly_calendar_next_open(&round->calendar, 0), opens, round);
}

static void begin_maintenance(struct run_state *run, struct round *round,
                              const struct maintenance_spec *spec) {
    round->span = &spec->span;
    round->how = OUTAGE_DOWN;
    round->duration = spec->duration;
    round->drain = spec->drain;
    round->drain_limit = spec->drain_limit;
    round->at_most = spec->at_most;
    list_nodes(round, spec->nodes, spec->node_count, 0);
    if (spec->at != SIM_TIME_NEVER) {
        push(run, spec->at, opens, round);
    } else {
        await_hours(run, round);
    }
}

static void begin_capacity(struct run_state *run, struct round *round,
                           const struct capacity_spec *spec) {
    round->span = &spec->span;
    round->how = OUTAGE_ABSENT;
    round->duration = SIM_TIME_NEVER;
    round->drain = spec->drain;
    round->drain_limit = spec->drain_limit;
    round->at_most = INT32_MAX;
    list_nodes(round, NULL, 0, spec->nodes);
    await_hours(run, round);
}

void maintenance_events_begin(struct run_state *run, struct pool_outages *of) {
    const struct outage_spec *spec = of->spec;
    size_t capacity_count = spec->autoscale.given ? 0 : spec->capacity_count; /* its bound then */
    size_t count = spec->maintenance_count + capacity_count;
    if (count == 0) {
        return;
    }
    of->kept_maintenance = memory_zero(1, sizeof *of->kept_maintenance);
    of->kept_maintenance->count = count;
    of->kept_maintenance->rounds = memory_zero(count, sizeof(struct round));
    for (size_t i = 0; i < count; i++) {
        of->kept_maintenance->rounds[i].of = of;
    }
    for (size_t i = 0; i < spec->maintenance_count; i++) {
        begin_maintenance(run, &of->kept_maintenance->rounds[i], &spec->maintenance[i]);
    }
    for (size_t i = 0; i < capacity_count; i++) {
        begin_capacity(run, &of->kept_maintenance->rounds[spec->maintenance_count + i],
                       &spec->capacity[i]);
    }
}

void maintenance_events_terminate(struct pool_outages *of) {
    if (of->kept_maintenance != NULL) {
        for (size_t i = 0; i < of->kept_maintenance->count; i++) {
            free(of->kept_maintenance->rounds[i].nodes);
        }
        free(of->kept_maintenance->rounds);
        free(of->kept_maintenance);
    }
}
