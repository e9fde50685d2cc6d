/* What a YAML text says, as a tree of scalars, lists and maps that know where they are written. All
 * of a tree lives in an arena. */
#ifndef SCENARIOS_TREE_H
#define SCENARIOS_TREE_H

#include <stdbool.h>
#include <stddef.h>

#include "scenarios/scenario.h"
#include "sim/kernel/arena.h"

enum node_kind { NODE_SCALAR, NODE_LIST, NODE_MAP };

struct node {
    enum node_kind kind;
    struct place place;
    const char *text;      /* scalars */
    bool quoted;           /* scalars: in quotes, or a block; such a text is never an empty value */
    bool flow;             /* lists and maps: in brackets */
    bool created;          /* a map made by the path of an override, not written anywhere */
    const char *advice;    /* created: what its name was perhaps meant to be */
    bool strange;          /* a map with unknown keys: what seems missing may be misspelt */
    bool bad;              /* something in it, or below, has been reported */
    struct entry *entries; /* lists and maps */
    size_t count;
};

/* An item of a list (key NULL) or a member of a map, in the order written. */
struct entry {
    const char *key;
    struct place place; /* of the key */
    struct node *value;
};

/* No value at all: nothing written, or ~ or null. */
bool node_is_empty(const struct node *node);
/* The member of that name; NULL if there is none, or if node is no map (or NULL). */
struct entry *node_entry(const struct node *node, const char *key);
struct node *node_member(const struct node *node, const char *key);
/* The member at the end of a chain of keys, ended by NULL. */
struct node *node_at(const struct node *node, ...) __attribute__((sentinel));

/* A deep copy, whose places are in `file` (borrowed). */
struct node *node_copy(struct arena *arena, const char *file, const struct node *node);
/* Adds or replaces a member; the key is borrowed. */
void node_put(struct arena *arena, struct node *map, const char *key, struct place place,
              struct node *value);

/* A text in quotes, for messages; long ones and further lines are cut. Returns buffer. */
const char *text_describe(const char *text, char *buffer, size_t size);
/* What it is, for messages: "a map", "a list", "empty", or the text in quotes. Returns buffer. */
const char *node_describe(const struct node *node, char *buffer, size_t size);

#endif
