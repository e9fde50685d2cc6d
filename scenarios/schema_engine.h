/* Inside the schema: what the kinds of value share to read and to describe themselves. */
#ifndef SCENARIOS_SCHEMA_ENGINE_H
#define SCENARIOS_SCHEMA_ENGINE_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "scenarios/quantity.h"
#include "scenarios/reader.h"
#include "scenarios/schema.h"
#include "scenarios/tree.h"
#include "sim/kernel/error.h"

/* A scenario being read. */
struct reading {
    const struct reader_context *context;
    struct scenario *scenario; /* what is read belongs to its arena */
    const struct node *root;   /* of the whole tree, for names that refer to others */
    const char *whole;         /* what the tree is, for messages; NULL: the scenario */
    const char *folder;        /* relative file names start here: "" or ending in a slash */
    struct error_list *errors;
    size_t path_length; /* of the value being read, for messages: cluster.pools.a100 */
    char path[512];
    json_t *files; /* path as written: sha256 of each file whose values were read */
};

struct field_type {
    size_t size;                 /* of the member; 0: checked by the type itself */
    enum quantity_kind quantity; /* quantities: which */
    enum { WORDS_AS_INTEGER, WORDS_AS_DOUBLE, WORDS_READ_BY_TYPE } words; /* into the member */
    bool empty_is_map; /* an empty value may stand for no items, if the row allows none */
    /* Reads a value into the member. Reports what is wrong and returns false. */
    bool (*read)(struct reading *reading, const struct field *field, struct node *node,
                 void *target);
    /* What stands where the key is left out and the row has no preset; NULL: zeros. */
    void (*preset)(struct reading *reading, const struct field *field, void *target);
    /* Adds to a JSON Schema what the value looks like. */
    void (*describe)(const struct reader_context *context, const struct field *field,
                     json_t *schema);
};

/* Reads a value (and its place) into the struct at `base`. A value reported before is passed over;
 * on failure the node is marked bad. */
bool field_read(struct reading *reading, const struct field *field, struct node *node, void *base);
/* Reads a member of a map under its name, which goes on the path. */
bool field_read_member(struct reading *reading, const struct field *field, const struct node *map,
                       struct entry *entry, void *base);
/* What a key left out means. */
void field_preset(struct reading *reading, const struct field *field, void *base);
/* Reads the keys of a map into a struct; `skip` is a key to pass over, or NULL. */
bool fields_read(struct reading *reading, const struct field *fields, struct node *node, void *base,
                 const char *skip);

/* The path of a value grows by a name (quoted if it must be) and shrinks to an earlier length. */
size_t reading_enter(struct reading *reading, const char *name);
void reading_leave(struct reading *reading, size_t length);
/* "cluster.pools.a100.nodes", or "the scenario" at the top. */
const char *reading_path(const struct reading *reading);

/* Reports something about the value at the current path; the text starts with "PATH ". Returns
 * false. */
bool reading_refuse(struct reading *reading, struct place place, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* The same without the path. */
bool reading_report(struct reading *reading, struct place place, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* "PATH must be ADVICE, not VALUE (HINT)"; hint may be NULL. Mentions the row's words. */
bool reading_refuse_value(struct reading *reading, const struct field *field,
                          const struct node *node, const char *advice, const char *hint);

/* Whether a value, in the units of its struct, is in range; `format` writes the bounds as one
 * would. */
bool reading_check_range(struct reading *reading, const struct field_range *range,
                         const struct node *node, double value,
                         void (*format)(double value, char *buffer, size_t size));
/* What is probably wrong with a text that is no such number or quantity; NULL: nothing known. */
const char *number_hint(const struct node *node);
const char *quantity_hint(enum quantity_kind kind, const struct node *node);

/* A key without a value may be a slip: in `{a:1}` the key is "a:1", in `{a: 1,5}` there is a key
 * "5". Returns whether it was one, and reported. */
bool reading_report_slip(struct reading *reading, const struct node *map,
                         const struct entry *entry);
/* A hint for "nodes:4" as a whole value, where a map is expected; else NULL. */
const char *missing_blank_hint(const struct node *node);

/* The JSON Schema of one value, with its summary, preset and words. */
json_t *field_describe(const struct reader_context *context, const struct field *field);
/* How a quantity is written: a text with a unit, or the bare number 0. */
void quantity_describe(enum quantity_kind kind, json_t *schema);
/* Of a map with these keys, added to `schema`. */
void fields_describe(const struct reader_context *context, const struct field *fields,
                     json_t *schema);

#endif
