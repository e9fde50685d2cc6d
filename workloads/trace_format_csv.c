/* headroom's own format for jobs: columns by the names in its header, in any order. */
#include "workloads/draws.h"
#include "workloads/trace_row.h"

enum {
    JOB_ID,
    SUBMIT,
    GPUS,
    DURATION,
    MEMORY,
    COMPUTE,
    QUEUE,
    ESTIMATE,
    MAX_WAIT,
    USER,
    PRIORITY,
    CLASS,
    MODEL,
    AFTER,
    AFTEROK,
    CPUS,
    HOST_MEMORY,
    END
};

_Static_assert((int)END <= TRACE_COLUMNS, "columns are found in arrays of that size");

static const struct trace_column columns[] = {
    [JOB_ID] = {"job_id", "job_id", COLUMN_REQUIRED},
    [SUBMIT] = {"submit_s", "submit_s", COLUMN_REQUIRED},
    [GPUS] = {"gpus", "gpus", COLUMN_REQUIRED},
    [DURATION] = {"duration_s", "duration_s", COLUMN_REQUIRED},
    [MEMORY] = {"memory_gib", "memory_gib", COLUMN_OPTIONAL},
    [COMPUTE] = {"compute_pct", "compute_pct", COLUMN_OPTIONAL},
    [QUEUE] = {"queue", "queue", COLUMN_OPTIONAL},
    [ESTIMATE] = {"estimate_s", "estimate_s", COLUMN_OPTIONAL},
    [MAX_WAIT] = {"max_wait_s", "max_wait_s", COLUMN_OPTIONAL},
    [USER] = {"user", "user", COLUMN_OPTIONAL},
    [PRIORITY] = {"priority", "priority", COLUMN_OPTIONAL},
    [CLASS] = {"class", "class", COLUMN_OPTIONAL},
    [MODEL] = {"model", "model", COLUMN_UNUSED},
    [AFTER] = {"after", "after", COLUMN_OPTIONAL},
    [AFTEROK] = {"afterok", "afterok", COLUMN_OPTIONAL},
    [CPUS] = {"cpus", "cpus", COLUMN_OPTIONAL},
    [HOST_MEMORY] = {"host_memory_gib", "host_memory_gib", COLUMN_OPTIONAL},
    [END] = {NULL, NULL, COLUMN_UNUSED},
};

/* GPUs and the share asked for of one: `gpus` below 1 is such a share, and so is compute_pct. */
static bool read_gpus(const struct trace_row *row, struct arrival *job) {
    double fraction = 0;
    double share = 0;
    if (!trace_row_gpus_or_share(row, GPUS, &job->gpus, &fraction) ||
        !trace_row_optional_percent(row, COMPUTE, &share)) {
        return false;
    }
    if (fraction > 0 && share > 0 && fraction != share) {
        return trace_row_refuse(row, COMPUTE, "not the share of a GPU that gpus says");
    }
    if (job->gpus > 1 && share > 0 && share < 1) {
        return trace_row_refuse(row, COMPUTE, "a job of several GPUs takes whole ones");
    }
    if (job->gpus > 1) {
        job->compute = 0;
    } else if (share > 0 || fraction > 0) {
        job->compute = share > 0 ? share : fraction;
    }
    return true;
}

/* The job that must end first: one at most. */
static bool read_dependency(const struct trace_row *row, struct arrival *job) {
    const char *any = trace_row_text(row, AFTER);
    const char *completed = trace_row_text(row, AFTEROK);
    job->after_ok = completed != NULL;
    job->waits_on = completed != NULL ? completed : any;
    return any == NULL || completed == NULL ||
           trace_row_refuse(row, AFTEROK, "a job waits for one other: by after or by afterok");
}

static bool read_job(const struct trace_row *row, struct arrival *job) {
    job->id = trace_row_text(row, JOB_ID);
    job->queue = trace_row_text(row, QUEUE);
    job->user = trace_row_text(row, USER);
    return trace_row_submit(row, SUBMIT, &job->submit) && read_gpus(row, job) &&
           trace_row_duration(row, DURATION, &job->duration) &&
           trace_row_optional_duration(row, ESTIMATE, &job->estimate) &&
           trace_row_optional_duration(row, MAX_WAIT, &job->max_wait) &&
           trace_row_optional_gib(row, MEMORY, &job->memory) &&
           trace_row_optional_cpus(row, CPUS, 1000, job->gpus, &job->cpus) &&
           trace_row_optional_host_memory(row, HOST_MEMORY, INT64_C(1) << 30, job->gpus,
                                          &job->host_memory) &&
           /* A priority of its own counts for more than that of its class. */
           trace_row_optional_class(row, CLASS, &job->priority) &&
           trace_row_optional_priority(row, PRIORITY, &job->priority) && read_dependency(row, job);
}

const struct trace_table trace_csv_jobs = {columns, read_job};
