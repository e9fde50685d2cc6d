#include "workloads/trace_format.h"

#include "workloads/trace_row.h"

const struct trace_format trace_formats[] = {
    {
        .choice = {.name = "csv",
                   .summary =
                       "headroom's own columns: job_id, submit_s, gpus, duration_s and more"},
        .columns = trace_csv_columns,
        .tells_unknown = true,
        .clock = CLOCK_RULE_ANY,
        .time_unit = NANOSECONDS_PER_SECOND,
        .read = trace_csv_read,
    },
    {
        .choice = {.name = "philly",
                   .summary = "Microsoft Philly: timestamp, duration, num_gpus, cluster"},
        .columns = trace_philly_columns,
        .clock = CLOCK_RULE_NAIVE,
        .time_unit = NANOSECONDS_PER_SECOND,
        .read = trace_philly_read,
    },
};
const size_t trace_format_count = sizeof(trace_formats) / sizeof(trace_formats[0]);
const size_t trace_format_stride = sizeof(struct trace_format);
