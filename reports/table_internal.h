/* What a table is made of, for the formats. */
#ifndef REPORTS_TABLE_INTERNAL_H
#define REPORTS_TABLE_INTERNAL_H

#include "reports/table.h"
#include "sim/kernel/arena.h"

enum { TABLE_MOST_LINES = 3 };

struct table_column {
    const char *header;
    const char *key;
    enum table_align align;
    enum table_audience audience;
};

struct table_cell {
    const char *lines[TABLE_MOST_LINES]; /* as given; NULL from the first that is not there */
    bool is_number;
    double value;
    enum table_colour colour;
};

struct table {
    struct arena arena; /* all texts */
    struct table_column *columns;
    size_t column_count;
    size_t column_capacity;
    struct table_cell *cells; /* row by row */
    size_t cell_count;
    size_t cell_capacity;
    size_t row_count;
};

/* NULL where a row ends early. */
const struct table_cell *table_cell_at(const struct table *table, size_t row, size_t column);

void table_print_text(FILE *out, const struct table *table, int indent, bool colour);
void table_print_markdown(FILE *out, const struct table *table);
void table_print_csv(FILE *out, const struct table *table);

#endif
