#include "scenarios/overrides.h"

#include <stdio.h>
#include <string.h>

#include "scenarios/problem.h"
#include "scenarios/suggest.h"
#include "scenarios/yaml_tree.h"

/* A path taken apart: `workloads."v1.5".memory` has three names. */
struct path {
    const char *text;
    const char *names[YAML_TREE_DEPTH];
    size_t count;
};

/* What keeps a text from being a path. */
static const char path_advice[] =
    "a path is names with dots between them; a name with a dot in it is in quotes: "
    "workloads.\"v1.5\".memory";

/* Cuts the next name off *rest; false if there is none. */
static bool take_name(struct arena *arena, const char **rest, const char **name) {
    bool quoted = **rest == '"';
    const char *start = *rest + quoted;
    size_t length = strcspn(start, quoted ? "\"" : ".\"");
    const char *end = start + length;
    if (length == 0 || (quoted && *end != '"') || (!quoted && *end == '"')) {
        return false;
    }
    char *copy = arena_allocate(arena, length + 1, 1);
    memcpy(copy, start, length);
    *name = copy;
    *rest = end + quoted;
    return **rest == '\0' || **rest == '.';
}

static bool parse_path(struct arena *arena, const char *text, struct path *path) {
    *path = (struct path){.text = text};
    const char *rest = text;
    do {
        rest += path->count > 0;
        if (path->count == YAML_TREE_DEPTH || !take_name(arena, &rest, &path->names[path->count])) {
            return false;
        }
        path->count++;
    } while (*rest == '.');
    return true;
}

/* "cluster.pools.a100": the first `count` names of a path. Returns buffer. */
static const char *describe_path(const struct path *path, size_t count, char *buffer, size_t size) {
    buffer[0] = '\0';
    for (size_t i = 0; i < count; i++) {
        const char *quote = strchr(path->names[i], '.') != NULL ? "\"" : "";
        size_t used = strlen(buffer);
        snprintf(buffer + used, size - used, "%s%s%s%s", i > 0 ? "." : "", quote, path->names[i],
                 quote);
    }
    return buffer;
}

/* ": did you mean ..." or ", where there are ..." about a name that a map does not have. */
static const char *advise_name(struct arena *arena, const struct node *map, const char *name) {
    struct suggestion suggestion = suggestion_start(name);
    char text[256] = "";
    for (size_t i = 0; i < map->count; i++) {
        suggestion_consider(&suggestion, map->entries[i].key);
        size_t used = strlen(text);
        snprintf(text + used, sizeof(text) - used, "%s%s", i == 0 ? ", where there is " : ", ",
                 map->entries[i].key);
    }
    if (suggestion.best != NULL) {
        snprintf(text, sizeof(text), ": did you mean \"%s\"?", suggestion.best);
    }
    return arena_duplicate_string(arena, text);
}

/* A map for a name that the path goes through but the tree does not have. */
static struct node *make_map(struct arena *arena, const struct node *parent, const char *name,
                             struct place place) {
    struct node *map = arena_allocate(arena, 1, sizeof(*map));
    map->kind = NODE_MAP;
    map->place = place;
    map->created = true;
    map->advice = advise_name(arena, parent, name);
    return map;
}

/* The map that the last name of the path stands in, made if need be; NULL, and reported, if the
 * path goes through something else. */
static struct node *walk(struct arena *arena, struct node *root, const struct path *path,
                         struct place place, struct error_list *errors) {
    struct node *node = root;
    for (size_t i = 0; i + 1 < path->count; i++) {
        struct node *next = node_member(node, path->names[i]);
        if (next == NULL || node_is_empty(next)) {
            next = make_map(arena, node, path->names[i], place);
            node_put(arena, node, path->names[i], place, next);
        }
        if (next->kind != NODE_MAP) {
            char passed[256];
            char found[96];
            problem_add(errors, place, "the path goes through %s, which is %s and has no keys",
                        describe_path(path, i + 1, passed, sizeof(passed)),
                        node_describe(next, found, sizeof(found)));
            return NULL;
        }
        node = next;
    }
    return node;
}

static void apply(struct arena *arena, struct node *root, const struct path *path,
                  struct place place, struct node *value, struct error_list *errors) {
    if (root->kind != NODE_MAP) {
        return; /* reported when the tree is read */
    }
    if (strcmp(path->names[0], "variants") == 0) {
        problem_add(errors, place, "variants cannot be changed by a path");
        return;
    }
    struct node *map = walk(arena, root, path, place, errors);
    if (map != NULL) {
        node_put(arena, map, path->names[path->count - 1], place, value);
    }
}

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
    struct path path;
    if (equals == NULL) {
        problem_add(errors, place, "write --set PATH=VALUE, such as --set replications=5");
        return;
    }
    if (!parse_path(arena, file + sizeof(prefix) - 1, &path)) {
        problem_add(errors, place, "%s", path_advice);
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
    apply(arena, root, &path, place, value, errors);
}

bool overrides_apply_variant(struct arena *arena, struct node *root, const struct node *variants,
                             const char *name, struct error_list *errors) {
    const struct node *variant = node_member(variants, name);
    if (variant == NULL) {
        static const struct node none = {.kind = NODE_MAP};
        problem_add(errors, (struct place){root->place.file, 0, 0}, "there is no variant \"%s\"%s",
                    name, advise_name(arena, variants != NULL ? variants : &none, name));
        return false;
    }
    for (size_t i = 0; variant->kind == NODE_MAP && i < variant->count; i++) {
        const struct entry *entry = &variant->entries[i];
        struct path path;
        /* A bad path is reported with the form of the variants. A copy, because what one value
         * holds may be changed by the next path. */
        if (parse_path(arena, entry->key, &path)) {
            struct place place = entry->place;
            place.file = root->place.file; /* which lives as long as the tree */
            apply(arena, root, &path, place, node_copy(arena, place.file, entry->value), errors);
        }
    }
    return true;
}

/* The form of `variants`. */

static bool check_paths(struct reading *reading, const struct node *variant) {
    bool sound = true;
    for (size_t i = 0; i < variant->count; i++) {
        const struct entry *entry = &variant->entries[i];
        struct path path;
        if (!parse_path(&reading->scenario->arena, entry->key, &path)) {
            sound = reading_report(reading, entry->place, "%s", path_advice);
        } else if (strcmp(path.names[0], "variants") == 0) {
            sound = reading_report(reading, entry->place, "a variant cannot change variants");
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
