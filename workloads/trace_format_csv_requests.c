/* headroom's own format for the requests of a service. */
#include "workloads/trace_row.h"

enum { ARRIVAL, SERVICE, PROMPT, OUTPUT, PRIORITY, MODEL, END };

_Static_assert((int)END <= TRACE_COLUMNS, "columns are found in arrays of that size");

static const struct trace_column columns[] = {
    [ARRIVAL] = {"arrival_s", "arrival_s", COLUMN_REQUIRED},
    [SERVICE] = {"service_s", "service_s", COLUMN_OPTIONAL},
    [PROMPT] = {"prompt_tokens", "prompt_tokens", COLUMN_OPTIONAL},
    [OUTPUT] = {"output_tokens", "output_tokens", COLUMN_OPTIONAL},
    [PRIORITY] = {"priority", "priority", COLUMN_OPTIONAL},
    [MODEL] = {"model", "model", COLUMN_UNUSED},
    [END] = {NULL, NULL, COLUMN_UNUSED},
};

static bool read_request(const struct trace_row *row, struct arrival *request) {
    return trace_row_submit(row, ARRIVAL, &request->submit) &&
           trace_row_optional_duration(row, SERVICE, &request->duration) &&
           trace_row_optional_tokens(row, PROMPT, &request->prompt_tokens) &&
           trace_row_optional_tokens(row, OUTPUT, &request->output_tokens) &&
           trace_row_optional_priority(row, PRIORITY, &request->priority);
}

const struct trace_table trace_csv_requests = {columns, read_request};
