#include "models/csv_rows.h"

#include <assert.h>
#include <csv.h>
#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* The fields as libcsv hands them over: copied one after the other into one block of text. */
struct parsing {
    struct csv_rows rows;
    size_t capacity; /* cells there is room for */
    size_t used;     /* cells, those of the header first */
    char *text;
    size_t written;
    size_t column;
};

static void take_field(void *bytes, size_t length, void *context) {
    struct parsing *parsing = context;
    assert(parsing->used < parsing->capacity && "a row has too many columns");
    char *text = parsing->text + parsing->written;
    memcpy(text, bytes, length);
    text[length] = '\0';
    parsing->written += length + 1;
    parsing->rows.cells[parsing->used++] = text;
    parsing->column++;
}

static void take_row(int terminator, void *context) {
    (void)terminator;
    struct parsing *parsing = context;
    assert(parsing->column == parsing->rows.column_count && "a row with a column more or less");
    parsing->column = 0;
    parsing->rows.count++;
}

static size_t count_lines(const char *text) {
    size_t lines = 1;
    for (const char *at = text; *at != '\0'; at++) {
        lines += *at == '\n';
    }
    return lines;
}

static void check_header(const struct csv_rows *rows, const char *const *columns) {
    assert(rows->count > 0 && "no header");
    for (size_t i = 0; i < rows->column_count; i++) {
        assert(strcmp(rows->cells[i], columns[i]) == 0 && "an unexpected header");
    }
    (void)rows;
    (void)columns;
}

struct csv_rows csv_rows_parse(struct arena *arena, const char *text, const char *const *columns,
                               size_t column_count) {
    size_t length = strlen(text);
    struct parsing parsing = {.rows.column_count = column_count,
                              .capacity = count_lines(text) * column_count,
                              /* A field is at most as long as in the text, and its separator makes
                               * room for its zero. */
                              .text = arena_allocate(arena, length + 1, 1)};
    parsing.rows.cells = arena_allocate(arena, parsing.capacity, sizeof(parsing.rows.cells[0]));
    struct csv_parser parser;
    int status = csv_init(&parser, CSV_STRICT | CSV_STRICT_FINI);
    assert(status == 0);
    size_t parsed = csv_parse(&parser, text, length, take_field, take_row, &parsing);
    status |= csv_fini(&parser, take_field, take_row, &parsing);
    assert(parsed == length && status == 0 && "not valid CSV");
    (void)parsed;
    (void)status;
    csv_free(&parser);
    check_header(&parsing.rows, columns);
    parsing.rows.cells += column_count;
    parsing.rows.count--;
    return parsing.rows;
}

const char *csv_rows_text(const struct csv_rows *rows, size_t row, int column) {
    assert(row < rows->count && (size_t)column < rows->column_count);
    return rows->cells[row * rows->column_count + (size_t)column];
}

double csv_rows_number(const struct csv_rows *rows, size_t row, int column, double unknown) {
    const char *text = csv_rows_text(rows, row, column);
    char *end;
    double value = strtod(text, &end);
    assert(*end == '\0' && "not a number");
    return end == text ? unknown : value;
}

int csv_rows_integer(const struct csv_rows *rows, size_t row, int column, int unknown) {
    double value = csv_rows_number(rows, row, column, unknown);
    assert(value >= INT_MIN && value <= INT_MAX && value == (double)(int)value);
    return (int)value;
}
