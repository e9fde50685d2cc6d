/* Queue orders: which waiting job comes first. One row per order: a function that gives a job its
 * key; smaller keys come first, equal ones in order of submission. */
#ifndef SIM_SCHEDULING_ORDER_H
#define SIM_SCHEDULING_ORDER_H

#include "scenarios/choice.h"
#include "sim/scheduling/job.h"

struct queue_order {
    struct choice choice;
    sim_time (*key)(const struct job *job); /* of a job as it enters the queue */
};

extern const struct queue_order queue_orders[];
extern const size_t queue_order_count;

#endif
