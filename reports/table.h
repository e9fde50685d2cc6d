/* The table printer: rows of cells for people (text, Markdown) and for machines (CSV, JSON). A cell
 * holds what people read and, if it is a number, the number itself for machines. */
#ifndef REPORTS_TABLE_H
#define REPORTS_TABLE_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

enum table_format { TABLE_TEXT, TABLE_MARKDOWN, TABLE_CSV, TABLE_JSON, TABLE_FORMAT_COUNT };
/* text, markdown, csv, json */
extern const char *const table_format_names[TABLE_FORMAT_COUNT];

/* False if there is none of that name; "table" is another name of text. */
bool table_format_find(const char *name, enum table_format *format);

enum table_align { TABLE_LEFT, TABLE_RIGHT };
/* Some columns are for one kind of reader only: an interval beside its mean is a column for
 * machines and a second line for people. */
enum table_audience { TABLE_FOR_ALL, TABLE_FOR_PEOPLE, TABLE_FOR_MACHINES };
enum table_colour { TABLE_PLAIN, TABLE_GREEN, TABLE_RED, TABLE_YELLOW, TABLE_DIM, TABLE_BOLD };

struct table;

struct table *table_create(void);
void table_destroy(struct table *table);

/* header is for people and copied, key (lower_case, with its unit) is for machines and borrowed. */
void table_add_column(struct table *table, const char *header, const char *key,
                      enum table_align align, enum table_audience audience);
/* Cells are then added from left to right, one per column of any audience. Texts are copied. */
void table_add_row(struct table *table);
void table_add_text(struct table *table, const char *text); /* NULL: nothing */
/* text is how people read it, NULL: not at all; NaN is nothing to machines. */
void table_add_number(struct table *table, double value, const char *text);
/* A further line of the cell added last, for people; "" is none. */
void table_add_line(struct table *table, const char *text);
/* A sign behind the first line of the cell added last, for people; "" is none. */
void table_mark(struct table *table, const char *sign);
/* Colours the cell added last, in texts printed with colour. */
void table_paint(struct table *table, enum table_colour colour);

size_t table_row_count(const struct table *table);

/* Longest line that texts are fitted into. */
enum { TABLE_WIDTH = 100 };

/* Prints in a format. Texts (only) are indented, and coloured if asked. A table too wide gets
 * headers of several lines, then abbreviated words, then several parts that begin with the same
 * columns. */
void table_print(FILE *out, const struct table *table, enum table_format format, int indent,
                 bool colour);
/* An array of one object per row. */
json_t *table_json(const struct table *table);

/* A text in colour for a terminal, or as it is. */
void table_print_coloured(FILE *out, const char *text, enum table_colour colour, bool enabled);

/* Hide a column from people who learn nothing from it, once all rows are there: in any case; if all
 * its numbers are this value (or none is one; for NaN: if there are none), true if so; or those of
 * another. */
void table_hide(struct table *table, const char *key);
bool table_is_hidden(const struct table *table, const char *key);
bool table_hide_if_all(struct table *table, const char *key, double value);
void table_hide_if_like(struct table *table, const char *key, const char *other);

#endif
