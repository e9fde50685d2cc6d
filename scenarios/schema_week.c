/* Days and hours of the week. */
#include <string.h>

#include "scenarios/schema_engine.h"
#include "scenarios/weekly_text.h"

#define DAY_PATTERN "[A-Za-z]{3,9}(-[A-Za-z]{3,9})?"
#define TIME_PATTERN "[0-2][0-9]:[0-5][0-9](:[0-5][0-9]([.][0-9]+)?)?"

/* One day or a range, alone or in a list. */

static bool add_days(struct reading *reading, const struct field *field, const struct node *node,
                     uint32_t *days) {
    uint32_t some;
    if (node->kind != NODE_SCALAR || !weekly_days_parse(node->text, &some)) {
        return reading_refuse_value(reading, field, node,
                                    "days of the week such as mon-fri or [sat, sun]", NULL);
    }
    *days |= some;
    return true;
}

static bool days_read(struct reading *reading, const struct field *field, struct node *node,
                      void *target) {
    uint32_t days = 0;
    bool sound = true;
    if (node->kind != NODE_LIST) {
        sound = add_days(reading, field, node, &days);
    } else if (node->count == 0) {
        sound = reading_refuse(reading, node->place, "needs at least one item");
    }
    for (size_t i = 0; node->kind == NODE_LIST && i < node->count; i++) {
        sound &= add_days(reading, field, node->entries[i].value, &days);
    }
    *(uint32_t *)target = days;
    return sound;
}

static json_t *text_with_pattern(const char *pattern) {
    return json_pack("{s:s, s:s}", "type", "string", "pattern", pattern);
}

static void days_describe(const struct reader_context *context, const struct field *field,
                          json_t *schema) {
    (void)context;
    (void)field;
    json_t *list = json_pack("{s:s, s:o, s:i}", "type", "array", "items",
                             text_with_pattern("^" DAY_PATTERN "$"), "minItems", 1);
    json_object_set_new(schema, "anyOf",
                        json_pack("[o, o]", text_with_pattern("^" DAY_PATTERN "$"), list));
}

const struct field_type field_week_days = {
    .size = sizeof(uint32_t), .read = days_read, .describe = days_describe};

/* A span as one text. */

static bool span_read(struct reading *reading, const struct field *field, struct node *node,
                      void *target) {
    if (node->kind != NODE_SCALAR || !weekly_span_parse(node->text, target)) {
        return reading_refuse_value(reading, field, node,
                                    "hours such as \"21:00-06:00\" or \"sat 00:00-24:00\"", NULL);
    }
    return true;
}

static void span_describe(const struct reader_context *context, const struct field *field,
                          json_t *schema) {
    (void)context;
    (void)field;
    json_object_set_new(schema, "type", json_string("string"));
    json_object_set_new(schema, "pattern",
                        json_string("^(" DAY_PATTERN " )?" TIME_PATTERN "-" TIME_PATTERN "$"));
}

const struct field_type field_week_span = {
    .size = sizeof(struct weekly_span), .read = span_read, .describe = span_describe};
