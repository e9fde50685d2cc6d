/* When the slots and GPUs of a pool that tenants share will be free, if those there end as
 * estimated: what a reservation asks of it. Nothing is kept up to date but what a slot's tenant
 * does not tell: each question looks at all devices of the pool, and is asked only where a head
 * that does not fit may hold up jobs that do. */
#ifndef SIM_SCHEDULING_SHARED_POOL_H
#define SIM_SCHEDULING_SHARED_POOL_H

#include <stdbool.h>
#include <stdint.h>

#include "sim/cluster/pool.h"
#include "sim/kernel/sim_time.h"

enum { SHARED_POOL_FREE = -1 }; /* before all estimated ends */

struct shared_pool {
    const struct pool *pool; /* borrowed */
    sim_time *held;          /* by node and GPU: until when somebody has it whole, if so */
    sim_time *moments;       /* scratch, likewise: when it is free of everybody */
    sim_time *sorted;        /* scratch */
};

void shared_pool_initialize(struct shared_pool *shared, const struct pool *pool);
void shared_pool_terminate(struct shared_pool *shared);

/* Somebody has taken whole GPUs until an estimated end, or has given them back
 * (SHARED_POOL_FREE). */
void shared_pool_hold(struct shared_pool *shared, const struct piece *pieces, sim_time until);

/* The first moment, now or later, at which a slot is free for the ask, and which one is taken then.
 * O(devices x tenants of one). */
sim_time shared_pool_first_slot(const struct shared_pool *shared, const struct slot_ask *ask,
                                sim_time now);
const struct device *shared_pool_slot_at(const struct shared_pool *shared,
                                         const struct slot_ask *ask, sim_time moment);

/* The same for a gang of whole GPUs, and how many GPUs of a node that are not free now are then.
 * The second is of the moments that the first has found. O(GPUs x (tenants of one + log GPUs)). */
sim_time shared_pool_first_gang(struct shared_pool *shared, const struct gang *gang, sim_time now);
int32_t shared_pool_returned(const struct shared_pool *shared, int32_t node, sim_time moment);

/* How many tenants of a device will still be there. */
int32_t shared_pool_staying(const struct device *device, sim_time moment);
/* Whether the device will have a slot for `first` beside those staying and one for `other`. */
bool shared_pool_holds_both(const struct device *device, const struct slot_ask *first,
                            const struct slot_ask *other, sim_time moment);

#endif
