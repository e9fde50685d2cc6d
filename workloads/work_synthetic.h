/* What synthetic jobs and requests share: when they arrive, and how many. What each of them asks
 * for is drawn by its kind's own function. */
#ifndef WORKLOADS_WORK_SYNTHETIC_H
#define WORKLOADS_WORK_SYNTHETIC_H

#include "sim/kernel/stream.h"
#include "workloads/work_source_parts.h"

/* What every kind begins with; allocated as one block. */
struct synthetic {
    struct work_source source;
    const struct workload_spec *workload;
    struct arrival_process *arrivals;
    sim_time last; /* arrival */
    int64_t count;
    struct stream arrival_stream;
    /* Makes the next arrival: submitted at `last`, with the index `count`. */
    void (*draw)(struct synthetic *synthetic, struct arrival *arrival);
};

/* Zeroed blocks with their own streams made, and draw set. */
struct synthetic *synthetic_jobs(const struct workload_spec *workload, uint64_t seed,
                                 uint64_t replication);
struct synthetic *synthetic_requests(const struct workload_spec *workload, uint64_t seed,
                                     uint64_t replication);

#endif
