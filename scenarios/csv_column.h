/* The values of one column of a delimited file with a header, for empirical distributions. */
#ifndef SCENARIOS_CSV_COLUMN_H
#define SCENARIOS_CSV_COLUMN_H

#include <stdbool.h>
#include <stddef.h>

#include "sim/kernel/error.h"

struct csv_column {
    double *values; /* free with free() */
    size_t count;
    char sha256[65]; /* of the file's bytes */
};

/* parse turns a field's text into a value, or returns false. The error's message names file and
 * row, and has no place. Rows without the field are errors; a file without rows is one, too. */
bool csv_column_read(const char *file, const char *name,
                     bool (*parse)(const char *text, const void *context, double *value),
                     const void *context, struct csv_column *column, struct error *error);

#endif
