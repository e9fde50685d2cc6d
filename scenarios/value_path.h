/* Where in a scenario a value is: `workloads."v1.5".memory` has three names. */
#ifndef SCENARIOS_VALUE_PATH_H
#define SCENARIOS_VALUE_PATH_H

#include <stdbool.h>
#include <stddef.h>

#include "scenarios/tree.h"
#include "scenarios/yaml_tree.h"
#include "sim/kernel/error.h"

struct value_path {
    const char *names[YAML_TREE_DEPTH];
    size_t count;
};

/* What keeps a text from being a path. */
extern const char value_path_advice[];

/* Takes a text apart; false if it is no path. */
bool value_path_parse(struct arena *arena, const char *text, struct value_path *path);
/* The first `count` names of a path as one would write them: cluster.pools.a100. */
const char *value_path_text(struct arena *arena, const struct value_path *path, size_t count);
/* Whether one begins with all names of the other, so that they cannot both be replaced. */
bool value_path_overlaps(const struct value_path *a, const struct value_path *b);
/* Whether it leads to the key `variants` or `sweep`, which no other value may change. */
bool value_path_is_closed(const struct value_path *path);

/* Puts a value in the place of all that is at its path, with maps made where there are none. A
 * problem is reported at `place`, and then nothing is changed. */
void value_path_put(struct arena *arena, struct node *root, const struct value_path *path,
                    struct place place, struct node *value, struct error_list *errors);

/* ": did you mean ..." or ", where there is ..." about a name that a map does not have. */
const char *value_path_advise(struct arena *arena, const struct node *map, const char *name);

#endif
