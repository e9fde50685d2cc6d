#include "scenarios/sweep.h"

#include <string.h>

#include "scenarios/flow_text.h"

/* That of the last path changes from each point to the next. */
const struct node *sweep_value(const struct sweep *sweep, size_t axis, size_t point) {
    for (size_t i = sweep->axis_count; i-- > axis + 1;) {
        point /= sweep->axes[i].entry->value->count;
    }
    const struct node *values = sweep->axes[axis].entry->value;
    return values->entries[point % values->count].value;
}

void sweep_create(struct sweep *sweep, struct arena *arena, const struct node *value) {
    *sweep = (struct sweep){0};
    if (value == NULL || value->kind != NODE_MAP || value->count == 0) {
        return;
    }
    sweep->axes = arena_allocate(arena, value->count, sizeof(sweep->axes[0]));
    sweep->axis_count = value->count;
    sweep->point_count = 1;
    for (size_t i = 0; i < value->count; i++) {
        struct sweep_axis *axis = &sweep->axes[i];
        axis->entry = &value->entries[i];
        value_path_parse(arena, axis->entry->key, &axis->path);
        axis->text = value_path_text(arena, &axis->path, axis->path.count);
        sweep->point_count *= axis->entry->value->count;
    }
}

const char *sweep_point_name(const struct sweep *sweep, struct arena *arena, size_t point) {
    struct arena scratch = {0};
    size_t length = 0;
    const char **texts = arena_allocate(&scratch, sweep->axis_count, sizeof(texts[0]));
    for (size_t i = 0; i < sweep->axis_count; i++) {
        texts[i] = flow_text(&scratch, sweep_value(sweep, i, point));
        length += strlen(sweep->axes[i].text) + strlen(texts[i]) + strlen("=, ");
    }
    char *name = arena_allocate(arena, length + 1, 1);
    char *end = name;
    for (size_t i = 0; i < sweep->axis_count; i++) {
        end = stpcpy(stpcpy(end, i > 0 ? ", " : ""), sweep->axes[i].text);
        end = stpcpy(stpcpy(end, "="), texts[i]);
    }
    arena_clear(&scratch);
    return name;
}

void sweep_apply(const struct sweep *sweep, struct arena *arena, struct node *root, size_t point,
                 struct error_list *errors) {
    for (size_t i = 0; i < sweep->axis_count; i++) {
        const struct sweep_axis *axis = &sweep->axes[i];
        struct place place = axis->entry->place;
        place.file = root->place.file; /* which lives as long as the tree */
        value_path_put(arena, root, &axis->path, place,
                       node_copy(arena, place.file, sweep_value(sweep, i, point)), errors);
    }
}

static bool is_at(struct place place, int line, int column) {
    return place.line == line && place.column == column;
}

static bool holds_place(const struct node *value, int line, int column) {
    bool holds = is_at(value->place, line, column);
    for (size_t i = 0; value->kind != NODE_SCALAR && i < value->count && !holds; i++) {
        const struct entry *entry = &value->entries[i];
        holds = (entry->key != NULL && is_at(entry->place, line, column)) ||
                holds_place(entry->value, line, column);
    }
    return holds;
}

bool sweep_has_place(const struct sweep *sweep, size_t point, int line, int column) {
    bool has = false;
    for (size_t i = 0; i < sweep->axis_count && !has; i++) {
        has = is_at(sweep->axes[i].entry->place, line, column) ||
              holds_place(sweep_value(sweep, i, point), line, column);
    }
    return has;
}

/* The form of `sweep`. */

/* That the list has values, each of which is one and is there once. */
static bool check_values(struct reading *reading, const struct entry *entry) {
    const struct node *values = entry->value;
    if (values->kind != NODE_LIST || values->count == 0) {
        char found[96];
        bool empty = values->kind == NODE_LIST;
        return reading_report(reading, values->place,
                              "%s needs a list of values such as [1, 2, 4], not %s", entry->key,
                              empty ? "an empty one" : node_describe(values, found, sizeof(found)));
    }
    struct arena scratch = {0};
    const char **texts = arena_allocate(&scratch, values->count, sizeof(texts[0]));
    bool sound = true;
    for (size_t i = 0; i < values->count; i++) {
        const struct node *value = values->entries[i].value;
        bool again = false;
        texts[i] = flow_text(&scratch, value);
        for (size_t j = 0; j < i && !again; j++) {
            again = strcmp(texts[i], texts[j]) == 0;
        }
        if (node_is_empty(value)) {
            sound = reading_report(reading, value->place, "a value of %s is empty", entry->key);
        } else if (again) {
            sound = reading_report(reading, value->place, "%s has the value %s twice", entry->key,
                                   texts[i]);
        }
    }
    arena_clear(&scratch);
    return sound;
}

static bool check_path(struct reading *reading, const struct node *sweep, size_t index,
                       const char *what) {
    struct arena *arena = &reading->scenario->arena;
    const struct entry *entry = &sweep->entries[index];
    struct value_path path;
    if (!value_path_parse(arena, entry->key, &path)) {
        return reading_report(reading, entry->place, "%s", value_path_advice);
    }
    if (value_path_is_closed(&path)) {
        return reading_report(reading, entry->place, "%s cannot change %s", what, path.names[0]);
    }
    for (size_t i = 0; i < index; i++) {
        struct value_path other;
        if (value_path_parse(arena, sweep->entries[i].key, &other) &&
            value_path_overlaps(&path, &other)) {
            return reading_report(reading, entry->place,
                                  "%s and %s replace the same value: leave one of them out",
                                  entry->key, sweep->entries[i].key);
        }
    }
    return true;
}

static bool check_point_count(struct reading *reading, const struct node *sweep) {
    double points = 1;
    for (size_t i = 0; i < sweep->count; i++) {
        points *= (double)sweep->entries[i].value->count;
    }
    return points <= MOST_SWEEP_POINTS ||
           reading_refuse(reading, sweep->place, "has %.0f points; at most %d are possible", points,
                          MOST_SWEEP_POINTS);
}

bool sweep_check(struct reading *reading, const struct node *node, const char *what) {
    bool sound = true;
    for (size_t i = 0; i < node->count; i++) {
        const struct entry *entry = &node->entries[i];
        if (node_is_empty(entry->value) && reading_report_slip(reading, node, entry)) {
            sound = false;
        } else {
            sound &= check_path(reading, node, i, what) && check_values(reading, entry);
        }
    }
    return sound && check_point_count(reading, node);
}

static bool sweep_read(struct reading *reading, const struct field *field, struct node *node,
                       void *target) {
    (void)target;
    if (node_is_empty(node)) {
        return true;
    }
    if (node->kind != NODE_MAP) {
        return reading_refuse_value(reading, field, node,
                                    "a map of paths and lists of values such as "
                                    "{cluster.pools.a.nodes: [1, 2, 4]}",
                                    NULL);
    }
    return sweep_check(reading, node, "a sweep");
}

static void sweep_describe(const struct reader_context *context, const struct field *field,
                           json_t *schema) {
    (void)context;
    (void)field;
    json_object_set_new(schema, "type", json_string("object"));
    json_object_set_new(schema, "additionalProperties",
                        json_pack("{s:s, s:i, s:b, s:s}", "type", "array", "minItems", 1,
                                  "uniqueItems", 1, "description",
                                  "the values to try at this path"));
}

const struct field_type sweep_type = {
    .empty_is_map = true, .read = sweep_read, .describe = sweep_describe};
