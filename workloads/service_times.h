/* How long requests take, alone on the reference GPU, and how many tokens they have: given by a
 * trace's row, computed by tokens, or drawn. Each has its own stream. */
#ifndef WORKLOADS_SERVICE_TIMES_H
#define WORKLOADS_SERVICE_TIMES_H

#include "scenarios/scenario.h"
#include "sim/kernel/stream.h"
#include "workloads/draws.h"
#include "workloads/work_source.h"

struct service_times {
    const struct service_spec *service; /* borrowed */
    bool draws_time, draws_prompt, draws_output;
    struct stream time, prompt, output; /* not to be moved once made */
};

void service_times_initialize(struct service_times *times, const struct workload_spec *workload,
                              uint64_t seed, uint64_t replication);
/* Fills in the tokens and the duration of a request where they are ARRIVAL_ABSENT. */
void service_times_complete(struct service_times *times, struct arrival *request);

#endif
