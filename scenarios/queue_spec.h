/* Queues and what they may hold, and jobs that belong together, as a scenario says it. */
#ifndef SCENARIOS_QUEUE_SPEC_H
#define SCENARIOS_QUEUE_SPEC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "scenarios/place.h"

/* So many GPUs, or a share of all that the cluster has. */
struct gpu_amount {
    double value;
    bool is_share;
    bool given; /* else none: no limit */
};

/* The amount in GPUs of a cluster of so many; as a limit, INFINITY for none. */
double gpu_amount_in(struct gpu_amount amount, int64_t gpus);
double gpu_limit_in(struct gpu_amount amount, int64_t gpus);

/* One of `scheduler.queues`. */
struct queue_spec {
    const char *name;
    struct place place;
    struct gpu_amount guaranteed;
    struct gpu_amount limit; /* that it may hold, borrowed ones included */
    double weight;
    struct gpu_amount user_limit; /* that one user may hold of it */
};

/* The queue of jobs that name none. */
#define DEFAULT_QUEUE "default"

/* `array`: every arrival brings `size` equal jobs, of which `at_most` run at a time. */
struct array_spec {
    int32_t size;
    int32_t at_most; /* INT32_MAX: all */
};

/* A workload that must have ended before jobs of another may start. */
struct workload_dependency {
    int32_t workload;
    bool ok; /* all its jobs must have completed */
};

#endif
