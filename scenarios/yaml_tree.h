/* Reads YAML text into a tree: the strict subset of the scenario language, in which every text has
 * one meaning (no anchors, aliases, tags, duplicate keys or tabs as indentation; one document; at
 * most 64 levels). */
#ifndef SCENARIOS_YAML_TREE_H
#define SCENARIOS_YAML_TREE_H

#include <stddef.h>

#include "scenarios/tree.h"
#include "sim/kernel/arena.h"
#include "sim/kernel/error.h"

enum { YAML_TREE_DEPTH = 64 };

/* The tree of a text; `file` (borrowed by the tree) is what errors call it. A mistake against the
 * subset is reported and reading goes on (what is bad about it is left out, or marked bad); a
 * mistake against YAML itself is reported and ends it: NULL. An empty text is NULL without an
 * error. */
struct node *yaml_tree_parse(struct arena *arena, const char *file, const char *text, size_t length,
                             struct error_list *errors);

#endif
