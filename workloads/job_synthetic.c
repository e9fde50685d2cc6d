/* Jobs drawn at random: when they arrive, how many GPUs they ask for, and for how long. Each of
 * these has its own stream, so that changing one leaves the others' draws alone. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "sim/kernel/memory.h"
#include "workloads/arrivals.h"
#include "workloads/job_source_parts.h"

struct synthetic {
    struct job_source source;
    const struct workload_spec *workload;
    struct arrival_process *arrivals;
    sim_time last;
    int64_t count;
    struct stream arrival_stream, gpu_stream, duration_stream, estimate_stream;
};

static sim_time draw_duration(const struct distribution *distribution, struct stream *stream) {
    double ns = nearbyint(distribution_draw(distribution, stream));
    if (!(ns > 0)) { /* NaN, too */
        return 0;
    }
    return ns < (double)SIM_TIME_LONGEST ? (sim_time)ns : SIM_TIME_LONGEST;
}

static int32_t draw_gpus(const struct distribution *distribution, struct stream *stream) {
    double gpus = nearbyint(distribution_draw(distribution, stream));
    if (!(gpus > 1)) {
        return 1;
    }
    return gpus < INT32_MAX ? (int32_t)gpus : INT32_MAX;
}

static bool at_limit(const struct synthetic *synthetic) {
    int64_t limit = synthetic->workload->limit;
    return limit > 0 && synthetic->count == limit;
}

/* The next job, submitted when the arrivals say: synthetic->last. */
static void draw_job(struct synthetic *synthetic, struct job_arrival *job) {
    const struct workload_spec *workload = synthetic->workload;
    *job = (struct job_arrival){
        .submit = synthetic->last,
        .duration = draw_duration(&workload->duration, &synthetic->duration_stream),
        .max_wait = workload->max_wait,
        .memory = workload->memory,
        .gpus = draw_gpus(&workload->gpus, &synthetic->gpu_stream),
        .priority = workload_priority(workload),
        .number = synthetic->count + 1,
        .index = synthetic->count,
    };
    synthetic->count++;
    job->estimate = workload->has_estimate
                        ? draw_duration(&workload->estimate, &synthetic->estimate_stream)
                        : job->duration;
}

static bool next_job(struct job_source *source, struct job_arrival *job) {
    struct synthetic *synthetic = (struct synthetic *)source;
    if (at_limit(synthetic)) {
        return false;
    }
    synthetic->last =
        arrival_process_next(synthetic->arrivals, synthetic->last, &synthetic->arrival_stream);
    if (synthetic->last == SIM_TIME_NEVER) {
        return false;
    }
    draw_job(synthetic, job);
    return true;
}

/* What a job asks for belongs to its number, whichever client submits it. */
static bool job_ended(struct job_source *source, sim_time now, struct job_arrival *pending) {
    struct synthetic *synthetic = (struct synthetic *)source;
    bool is_new = pending->submit == SIM_TIME_NEVER;
    if (is_new && at_limit(synthetic)) {
        return false;
    }
    sim_time submit = arrival_process_ended(synthetic->arrivals, now, pending->submit,
                                            &synthetic->arrival_stream);
    synthetic->last = submit;
    if (is_new && submit != SIM_TIME_NEVER) {
        draw_job(synthetic, pending);
    }
    pending->submit = submit;
    return submit != SIM_TIME_NEVER;
}

static void clear(struct job_source *source) {
    arrival_process_destroy(((struct synthetic *)source)->arrivals);
}

static void start_stream(struct stream *stream, uint64_t seed, uint64_t replication,
                         const char *what, const char *workload) {
    char *purpose = NULL;
    if (asprintf(&purpose, "%s of workload %s", what, workload) < 0) {
        memory_exhausted(0);
    }
    stream_initialize(stream, seed, replication, purpose);
    free(purpose);
}

struct job_source *job_source_synthetic(const struct workload_spec *workload, sim_time start_of_day,
                                        uint64_t seed, uint64_t replication) {
    struct synthetic *synthetic = memory_zero(1, sizeof(*synthetic));
    synthetic->source = (struct job_source){.next = next_job, .clear = clear};
    synthetic->workload = workload;
    synthetic->arrivals = arrival_process_create(&workload->arrivals, start_of_day);
    const char *name = workload->name;
    if (arrival_process_is_closed(synthetic->arrivals)) {
        synthetic->source.ended = job_ended;
    }
    start_stream(&synthetic->arrival_stream, seed, replication, "arrivals", name);
    start_stream(&synthetic->gpu_stream, seed, replication, "gpus", name);
    start_stream(&synthetic->duration_stream, seed, replication, "duration", name);
    start_stream(&synthetic->estimate_stream, seed, replication, "estimate", name);
    return &synthetic->source;
}
