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
    [USER] = {"user", "user", COLUMN_UNUSED},
    [PRIORITY] = {"priority", "priority", COLUMN_OPTIONAL},
    [CLASS] = {"class", "class", COLUMN_OPTIONAL},
    [MODEL] = {"model", "model", COLUMN_UNUSED},
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

static bool read_job(const struct trace_row *row, struct arrival *job) {
    job->id = trace_row_text(row, JOB_ID);
    job->queue = trace_row_text(row, QUEUE);
    return trace_row_submit(row, SUBMIT, &job->submit) && read_gpus(row, job) &&
           trace_row_duration(row, DURATION, &job->duration) &&
           trace_row_optional_duration(row, ESTIMATE, &job->estimate) &&
           trace_row_optional_duration(row, MAX_WAIT, &job->max_wait) &&
           trace_row_optional_gib(row, MEMORY, &job->memory) &&
           /* A priority of its own counts for more than that of its class. */
           trace_row_optional_class(row, CLASS, &job->priority) &&
           trace_row_optional_priority(row, PRIORITY, &job->priority);
}

const struct trace_table trace_csv_jobs = {columns, read_job};
