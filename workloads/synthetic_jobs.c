/* Jobs drawn at random: how many GPUs they ask for, with how much memory, and for how long. Each of
 * these has its own stream, so that changing one leaves the others' draws alone. */
#include "sim/kernel/memory.h"
#include "workloads/draws.h"
#include "workloads/job_defaults.h"
#include "workloads/work_synthetic.h"

struct jobs {
    struct synthetic synthetic;
    int32_t priority;
    struct stream gpus, duration, estimate, factor, memory;
};

static void draw_job(struct synthetic *synthetic, struct arrival *job) {
    struct jobs *jobs = (struct jobs *)synthetic;
    const struct workload_spec *workload = synthetic->workload;
    int32_t gpus = draw_gpus(&workload->gpus, &jobs->gpus);
    sim_time duration = draw_duration(&workload->duration, &jobs->duration);
    *job = (struct arrival){
        .submit = synthetic->last,
        .duration = duration,
        .max_wait = workload->max_wait,
        .number = synthetic->count + 1,
        .index = synthetic->count,
        .priority = jobs->priority,
        .prompt_tokens = 0,
        .output_tokens = 0,
        .gpus = gpus,
        .compute = workload->fraction > 0 ? workload->fraction : job_compute(workload, gpus),
        .estimate = workload->has_estimate && !workload->has_estimate_factor
                        ? draw_duration(&workload->estimate, &jobs->estimate)
                        : draw_job_estimate(workload, duration, &jobs->factor),
        .memory = draw_job_memory(workload, &jobs->memory),
        .memory_drawn = true,
        .cpus = job_cpus(workload),
        .host_memory = workload->host_memory,
        .id = NULL,
        .queue = NULL,
        .user = NULL,
        .waits_on = NULL,
        .after_ok = false,
        .owner = 0,
    };
}

struct synthetic *synthetic_jobs(const struct workload_spec *workload, uint64_t seed,
                                 uint64_t replication) {
    struct jobs *jobs = memory_zero(1, sizeof(*jobs));
    const char *name = workload->name;
    jobs->synthetic.draw = draw_job;
    jobs->priority = workload_priority(workload);
    draws_start_stream(&jobs->gpus, seed, replication, "gpus", name);
    draws_start_stream(&jobs->duration, seed, replication, "duration", name);
    draws_start_stream(&jobs->estimate, seed, replication, "estimate", name);
    draws_start_stream(&jobs->factor, seed, replication, JOB_FACTOR_STREAM, name);
    draws_start_stream(&jobs->memory, seed, replication, JOB_MEMORY_STREAM, name);
    return &jobs->synthetic;
}
