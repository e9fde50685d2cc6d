/* Lists and maps of any number of items. */
#include "scenarios/schema_engine.h"

/* Makes the array of a list or map and sets the two members that tell it. */
static char *make_items(struct reading *reading, const struct field *field, void *target,
                        size_t count) {
    char *items = arena_allocate(&reading->scenario->arena, count, field->item_size);
    *(char **)target = items;
    *(size_t *)((char *)target - field->offset + field->count_offset) = count;
    return items;
}

static bool list_read(struct reading *reading, const struct field *field, struct node *node,
                      void *target) {
    if (node->kind == NODE_MAP || (node->kind == NODE_SCALAR && !node_is_empty(node))) {
        return reading_refuse_value(reading, field, node, "a list such as [a, b]", NULL);
    }
    if (node->count == 0 && !field->may_be_empty) {
        return reading_refuse(reading, node->place, "needs at least one item");
    }
    char *items = make_items(reading, field, target, node->count);
    bool sound = true;
    for (size_t i = 0; i < node->count; i++) {
        sound &=
            field_read(reading, field->item, node->entries[i].value, items + i * field->item_size);
    }
    return sound;
}

static void list_describe(const struct reader_context *context, const struct field *field,
                          json_t *schema) {
    json_object_set_new(schema, "type", json_string("array"));
    json_object_set_new(schema, "items", field_describe(context, field->item));
    if (!field->may_be_empty) {
        json_object_set_new(schema, "minItems", json_integer(1));
    }
}

const struct field_type field_list = {
    .size = sizeof(void *), .empty_is_map = true, .read = list_read, .describe = list_describe};

static bool read_entry(struct reading *reading, const struct field *field, const struct node *map,
                       struct entry *entry, void *item) {
    if (!entry->value->bad && reading_report_slip(reading, map, entry)) {
        entry->value->bad = true;
        return false; /* neither the key nor the value is what was meant */
    }
    struct node key = {
        .kind = NODE_SCALAR, .place = entry->place, .text = entry->key, .quoted = true};
    bool sound = field_read(reading, field->key, &key, item);
    return field_read_member(reading, field->item, map, entry, item) && sound;
}

static bool map_read(struct reading *reading, const struct field *field, struct node *node,
                     void *target) {
    if (node->kind == NODE_LIST || (node->kind == NODE_SCALAR && !node_is_empty(node))) {
        return reading_refuse_value(reading, field, node, "a map", missing_blank_hint(node));
    }
    if (node->count == 0 && !field->may_be_empty) {
        return reading_refuse(reading, node->place, "needs at least one entry");
    }
    char *items = make_items(reading, field, target, node->count);
    bool sound = true;
    for (size_t i = 0; i < node->count; i++) {
        sound &= read_entry(reading, field, node, &node->entries[i], items + i * field->item_size);
    }
    return sound;
}

static void map_describe(const struct reader_context *context, const struct field *field,
                         json_t *schema) {
    json_object_set_new(schema, "type", json_string("object"));
    json_object_set_new(schema, "propertyNames", field_describe(context, field->key));
    json_object_set_new(schema, "additionalProperties", field_describe(context, field->item));
    if (!field->may_be_empty) {
        json_object_set_new(schema, "minProperties", json_integer(1));
    }
}

const struct field_type field_map = {
    .size = sizeof(void *), .empty_is_map = true, .read = map_read, .describe = map_describe};
