/* Azure's LLM inference traces, one row per request: TIMESTAMP,ContextTokens,GeneratedTokens, and
 * NumImages in the multimodal one. Timestamps are 2023-11-16 18:15:46.6805900 (no zone) in the
 * traces of 2023, 2024-05-10 00:00:00.009930+00:00 in those of 2024 and 2024-10-15T12:00:00.269Z
 * in that of 2025; a fraction may be left out.
 * Sources: Patel et al., Splitwise, ISCA 2024; Stojkovic et al., DynamoLLM, HPCA 2025; Qiu et al.,
 * ModServe, SoCC 2025; https://github.com/Azure/AzurePublicDataset. */
#include "workloads/trace_row.h"

enum { ARRIVAL, PROMPT, OUTPUT, IMAGES, END };

_Static_assert((int)END <= TRACE_COLUMNS, "columns are found in arrays of that size");

static const struct trace_column columns[] = {
    [ARRIVAL] = {"arrival_s", "TIMESTAMP", COLUMN_REQUIRED},
    [PROMPT] = {"prompt_tokens", "ContextTokens", COLUMN_REQUIRED},
    [OUTPUT] = {"output_tokens", "GeneratedTokens", COLUMN_REQUIRED},
    [IMAGES] = {"images", "NumImages", COLUMN_UNUSED},
    [END] = {NULL, NULL, COLUMN_UNUSED},
};

static bool read_request(const struct trace_row *row, struct arrival *request) {
    return trace_row_submit(row, ARRIVAL, &request->submit) &&
           trace_row_tokens(row, PROMPT, &request->prompt_tokens) &&
           trace_row_tokens(row, OUTPUT, &request->output_tokens);
}

const struct trace_table trace_azure_llm_requests = {columns, read_request};
