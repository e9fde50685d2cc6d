#include "scenarios/replications.h"

#include "scenarios/scenario.h"

static const struct field precision_fields[] = {
    {.name = "relative",
     .summary = "go on until every objective's 95 % interval is at most this share of its mean",
     .type = &field_share,
     FIELD_AT(struct scenario, precision),
     .range = {.has_minimum = true, .has_maximum = true, .open = true, .maximum = 1},
     .required = true},
    {.name = "max",
     .summary = "but not beyond so many replications",
     .type = &field_integer,
     FIELD_AT(struct scenario, replications),
     FIELD_RANGE(5, 100000),
     .preset = "200"},
    {.name = NULL},
};

static const struct field automatic_fields[] = {
    {.name = "auto",
     .summary = "as many as the objectives take to be known well enough",
     .type = &field_object,
     .fields = precision_fields,
     .required = true},
    {.name = NULL},
};

static bool replications_read(struct reading *reading, const struct field *field, struct node *node,
                              void *target) {
    if (node->kind == NODE_MAP) {
        return fields_read(reading, automatic_fields, node, reading->scenario, NULL);
    }
    return field_integer.read(reading, field, node, target);
}

static void replications_describe(const struct reader_context *context, const struct field *field,
                                  json_t *schema) {
    json_t *number = json_object();
    json_t *automatic = json_object();
    field_integer.describe(context, field, number);
    fields_describe(context, automatic_fields, automatic);
    json_object_set_new(schema, "anyOf", json_pack("[o, o]", number, automatic));
}

const struct field_type replications_type = {
    .size = sizeof(int32_t), .read = replications_read, .describe = replications_describe};
