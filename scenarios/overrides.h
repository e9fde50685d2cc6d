/* Values given at paths: `--set PATH=VALUE`, and the variants of a file. A value replaces the whole
 * value at its path. */
#ifndef SCENARIOS_OVERRIDES_H
#define SCENARIOS_OVERRIDES_H

#include "scenarios/schema_engine.h"

/* The key `variants`: checked for its form here; values are checked where they go, once a variant
 * is chosen. */
extern const struct field_type variants_type;

/* Applies one `PATH=VALUE`; reports and changes nothing if it cannot be. */
void overrides_apply_set(struct arena *arena, struct node *root, const char *set,
                         struct error_list *errors);
/* Applies one of the file's `variants` (NULL: it has none) to the tree. Returns false, and reports,
 * if there is none of the name. */
bool overrides_apply_variant(struct arena *arena, struct node *root, const struct node *variants,
                             const char *name, struct error_list *errors);

#endif
