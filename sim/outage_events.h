/* What outages do in a run: who has the GPUs leaves them, and nobody gets them until they are over.
 * Faults and spares (fault_events.h), maintenance (maintenance_events.h), spot reclamation
 * (spot_events.h) and the autoscaler (autoscale_events.h) each say when. */
#ifndef SIM_OUTAGE_EVENTS_H
#define SIM_OUTAGE_EVENTS_H

#include "sim/eviction.h"
#include "sim/run_state.h"

/* Of one pool that has any. */
struct pool_outages {
    struct pool *pool;
    const struct outage_spec *spec;
    int64_t faults[FAULT_KIND_COUNT]; /* in the measured time */
    int64_t reclaims;
    int64_t orders;                            /* of nodes, by the autoscaler; likewise */
    struct pool_faults *kept_faults;           /* NULL: none */
    struct pool_maintenance *kept_maintenance; /* likewise */
    struct pool_spot *kept_spot;
    struct pool_scale *scale;    /* the autoscaler's */
    struct kept_gpus *kept_gpus; /* that somebody else has, by entry of `occupied` */
};

struct run_outages {
    struct pool_outages *pools; /* by pool; without a pool: it has none */
};

/* Whether there are any outages. */
bool outage_events_any(const struct scenario *scenario);
/* Whether any outage takes jobs off their GPUs before they are done. */
bool outage_events_interrupt_jobs(const struct scenario *scenario);
/* Once the pools are as they are at the start; leaves run->outages NULL if there are none. */
void outage_events_begin(struct run_state *run);
void outage_events_terminate(struct run_state *run);

/* The mean time between interruptions of the job where it starts: on whole GPUs, or on the device;
 * ns, INFINITY: there are none. */
double outage_events_mean_between(const struct run_state *run, const struct job *job,
                                  const struct device *device);
/* How long a run waits without a start before it takes nothing more to come: longer than repairs
 * take. */
sim_time outage_events_patience(const struct run_state *run);

/* GPUs of a node are closed to newcomers, and open again. */
void outage_events_close(struct run_state *run, struct pool_outages *of, int32_t node,
                         uint64_t gpus);
void outage_events_open(struct run_state *run, struct pool_outages *of, int32_t node,
                        uint64_t gpus);
/* Whoever has any of them is to leave. */
void outage_events_evict(struct run_state *run, struct pool_outages *of, int32_t node,
                         uint64_t gpus, const struct eviction *eviction);
/* They close and go out of use at once, killing who has them; and that is over. */
void outage_events_strike(struct run_state *run, struct pool_outages *of, int32_t node,
                          uint64_t gpus, enum outage how);
void outage_events_relieve(struct run_state *run, struct pool_outages *of, int32_t node,
                           uint64_t gpus, enum outage how);
/* The same of one MIG instance. */
void outage_events_strike_instance(struct run_state *run, struct pool_outages *of,
                                   struct device *device);
void outage_events_relieve_instance(struct run_state *run, struct pool_outages *of,
                                    struct device *device);

#endif
