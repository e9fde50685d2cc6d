#include "scenarios/overrides.h"

#include <stdio.h>
#include <string.h>

#include "scenarios/problem.h"
#include "scenarios/value_path.h"
#include "scenarios/yaml_tree.h"

/* The first = that is not in quotes. */
static const char *find_equals(const char *set) {
    bool quoted = false;
    for (; *set != '\0'; set++) {
        quoted ^= *set == '"';
        if (*set == '=' && !quoted) {
            return set;
        }
    }
    return NULL;
}

void overrides_apply_set(struct arena *arena, struct node *root, const char *set,
                         struct error_list *errors) {
    static const char prefix[] = "--set ";
    const char *equals = find_equals(set);
    size_t length = equals != NULL ? (size_t)(equals - set) : strlen(set);
    char *file = arena_allocate(arena, sizeof(prefix) + length, 1);
    memcpy(file, prefix, sizeof(prefix) - 1);
    memcpy(file + sizeof(prefix) - 1, set, length);
    struct place place = {file, 0, 0};
    struct value_path path;
    if (equals == NULL) {
        problem_add(errors, place, "write --set PATH=VALUE, such as --set replications=5");
        return;
    }
    if (!value_path_parse(arena, file + sizeof(prefix) - 1, &path)) {
        problem_add(errors, place, "%s", value_path_advice);
        return;
    }
    size_t before = errors->count;
    struct node *value = yaml_tree_parse(arena, file, equals + 1, strlen(equals + 1), errors);
    if (errors->count > before) {
        return;
    }
    if (value == NULL) {
        problem_add(errors, (struct place){file, 1, 1}, "a value is missing after the =");
        return;
    }
    value_path_put(arena, root, &path, place, value, errors);
}

bool overrides_apply_variant(struct arena *arena, struct node *root, const struct node *variants,
                             const char *name, struct error_list *errors) {
    const struct node *variant = node_member(variants, name);
    if (variant == NULL) {
        static const struct node none = {.kind = NODE_MAP};
        problem_add(errors, (struct place){root->place.file, 0, 0}, "there is no variant \"%s\"%s",
                    name, value_path_advise(arena, variants != NULL ? variants : &none, name));
        return false;
    }
    for (size_t i = 0; variant->kind == NODE_MAP && i < variant->count; i++) {
        const struct entry *entry = &variant->entries[i];
        struct value_path path;
        /* A bad path is reported with the form of the variants. A copy, because what one value
         * holds may be changed by the next path. */
        if (value_path_parse(arena, entry->key, &path)) {
            struct place place = entry->place;
            place.file = root->place.file; /* which lives as long as the tree */
            value_path_put(arena, root, &path, place, node_copy(arena, place.file, entry->value),
                           errors);
        }
    }
    return true;
}

/* The form of `variants`. */

static bool check_paths(struct reading *reading, const struct node *variant) {
    bool sound = true;
    for (size_t i = 0; i < variant->count; i++) {
        const struct entry *entry = &variant->entries[i];
        struct value_path path;
        if (!value_path_parse(&reading->scenario->arena, entry->key, &path)) {
            sound = reading_report(reading, entry->place, "%s", value_path_advice);
        } else if (value_path_is_closed(&path)) {
            sound =
                reading_report(reading, entry->place, "a variant cannot change %s", path.names[0]);
        } else if (node_is_empty(entry->value)) {
            sound =
                reading_report_slip(reading, variant, entry)
                    ? false
                    : reading_report(reading, entry->value->place, "%s needs a value", entry->key);
        }
    }
    return sound;
}

static bool check_variant(struct reading *reading, const struct entry *entry) {
    const struct field name = {.type = &field_name, .size = sizeof(char *)};
    struct node key = {
        .kind = NODE_SCALAR, .place = entry->place, .text = entry->key, .quoted = true};
    const char *unused;
    bool sound = field_read(reading, &name, &key, &unused);
    if (sound && strcmp(entry->key, "base") == 0) {
        sound = reading_report(reading, entry->place,
                               "a variant cannot be called base: that is the scenario without any");
    }
    if (entry->value->kind == NODE_MAP) {
        return check_paths(reading, entry->value) && sound;
    }
    if (node_is_empty(entry->value)) {
        return sound;
    }
    char found[96];
    return reading_refuse(reading, entry->value->place,
                          "must be a map of paths and values such as {cluster.pools.a.nodes: 4}, "
                          "not %s",
                          node_describe(entry->value, found, sizeof(found)));
}

static bool variants_read(struct reading *reading, const struct field *field, struct node *node,
                          void *target) {
    (void)target;
    if (node_is_empty(node)) {
        return true;
    }
    if (node->kind != NODE_MAP) {
        return reading_refuse_value(reading, field, node, "a map of named variants", NULL);
    }
    bool sound = true;
    for (size_t i = 0; i < node->count; i++) {
        size_t before = reading_enter(reading, node->entries[i].key);
        sound &= check_variant(reading, &node->entries[i]);
        reading_leave(reading, before);
    }
    return sound;
}

static void variants_describe(const struct reader_context *context, const struct field *field,
                              json_t *schema) {
    (void)field;
    const struct field name = {.type = &field_name};
    json_object_set_new(schema, "type", json_string("object"));
    json_object_set_new(schema, "propertyNames", field_describe(context, &name));
    json_object_set_new(schema, "additionalProperties",
                        json_pack("{s:[s, s], s:s}", "type", "object", "null", "description",
                                  "paths and the values they get"));
}

const struct field_type variants_type = {
    .empty_is_map = true, .read = variants_read, .describe = variants_describe};
