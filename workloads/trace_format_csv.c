/* headroom's own format: columns by the names in its header, in any order. */
#include "scenarios/quantity.h"
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

const struct trace_column trace_csv_columns[] = {
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

/* Jobs have whole GPUs to themselves so far: the share of each may only be all of it. */
static bool check_compute(const struct trace_row *row) {
    const char *text = trace_row_text(row, COMPUTE);
    if (text == NULL) {
        return true;
    }
    double percent = 0;
    if (!decimal_parse(text, &percent) || percent <= 0 || percent > 100) {
        return trace_row_refuse(row, COMPUTE, "not a percentage of a GPU, above 0 and at most 100");
    }
    if (percent < 100) {
        return trace_row_refuse(row, COMPUTE, "fractions of a GPU are not supported");
    }
    return true;
}

bool trace_csv_read(const struct trace_row *row, struct job_arrival *job) {
    job->id = trace_row_text(row, JOB_ID);
    job->queue = trace_row_text(row, QUEUE);
    return trace_row_submit(row, SUBMIT, &job->submit) && trace_row_gpus(row, GPUS, &job->gpus) &&
           trace_row_duration(row, DURATION, &job->duration) &&
           trace_row_optional_duration(row, ESTIMATE, &job->estimate) &&
           trace_row_optional_duration(row, MAX_WAIT, &job->max_wait) &&
           trace_row_optional_gib(row, MEMORY, &job->memory) &&
           /* A priority of its own counts for more than that of its class. */
           trace_row_optional_class(row, CLASS, &job->priority) &&
           trace_row_optional_priority(row, PRIORITY, &job->priority) && check_compute(row);
}
