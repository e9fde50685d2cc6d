/* Distributions: a plain quantity, or a one-key map whose parameters are laid out by the rows of
 * sim/kernel/distribution.h. */
#include "scenarios/distribution_reader.h"

#include <stdio.h>
#include <string.h>

#include "scenarios/suggest.h"
#include "sim/kernel/memory.h"

static bool read_named(struct reading *reading, const struct field *field, struct node *node,
                       struct distribution *distribution) {
    struct field rows[DISTRIBUTION_PARAMETERS + 1];
    distribution_rows(distribution->kind, field, rows);
    struct field parameters = {.type = &field_object, .fields = rows};
    return field_read(reading, &parameters, node, distribution->given);
}

/* {uniform: [10s, 30s]}; a kind of one parameter needs no brackets. */
static bool read_positional(struct reading *reading, const struct field *field, struct node *node,
                            struct distribution *distribution) {
    struct field rows[DISTRIBUTION_PARAMETERS + 1];
    size_t count = distribution_rows(distribution->kind, field, rows);
    if (count == 1 && node->kind == NODE_SCALAR) {
        return field_read(reading, &rows[0], node, distribution->given);
    }
    if (node->kind != NODE_LIST || node->count != count) {
        char advice[128] = "a list [";
        for (size_t i = 0; i < count; i++) {
            strncat(advice, i > 0 ? ", " : "", sizeof(advice) - strlen(advice) - 1);
            strncat(advice, rows[i].name, sizeof(advice) - strlen(advice) - 1);
        }
        strncat(advice, "]", sizeof(advice) - strlen(advice) - 1);
        return node->kind == NODE_LIST
                   ? reading_refuse(reading, node->place, "must be %s, not a list of %zu", advice,
                                    node->count)
                   : reading_refuse_value(reading, field, node, advice, NULL);
    }
    bool sound = true;
    for (size_t i = 0; i < count; i++) {
        sound &= field_read(reading, &rows[i], node->entries[i].value, distribution->given);
    }
    return sound;
}

static bool read_weights(struct reading *reading, const struct field *field, struct node *node,
                         struct distribution *distribution) {
    const struct field key = {
        .type = &distribution_value_type, .size = sizeof(double), .dimension = field->dimension};
    const struct field weight = {.type = &distribution_weight_type, .size = sizeof(double)};
    if (node->kind != NODE_MAP || node->count == 0) {
        return reading_refuse_value(reading, field, node,
                                    "a map of values and weights such as {1: 0.7, 4: 0.3}", NULL);
    }
    distribution->value_count = node->count;
    distribution->values = memory_zero(node->count, sizeof(double));
    distribution->weights = memory_zero(node->count, sizeof(double));
    bool sound = true;
    for (size_t i = 0; i < node->count; i++) {
        struct entry *entry = &node->entries[i];
        struct node value = {
            .kind = NODE_SCALAR, .place = entry->place, .text = entry->key, .quoted = true};
        sound &= field_read(reading, &key, &value, &distribution->values[i]);
        sound &= field_read_member(reading, &weight, node, entry, &distribution->weights[i]);
    }
    return sound;
}

static const struct {
    bool (*read)(struct reading *reading, const struct field *field, struct node *node,
                 struct distribution *distribution);
} styles[] = {
    [STYLE_NAMED] = {read_named},
    [STYLE_POSITIONAL] = {read_positional},
    [STYLE_WEIGHTS] = {read_weights},
    [STYLE_COLUMN] = {distribution_column_read},
};

/* The scenario frees what its distributions own, wherever they stand in its structs. */
static void keep(struct scenario *scenario, const struct distribution *distribution) {
    scenario->distributions =
        memory_grow(scenario->distributions, &scenario->distribution_capacity,
                    scenario->distribution_count + 1, sizeof(scenario->distributions[0]));
    scenario->distributions[scenario->distribution_count++] = *distribution;
}

static bool finish(struct reading *reading, const struct field *field, const struct node *node,
                   struct distribution *distribution) {
    struct error error;
    if (!distribution_check_support(reading, field, node, distribution)) {
        return false;
    }
    if (!distribution_prepare(distribution, &error)) {
        return reading_report(reading, node->place, "%s: %s", reading_path(reading), error.message);
    }
    keep(reading->scenario, distribution);
    return true;
}

static bool report_unknown_kind(struct reading *reading, const struct entry *entry) {
    struct suggestion suggestion = suggestion_start(entry->key);
    char list[256] = "";
    char name[96];
    text_describe(entry->key, name, sizeof(name));
    for (size_t i = 0; i < distribution_kind_count; i++) {
        suggestion_consider(&suggestion, distribution_kinds[i].name);
        strncat(list, i > 0 ? ", " : "", sizeof(list) - strlen(list) - 1);
        strncat(list, distribution_kinds[i].name, sizeof(list) - strlen(list) - 1);
    }
    if (suggestion.best != NULL) {
        return reading_report(reading, entry->place,
                              "unknown distribution %s: did you mean \"%s\"?", name,
                              suggestion.best);
    }
    return reading_report(reading, entry->place, "unknown distribution %s: there are %s", name,
                          list);
}

static bool read_kind(struct reading *reading, const struct field *field, struct node *node,
                      struct distribution *distribution) {
    struct entry *entry = &node->entries[0];
    distribution->kind = distribution_find(entry->key);
    if (distribution->kind == NULL) {
        return !reading_report_slip(reading, node, entry) && report_unknown_kind(reading, entry);
    }
    size_t before = reading_enter(reading, entry->key);
    bool sound = !node_is_empty(entry->value) && !entry->value->bad &&
                 styles[distribution->kind->style].read(reading, field, entry->value, distribution);
    if (node_is_empty(entry->value)) {
        reading_refuse(reading, entry->value->place, "needs a value");
    }
    reading_leave(reading, before);
    return sound;
}

static bool distribution_read(struct reading *reading, const struct field *field, struct node *node,
                              void *target) {
    struct distribution distribution = {.kind = &distribution_kinds[0]};
    bool sound;
    if (node->kind == NODE_SCALAR) {
        const struct field value = {.type = &distribution_value_type,
                                    .size = sizeof(double),
                                    .dimension = field->dimension};
        sound = field_read(reading, &value, node, distribution.given);
    } else if (node->kind == NODE_MAP && node->count == 1) {
        sound = read_kind(reading, field, node, &distribution);
    } else {
        char advice[200];
        snprintf(advice, sizeof(advice),
                 "%s, or one distribution such as {exponential: {mean: %s}}",
                 distribution_value_advice(field->dimension),
                 field->dimension == DIMENSION_DURATION ? "2h"
                 : field->dimension == DIMENSION_BYTES  ? "2GB"
                                                        : "2");
        return reading_refuse_value(reading, field, node, advice, NULL);
    }
    if (!sound || !finish(reading, field, node, &distribution)) {
        distribution_clear(&distribution);
        return false;
    }
    *(struct distribution *)target = distribution;
    return true;
}

/* What stands after the name of a kind. */
static json_t *describe_parameters(const struct reader_context *context, const struct field *field,
                                   const struct distribution_kind *kind) {
    struct field rows[DISTRIBUTION_PARAMETERS + 1];
    json_t *schema = json_object();
    size_t count = distribution_rows(kind, field, rows);
    if (kind->style == STYLE_NAMED) {
        fields_describe(context, rows, schema);
    } else if (kind->style == STYLE_COLUMN) {
        fields_describe(context, distribution_column_fields, schema);
    } else if (kind->style == STYLE_WEIGHTS) {
        const struct field weight = {.type = &distribution_weight_type};
        json_object_set_new(schema, "type", json_string("object"));
        json_object_set_new(schema, "additionalProperties", field_describe(context, &weight));
        json_object_set_new(schema, "minProperties", json_integer(1));
    } else {
        json_t *items = json_array();
        for (size_t i = 0; i < count; i++) {
            json_array_append_new(items, field_describe(context, &rows[i]));
        }
        json_object_set_new(schema, "type", json_string("array"));
        json_object_set_new(schema, "prefixItems", items);
        json_object_set_new(schema, "minItems", json_integer((json_int_t)count));
        json_object_set_new(schema, "maxItems", json_integer((json_int_t)count));
        if (count == 1) {
            schema = json_pack("{s:[O, o]}", "anyOf", json_array_get(items, 0), schema);
        }
    }
    return schema;
}

static void distribution_describe(const struct reader_context *context, const struct field *field,
                                  json_t *schema) {
    const struct field value = {.type = &distribution_value_type, .dimension = field->dimension};
    json_t *alternatives = json_pack("[o]", field_describe(context, &value));
    for (size_t i = 0; i < distribution_kind_count; i++) {
        const struct distribution_kind *kind = &distribution_kinds[i];
        json_array_append_new(alternatives,
                              json_pack("{s:s, s:s, s:{s:o}, s:[s], s:b}", "type", "object",
                                        "description", kind->summary, "properties", kind->name,
                                        describe_parameters(context, field, kind), "required",
                                        kind->name, "additionalProperties", 0));
    }
    json_object_set_new(schema, "anyOf", alternatives);
}

const struct field_type field_distribution = {.size = sizeof(struct distribution),
                                              .read = distribution_read,
                                              .describe = distribution_describe};
