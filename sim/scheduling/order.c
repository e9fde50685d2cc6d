#include "sim/scheduling/order.h"

static sim_time fifo_key(const struct job *job) {
    return job->submit;
}

static sim_time sjf_key(const struct job *job) {
    return job->estimate;
}

static sim_time priority_key(const struct job *job) {
    return job->priority;
}

const struct queue_order queue_orders[] = {
    {{.name = "fifo", .summary = "first in, first out: by time of submission"}, fifo_key},
    {{.name = "sjf", .summary = "shortest job first: by estimated duration"}, sjf_key},
    {{.name = "priority", .summary = "the most urgent first: by priority, smaller before larger"},
     priority_key},
};
const size_t queue_order_count = sizeof queue_orders / sizeof queue_orders[0];
