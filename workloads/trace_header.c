#include "workloads/trace_header.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/kernel/memory.h"

/* A list of names as it grows: "a, b, c". */
struct listing {
    char text[512];
    size_t length;
};

static void list_name(struct listing *list, const char *name) {
    size_t room = sizeof(list->text) - list->length;
    int length = snprintf(list->text + list->length, room, "%s%s", list->length > 0 ? ", " : "",
                          name[0] != '\0' ? name : "''");
    list->length = length < (int)room ? list->length + (size_t)length : sizeof(list->text) - 1;
}

static const char *cell(const struct delimited_row *row, size_t index) {
    return row->text + row->cells[index];
}

static int find_cell(const struct delimited_row *header, const char *name) {
    for (size_t i = 0; i < header->cell_count; i++) {
        if (strcmp(cell(header, i), name) == 0) {
            return (int)i;
        }
    }
    return -1;
}

static bool refuse(const struct trace_spec *spec, const struct delimited_row *header,
                   struct error *error, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

static bool refuse(const struct trace_spec *spec, const struct delimited_row *header,
                   struct error *error, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    error_set_v(error, spec->file, delimited_line(header->line), 0, format, arguments);
    va_end(arguments);
    return false;
}

/* Compares all pairs, hence the bound. */
static bool check_duplicates(const struct trace_spec *spec, const struct delimited_row *header,
                             struct error *error) {
    if (header->cell_count > 4096) {
        return refuse(spec, header, error, "a header of more than 4096 columns");
    }
    for (size_t i = 0; i < header->cell_count; i++) {
        const char *name = cell(header, i);
        if (name[0] != '\0' && find_cell(header, name) != (int)i) {
            return refuse(spec, header, error, "the column '%.100s' stands twice in the header",
                          name);
        }
    }
    return true;
}

/* -1: the table has no such column. */
static int find_column(const struct trace_table *table, const char *ours) {
    for (int i = 0; table->columns[i].ours != NULL; i++) {
        if (strcmp(table->columns[i].ours, ours) == 0) {
            return i;
        }
    }
    return -1;
}

/* `columns` is the scenario's: what it names wrongly is an error there, and so is a column of the
 * file that it gives twice. */
static bool check_distinct(const struct trace_spec *spec, struct error *error) {
    for (size_t i = 0; i < spec->column_count; i++) {
        for (size_t j = 0; j < i; j++) {
            if (strcmp(spec->columns[i].theirs, spec->columns[j].theirs) == 0) {
                error_set(error, spec->place.file, spec->place.line, spec->place.column,
                          "columns: '%.100s' cannot be both %s and %s", spec->columns[i].theirs,
                          spec->columns[j].ours, spec->columns[i].ours);
                return false;
            }
        }
    }
    return true;
}

static bool check_renames(const struct trace_columns *columns, const struct trace_spec *spec,
                          struct error *error) {
    for (size_t i = 0; i < spec->column_count; i++) {
        if (find_column(columns->table, spec->columns[i].ours) >= 0) {
            continue;
        }
        struct listing known = {.length = 0};
        for (const struct trace_column *column = columns->table->columns; column->ours; column++) {
            list_name(&known, column->ours);
        }
        error_set(error, spec->place.file, spec->place.line, spec->place.column,
                  "columns: the trace format %s has no column '%s' (it has %s)",
                  columns->format->choice.name, spec->columns[i].ours, known.text);
        return false;
    }
    return true;
}

/* The name that a column has in this file, by the scenario or else by the format. */
static const char *column_name(const struct trace_column *column, const struct trace_spec *spec,
                               bool *renamed) {
    *renamed = false;
    for (size_t i = 0; i < spec->column_count; i++) {
        if (strcmp(spec->columns[i].ours, column->ours) == 0) {
            *renamed = true;
            return spec->columns[i].theirs;
        }
    }
    return column->theirs;
}

/* The usual reason why nothing fits: another delimiter. */
static const char *delimiter_hint(const struct delimited_row *header) {
    if (header->cell_count > 1 || strpbrk(cell(header, 0), ";\t|") == NULL) {
        return "";
    }
    return "; cells must be separated by commas";
}

/* The next usual reason: the file is of the other kind. */
static const char *kind_hint(const struct trace_columns *columns,
                             const struct delimited_row *header) {
    for (size_t kind = 0; kind < WORKLOAD_KINDS; kind++) {
        const struct trace_table *other = columns->format->tables[kind];
        const struct trace_column *column = other != NULL ? other->columns : NULL;
        if (other == NULL || other == columns->table) {
            continue;
        }
        while (column->ours != NULL &&
               (column->use != COLUMN_REQUIRED || find_cell(header, column->theirs) >= 0)) {
            column++;
        }
        if (column->ours == NULL) {
            return kind == WORKLOAD_SERVICE ? "; these are requests: `kind: service` reads them"
                                            : "; these are jobs: `kind: jobs` reads them";
        }
    }
    return "";
}

static bool refuse_missing(const struct trace_columns *columns, const struct trace_spec *spec,
                           const struct delimited_row *header, const struct listing *missing,
                           struct error *error) {
    struct listing found = {.length = 0};
    for (size_t i = 0; i < header->cell_count; i++) {
        list_name(&found, cell(header, i));
    }
    return refuse(spec, header, error,
                  "missing for format %s: %s; the header has %s%s%s (`columns: {OURS: THEIRS}` "
                  "says what a column is called here)",
                  columns->format->choice.name, missing->text, found.text, delimiter_hint(header),
                  kind_hint(columns, header));
}

bool trace_columns_find(struct trace_columns *columns, const struct workload_spec *workload,
                        const struct delimited_row *header, struct error *error) {
    const struct trace_spec *spec = &workload->trace;
    const struct trace_format *format = &trace_formats[spec->format.index];
    const struct trace_table *table = format->tables[workload->kind.index];
    *columns =
        (struct trace_columns){.format = format, .table = table, .cell_count = header->cell_count};
    if (!check_duplicates(spec, header, error) || !check_renames(columns, spec, error) ||
        !check_distinct(spec, error)) {
        return false;
    }
    struct listing missing = {.length = 0};
    for (size_t i = 0; table->columns[i].ours != NULL; i++) {
        const struct trace_column *column = &table->columns[i];
        bool renamed = false;
        const char *name = column_name(column, spec, &renamed);
        columns->cells[i] = find_cell(header, name);
        columns->names[i] = memory_duplicate_string(name);
        if (columns->cells[i] < 0 && renamed) {
            return refuse(spec, header, error, "no column '%.100s', which `columns` has for %s",
                          name, column->ours);
        }
        if (columns->cells[i] < 0 && column->use == COLUMN_REQUIRED) {
            list_name(&missing, name);
        }
    }
    return missing.length == 0 || refuse_missing(columns, spec, header, &missing, error);
}

void trace_columns_clear(struct trace_columns *columns) {
    for (size_t i = 0; i < TRACE_COLUMNS; i++) {
        free(columns->names[i]);
    }
    *columns = (struct trace_columns){0};
}

bool trace_table_has(const struct trace_table *table, const char *ours) {
    return find_column(table, ours) >= 0;
}

int trace_columns_number(const struct trace_columns *columns, const char *ours) {
    int number = find_column(columns->table, ours);
    return number >= 0 && columns->cells[number] >= 0 ? number : -1;
}

/* Whether nothing reads the column of the file with this number. */
static bool is_unused(const struct trace_columns *columns, int number) {
    bool known = false;
    for (size_t i = 0; columns->table->columns[i].ours != NULL; i++) {
        if (columns->cells[i] == number) {
            known = true;
            if (columns->table->columns[i].use != COLUMN_UNUSED) {
                return false;
            }
        }
    }
    return known || columns->format->tells_unknown;
}

char *trace_columns_unused(const struct trace_columns *columns,
                           const struct delimited_row *header) {
    struct listing unused = {.length = 0};
    for (size_t i = 0; i < header->cell_count; i++) {
        if (is_unused(columns, (int)i)) {
            list_name(&unused, cell(header, i));
        }
    }
    return memory_duplicate_string(unused.text);
}
