/* What a job gets from its workload, be it synthetic or of a trace without that column. */
#ifndef WORKLOADS_JOB_DEFAULTS_H
#define WORKLOADS_JOB_DEFAULTS_H

#include <math.h>

#include "scenarios/scenario.h"
#include "sim/kernel/stream.h"
#include "workloads/draws.h"

#define JOB_MEMORY_STREAM "memory"

static inline int64_t draw_job_memory(const struct workload_spec *workload, struct stream *stream) {
    const struct distribution *memory = &workload->needs.memory.start;
    return distribution_given(memory) ? draw_bytes(memory, stream) : 0;
}

/* `compute` of the workload; jobs of several GPUs take whole ones. */
static inline double job_compute(const struct workload_spec *workload, int32_t gpus) {
    return gpus > 1 ? 0 : workload->compute;
}

#define JOB_FACTOR_STREAM "estimate factor"

/* What the scheduler is told of a duration where nothing says it: the truth, or that times a
 * factor. */
static inline sim_time draw_job_estimate(const struct workload_spec *workload, sim_time duration,
                                         struct stream *factors) {
    if (!workload->has_estimate_factor) {
        return duration;
    }
    double factor = distribution_draw(&workload->estimate_factor, factors);
    return draws_round_time((double)duration * factor);
}

/* `cpus` and `host_memory` of the workload. */
static inline int64_t job_cpus(const struct workload_spec *workload) {
    return (int64_t)llround(workload->cpus * 1000);
}

#endif
