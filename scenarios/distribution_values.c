/* The values and parameters of distributions, and what their rows allow. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "scenarios/distribution_reader.h"
#include "scenarios/quantity.h"

/* One value of the distribution's own dimension, as a double in base units. */

bool distribution_value_parse(enum field_dimension dimension, const char *text, double *value) {
    int64_t whole;
    if (dimension == DIMENSION_COUNT) {
        return decimal_parse(text, value);
    }
    if (!(dimension == DIMENSION_DURATION ? duration_parse : bytes_parse)(text, &whole)) {
        return false;
    }
    *value = (double)whole;
    return true;
}

const char *distribution_value_advice(enum field_dimension dimension) {
    return dimension == DIMENSION_COUNT      ? "a number"
           : dimension == DIMENSION_DURATION ? quantity_advice(QUANTITY_DURATION)
                                             : quantity_advice(QUANTITY_BYTES);
}

static bool in_kind_read(struct reading *reading, const struct field *field, struct node *node,
                         void *target) {
    if (node->kind == NODE_SCALAR &&
        distribution_value_parse(field->dimension, node->text, target)) {
        return true;
    }
    const char *hint =
        field->dimension == DIMENSION_COUNT
            ? number_hint(node)
            : quantity_hint(field->dimension == DIMENSION_DURATION ? QUANTITY_DURATION
                                                                   : QUANTITY_BYTES,
                            node);
    return reading_refuse_value(reading, field, node, distribution_value_advice(field->dimension),
                                hint);
}

static void in_kind_describe(const struct reader_context *context, const struct field *field,
                             json_t *schema) {
    (void)context;
    if (field->dimension == DIMENSION_COUNT) {
        json_object_set_new(schema, "type", json_string("number"));
    } else {
        quantity_describe(
            field->dimension == DIMENSION_DURATION ? QUANTITY_DURATION : QUANTITY_BYTES, schema);
    }
}

const struct field_type distribution_value_type = {
    .size = sizeof(double), .read = in_kind_read, .describe = in_kind_describe};

/* A whole number kept as a double, like every parameter. */

static bool whole_read(struct reading *reading, const struct field *field, struct node *node,
                       void *target) {
    int64_t whole;
    if (node->kind != NODE_SCALAR || !integer_parse(node->text, &whole)) {
        return reading_refuse_value(reading, field, node, "a whole number", number_hint(node));
    }
    *(double *)target = (double)whole;
    return true;
}

static void whole_describe(const struct reader_context *context, const struct field *field,
                           json_t *schema) {
    (void)context;
    (void)field;
    json_object_set_new(schema, "type", json_string("integer"));
}

const struct field_type distribution_whole_type = {
    .size = sizeof(double), .read = whole_read, .describe = whole_describe};

/* A weight: 0.3 or 30%. */

static bool weight_read(struct reading *reading, const struct field *field, struct node *node,
                        void *target) {
    if (node->kind != NODE_SCALAR || !share_parse(node->text, target)) {
        return reading_refuse_value(reading, field, node, quantity_advice(QUANTITY_SHARE),
                                    quantity_hint(QUANTITY_SHARE, node));
    }
    return true;
}

static void weight_describe(const struct reader_context *context, const struct field *field,
                            json_t *schema) {
    (void)context;
    (void)field;
    quantity_describe(QUANTITY_SHARE, schema);
    json_object_set_new(schema, "maximum", json_integer(1));
}

const struct field_type distribution_weight_type = {
    .size = sizeof(double), .read = weight_read, .describe = weight_describe};

size_t distribution_rows(const struct distribution_kind *kind, const struct field *field,
                         struct field rows[DISTRIBUTION_PARAMETERS + 1]) {
    size_t count = 0;
    memset(rows, 0, (DISTRIBUTION_PARAMETERS + 1) * sizeof(rows[0]));
    while (count < DISTRIBUTION_PARAMETERS && kind->parameters[count].unit != PARAMETER_NONE) {
        enum parameter_unit unit = kind->parameters[count].unit;
        rows[count] = (struct field){
            .name = kind->parameters[count].name,
            .summary = unit == PARAMETER_IN_KIND  ? distribution_value_advice(field->dimension)
                       : unit == PARAMETER_NUMBER ? "a number"
                                                  : "a whole number",
            .type = unit == PARAMETER_IN_KIND  ? &distribution_value_type
                    : unit == PARAMETER_NUMBER ? &field_number
                                               : &distribution_whole_type,
            .offset = count * sizeof(double),
            .size = sizeof(double),
            .required = true,
            .dimension = field->dimension,
        };
        count++;
    }
    return count;
}

/* A value in the units of its dimension. Returns buffer. */
static const char *show(enum field_dimension dimension, double value, char *buffer, size_t size) {
    bool duration = dimension == DIMENSION_DURATION;
    snprintf(buffer, size, "%.15g%s", duration ? value / 1e9 : value,
             duration                       ? "s"
             : dimension == DIMENSION_BYTES ? "B"
                                            : "");
    return buffer;
}

static bool check_value(struct reading *reading, const struct field *field, const struct node *node,
                        double value) {
    const struct field_range *range = &field->range;
    bool low =
        range->has_minimum && (value < range->minimum || (range->open && value == range->minimum));
    bool high = range->has_maximum && value > range->maximum;
    bool broken = field->whole && value != floor(value);
    if (!low && !high && !broken) {
        return true;
    }
    char minimum[48];
    char maximum[48];
    char found[48];
    show(field->dimension, range->minimum, minimum, sizeof(minimum));
    show(field->dimension, range->maximum, maximum, sizeof(maximum));
    show(field->dimension, value, found, sizeof(found));
    const char *what = field->whole ? "whole numbers" : "values";
    if (range->has_minimum && range->has_maximum) {
        return reading_refuse(reading, node->place, "must give %s from %s to %s, not %s", what,
                              minimum, maximum, found);
    }
    return reading_refuse(reading, node->place, "must give %s %s %s, not %s", what,
                          high          ? "of at most"
                          : range->open ? "above"
                                        : "of at least",
                          high ? maximum : minimum, found);
}

/* Values are known in advance for choice, empirical and constant, and the least of uniform. */
bool distribution_check_support(struct reading *reading, const struct field *field,
                                const struct node *node, const struct distribution *distribution) {
    const struct distribution_kind *kind = distribution->kind;
    bool constant = kind == &distribution_kinds[0];
    bool listed = distribution->value_count > 0;
    if (field->whole && !constant && !listed) {
        return reading_refuse(
            reading, node->place,
            "must give whole numbers, which %s does not: use {choice: {1: 0.5, 2: "
            "0.5}} or {empirical: ...}",
            kind->name);
    }
    if (!listed && kind->style == STYLE_POSITIONAL) {
        return check_value(reading, field, node, distribution->given[0]);
    }
    for (size_t i = 0; i < distribution->value_count; i++) {
        if (!check_value(reading, field, node, distribution->values[i])) {
            return false;
        }
    }
    return true;
}
