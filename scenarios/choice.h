/* Registries: the names a scenario may choose from (queue orders, placements, trace formats, ...).
 * Each room keeps its table; rows begin with a struct choice; cli/ hands the tables to the reader.
 */
#ifndef SCENARIOS_CHOICE_H
#define SCENARIOS_CHOICE_H

#include <stdbool.h>
#include <stddef.h>

struct error;
struct field;

/* A row's own options: after `{name: VALUE}`, VALUE is read as the field says into a zeroed block
 * of option_size bytes. A row without options is written as its bare name. */
struct choice {
    const char *name;
    const char *summary; /* one line */
    const struct field *options;
    size_t option_size;
    /* Whether the options go together, beyond what each field's own range says; false with a
     * message that points at no place: the reader adds it. NULL: always. */
    bool (*check)(const void *options, struct error *error);
};

struct registry {
    const char *name; /* "order", "placement", "trace format", ... */
    const void *rows; /* `count` rows of `stride` bytes, each beginning with a struct choice */
    size_t stride;
    size_t count;
};

struct registries {
    const struct registry *items;
    size_t count;
};

/* What a scenario chose: the row's index in its registry, and its options (NULL if it has none). */
struct chosen {
    int index;
    const void *options;
};

/* NULL if there is none of that name. */
const struct registry *registries_find(const struct registries *registries, const char *name);
const struct choice *registry_row(const struct registry *registry, size_t index);
int registry_index(const struct registry *registry, const char *name); /* -1: unknown */

#endif
