/* Reads a trace file, row by row, into a store: what the format makes of each row, what the window
 * keeps, and what was wrong. */
#ifndef WORKLOADS_TRACE_READER_H
#define WORKLOADS_TRACE_READER_H

#include "workloads/stored_file.h"
#include "workloads/trace_clock.h"
#include "workloads/trace_links.h"
#include "workloads/trace_store.h"

struct trace_reading {
    struct trace_clock clock;
    int64_t rows;
    int64_t kept; /* inside the window */
    int64_t skipped;
    struct error first_skipped;
    int64_t earliest, latest; /* submit times of all readable rows */
    char *unused_columns;     /* owned by the caller, NULL if the header was not understood */
    char sha256[STORED_FILE_DIGEST];
};

/* Fills in a zeroed *reading and appends to the store what arrives in [from, to). False with an
 * error, at its place, if the file or (unless they are skipped) one of its rows cannot be read;
 * that there are any is for the caller to check, as is before
 * that whether the format holds work of the kind. */
bool trace_read(const struct workload_spec *workload, struct trace_store *store,
                struct trace_links *links, struct trace_reading *reading, struct error *error);

#endif
