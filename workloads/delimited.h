/* Comma-separated rows with the physical lines they start on. Splitting is libcsv's, strictly: a
 * stray quote is an error of its row, and reading goes on with the next line. */
#ifndef WORKLOADS_DELIMITED_H
#define WORKLOADS_DELIMITED_H

#include <stddef.h>
#include <stdint.h>

#include "sim/kernel/error.h"
#include "workloads/stored_file.h"

struct delimited;

/* A row's cells, unquoted, blanks around them trimmed; valid until the next row is read. */
struct delimited_row {
    int64_t line; /* 1-based; lines end in LF, CRLF or CR, also inside quotes */
    size_t cell_count;
    const char *text;    /* all cells, each ended by a zero byte */
    size_t text_size;    /* with those */
    const size_t *cells; /* where in text each begins */
};

enum delimited_result {
    DELIMITED_ROW,
    DELIMITED_END,
    DELIMITED_UNREADABLE, /* this row cannot be split; one may read on */
    DELIMITED_FAILED,     /* the file cannot be read on */
};

/* Both borrowed; path is for errors. */
struct delimited *delimited_create(struct stored_file *file, const char *path);
void delimited_destroy(struct delimited *rows);

/* The next row that is not blank, and its error unless it is a row or the end. */
enum delimited_result delimited_next(struct delimited *rows, struct delimited_row *row,
                                     struct error *error);

/* Lines as errors count them: beyond INT_MAX they stay there. */
int delimited_line(int64_t line);

#endif
