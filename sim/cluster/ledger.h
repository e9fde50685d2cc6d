/* The GPU-time ledger: where every GPU-nanosecond of a pool went, exactly. A GPU counts as `units`
 * (its SMs where MIG cuts it, else 1), an instance as a part of them, so that all is kept in whole
 * numbers. Every unit is in one category at any moment; the sums over categories are units x time
 * by construction, and are checked against the tenants' own accounts at the end of a run. */
#ifndef SIM_CLUSTER_LEDGER_H
#define SIM_CLUSTER_LEDGER_H

#include <stdbool.h>
#include <stdint.h>

#include "sim/kernel/sim_time.h"

/* First what belongs to who holds the GPU, in the order in which a device's time is taken by one of
 * its tenants (device.h); then what belongs to nobody. */
enum gpu_category {
    GPU_USEFUL,        /* computing */
    GPU_REDONE,        /* computing that was lost later */
    GPU_CHECKPOINT,    /* saving */
    GPU_RESTORE,       /* reading back what was saved */
    GPU_LOADING,       /* a model, before it serves */
    GPU_SWITCH,        /* from one tenant to another */
    GPU_HELD_IDLE,     /* held, and nothing of these */
    GPU_IDLE,          /* free */
    GPU_STRANDED,      /* SMs that the MIG layout leaves in no instance */
    GPU_RECONFIGURING, /* being cut anew */
    GPU_DOWN,          /* broken, or in maintenance */
    GPU_CATEGORY_COUNT,
    /* What is not there at all: neither a part of the pool's GPU time, nor paid for. */
    GPU_ABSENT = GPU_CATEGORY_COUNT,
    GPU_STATE_COUNT
};
extern const char *const gpu_category_names[GPU_CATEGORY_COUNT];

/* Whether the time of a category belongs to whoever holds the GPU. */
static inline bool gpu_category_is_held(enum gpu_category category) {
    return category <= GPU_HELD_IDLE;
}

/* Of one pool. */
struct ledger {
    int64_t units;
    sim_time since;                     /* of the last change */
    int64_t now_in[GPU_STATE_COUNT];    /* units in each category */
    gpu_time integral[GPU_STATE_COUNT]; /* unit-ns up to now, less now_in x now */
};

/* All units idle, at time 0. */
void ledger_initialize(struct ledger *ledger, int64_t units);

/* Moves units from one category to another at `now` (never earlier than the last call). */
static inline void ledger_move(struct ledger *ledger, sim_time now, enum gpu_category from,
                               enum gpu_category to, int64_t units);
/* Says that some of the time booked in one category was another's: for what is known only later. */
void ledger_transfer(struct ledger *ledger, enum gpu_category from, enum gpu_category to,
                     gpu_time amount);
/* Computing was for nothing: it is to be redone. No more than is useful is taken: what a tenant
 * computed on a shared device is rounded. */
void ledger_lose(struct ledger *ledger, gpu_time amount, sim_time now);

/* The unit-ns of a category in [0, now]. */
static inline gpu_time ledger_integral(const struct ledger *ledger, enum gpu_category category,
                                       sim_time now) {
    return ledger->integral[category] + (gpu_time)ledger->now_in[category] * now;
}

/* Whether the categories add up to units x time, to the nanosecond, and none is below zero. */
bool ledger_balances(const struct ledger *ledger, sim_time now);

#include "sim/cluster/ledger_inline.h"

#endif
