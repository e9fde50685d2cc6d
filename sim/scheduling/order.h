/* Queue orders: which waiting job comes first. One row per order: a function that gives a job its
 * key; smaller keys come first, equal ones in order of submission. */
#ifndef SIM_SCHEDULING_ORDER_H
#define SIM_SCHEDULING_ORDER_H

#include "scenarios/choice.h"
#include "sim/scheduling/job.h"

/* Options of las, least attained service: what a job has had of its GPUs decides its level. Source:
 * Gu et al., Tiresias, NSDI 2019, whose limits are the default: 3250 s and 7200 s. */
struct las_options {
    const sim_time *limits; /* ascending */
    size_t limit_count;
    enum { LAS_BY_TIME, LAS_BY_GPU_TIME } measure;
};

struct queue_order {
    struct choice choice;
    sim_time (*key)(const struct job *job); /* of a job as it enters the queue */
    bool fair; /* queues take turns (quotas.h); see queue_order_of_keys */
    /* Preemptive orders: the key of a running job at a moment. NULL: it stays as it was. */
    sim_time (*key_now)(const struct job *job, sim_time now);
    bool runs_down;     /* it falls while the job runs */
    bool runners_first; /* of equal keys, running jobs come first */
};

extern const struct queue_order queue_orders[];
extern const size_t queue_order_count;

/* The options of a chosen order if it is las, else NULL. */
const struct las_options *queue_order_levels(const struct chosen *chosen);

/* The order whose keys jobs get: the one chosen, or under `fair` the one within each queue. */
const struct queue_order *queue_order_of_keys(const struct chosen *chosen);

#endif
