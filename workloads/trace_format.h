/* Trace formats: one row per format, with a table for each kind of work that it holds: its columns
 * and a function that turns one delimited row into a job or a request. A new format is one file
 * with such a table (see trace_row.h) and one row here. */
#ifndef WORKLOADS_TRACE_FORMAT_H
#define WORKLOADS_TRACE_FORMAT_H

#include "scenarios/choice.h"
#include "workloads/trace_clock.h"
#include "workloads/work_source.h"

/* The rows of the registry "workload kind" that traces can serve. */
enum { WORKLOAD_KINDS = WORKLOAD_SERVICE + 1 };

enum column_use {
    COLUMN_REQUIRED, /* by the header; whether its cells may be empty is up to the reading */
    COLUMN_OPTIONAL,
    COLUMN_UNUSED, /* known, but nothing uses it yet */
};

struct trace_column {
    const char *ours;   /* headroom's name, which `columns` renames */
    const char *theirs; /* in the header, unless renamed */
    enum column_use use;
};

/* How many columns a table may have. */
enum { TRACE_COLUMNS = 32 };

struct trace_row;

struct trace_table {
    const struct trace_column *columns; /* up to a row without names */
    /* Fills in an arrival that so far has its number and ARRIVAL_ABSENT wherever a trace may have
     * nothing; the submit time as the trace's clock has it. False with an error, by the functions
     * of trace_row.h, if the row is no job or request. */
    bool (*read)(const struct trace_row *row, struct arrival *arrival);
};

struct trace_format {
    struct choice choice;
    const struct trace_table *tables[WORKLOAD_KINDS]; /* by kind; NULL: holds no such work */
    bool tells_unknown; /* columns not among those are probably slips, not just of no use here */
    enum clock_rule clock;
    int64_t time_unit; /* nanoseconds per unit of the file's numbers, unless the scenario has one */
};

extern const struct trace_format trace_formats[]; /* each row begins with a struct choice */
extern const size_t trace_format_count;
extern const size_t trace_format_stride;

#endif
