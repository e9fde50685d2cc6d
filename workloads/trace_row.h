/* One row of a trace as its format sees it: cells by the table's own columns, and how to read
 * them. Every function that fails sets the row's error: file, line, the column's name, its text. */
#ifndef WORKLOADS_TRACE_ROW_H
#define WORKLOADS_TRACE_ROW_H

#include <stdbool.h>
#include <stdint.h>

#include "workloads/delimited.h"
#include "workloads/trace_format.h"

/* Which column of a file is which of the format's. */
struct trace_columns {
    const struct trace_format *format;
    const struct trace_table *table;
    size_t cell_count;          /* of every row, as the header has it */
    int cells[TRACE_COLUMNS];   /* by the table's column: the file's, or -1 */
    char *names[TRACE_COLUMNS]; /* by the table's column: as the header has it */
};

/* One row on its way to becoming a job or a request. */
struct trace_row {
    const char *path;
    const struct delimited_row *cells;
    const struct trace_columns *columns;
    struct trace_clock *clock;
    int64_t time_unit;
    struct error *error;
};

/* The text of a cell; NULL if it is empty or the file has no such column. */
const char *trace_row_text(const struct trace_row *row, int column);
/* The same of a cell that must not be empty: NULL with an error if it is. */
const char *trace_row_required(const struct trace_row *row, int column);
/* Sets the row's error, "COLUMN: 'TEXT': WHY", and returns false. */
bool trace_row_refuse(const struct trace_row *row, int column, const char *why);

/* Each reads one cell into *value, or refuses it. */
bool trace_row_submit(const struct trace_row *row, int column, sim_time *value);
bool trace_row_gpus(const struct trace_row *row, int column, int32_t *value);
/* Also a part of one GPU: 1 GPU and its share, above 0 and below 1; 0 of whole GPUs. */
bool trace_row_gpus_or_share(const struct trace_row *row, int column, int32_t *value,
                             double *share);
bool trace_row_duration(const struct trace_row *row, int column, sim_time *value);
bool trace_row_tokens(const struct trace_row *row, int column, int32_t *value);
/* These leave *value alone if there is none. */
bool trace_row_optional_duration(const struct trace_row *row, int column, sim_time *value);
bool trace_row_optional_tokens(const struct trace_row *row, int column, int32_t *value);
/* A percentage above 0 and at most 100, as a share of 1. */
bool trace_row_optional_percent(const struct trace_row *row, int column, double *share);
bool trace_row_optional_milli(const struct trace_row *row, int column, double *share);
/* Of the whole job, in units of so many thousandths or bytes; the share of each of its GPUs,
 * rounded up. */
bool trace_row_optional_cpus(const struct trace_row *row, int column, int64_t unit, int32_t gpus,
                             int64_t *thousandths);
bool trace_row_optional_host_memory(const struct trace_row *row, int column, int64_t unit,
                                    int32_t gpus, int64_t *bytes);
bool trace_row_optional_gib(const struct trace_row *row, int column, int64_t *bytes);
bool trace_row_optional_priority(const struct trace_row *row, int column, int32_t *priority);
/* The priority of the class that the cell names. */
bool trace_row_optional_class(const struct trace_row *row, int column, int32_t *priority);

/* The rows of the table. */
extern const struct trace_table trace_csv_jobs;
extern const struct trace_table trace_csv_requests;
extern const struct trace_table trace_philly_jobs;
extern const struct trace_table trace_openb_jobs;
extern const struct trace_table trace_azure_llm_requests;

#endif
