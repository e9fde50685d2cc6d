/* Alibaba's GPU-sharing cluster trace of 2023 ("openb"), one row per pod: name, cpu_milli,
 * memory_mib, num_gpu, gpu_milli, creation_time, deletion_time, scheduled_time and more. Times are
 * seconds; gpu_milli is the share of a pod with one GPU. A pod runs from when it was scheduled
 * there. Source of the trace: Weng et al., Beware of Fragmentation: Scheduling GPU-Sharing
 * Workloads with Fragmentation Gradient Descent, USENIX ATC 2023. */
#include "workloads/trace_row.h"

enum { JOB_ID, SUBMIT, GPUS, SHARE, CPUS, HOST_MEMORY, SCHEDULED, DELETED, END };

_Static_assert((int)END <= TRACE_COLUMNS, "columns are found in arrays of that size");

static const struct trace_column columns[] = {
    [JOB_ID] = {"job_id", "name", COLUMN_REQUIRED},
    [SUBMIT] = {"submit_s", "creation_time", COLUMN_REQUIRED},
    [GPUS] = {"gpus", "num_gpu", COLUMN_REQUIRED},
    [SHARE] = {"compute_milli", "gpu_milli", COLUMN_REQUIRED},
    [CPUS] = {"cpu_milli", "cpu_milli", COLUMN_OPTIONAL},
    [HOST_MEMORY] = {"host_memory_mib", "memory_mib", COLUMN_OPTIONAL},
    [SCHEDULED] = {"start_s", "scheduled_time", COLUMN_OPTIONAL},
    [DELETED] = {"end_s", "deletion_time", COLUMN_REQUIRED},
    [END] = {NULL, NULL, COLUMN_UNUSED},
};

/* Of a pod that was never scheduled, from its creation. */
static bool read_duration(const struct trace_row *row, struct arrival *job) {
    int starts_at = trace_row_text(row, SCHEDULED) != NULL ? SCHEDULED : SUBMIT;
    sim_time start;
    sim_time end;
    if (!trace_row_duration(row, starts_at, &start) || !trace_row_duration(row, DELETED, &end)) {
        return false;
    }
    job->duration = end - start;
    return end >= start || trace_row_refuse(row, DELETED, "earlier than the start");
}

static bool read_job(const struct trace_row *row, struct arrival *job) {
    job->id = trace_row_text(row, JOB_ID);
    if (!trace_row_submit(row, SUBMIT, &job->submit) || !trace_row_gpus(row, GPUS, &job->gpus) ||
        !read_duration(row, job)) {
        return false;
    }
    double share = 0;
    if (job->gpus == 1 && !trace_row_optional_milli(row, SHARE, &share)) {
        return false;
    }
    job->compute = share;
    return trace_row_optional_cpus(row, CPUS, 1, job->gpus, &job->cpus) &&
           trace_row_optional_host_memory(row, HOST_MEMORY, INT64_C(1) << 20, job->gpus,
                                          &job->host_memory);
}

const struct trace_table trace_openb_jobs = {columns, read_job};
