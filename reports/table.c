#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "reports/json.h"
#include "reports/table_internal.h"
#include "reports/text.h"
#include "sim/kernel/memory.h"

const char *const table_format_names[TABLE_FORMAT_COUNT] = {"text", "markdown", "csv", "json"};

bool table_format_find(const char *name, enum table_format *format) {
    if (strcmp(name, "table") == 0) {
        *format = TABLE_TEXT;
        return true;
    }
    for (size_t i = 0; i < TABLE_FORMAT_COUNT; i++) {
        if (strcmp(name, table_format_names[i]) == 0) {
            *format = (enum table_format)i;
            return true;
        }
    }
    return false;
}

struct table *table_create(void) {
    return memory_zero(1, sizeof(struct table));
}

void table_destroy(struct table *table) {
    if (table != NULL) {
        arena_clear(&table->arena);
        free(table->columns);
        free(table->cells);
        free(table);
    }
}

void table_add_column(struct table *table, const char *header, const char *key,
                      enum table_align align, enum table_audience audience) {
    assert(table->row_count == 0);
    table->columns = memory_grow(table->columns, &table->column_capacity, table->column_count + 1,
                                 sizeof(table->columns[0]));
    char *visible = text_visible(header);
    table->columns[table->column_count++] =
        (struct table_column){arena_duplicate_string(&table->arena, visible), key, align, audience};
    free(visible);
}

static size_t column_of(const struct table *table, const char *key) {
    size_t column = 0;
    while (strcmp(table->columns[column].key, key) != 0) {
        column++;
        assert(column < table->column_count);
    }
    return column;
}

void table_hide(struct table *table, const char *key) {
    table->columns[column_of(table, key)].audience = TABLE_FOR_MACHINES;
}

bool table_is_hidden(const struct table *table, const char *key) {
    return table->columns[column_of(table, key)].audience == TABLE_FOR_MACHINES;
}

bool table_hide_if_all(struct table *table, const char *key, double value) {
    size_t column = column_of(table, key);
    for (size_t row = 0; row < table->row_count; row++) {
        double cell = table_cell_at(table, row, column)->value;
        if (!isnan(cell) && !(fabs(cell - value) < 1e-9)) {
            return false;
        }
    }
    table_hide(table, key);
    return true;
}

void table_hide_if_like(struct table *table, const char *key, const char *other) {
    size_t column = column_of(table, key);
    size_t like = column_of(table, other);
    for (size_t row = 0; row < table->row_count; row++) {
        double cell = table_cell_at(table, row, column)->value;
        double value = table_cell_at(table, row, like)->value;
        bool same = isnan(value) ? isnan(cell) : fabs(cell - value) < 1e-9;
        if (!same) {
            return;
        }
    }
    table_hide(table, key);
}

/* Fills up the row before with empty cells. */
static void complete_row(struct table *table) {
    while (table->cell_count < table->row_count * table->column_count) {
        table_add_text(table, NULL);
    }
}

void table_add_row(struct table *table) {
    complete_row(table);
    table->row_count++;
}

static struct table_cell *add_cell(struct table *table, const char *text) {
    assert(table->cell_count < table->row_count * table->column_count);
    table->cells = memory_grow(table->cells, &table->cell_capacity, table->cell_count + 1,
                               sizeof(table->cells[0]));
    struct table_cell *cell = &table->cells[table->cell_count++];
    *cell = (struct table_cell){.value = NAN};
    if (text != NULL) {
        cell->lines[0] = arena_duplicate_string(&table->arena, text);
    }
    return cell;
}

void table_add_text(struct table *table, const char *text) {
    add_cell(table, text);
}

void table_add_number(struct table *table, double value, const char *text) {
    struct table_cell *cell = add_cell(table, text);
    cell->is_number = true;
    cell->value = value;
}

void table_add_line(struct table *table, const char *text) {
    assert(table->cell_count > 0);
    struct table_cell *cell = &table->cells[table->cell_count - 1];
    size_t line = 0;
    while (cell->lines[line] != NULL) {
        line++;
        assert(line < TABLE_MOST_LINES);
    }
    if (text[0] != '\0') {
        cell->lines[line] = arena_duplicate_string(&table->arena, text);
    }
}

void table_mark(struct table *table, const char *sign) {
    assert(table->cell_count > 0);
    struct table_cell *cell = &table->cells[table->cell_count - 1];
    if (sign[0] != '\0' && cell->lines[0] != NULL) {
        char text[128];
        snprintf(text, sizeof(text), "%.120s%s", cell->lines[0], sign);
        cell->lines[0] = arena_duplicate_string(&table->arena, text);
    }
}

void table_paint(struct table *table, enum table_colour colour) {
    assert(table->cell_count > 0);
    table->cells[table->cell_count - 1].colour = colour;
}

size_t table_row_count(const struct table *table) {
    return table->row_count;
}

const struct table_cell *table_cell_at(const struct table *table, size_t row, size_t column) {
    size_t place = row * table->column_count + column;
    return place < table->cell_count ? &table->cells[place] : NULL;
}

static json_t *cell_json(const struct table_cell *cell) {
    if (cell == NULL || (!cell->is_number && cell->lines[0] == NULL)) {
        return json_null();
    }
    return cell->is_number ? json_number_or_null(cell->value) : json_text(cell->lines[0]);
}

json_t *table_json(const struct table *table) {
    json_t *rows = json_array();
    for (size_t row = 0; row < table->row_count; row++) {
        json_t *object = json_object();
        for (size_t i = 0; i < table->column_count; i++) {
            if (table->columns[i].audience != TABLE_FOR_PEOPLE) {
                json_object_set_new(object, table->columns[i].key,
                                    cell_json(table_cell_at(table, row, i)));
            }
        }
        json_array_append_new(rows, object);
    }
    return rows;
}

void table_print(FILE *out, const struct table *table, enum table_format format, int indent,
                 bool colour) {
    switch (format) {
    case TABLE_MARKDOWN:
        table_print_markdown(out, table);
        break;
    case TABLE_CSV:
        table_print_csv(out, table);
        break;
    case TABLE_JSON: {
        json_t *rows = table_json(table);
        json_print(out, rows);
        json_decref(rows);
        break;
    }
    case TABLE_TEXT:
    default:
        table_print_text(out, table, indent, colour);
        break;
    }
}
