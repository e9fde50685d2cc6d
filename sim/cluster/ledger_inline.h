/* The part of the ledger that every start and end of a request passes through. */
#ifndef SIM_CLUSTER_LEDGER_INLINE_H
#define SIM_CLUSTER_LEDGER_INLINE_H

#include <assert.h>

static inline void ledger_move(struct ledger *ledger, sim_time now, enum gpu_category from,
                               enum gpu_category to, int64_t units) {
    assert(now >= ledger->since && units >= 0 && ledger->now_in[from] >= units);
    gpu_time amount = (gpu_time)units * now;
    ledger->since = now;
    ledger->now_in[from] -= units;
    ledger->integral[from] += amount;
    ledger->now_in[to] += units;
    ledger->integral[to] -= amount;
}

#endif
