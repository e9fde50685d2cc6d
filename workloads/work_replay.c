/* The jobs or the requests of a prepared trace, in its order. */
#include "sim/kernel/memory.h"
#include "workloads/job_defaults.h"
#include "workloads/service_times.h"
#include "workloads/trace.h"
#include "workloads/work_source_parts.h"

struct replay {
    struct work_source source;
    const struct trace *trace;
    const struct workload_spec *workload;
    int64_t next, end;
    int32_t priority;
    struct stream memory, factor; /* of jobs */
    struct service_times times;   /* of requests */
    char id[JOB_ID_BUFFER];
};

static bool take(struct replay *replay, struct arrival *arrival) {
    if (replay->next == replay->end) {
        return false;
    }
    trace_get(replay->trace, replay->next++, arrival, replay->id);
    if (arrival->priority == ARRIVAL_ABSENT) {
        arrival->priority = replay->priority;
    }
    return true;
}

static bool next_job(struct work_source *source, struct arrival *job) {
    struct replay *replay = (struct replay *)source;
    if (!take(replay, job)) {
        return false;
    }
    if (job->estimate == ARRIVAL_ABSENT) {
        job->estimate = draw_job_estimate(replay->workload, job->duration, &replay->factor);
    }
    if (job->max_wait == ARRIVAL_ABSENT) {
        job->max_wait = replay->workload->max_wait;
    }
    job->memory_drawn = job->memory == ARRIVAL_ABSENT;
    if (job->memory_drawn) {
        job->memory = draw_job_memory(replay->workload, &replay->memory);
    }
    if (job->cpus == ARRIVAL_ABSENT) {
        job->cpus = job_cpus(replay->workload);
    }
    if (job->host_memory == ARRIVAL_ABSENT) {
        job->host_memory = replay->workload->host_memory;
    }
    if (job->compute < 0) {
        job->compute = job_compute(replay->workload, job->gpus);
    }
    return true;
}

static bool next_request(struct work_source *source, struct arrival *request) {
    struct replay *replay = (struct replay *)source;
    if (!take(replay, request)) {
        return false;
    }
    request->max_wait = replay->workload->service.timeout;
    service_times_complete(&replay->times, request);
    return true;
}

static void clear(struct work_source *source) {
    (void)source; /* the trace is borrowed */
}

struct work_source *work_source_from_trace(const struct trace *trace,
                                           const struct workload_spec *workload, uint64_t seed,
                                           uint64_t replication) {
    struct replay *replay = memory_zero(1, sizeof(*replay));
    replay->source = (struct work_source){.clear = clear};
    replay->trace = trace;
    replay->workload = workload;
    replay->end = trace_count(trace);
    replay->priority = workload_priority(workload);
    if (workload->kind.index == WORKLOAD_SERVICE) {
        replay->source.next = next_request;
        service_times_initialize(&replay->times, workload, seed, replication);
    } else {
        replay->source.next = next_job;
        draws_start_stream(&replay->factor, seed, replication, JOB_FACTOR_STREAM, workload->name);
        draws_start_stream(&replay->memory, seed, replication, JOB_MEMORY_STREAM, workload->name);
    }
    return &replay->source;
}
