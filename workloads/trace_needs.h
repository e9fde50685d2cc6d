/* What the rows of a service's trace must bring because the workload does not: a service time, or
 * the tokens that it is computed from. */
#ifndef WORKLOADS_TRACE_NEEDS_H
#define WORKLOADS_TRACE_NEEDS_H

#include "workloads/trace_row.h"

struct trace_needs {
    /* Unless the row has a service time. */
    bool service_time, prompt_tokens, output_tokens;
};

struct trace_needs trace_needs_of(const struct workload_spec *workload);
bool trace_needs_equal(const struct trace_needs *a, const struct trace_needs *b);

/* False with an error at the trace's place in the scenario, or at the row's. */
bool trace_needs_check_header(const struct trace_needs *needs, const struct trace_columns *columns,
                              const struct trace_spec *spec, struct error *error);
bool trace_needs_check_row(const struct trace_needs *needs, const struct trace_row *row,
                           const struct arrival *request);

#endif
