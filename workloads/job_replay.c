/* Jobs of a prepared trace, in its order. */
#include "sim/kernel/memory.h"
#include "workloads/job_source_parts.h"
#include "workloads/trace.h"
#include "workloads/trace_format.h"

struct replay {
    struct job_source source;
    const struct trace *trace;
    const struct workload_spec *workload;
    int64_t next, end;
    char id[JOB_ID_BUFFER];
};

static bool next_job(struct job_source *source, struct job_arrival *job) {
    struct replay *replay = (struct replay *)source;
    if (replay->next == replay->end) {
        return false;
    }
    trace_job(replay->trace, replay->next++, job, replay->id);
    if (job->estimate == JOB_ABSENT) {
        job->estimate = job->duration;
    }
    if (job->max_wait == JOB_ABSENT) {
        job->max_wait = replay->workload->max_wait;
    }
    if (job->memory == JOB_ABSENT) {
        job->memory = replay->workload->memory;
    }
    if (job->priority == JOB_ABSENT) {
        job->priority = workload_priority(replay->workload);
    }
    return true;
}

static void clear(struct job_source *source) {
    (void)source; /* the trace is borrowed */
}

struct job_source *job_source_from_trace(const struct trace *trace,
                                         const struct workload_spec *workload) {
    struct replay *replay = memory_zero(1, sizeof(*replay));
    *replay = (struct replay){
        .source = {.next = next_job, .clear = clear},
        .trace = trace,
        .workload = workload,
        .end = trace_count(trace),
    };
    return &replay->source;
}
