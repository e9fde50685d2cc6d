/* Trace formats: one row per format, with its columns and a function that turns one delimited row
 * into a job. A new format is one file with those two (see trace_row.h) and one row here. */
#ifndef WORKLOADS_TRACE_FORMAT_H
#define WORKLOADS_TRACE_FORMAT_H

#include "scenarios/choice.h"
#include "workloads/job_source.h"
#include "workloads/trace_clock.h"

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

/* How many columns a format may have, and what a job has where its trace has nothing. */
enum { TRACE_COLUMNS = 32, JOB_ABSENT = -1 };

struct trace_row;

struct trace_format {
    struct choice choice;
    const struct trace_column *columns; /* up to a row without names */
    bool tells_unknown; /* columns not among those are probably slips, not just of no use here */
    enum clock_rule clock;
    int64_t time_unit; /* nanoseconds per unit of the file's numbers, unless the scenario has one */
    /* Fills in a job that so far has its number and JOB_ABSENT for estimate, max_wait, memory and
     * priority; the submit time as the trace's clock has it. False with an error, by the functions
     * of trace_row.h, if the row is no job. */
    bool (*read)(const struct trace_row *row, struct job_arrival *job);
};

extern const struct trace_format trace_formats[]; /* each row begins with a struct choice */
extern const size_t trace_format_count;
extern const size_t trace_format_stride;

#endif
