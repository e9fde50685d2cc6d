/* The resolved scenario as one text, equal for equal scenarios: what inputs_sha256 is taken of. */
#ifndef SCENARIOS_CANONICAL_H
#define SCENARIOS_CANONICAL_H

#include <jansson.h>

#include "scenarios/tree.h"

/* Compact JSON with sorted keys, without `variants` and
 * `sweep`; every scalar is the text written. `files`
 * (path as written: sha256) is added as "files" if there are any. Free with free(). */
char *canonical_text(const struct node *root, json_t *files);

#endif
