/* What a workload asks for wherever it goes: which pools, in which order and how fast, what kind of
 * slot, and in whose company. Workloads that ask for the same share one preference. */
#ifndef SIM_SCHEDULING_PREFERENCE_H
#define SIM_SCHEDULING_PREFERENCE_H

#include "scenarios/scenario.h"
#include "sim/cluster/pool.h"
#include "sim/kernel/arena.h"

struct preferred_pool {
    int32_t pool;
    double speed; /* on a whole GPU there, over the reference GPU's */
};

struct preference {
    struct preferred_pool *pools;
    size_t pool_count;
    enum slot_wish slot;
    const char *profile; /* SLOT_PROFILE: its name */
    enum isolation isolation;
    enum gang_span span;
    const struct weekly_span *window;     /* when its jobs may start; borrowed */
    size_t window_count;                  /* 0: at any time */
    bool closed;                          /* not now */
    int32_t party;                        /* 0 where nobody keeps to itself */
    const struct workload_spec *workload; /* NULL where there are no slots: whose speeds it has */
};

struct preferences {
    struct preference *items;
    size_t count;
    int32_t *of_workload; /* which item */
    int32_t *party;       /* by workload: its tenant, interned */
    int32_t parties;      /* how many tenants there are if any keeps to itself, else 0 */
    struct arena arena;
};

void preferences_initialize(struct preferences *preferences, const struct scenario *scenario);
void preferences_terminate(struct preferences *preferences);

/* What a job with this preference asks of a pool. */
struct pool_ask {
    bool possible; /* the empty pool could hold it */
    bool whole;    /* whole GPUs, else one slot of these kinds: */
    uint64_t kinds;
};
struct pool_ask preference_ask(const struct preference *preference, const struct pool *pool,
                               const struct gpu_model *gpu, int32_t gpus, struct host_share each,
                               int64_t memory, int32_t compute);

#endif
