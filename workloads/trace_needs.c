#include "workloads/trace_needs.h"

#include "workloads/draws.h"
#include "workloads/trace_header.h"

struct trace_needs trace_needs_of(const struct workload_spec *workload) {
    const struct service_spec *service = &workload->service;
    const struct service_time_spec *time = &service->service_time;
    if (workload->kind.index != WORKLOAD_SERVICE) {
        return (struct trace_needs){.service_time = false};
    }
    if (!time->by_tokens) {
        return (struct trace_needs){.service_time = !distribution_given(&time->time)};
    }
    return (struct trace_needs){
        .prompt_tokens = time->per_input_token_ns > 0 && !tokens_given(&service->prompt_tokens),
        .output_tokens = time->per_output_token_ns > 0 && !tokens_given(&service->output_tokens),
    };
}

bool trace_needs_equal(const struct trace_needs *a, const struct trace_needs *b) {
    return a->service_time == b->service_time && a->prompt_tokens == b->prompt_tokens &&
           a->output_tokens == b->output_tokens;
}

static bool refuse(const struct trace_spec *spec, struct error *error, const char *why) {
    error_set(error, spec->place.file, spec->place.line, spec->place.column, "trace '%s': %s",
              spec->file, why);
    return false;
}

bool trace_needs_check_header(const struct trace_needs *needs, const struct trace_columns *columns,
                              const struct trace_spec *spec, struct error *error) {
    if (trace_columns_number(columns, "service_s") >= 0) {
        return true; /* row by row */
    }
    if (needs->service_time) {
        return refuse(spec, error,
                      trace_table_has(columns->table, "service_s")
                          ? "nothing says how long its requests take: give the workload a "
                            "`service_time`, or the trace a column service_s"
                          : "nothing says how long its requests take: give the workload a "
                            "`service_time`, by tokens say");
    }
    if (needs->prompt_tokens && trace_columns_number(columns, "prompt_tokens") < 0) {
        return refuse(spec, error,
                      "`service_time` by tokens needs its column prompt_tokens, or "
                      "`prompt_tokens` of the workload");
    }
    if (needs->output_tokens && trace_columns_number(columns, "output_tokens") < 0) {
        return refuse(spec, error,
                      "`service_time` by tokens needs its column output_tokens, or "
                      "`output_tokens` of the workload");
    }
    return true;
}

/* The row's cell is empty, or its file has no such column. */
static bool refuse_row(const struct trace_row *row, const char *what) {
    error_set(row->error, row->path, delimited_line(row->cells->line), 0,
              "no %s, and the workload has none", what);
    return false;
}

bool trace_needs_check_row(const struct trace_needs *needs, const struct trace_row *row,
                           const struct arrival *request) {
    if (request->duration != ARRIVAL_ABSENT) {
        return true;
    }
    if (needs->service_time) {
        return refuse_row(row, "service_s");
    }
    if (needs->prompt_tokens && request->prompt_tokens == ARRIVAL_ABSENT) {
        return refuse_row(row, "prompt_tokens");
    }
    if (needs->output_tokens && request->output_tokens == ARRIVAL_ABSENT) {
        return refuse_row(row, "output_tokens");
    }
    return true;
}
