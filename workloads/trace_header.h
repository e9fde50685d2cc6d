/* Finds a format's columns in the header of a file. */
#ifndef WORKLOADS_TRACE_HEADER_H
#define WORKLOADS_TRACE_HEADER_H

#include "workloads/trace_row.h"

/* False with an error if a required or a renamed column is missing or a name stands twice. The
 * names live in the columns: release them with trace_columns_clear. */
bool trace_columns_find(struct trace_columns *columns, const struct trace_format *format,
                        const struct trace_spec *spec, const struct delimited_row *header,
                        struct error *error);
void trace_columns_clear(struct trace_columns *columns);

/* "user, estmate_s": columns of the file that have no effect; "" if none. Free with free(). */
char *trace_columns_unused(const struct trace_columns *columns, const struct delimited_row *header);

#endif
