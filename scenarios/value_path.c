#include "scenarios/value_path.h"

#include <stdio.h>
#include <string.h>

#include "scenarios/problem.h"
#include "scenarios/suggest.h"

const char value_path_advice[] =
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

bool value_path_parse(struct arena *arena, const char *text, struct value_path *path) {
    *path = (struct value_path){0};
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

const char *value_path_text(struct arena *arena, const struct value_path *path, size_t count) {
    enum { DOT_AND_QUOTES = 3 };
    size_t length = 0;
    for (size_t i = 0; i < count; i++) {
        length += strlen(path->names[i]) + DOT_AND_QUOTES;
    }
    char *text = arena_allocate(arena, length + 1, 1);
    char *end = text;
    for (size_t i = 0; i < count; i++) {
        const char *quote = strpbrk(path->names[i], ".=, ") != NULL ? "\"" : "";
        end += sprintf(end, "%s%s%s%s", i > 0 ? "." : "", quote, path->names[i], quote);
    }
    return text;
}

bool value_path_overlaps(const struct value_path *a, const struct value_path *b) {
    size_t count = a->count < b->count ? a->count : b->count;
    bool same = true;
    for (size_t i = 0; i < count && same; i++) {
        same = strcmp(a->names[i], b->names[i]) == 0;
    }
    return same;
}

bool value_path_is_closed(const struct value_path *path) {
    return strcmp(path->names[0], "variants") == 0 || strcmp(path->names[0], "sweep") == 0;
}

const char *value_path_advise(struct arena *arena, const struct node *map, const char *name) {
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
    map->advice = value_path_advise(arena, parent, name);
    return map;
}

/* The map that the last name of the path stands in, made if need be; NULL, and reported, if the
 * path goes through something else. */
static struct node *walk(struct arena *arena, struct node *root, const struct value_path *path,
                         struct place place, struct error_list *errors) {
    struct node *node = root;
    for (size_t i = 0; i + 1 < path->count; i++) {
        struct node *next = node_member(node, path->names[i]);
        if (next == NULL || node_is_empty(next)) {
            next = make_map(arena, node, path->names[i], place);
            node_put(arena, node, path->names[i], place, next);
        }
        if (next->kind != NODE_MAP) {
            char found[96];
            problem_add(errors, place, "the path goes through %s, which is %s and has no keys",
                        value_path_text(arena, path, i + 1),
                        node_describe(next, found, sizeof(found)));
            return NULL;
        }
        node = next;
    }
    return node;
}

void value_path_put(struct arena *arena, struct node *root, const struct value_path *path,
                    struct place place, struct node *value, struct error_list *errors) {
    if (root->kind != NODE_MAP) {
        return; /* reported when the tree is read */
    }
    if (value_path_is_closed(path)) {
        problem_add(errors, place, "%s cannot be changed by a path", path->names[0]);
        return;
    }
    struct node *map = walk(arena, root, path, place, errors);
    if (map != NULL) {
        node_put(arena, map, path->names[path->count - 1], place, value);
    }
}
