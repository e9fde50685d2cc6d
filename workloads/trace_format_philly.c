/* Microsoft's Philly trace as the AdaptDL authors flattened it, one row per job:
 * timestamp,duration,num_gpus,gpu_time,cluster. Timestamps are local wall-clock time without a
 * zone, durations are seconds, and `cluster` is the virtual cluster that the job was queued in.
 * Source of the trace: Jeon et al., Analysis of Large-Scale Multi-Tenant GPU Clusters, USENIX ATC
 * 2019. */
#include "workloads/trace_row.h"

enum { SUBMIT, DURATION, GPUS, QUEUE, END };

_Static_assert((int)END <= TRACE_COLUMNS, "columns are found in arrays of that size");

static const struct trace_column columns[] = {
    [SUBMIT] = {"submit_s", "timestamp", COLUMN_REQUIRED},
    [DURATION] = {"duration_s", "duration", COLUMN_REQUIRED},
    [GPUS] = {"gpus", "num_gpus", COLUMN_REQUIRED},
    [QUEUE] = {"queue", "cluster", COLUMN_OPTIONAL},
    [END] = {NULL, NULL, COLUMN_UNUSED},
};

static bool read_job(const struct trace_row *row, struct arrival *job) {
    job->queue = trace_row_text(row, QUEUE);
    return trace_row_submit(row, SUBMIT, &job->submit) &&
           trace_row_duration(row, DURATION, &job->duration) &&
           trace_row_gpus(row, GPUS, &job->gpus);
}

const struct trace_table trace_philly_jobs = {columns, read_job};
