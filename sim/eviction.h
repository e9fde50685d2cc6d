/* Making whoever has GPUs leave them: jobs go back to the queue, replicas ask for another slot. */
#ifndef SIM_EVICTION_H
#define SIM_EVICTION_H

#include "sim/run_state.h"
#include "sim/scheduling/course.h"

struct eviction {
    enum drain jobs;     /* DRAIN_WAIT: they may stay; preempt: they save; kill: at once */
    enum drain replicas; /* DRAIN_WAIT: one ends what it runs; preempt: its requests go back */
    sim_time grace;      /* the longest that a save may take */
    enum leave_reason reason;
};

/* A running job, one by the first piece of its gang, or a tenant. It may be told several times. */
void eviction_of_job(struct run_state *run, struct job *job, const struct eviction *eviction);
void eviction_of_gang(struct run_state *run, const struct piece *first,
                      const struct eviction *eviction);
void eviction_of_tenant(struct run_state *run, struct tenant *tenant,
                        const struct eviction *eviction);
/* All have been told that leave together: replicas that have left ask for other slots. */
void eviction_is_over(struct run_state *run);

#endif
