#include "workloads/trace_format.h"

#include "workloads/trace_row.h"

const struct trace_format trace_formats[] = {
    {
        .choice = {.name = "csv",
                   .summary =
                       "headroom's own columns: job_id, submit_s, gpus, duration_s and more; "
                       "arrival_s and more for requests"},
        .tables = {[WORKLOAD_JOBS] = &trace_csv_jobs, [WORKLOAD_SERVICE] = &trace_csv_requests},
        .tells_unknown = true,
        .clock = CLOCK_RULE_ANY,
        .time_unit = NANOSECONDS_PER_SECOND,
    },
    {
        .choice = {.name = "philly",
                   .summary = "jobs of Microsoft's Philly: timestamp, duration, num_gpus, cluster"},
        .tables = {[WORKLOAD_JOBS] = &trace_philly_jobs},
        .clock = CLOCK_RULE_NAIVE,
        .time_unit = NANOSECONDS_PER_SECOND,
    },
    {
        .choice = {.name = "openb",
                   .summary = "pods of Alibaba's GPU-sharing cluster of 2023: name, num_gpu, "
                              "gpu_milli, cpu_milli, memory_mib, creation_time, deletion_time"},
        .tables = {[WORKLOAD_JOBS] = &trace_openb_jobs},
        .clock = CLOCK_RULE_ANY,
        .time_unit = NANOSECONDS_PER_SECOND,
    },
    {
        .choice = {.name = "azure_llm",
                   .summary = "requests of Azure's LLM inference: TIMESTAMP, ContextTokens, "
                              "GeneratedTokens"},
        .tables = {[WORKLOAD_SERVICE] = &trace_azure_llm_requests},
        .clock = CLOCK_RULE_TIMESTAMP,
        .time_unit = NANOSECONDS_PER_SECOND,
    },
};
const size_t trace_format_count = sizeof(trace_formats) / sizeof(trace_formats[0]);
const size_t trace_format_stride = sizeof(struct trace_format);
