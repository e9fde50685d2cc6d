/* The GPU-time ledger: where every GPU-nanosecond of a pool went, exactly. A GPU counts as `units`
 * (its SMs where MIG cuts it, else 1), an instance as a part of them, so that all is kept in whole
 * numbers. Every unit is in one category at any moment; the sums over categories are units x time
 * by construction, and are checked against the tenants' own accounts at the end of a run. */
#ifndef SIM_CLUSTER_LEDGER_H
#define SIM_CLUSTER_LEDGER_H

#include <stdbool.h>
#include <stdint.h>

#include "sim/kernel/sim_time.h"

/* The categories that this build tells apart; more come with the features that cause them. */
enum gpu_category {
    GPU_USEFUL,
    GPU_LOADING,
    GPU_SWITCH,
    GPU_HELD_IDLE,
    GPU_IDLE,
    GPU_STRANDED,
    GPU_RECONFIGURING,
    GPU_CATEGORY_COUNT
};
extern const char *const gpu_category_names[GPU_CATEGORY_COUNT];

/* Whether the time of a category belongs to whoever holds the GPU. */
static inline bool gpu_category_is_held(enum gpu_category category) {
    return category <= GPU_HELD_IDLE;
}

/* Of one pool. */
struct ledger {
    int64_t units;
    sim_time since;                        /* of the last change */
    int64_t now_in[GPU_CATEGORY_COUNT];    /* units in each category */
    gpu_time integral[GPU_CATEGORY_COUNT]; /* unit-ns up to now, less now_in x now */
};

/* All units idle, at time 0. */
void ledger_initialize(struct ledger *ledger, int64_t units);

/* Moves units from one category to another at `now` (never earlier than the last call). */
static inline void ledger_move(struct ledger *ledger, sim_time now, enum gpu_category from,
                               enum gpu_category to, int64_t units);
/* Says that some of the time booked in one category was another's: for what is known only later. */
void ledger_transfer(struct ledger *ledger, enum gpu_category from, enum gpu_category to,
                     gpu_time amount);

/* The unit-ns of a category in [0, now]. */
static inline gpu_time ledger_integral(const struct ledger *ledger, enum gpu_category category,
                                       sim_time now) {
    return ledger->integral[category] + (gpu_time)ledger->now_in[category] * now;
}

/* Whether the categories add up to units x time, to the nanosecond, and none is below zero. */
bool ledger_balances(const struct ledger *ledger, sim_time now);

#include "sim/cluster/ledger_inline.h"

#endif
