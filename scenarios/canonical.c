#include "scenarios/canonical.h"

#include <string.h>

#include "sim/kernel/memory.h"

static json_t *convert(const struct node *node) {
    if (node->kind == NODE_SCALAR) {
        return node_is_empty(node) ? json_null() : json_string(node->text);
    }
    json_t *result = node->kind == NODE_LIST ? json_array() : json_object();
    for (size_t i = 0; i < node->count; i++) {
        const struct entry *entry = &node->entries[i];
        if (node->kind == NODE_LIST) {
            json_array_append_new(result, convert(entry->value));
        } else {
            json_object_set_new(result, entry->key, convert(entry->value));
        }
    }
    return result;
}

char *canonical_text(const struct node *root, json_t *files) {
    json_t *json = convert(root);
    json_object_del(json, "plan"); /* how to search among runs is no input of one */
    if (json_object_size(files) > 0) {
        json_object_set(json, "files", files);
    }
    char *text = json_dumps(json, JSON_SORT_KEYS | JSON_COMPACT);
    json_decref(json);
    if (text == NULL) {
        memory_exhausted(0);
    }
    return text;
}
