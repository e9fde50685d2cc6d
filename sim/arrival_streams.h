/* The workloads' streams of jobs, merged: a heap by (time of the next job, workload), kept apart
 * from the event queue because each stream is sorted already. A stream without a next job is
 * outside the heap; that of a closed loop comes back when one of its jobs ends. */
#ifndef SIM_ARRIVAL_STREAMS_H
#define SIM_ARRIVAL_STREAMS_H

#include "sim/kernel/sim_time.h"
#include "workloads/work_source.h"

/* One workload's jobs, with the next one read ahead. */
struct arrival_stream {
    struct work_source *source;
    struct arrival next; /* submit: SIM_TIME_NEVER if there is none */
    int32_t workload;
    bool closed;
    size_t place; /* in the heap, while there is a next job */
};

struct arrival_streams {
    struct arrival_stream *all; /* by workload */
    size_t count;
    struct arrival_stream **heap; /* those with a next job, the earliest first */
    size_t heap_count;
};

void arrival_streams_initialize(struct arrival_streams *streams, size_t workload_count);
void arrival_streams_terminate(struct arrival_streams *streams);
/* Adds a workload's source, which belongs to the streams from now on; in order of workloads. */
void arrival_streams_add(struct arrival_streams *streams, struct work_source *source);

/* The time of the next job; SIM_TIME_NEVER if no stream has one. */
static inline sim_time arrival_streams_peek(const struct arrival_streams *streams) {
    return streams->heap_count == 0 ? SIM_TIME_NEVER : streams->heap[0]->next.submit;
}
/* Takes the next job; there must be one. Returns its workload. */
int32_t arrival_streams_take(struct arrival_streams *streams, struct arrival *job);

/* Whether no further job of the workload will come, unless one that is there ends. */
static inline bool arrival_streams_is_exhausted(const struct arrival_streams *streams,
                                                int32_t workload) {
    return streams->all[workload].next.submit == SIM_TIME_NEVER;
}

/* A job of the workload has ended or was turned away. */
static inline bool arrival_streams_wait_for_ends(const struct arrival_streams *streams,
                                                 int32_t workload) {
    return streams->all[workload].closed;
}
/* To be told if so. */
void arrival_streams_job_ended(struct arrival_streams *streams, int32_t workload, sim_time now);

#endif
