/* Who is on the devices of a pool that tenants share, and until when if they end as estimated.
 * Nothing is kept but what a slot's tenant does not tell: until when somebody has a GPU whole. */
#ifndef SIM_SCHEDULING_SHARED_POOL_H
#define SIM_SCHEDULING_SHARED_POOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sim/cluster/pool.h"
#include "sim/kernel/sim_time.h"

enum { SHARED_POOL_FREE = -1 }; /* before all estimated ends */

/* What of a node's host is held until an estimated end. */
struct host_hold {
    const sim_time *end; /* of the job: it may be put off while an instance is cut for it */
    struct host_share host;
};
struct host_holds {
    struct host_hold *items;
    size_t count;
    size_t capacity;
};

struct shared_pool {
    struct pool *pool;        /* borrowed */
    sim_time *held;           /* by node and GPU: until when somebody has it whole, if so */
    struct host_holds *hosts; /* by node; NULL: hosts are not limited */
};

void shared_pool_initialize(struct shared_pool *shared, struct pool *pool);
void shared_pool_terminate(struct shared_pool *shared);

/* Somebody has taken whole GPUs until an estimated end, or has given them back
 * (SHARED_POOL_FREE). */
void shared_pool_hold(struct shared_pool *shared, const struct piece *pieces, sim_time until);

/* Somebody holds a share of a node's host from now on, or no longer; nothing where hosts are not
 * limited. */
void shared_pool_hold_host(struct shared_pool *shared, int32_t node, const struct host_hold *hold);
void shared_pool_release_host(struct shared_pool *shared, int32_t node, const sim_time *end);

/* What the tenants that stay beyond a moment leave of a device. */
struct shared_rest {
    int64_t memory;
    double compute;
    int32_t slots;
    bool company; /* whether all of them would have the newcomer beside them */
};
struct shared_rest shared_pool_rest(const struct device *device, const struct slot_ask *ask,
                                    sim_time moment);
/* One more is there that asked for so much. */
void shared_rest_seat(struct shared_rest *rest, const struct slot_ask *ask,
                      const struct slot_ask *other);
bool shared_rest_is_enough(const struct shared_rest *rest, int64_t memory_limit,
                           const struct slot_ask *ask);

/* Whether nobody gets a slot of the device then: its GPU is somebody's, or out of use. */
bool shared_pool_is_held(const struct shared_pool *shared, const struct device *device,
                         sim_time moment);
/* When the next of those who are on the device leaves, or who has its GPU. */
sim_time shared_pool_next_end(const struct shared_pool *shared, const struct device *device,
                              sim_time after);

/* How many tenants of a device will still be there. */
int32_t shared_pool_staying(const struct device *device, sim_time moment);
/* Whether the device will have a slot for `first` beside those staying and one for `other`. */
bool shared_pool_holds_both(const struct device *device, const struct slot_ask *first,
                            const struct slot_ask *other, sim_time moment);

#endif
