#include "sim/serving/dispatch.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "sim/kernel/memory.h"
#include "sim/serving/replica.h"
#include "workloads/draws.h"

/* How many candidates have a smaller index. */
static size_t rank_of(const struct dispatcher *dispatcher, int32_t index) {
    size_t low = 0;
    size_t high = dispatcher->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (dispatcher->candidates[middle]->index < index) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

static struct replica *pick_in_turn(struct dispatcher *dispatcher) {
    size_t next = rank_of(dispatcher, dispatcher->last + 1);
    struct replica *replica = dispatcher->candidates[next < dispatcher->count ? next : 0];
    dispatcher->last = replica->index;
    return replica;
}

static struct replica *pick_at_random(struct dispatcher *dispatcher) {
    uint64_t drawn = stream_uniform_integer(&dispatcher->stream, dispatcher->count);
    return dispatcher->candidates[drawn];
}

static struct replica *pick_least_loaded(struct dispatcher *dispatcher) {
    int32_t index = load_tree_first(&dispatcher->loads);
    return dispatcher->candidates[rank_of(dispatcher, index)];
}

const struct dispatch_rule dispatch_rules[] = {
    {{.name = "central", .summary = "requests wait in one queue for the first replica with room"},
     NULL,
     false},
    {{.name = "round_robin", .summary = "each request goes to the next replica in turn"},
     pick_in_turn,
     false},
    {{.name = "random", .summary = "each request goes to a replica drawn at random"},
     pick_at_random,
     false},
    {{.name = "least_loaded",
      .summary = "each request goes to the replica with the fewest requests"},
     pick_least_loaded,
     true},
};
const size_t dispatch_rule_count = sizeof dispatch_rules / sizeof dispatch_rules[0];

void dispatcher_initialize(struct dispatcher *dispatcher, const struct dispatch_rule *rule,
                           int32_t replicas, uint64_t seed, uint64_t replication,
                           const char *workload) {
    *dispatcher = (struct dispatcher){.rule = rule, .last = -1};
    dispatcher->candidates = memory_zero((size_t)replicas, sizeof(struct replica *));
    if (rule->by_load) {
        load_tree_initialize(&dispatcher->loads, replicas);
    }
    draws_start_stream(&dispatcher->stream, seed, replication, "dispatch", workload);
}

void dispatcher_terminate(struct dispatcher *dispatcher) {
    load_tree_terminate(&dispatcher->loads);
    free(dispatcher->candidates);
    dispatcher->candidates = NULL;
}

void dispatcher_add(struct dispatcher *dispatcher, struct replica *replica) {
    size_t rank = rank_of(dispatcher, replica->index);
    struct replica **place = &dispatcher->candidates[rank];
    memmove(place + 1, place, (dispatcher->count - rank) * sizeof(struct replica *));
    *place = replica;
    dispatcher->count++;
    dispatcher_load_changed(dispatcher, replica);
}

void dispatcher_remove(struct dispatcher *dispatcher, const struct replica *replica) {
    size_t rank = rank_of(dispatcher, replica->index);
    struct replica **place = &dispatcher->candidates[rank];
    assert(rank < dispatcher->count && *place == replica);
    memmove(place, place + 1, (--dispatcher->count - rank) * sizeof(struct replica *));
    if (dispatcher->rule->by_load) {
        load_tree_set(&dispatcher->loads, replica->index, LOAD_TREE_ABSENT);
    }
}

void dispatcher_load_changed(struct dispatcher *dispatcher, const struct replica *replica) {
    if (dispatcher->rule->by_load) {
        load_tree_set(&dispatcher->loads, replica->index, replica->load);
    }
}
