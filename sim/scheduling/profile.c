#include "sim/scheduling/profile.h"

#include <assert.h>
#include <stdlib.h>

#include "sim/kernel/memory.h"

void profile_initialize(struct profile *profile, struct availability *availability,
                        struct node_index *index) {
    size_t nodes = (size_t)index->nodes;
    *profile = (struct profile){.availability = availability,
                                .index = index,
                                .nodes = memory_zero(nodes, sizeof(struct node_profile)),
                                .moments = memory_zero(nodes, sizeof(sim_time)),
                                .before = memory_zero(nodes, sizeof(struct node_room))};
}

void profile_terminate(struct profile *profile) {
    for (int32_t node = 0; profile->nodes != NULL && node < profile->index->nodes; node++) {
        free(profile->nodes[node].steps);
    }
    free(profile->nodes);
    free(profile->moments);
    free(profile->before);
}

void profile_begin(struct profile *profile, sim_time now) {
    profile->round++;
    profile->now = now;
}

/* --- The steps of a node --- */

static struct node_room room_now(const struct node_index *index, int32_t node) {
    bool limited = index->free_host != NULL;
    return (struct node_room){.gpus = index->free_gpus[node],
                              .host = limited ? index->free_host[node] : index->host};
}

static void add_room(struct node_room *room, const struct node_index *index, int32_t gpus,
                     const struct host_share *host, int sign) {
    room->gpus += sign * gpus;
    if (index->free_host != NULL) {
        room->host.cpus += sign * host->cpus;
        room->host.memory += sign * host->memory;
    }
}

static bool room_fits(const struct node_ask *ask, const struct node_room *room) {
    return ask->gpus <= room->gpus && host_share_fits(&ask->host, &room->host);
}

static struct profile_step *add_step(struct node_profile *steps, size_t at, sim_time from) {
    steps->steps =
        memory_grow(steps->steps, &steps->capacity, steps->count + 1, sizeof *steps->steps);
    for (size_t i = steps->count++; i > at; i--) {
        steps->steps[i] = steps->steps[i - 1];
    }
    steps->steps[at] = (struct profile_step){.from = from};
    if (at > 0) {
        steps->steps[at].room = steps->steps[at - 1].room;
    }
    return &steps->steps[at];
}

static struct node_profile *steps_of(struct profile *profile, int32_t node) {
    struct node_profile *steps = &profile->nodes[node];
    if (steps->made_for == profile->round) {
        return steps;
    }
    size_t count;
    const struct held *held = availability_held(profile->availability, node, &count);
    steps->made_for = profile->round;
    steps->count = 0;
    struct profile_step *step = add_step(steps, 0, profile->now);
    step->room = room_now(profile->index, node);
    for (size_t i = 0; i < count && held[i].end != SIM_TIME_NEVER; i++) {
        if (held[i].end > step->from) {
            step = add_step(steps, steps->count, held[i].end);
        }
        add_room(&step->room, profile->index, held[i].gpus, &held[i].host, 1);
        int32_t usable = node_index_usable(profile->index, node);
        step->room.gpus = step->room.gpus < usable ? step->room.gpus : usable;
    }
    return steps;
}

/* The step that a moment is in. */
static size_t step_at(const struct node_profile *steps, sim_time moment) {
    size_t low = 0;
    size_t high = steps->count;
    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;
        if (steps->steps[middle].from <= moment) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return low;
}

static sim_time end_of_step(const struct node_profile *steps, size_t at) {
    return at + 1 < steps->count ? steps->steps[at + 1].from : SIM_TIME_NEVER;
}

/* The first moment, `from` or later, at which the node has room for so long. */
static sim_time first_on_node(struct profile *profile, int32_t node, const struct node_ask *ask,
                              sim_time from, sim_time duration) {
    const struct node_profile *steps = steps_of(profile, node);
    sim_time begin = from;
    for (size_t i = step_at(steps, from); i < steps->count; i++) {
        sim_time end = end_of_step(steps, i);
        if (!room_fits(ask, &steps->steps[i].room)) {
            begin = end;
        } else if (end == SIM_TIME_NEVER || end - begin >= duration) {
            return begin;
        }
    }
    return SIM_TIME_NEVER;
}

static void keep_least(struct node_room *room, const struct node_room *other) {
    room->gpus = other->gpus < room->gpus ? other->gpus : room->gpus;
    room->host.cpus = other->host.cpus < room->host.cpus ? other->host.cpus : room->host.cpus;
    room->host.memory =
        other->host.memory < room->host.memory ? other->host.memory : room->host.memory;
}

struct node_room profile_room(struct profile *profile, int32_t node, sim_time from,
                              sim_time duration) {
    const struct node_profile *steps = steps_of(profile, node);
    sim_time end = sim_time_add(from, duration);
    size_t i = step_at(steps, from);
    struct node_room room = steps->steps[i].room;
    for (i++; i < steps->count && steps->steps[i].from < end; i++) {
        keep_least(&room, &steps->steps[i].room);
    }
    return room;
}

/* --- The first moment --- */

/* On one node: goes down the tree where it may be earlier than the best so far. */
static void search(struct profile *profile, size_t at, const struct node_ask *ask,
                   sim_time duration, sim_time *best) {
    const struct availability *tree = profile->availability;
    sim_time bound = availability_bound(tree, at, ask->gpus);
    if ((bound > profile->now ? bound : profile->now) >= *best) {
        return;
    }
    if (at >= tree->leaf_count) {
        int32_t node = (int32_t)(at - tree->leaf_count);
        sim_time moment = first_on_node(profile, node, ask, profile->now, duration);
        *best = moment < *best ? moment : *best;
        return;
    }
    bool right_first = availability_bound(tree, 2 * at + 1, ask->gpus) <
                       availability_bound(tree, 2 * at, ask->gpus);
    search(profile, 2 * at + right_first, ask, duration, best);
    search(profile, 2 * at + !right_first, ask, duration, best);
}

/* A heap of `count` moments, the latest on top, whose place 0 is open from above: closes it. */
static void sink(sim_time *heap, int32_t count, sim_time moment) {
    int32_t hole = 0;
    for (int32_t child = 1; child < count; child = 2 * hole + 1) {
        child += child + 1 < count && heap[child + 1] > heap[child];
        if (heap[child] <= moment) {
            break;
        }
        heap[hole] = heap[child];
        hole = child;
    }
    heap[hole] = moment;
}

/* When `rank` nodes have room, each for so long from some moment, `from` or later: the latest of
 * the `rank` earliest. Nodes that cannot be among these are not looked at. */
static sim_time moment_of_rank(struct profile *profile, const struct node_ask *ask, sim_time from,
                               sim_time duration, int32_t rank) {
    const struct availability *tree = profile->availability;
    sim_time *heap = profile->moments;
    if (rank > profile->index->nodes) {
        return SIM_TIME_NEVER;
    }
    for (int32_t i = 0; i < rank; i++) {
        heap[i] = SIM_TIME_NEVER;
    }
    for (int32_t node = 0; node < profile->index->nodes && heap[0] > from; node++) {
        if (availability_bound(tree, tree->leaf_count + (size_t)node, ask->gpus) >= heap[0]) {
            continue;
        }
        sim_time moment = first_on_node(profile, node, ask, from, duration);
        if (moment < heap[0]) {
            sink(heap, rank, moment);
        }
    }
    return heap[0];
}

/* No moment before the rank-th of the nodes' own first moments will do; if at that moment, not all
 * of them have room any more, the search goes on from there. */
static sim_time first_on_nodes(struct profile *profile, const struct gang *gang, int32_t held,
                               sim_time duration) {
    int32_t per_node = profile->index->gpus_per_node;
    int32_t whole = held / per_node;
    int32_t remainder = held % per_node;
    struct node_ask all = node_index_ask(profile->index, gang, per_node);
    sim_time moment = profile->now;
    for (;;) {
        sim_time next = moment_of_rank(profile, &all, moment, duration, whole);
        if (remainder > 0 && next != SIM_TIME_NEVER) {
            struct node_ask rest = node_index_ask(profile->index, gang, remainder);
            sim_time other = moment_of_rank(profile, &rest, moment, duration, whole + 1);
            next = other > next ? other : next;
        }
        if (next == moment || next == SIM_TIME_NEVER) {
            return next;
        }
        moment = next;
    }
}

/* How many GPUs of the gang a node with such room can take. */
static int32_t takes(const struct gang *gang, const struct node_room *room) {
    int64_t gpus = room->gpus;
    if (gang->each.cpus > 0 && room->host.cpus / gang->each.cpus < gpus) {
        gpus = room->host.cpus / gang->each.cpus;
    }
    if (gang->each.memory > 0 && room->host.memory / gang->each.memory < gpus) {
        gpus = room->host.memory / gang->each.memory;
    }
    return (int32_t)gpus;
}

/* When a node next has more free than before, after a moment. */
static sim_time next_rise(const struct node_profile *steps, sim_time after) {
    for (size_t i = step_at(steps, after) + 1; i < steps->count; i++) {
        const struct node_room *room = &steps->steps[i].room;
        const struct node_room *before = &steps->steps[i - 1].room;
        if (room->gpus > before->gpus || room->host.cpus > before->host.cpus ||
            room->host.memory > before->host.memory) {
            return steps->steps[i].from;
        }
    }
    return SIM_TIME_NEVER;
}

static sim_time first_spread(struct profile *profile, const struct gang *gang, sim_time duration) {
    sim_time moment = profile->now;
    while (moment != SIM_TIME_NEVER) {
        int64_t gpus = 0;
        sim_time next = SIM_TIME_NEVER;
        for (int32_t node = 0; node < profile->index->nodes && gpus < gang->gpus; node++) {
            struct node_room room = profile_room(profile, node, moment, duration);
            sim_time rise = next_rise(steps_of(profile, node), moment);
            gpus += takes(gang, &room);
            next = rise < next ? rise : next;
        }
        if (gpus >= gang->gpus) {
            return moment;
        }
        moment = next;
    }
    return SIM_TIME_NEVER;
}

sim_time profile_first(struct profile *profile, const struct gang *gang, sim_time duration) {
    int32_t held = gang_held(gang, profile->index->gpus_per_node);
    if (gang->span == SPAN_ANY) {
        return first_spread(profile, gang, duration);
    }
    if (held > profile->index->gpus_per_node) {
        return first_on_nodes(profile, gang, held, duration);
    }
    struct node_ask ask = node_index_ask(profile->index, gang, held);
    sim_time best = SIM_TIME_NEVER;
    search(profile, 1, &ask, duration, &best);
    return best;
}

/* --- Places --- */

static void set_room(struct node_index *index, int32_t node, const struct node_room *room) {
    node_index_change(index, node, room->gpus - index->free_gpus[node]);
    if (index->free_host != NULL) {
        index->free_host[node] = room->host;
    }
}

bool profile_plan(struct profile *profile, const struct placement_rule *rule,
                  struct piece_stock *stock, const struct gang *gang, sim_time from,
                  sim_time duration, bool starts, struct piece *first) {
    struct node_index *index = profile->index;
    int32_t held = gang->span == SPAN_ANY ? 1 : gang_held(gang, index->gpus_per_node);
    size_t count;
    /* The others have too few GPUs free then, and now. */
    const int32_t *nodes = availability_nodes(profile->availability, held, from, &count);
    for (size_t i = 0; i < count; i++) {
        struct node_room now = room_now(index, nodes[i]);
        struct node_room room = profile_room(profile, nodes[i], from, duration);
        profile->before[i] = now;
        if (starts) {
            keep_least(&room, &now);
        }
        set_room(index, nodes[i], &room);
    }
    bool fits = placement_plan_ahead(rule, index, gang, stock, first);
    for (const struct piece *piece = first; fits && piece != NULL; piece = piece->next) {
        node_index_change(index, piece->node, piece->gpus);
    }
    for (size_t i = 0; i < count; i++) {
        set_room(index, nodes[i], &profile->before[i]);
    }
    return fits;
}

bool profile_holds(struct profile *profile, const struct gang *gang, const struct piece *pieces,
                   sim_time from, sim_time duration) {
    for (const struct piece *piece = pieces; piece != NULL; piece = piece->next) {
        struct node_room room = profile_room(profile, piece->node, from, duration);
        struct node_ask ask = node_index_ask(profile->index, gang, piece->gpus);
        if (!room_fits(&ask, &room)) {
            return false;
        }
    }
    return true;
}

bool profile_is_free_now(const struct profile *profile, const struct gang *gang,
                         const struct piece *pieces) {
    for (const struct piece *piece = pieces; piece != NULL; piece = piece->next) {
        struct node_room room = room_now(profile->index, piece->node);
        struct node_ask ask = node_index_ask(profile->index, gang, piece->gpus);
        if (!room_fits(&ask, &room)) {
            return false;
        }
    }
    return true;
}

/* The first step that begins at this moment, made if need be. */
static size_t step_from(struct node_profile *steps, sim_time moment) {
    size_t at = step_at(steps, moment);
    if (steps->steps[at].from < moment) {
        add_step(steps, ++at, moment);
    }
    return at;
}

void profile_reserve(struct profile *profile, const struct gang *gang, const struct piece *pieces,
                     sim_time from, sim_time duration) {
    sim_time end = sim_time_add(from, duration);
    for (const struct piece *piece = pieces; piece != NULL; piece = piece->next) {
        struct node_profile *steps = steps_of(profile, piece->node);
        struct node_ask ask = node_index_ask(profile->index, gang, piece->gpus);
        size_t begin = step_from(steps, from);
        size_t after = end == SIM_TIME_NEVER ? steps->count : step_from(steps, end);
        for (size_t i = begin; i < after; i++) {
            add_room(&steps->steps[i].room, profile->index, ask.gpus, &ask.host, -1);
            assert(steps->steps[i].room.gpus >= 0);
        }
    }
}
