/* What victims could free in one place: bundles of them (preemption_bundles.h). */
#ifndef SIM_SCHEDULING_PREEMPTION_PLACES_H
#define SIM_SCHEDULING_PREEMPTION_PLACES_H

#include "sim/scheduling/preemption.h"
#include "sim/scheduling/scheduler.h"

static inline struct pool *preemption_pool(const struct preemption *preemption,
                                           const struct shape_pool *where) {
    return &preemption->scheduler->pools[where->pool];
}

/* What a host lacks for an ask; not above 0: nothing. */
struct host_share places_host_lacking(const struct node_index *index, int32_t node,
                                      const struct host_share *ask);
/* What a job has of its host with so many of its GPUs there. */
struct host_share places_host_held(const struct node_index *index, const struct job *job,
                                   int32_t gpus);
/* GPUs that others could have if a job left: not those about to go out of use or to be laid out
 * anew. */
int32_t places_freed_by(const struct pool *pool, const struct stay *stay);

/* Jobs on whole GPUs of a node. */
void places_collect_stays(struct preemption *preemption, const struct job *newcomer,
                          const struct shape_pool *where, int32_t node);
/* Whole GPUs of a node that only tenants hold who may all be preempted. */
void places_collect_gpus(struct preemption *preemption, const struct job *newcomer,
                         const struct shape_pool *where, int32_t node);
/* The tenants of a device, for a slot of it. False: one of them stays whom the newcomer does not
 * share with. */
bool places_collect_tenants(struct preemption *preemption, const struct job *newcomer,
                            const struct slot_ask *ask, const struct device *device);

#endif
