/* The GPU-time ledger: where every GPU-nanosecond of a pool went, exactly. Each GPU (later: each
 * share of one) is in one category at any moment; the sums over categories are GPUs x time by
 * construction, and are checked against the tenants' own accounts at the end of a run. */
#ifndef SIM_CLUSTER_LEDGER_H
#define SIM_CLUSTER_LEDGER_H

#include <stdbool.h>
#include <stdint.h>

#include "sim/kernel/sim_time.h"

/* The categories that this build tells apart; more come with the features that cause them. */
enum gpu_category { GPU_USEFUL, GPU_IDLE, GPU_CATEGORY_COUNT };
extern const char *const gpu_category_names[GPU_CATEGORY_COUNT];

/* Of one pool. */
struct ledger {
    int64_t gpus;
    sim_time since;                        /* integrals are complete up to here */
    int64_t now_in[GPU_CATEGORY_COUNT];    /* GPUs in each category */
    gpu_time integral[GPU_CATEGORY_COUNT]; /* GPU-ns in [0, since] */
};

/* All GPUs idle, at time 0. */
void ledger_initialize(struct ledger *ledger, int64_t gpus);
/* Moves `gpus` GPUs from one category to another at `now` (never earlier than the last call). */
void ledger_move(struct ledger *ledger, sim_time now, enum gpu_category from, enum gpu_category to,
                 int64_t gpus);
/* Brings the integrals up to now. */
void ledger_advance(struct ledger *ledger, sim_time now);
/* Whether the categories add up to GPUs x time, to the nanosecond. */
bool ledger_balances(const struct ledger *ledger);

#endif
