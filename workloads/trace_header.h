/* Finds in the header of a file the columns of its format, for the workload's kind. */
#ifndef WORKLOADS_TRACE_HEADER_H
#define WORKLOADS_TRACE_HEADER_H

#include "workloads/trace_row.h"

/* False with an error if a required or a renamed column is missing or a name stands twice. The
 * names live in the columns: release them with trace_columns_clear. */
bool trace_columns_find(struct trace_columns *columns, const struct workload_spec *workload,
                        const struct delimited_row *header, struct error *error);
void trace_columns_clear(struct trace_columns *columns);

/* Whether files may have a column of this name (headroom's). */
bool trace_table_has(const struct trace_table *table, const char *ours);
/* The table's column of this name (headroom's); -1 if the file has none. */
int trace_columns_number(const struct trace_columns *columns, const char *ours);

/* "user, estmate_s": columns of the file that have no effect; "" if none. Free with free(). */
char *trace_columns_unused(const struct trace_columns *columns, const struct delimited_row *header);

#endif
