/* Running jobs that may be preempted, in the order that they share with those that wait. */
#ifndef SIM_SCHEDULING_BY_ORDER_RUNNERS_H
#define SIM_SCHEDULING_BY_ORDER_RUNNERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sim/scheduling/scheduler.h"

struct runner {
    struct job *job;
    sim_time key;      /* now */
    uint64_t sequence; /* its own */
    bool goes;         /* no longer fits */
};

struct by_order_runners {
    struct runner *items; /* in order */
    size_t count;
    size_t capacity;
    sim_time instant; /* of the last pass */
};

/* Lists those that may be preempted now. Whether their order has changed since it was kept. */
bool by_order_runners_collect(struct by_order_runners *runners, struct scheduler *scheduler);
/* Keeps the order of now for all that run, and ranks in it: to be theirs when time has passed. */
void by_order_runners_keep(struct by_order_runners *runners, struct scheduler *scheduler);
/* Whether a waiting job comes before a runner. */
static inline bool by_order_is_before(const struct scheduler *scheduler, const struct job *waiting,
                                      const struct runner *runner) {
    bool ties = waiting->link.key == runner->key;
    return ties ? !scheduler->order->runners_first && waiting->sequence < runner->sequence
                : waiting->link.key < runner->key;
}

#endif
