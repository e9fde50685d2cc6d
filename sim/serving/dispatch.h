/* Which replica serves a request: one queue for all of them, or a queue of each that the request
 * joins when it arrives. One row per rule. */
#ifndef SIM_SERVING_DISPATCH_H
#define SIM_SERVING_DISPATCH_H

#include <stddef.h>
#include <stdint.h>

#include "scenarios/choice.h"
#include "sim/kernel/stream.h"
#include "sim/serving/load_tree.h"

struct replica;
struct dispatcher;

struct dispatch_rule {
    struct choice choice;
    /* The replica whose queue a request joins, of the candidates, of which there is one at least.
     * NULL: the requests wait in one queue. */
    struct replica *(*pick)(struct dispatcher *dispatcher);
    bool by_load; /* keeps dispatcher.loads */
};

extern const struct dispatch_rule dispatch_rules[];
extern const size_t dispatch_rule_count;

/* Of one service: its candidates are the replicas that hold a slot, up or loading. */
struct dispatcher {
    const struct dispatch_rule *rule;
    struct replica **candidates; /* by index, ascending; owned */
    size_t count;
    int32_t last; /* index of the last one picked in turn; -1: none yet */
    struct load_tree loads;
    struct stream stream;
};

/* A dispatcher must not be moved: it has a stream. */
void dispatcher_initialize(struct dispatcher *dispatcher, const struct dispatch_rule *rule,
                           int32_t replicas, uint64_t seed, uint64_t replication,
                           const char *workload);
void dispatcher_terminate(struct dispatcher *dispatcher);

/* A replica has come to hold a slot, or has lost it. */
void dispatcher_add(struct dispatcher *dispatcher, struct replica *replica);
void dispatcher_remove(struct dispatcher *dispatcher, const struct replica *replica);

/* The load of a candidate has changed. */
void dispatcher_load_changed(struct dispatcher *dispatcher, const struct replica *replica);

static inline bool dispatcher_has_one_queue(const struct dispatcher *dispatcher) {
    return dispatcher->rule->pick == NULL;
}

#endif
