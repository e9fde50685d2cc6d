/* The rows of a CSV text whose header is known: how the catalogue's files are read. They are part
 * of the program, so what is wrong with them is a programmer's error, and asserted. */
#ifndef MODELS_CSV_ROWS_H
#define MODELS_CSV_ROWS_H

#include <stddef.h>
#include <stdint.h>

#include "sim/kernel/arena.h"

struct csv_rows {
    const char **cells; /* row by row, without the header */
    size_t column_count;
    size_t count;
};

/* The rows of a text that begins with exactly these columns; they live in the arena. */
struct csv_rows csv_rows_parse(struct arena *arena, const char *text, const char *const *columns,
                               size_t column_count);

const char *csv_rows_text(const struct csv_rows *rows, size_t row, int column);
/* A number, or `unknown` for an empty cell. */
int csv_rows_integer(const struct csv_rows *rows, size_t row, int column, int unknown);
double csv_rows_number(const struct csv_rows *rows, size_t row, int column, double unknown);

#endif
