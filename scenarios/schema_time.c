/* Moments: times of day, calendar times, moments of a trace; and units of time. */
#include <string.h>

#include "scenarios/quantity.h"
#include "scenarios/schema_engine.h"

#define TIMESTAMP_PATTERN                                                                          \
    "^[0-9]{4}-[0-9]{2}-[0-9]{2}([T ][0-9]{2}:[0-9]{2}(:[0-9]{2}([.][0-9]+)?)?"                    \
    "(Z|[+-][0-9]{2}:?[0-9]{2})?)?$"
static const char timestamp_advice[] =
    "a date such as 2026-03-02 or a time such as 2026-03-02T14:30:00";

static void describe_pattern(json_t *schema, const char *pattern) {
    json_object_set_new(schema, "type", json_string("string"));
    json_object_set_new(schema, "pattern", json_string(pattern));
}

static bool time_of_day_read(struct reading *reading, const struct field *field, struct node *node,
                             void *target) {
    int64_t value;
    if (node->kind != NODE_SCALAR || !time_of_day_parse(node->text, &value)) {
        return reading_refuse_value(reading, field, node,
                                    "a time of day from 00:00 to 23:59, such as \"14:00\"", NULL);
    }
    *(int64_t *)target = value;
    return true;
}

static void time_of_day_describe(const struct reader_context *context, const struct field *field,
                                 json_t *schema) {
    (void)context;
    (void)field;
    describe_pattern(schema, "^[0-2][0-9]:[0-5][0-9](:[0-5][0-9]([.][0-9]+)?)?$");
}

const struct field_type field_time_of_day = {
    .size = sizeof(int64_t), .read = time_of_day_read, .describe = time_of_day_describe};

static bool time_unit_read(struct reading *reading, const struct field *field, struct node *node,
                           void *target) {
    int64_t value;
    if (node->kind != NODE_SCALAR || !time_unit_parse(node->text, &value)) {
        return reading_refuse_value(reading, field, node, "a unit: ns, us, ms, s, m, h or d", NULL);
    }
    *(int64_t *)target = value;
    return true;
}

static void time_unit_describe(const struct reader_context *context, const struct field *field,
                               json_t *schema) {
    (void)context;
    (void)field;
    json_object_set_new(schema, "enum",
                        json_pack("[s,s,s,s,s,s,s]", "ns", "us", "ms", "s", "m", "h", "d"));
}

const struct field_type field_time_unit = {
    .size = sizeof(int64_t), .read = time_unit_read, .describe = time_unit_describe};

/* A wall clock is what calendars go by, so an offset would only raise the question which clock that
 * is. Z is what the clock of a cluster usually shows. */
static bool timestamp_read(struct reading *reading, const struct field *field, struct node *node,
                           void *target) {
    int64_t value;
    bool zone = false;
    if (node->kind != NODE_SCALAR || !timestamp_parse(node->text, &value, &zone)) {
        return reading_refuse_value(reading, field, node, timestamp_advice, NULL);
    }
    if (zone && node->text[strlen(node->text) - 1] != 'Z') {
        return reading_refuse(reading, node->place,
                              "must be the wall clock that calendars go by: write it without an "
                              "offset, or in UTC with Z, not \"%s\"",
                              node->text);
    }
    *(int64_t *)target = value;
    return true;
}

static void timestamp_describe(const struct reader_context *context, const struct field *field,
                               json_t *schema) {
    (void)context;
    (void)field;
    describe_pattern(schema, TIMESTAMP_PATTERN);
}

const struct field_type field_timestamp = {
    .size = sizeof(int64_t), .read = timestamp_read, .describe = timestamp_describe};

/* Moments of a trace. The row's words stand for kinds of moment. */

static bool moment_read(struct reading *reading, const struct field *field, struct node *node,
                        void *target) {
    struct trace_moment *moment = target;
    if (node->kind == NODE_SCALAR) {
        const struct field_word *word = field->words;
        for (; word != NULL && word->word != NULL; word++) {
            if (strcmp(node->text, word->word) == 0) {
                moment->kind = (enum moment_kind)word->value;
                return true;
            }
        }
        bool zone;
        if (timestamp_parse(node->text, &moment->ns, &zone)) {
            moment->kind = MOMENT_WALL;
            return true;
        }
        if (duration_parse(node->text, &moment->ns)) {
            moment->kind = MOMENT_CLOCK;
            return true;
        }
    }
    return reading_refuse_value(reading, field, node,
                                "a date such as 2017-10-09, or a time such as 2017-10-09T06:00:00, "
                                "or a time on the trace's own clock such as 0s or 3d",
                                quantity_hint(QUANTITY_DURATION, node));
}

static void moment_describe(const struct reader_context *context, const struct field *field,
                            json_t *schema) {
    (void)context;
    (void)field;
    json_t *duration = json_object();
    quantity_describe(QUANTITY_DURATION, duration);
    json_t *timestamp = json_object();
    describe_pattern(timestamp, TIMESTAMP_PATTERN);
    json_object_set_new(schema, "anyOf", json_pack("[o, o]", duration, timestamp));
}

const struct field_type field_moment = {.size = sizeof(struct trace_moment),
                                        .words = WORDS_READ_BY_TYPE,
                                        .read = moment_read,
                                        .describe = moment_describe};
