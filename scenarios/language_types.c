#include "scenarios/language_types.h"

#include <string.h>

#include "scenarios/suggest.h"

/* The version of the language. */

static bool version_read(struct reading *reading, const struct field *field, struct node *node,
                         void *target) {
    (void)target;
    if (node->kind != NODE_SCALAR || strcmp(node->text, "1") != 0) {
        return reading_refuse_value(reading, field, node,
                                    "1, the version of the language that this program reads", NULL);
    }
    return true;
}

static void version_describe(const struct reader_context *context, const struct field *field,
                             json_t *schema) {
    (void)context;
    (void)field;
    json_object_set_new(schema, "const", json_integer(1));
}

const struct field_type language_version_type = {.read = version_read,
                                                 .describe = version_describe};

/* The name of a pool, to its index. Looked up in the tree: a pool with a mistake in it is a pool.
 */

static bool pool_reference_read(struct reading *reading, const struct field *field,
                                struct node *node, void *target) {
    const struct node *pools = node_at(reading->root, "cluster", "pools", NULL);
    if (node->kind != NODE_SCALAR) {
        return reading_refuse_value(reading, field, node, "the name of a pool", NULL);
    }
    if (pools == NULL || pools->kind != NODE_MAP) {
        return false; /* reported there */
    }
    const struct entry *entry = node_entry(pools, node->text);
    if (entry != NULL) {
        *(int *)target = (int)(entry - pools->entries);
        return true;
    }
    struct suggestion suggestion = suggestion_start(node->text);
    for (size_t i = 0; i < pools->count; i++) {
        suggestion_consider(&suggestion, pools->entries[i].key);
    }
    bool close = suggestion.best != NULL;
    char name[96];
    return reading_refuse(reading, node->place, "names no pool of the cluster: %s%s%s%s",
                          node_describe(node, name, sizeof(name)), close ? "; did you mean \"" : "",
                          close ? suggestion.best : "", close ? "\"?" : "");
}

static void pool_reference_describe(const struct reader_context *context, const struct field *field,
                                    json_t *schema) {
    field_name.describe(context, field, schema);
}

const struct field_type language_pool_type = {
    .size = sizeof(int), .read = pool_reference_read, .describe = pool_reference_describe};
