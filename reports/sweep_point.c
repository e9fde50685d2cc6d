#include "reports/sweep_point.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "sim/kernel/memory.h"

/* More columns than this name a row no better than one text does. */
enum { MOST_COLUMNS = 4 };

/* A part of a point: PATH=VALUE. */
struct coordinate {
    const char *path;
    const char *value; /* NULL: there is none, which no sweep writes */
};

/* Where `mark` is next in a text, outside of quotes and brackets; its end if nowhere. */
static const char *find_outside(const char *text, const char *mark) {
    bool quoted = false;
    int depth = 0;
    for (; *text != '\0'; text++) {
        if (*text == '"') {
            quoted = !quoted;
        } else if (quoted) {
            text += *text == '\\' && text[1] != '\0';
        } else if (depth == 0 && strncmp(text, mark, strlen(mark)) == 0) {
            return text;
        } else {
            depth += (strchr("[{", *text) != NULL) - (strchr("]}", *text) != NULL);
        }
    }
    return text;
}

static char *copy_span(struct arena *arena, const char *from, const char *to) {
    size_t length = (size_t)(to - from);
    char *copy = arena_allocate(arena, length + 1, 1);
    memcpy(copy, from, length);
    return copy;
}

/* Cuts the first coordinate off *rest; false if there is none left. */
static bool take_coordinate(struct arena *arena, const char **rest, struct coordinate *taken) {
    if (**rest == '\0') {
        return false;
    }
    const char *end = find_outside(*rest, ", ");
    const char *text = copy_span(arena, *rest, end);
    const char *equals = find_outside(text, "=");
    taken->path = copy_span(arena, text, equals);
    taken->value = *equals != '\0' ? equals + 1 : NULL;
    *rest = *end != '\0' ? end + strlen(", ") : end;
    return true;
}

/* The last `names` names of a path; all of it if it has no more. */
static const char *path_end(const char *path, size_t names) {
    bool quoted = false;
    const char *at = path + strlen(path);
    while (at > path) {
        quoted ^= at[-1] == '"';
        if (at[-1] == '.' && !quoted && --names == 0) {
            return at;
        }
        at--;
    }
    return path;
}

static bool ends_alike(const struct sweep_columns *columns, size_t index, size_t names) {
    const char *end = path_end(columns->paths[index], names);
    bool alike = false;
    for (size_t i = 0; i < columns->count && !alike; i++) {
        alike = i != index && strcmp(path_end(columns->paths[i], names), end) == 0;
    }
    return alike;
}

static void name_columns(struct sweep_columns *columns) {
    columns->headers = arena_allocate(&columns->arena, columns->count, sizeof(char *));
    for (size_t i = 0; i < columns->count; i++) {
        size_t names = 1;
        while (ends_alike(columns, i, names) &&
               path_end(columns->paths[i], names) != columns->paths[i]) {
            names++;
        }
        columns->headers[i] = path_end(columns->paths[i], names);
    }
}

static size_t find_path(const struct sweep_columns *columns, const char *path) {
    size_t i = 0;
    while (i < columns->count && strcmp(columns->paths[i], path) != 0) {
        i++;
    }
    return i;
}

void sweep_columns_include(struct sweep_columns *columns, const char *point) {
    struct arena scratch = {0};
    struct coordinate coordinate;
    while (take_coordinate(&scratch, &point, &coordinate)) {
        if (find_path(columns, coordinate.path) == columns->count) {
            const char **paths =
                arena_allocate(&columns->arena, columns->count + 1, sizeof(paths[0]));
            if (columns->count > 0) {
                memcpy(paths, columns->paths, columns->count * sizeof(paths[0]));
            }
            paths[columns->count++] = arena_duplicate_string(&columns->arena, coordinate.path);
            columns->paths = paths;
            name_columns(columns);
        }
    }
    arena_clear(&scratch);
}

void sweep_columns_clear(struct sweep_columns *columns) {
    arena_clear(&columns->arena);
    *columns = (struct sweep_columns){0};
}

static bool is_one_column(const struct sweep_columns *columns) {
    return columns->count == 0 || columns->count > MOST_COLUMNS;
}

void sweep_columns_add(const struct sweep_columns *columns, struct table *table) {
    if (is_one_column(columns)) {
        table_add_column(table, "point", "point", TABLE_LEFT, TABLE_FOR_PEOPLE);
        return;
    }
    for (size_t i = 0; i < columns->count; i++) {
        const char *header = columns->headers[i];
        table_add_column(table, header, header, TABLE_LEFT, TABLE_FOR_PEOPLE);
    }
}

const char *sweep_columns_value(const struct sweep_columns *columns, struct arena *arena,
                                const char *point, size_t column) {
    const char *value = NULL;
    struct coordinate coordinate;
    while (take_coordinate(arena, &point, &coordinate)) {
        bool own = strcmp(coordinate.path, columns->paths[column]) == 0;
        value = own && coordinate.value != NULL ? coordinate.value : value;
    }
    return value;
}

void sweep_columns_add_cells(const struct sweep_columns *columns, struct table *table,
                             const char *point) {
    if (is_one_column(columns)) {
        char *text = sweep_point_short(point);
        table_add_text(table, text[0] != '\0' ? text : "-");
        free(text);
        return;
    }
    for (size_t i = 0; i < columns->count; i++) {
        struct arena scratch = {0};
        const char *value = sweep_columns_value(columns, &scratch, point, i);
        table_add_text(table, value != NULL ? value : "-");
        arena_clear(&scratch);
    }
}

char *sweep_point_short(const char *point) {
    struct sweep_columns columns = {0};
    sweep_columns_include(&columns, point);
    /* The short text is never longer than the whole. */
    char *text = memory_duplicate_string(point);
    char *end = text;
    struct coordinate coordinate;
    const char *rest = point;
    while (take_coordinate(&columns.arena, &rest, &coordinate)) {
        const char *header = columns.headers[find_path(&columns, coordinate.path)];
        end = stpcpy(stpcpy(end, end > text ? ", " : ""), header);
        if (coordinate.value != NULL) {
            end = stpcpy(stpcpy(end, "="), coordinate.value);
        }
    }
    *end = '\0';
    sweep_columns_clear(&columns);
    return text;
}
