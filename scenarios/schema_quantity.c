/* Numbers and quantities with units, within the range of their row. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "scenarios/decimal.h"
#include "scenarios/quantity.h"
#include "scenarios/schema_engine.h"

static void format_number(double value, char *buffer, size_t size) {
    snprintf(buffer, size, "%.15g", value);
}

static void format_share(double value, char *buffer, size_t size) {
    snprintf(buffer, size, "%.15g%%", value * 100);
}

static void format_duration(double value, char *buffer, size_t size) {
    char text[DURATION_TEXT];
    snprintf(buffer, size, "%s", duration_format((int64_t)value, text));
}

static void format_bytes(double value, char *buffer, size_t size) {
    snprintf(buffer, size, "%.15gB", value);
}

static void format_rate(double value, char *buffer, size_t size) {
    char text[RATE_TEXT];
    snprintf(buffer, size, "%s", rate_format(value, text));
}

static void format_bandwidth(double value, char *buffer, size_t size) {
    snprintf(buffer, size, "%.15gB/s", value);
}

static void format_power(double value, char *buffer, size_t size) {
    snprintf(buffer, size, "%.15gW", value);
}

bool reading_check_range(struct reading *reading, const struct field_range *range,
                         const struct node *node, double value,
                         void (*format)(double value, char *buffer, size_t size)) {
    bool low =
        range->has_minimum && (value < range->minimum || (range->open && value == range->minimum));
    bool high = range->has_maximum && value > range->maximum;
    if (!low && !high) {
        return true;
    }
    char minimum[48];
    char maximum[48];
    char found[96];
    format(range->minimum, minimum, sizeof(minimum));
    format(range->maximum, maximum, sizeof(maximum));
    node_describe(node, found, sizeof(found));
    if (range->has_minimum && range->has_maximum) {
        return reading_refuse(reading, node->place, "must be %s %s %s %s, not %s",
                              range->open ? "above" : "from", minimum,
                              range->open ? "and at most" : "to", maximum, found);
    }
    return reading_refuse(reading, node->place, "must be %s %s, not %s",
                          low ? (range->open ? "above" : "at least") : "at most",
                          low ? minimum : maximum, found);
}

static bool is_number_alone(const char *text) {
    return decimal_length(text) > 0 && decimal_length(text) == strlen(text);
}

const char *number_hint(const struct node *node) {
    if (node->kind != NODE_SCALAR) {
        return NULL;
    }
    const char *text = node->text;
    size_t digits = strspn(text, "+-0123456789.,_'");
    if (digits > 0 && digits == strlen(text) && strpbrk(text, ",_'") != NULL) {
        return "digits are not grouped, and a fraction is written with a point";
    }
    return NULL;
}

const char *quantity_hint(enum quantity_kind kind, const struct node *node) {
    if (node->kind != NODE_SCALAR) {
        return NULL;
    }
    const char *text = node->text;
    size_t number = decimal_length(text);
    if (number > 0 && text[0] == '-') {
        return "it cannot be negative";
    }
    if (is_number_alone(text) && kind != QUANTITY_SHARE) {
        return "a number needs its unit";
    }
    if (number > 0 && text[number] == ' ') {
        return "no blank between number and unit";
    }
    int64_t unit;
    if (kind == QUANTITY_DURATION && number > 0 && time_unit_parse(text + number, &unit)) {
        return "the longest is 36525d";
    }
    if (number > 0 && strpbrk(text, ",_") != NULL) {
        return "digits are not grouped, and a fraction is written with a point";
    }
    return NULL;
}

/* Integers. */

static void format_integer(double value, char *buffer, size_t size) {
    if (fabs(value) >= 0x1p63) {
        snprintf(buffer, size, "%s", value < 0 ? "-9223372036854775808" : "9223372036854775807");
    } else {
        snprintf(buffer, size, "%.0f", value);
    }
}

/* What the member can hold, where the row leaves a side open. */
static struct field_range integer_range(const struct field *field) {
    bool small = field->size == sizeof(int32_t);
    struct field_range range = field->range;
    if (!range.has_minimum) {
        range.minimum = small ? INT32_MIN : -0x1p63;
    }
    if (!range.has_maximum) {
        range.maximum = small ? INT32_MAX : 0x1p63;
    }
    range.has_minimum = range.has_maximum = true;
    return range;
}

static bool integer_in_range(struct reading *reading, const struct field *field,
                             const struct node *node, double value) {
    struct field_range fitting = integer_range(field);
    return reading_check_range(reading, &field->range, node, value, format_integer) &&
           reading_check_range(reading, &fitting, node, value, format_integer);
}

/* Whole numbers that are no int64, or have an exponent ("1e18"), are told by their range if they
 * are outside of it. */
static bool refuse_no_integer(struct reading *reading, const struct field *field,
                              const struct node *node) {
    double value;
    bool whole =
        node->kind == NODE_SCALAR && decimal_parse(node->text, &value) && value == floor(value);
    /* From 2^63 on the text is beyond every limit, however it was rounded. */
    if (whole &&
        !integer_in_range(reading, field, node, fabs(value) < 0x1p63 ? value : 2 * value)) {
        return false;
    }
    return reading_refuse_value(reading, field, node, "a whole number", number_hint(node));
}

static bool integer_read(struct reading *reading, const struct field *field, struct node *node,
                         void *target) {
    int64_t value;
    if (node->kind != NODE_SCALAR || !integer_parse(node->text, &value)) {
        return refuse_no_integer(reading, field, node);
    }
    if (!integer_in_range(reading, field, node, (double)value)) {
        return false;
    }
    if (field->size == sizeof(int32_t)) {
        *(int32_t *)target = (int32_t)value;
    } else {
        *(int64_t *)target = value;
    }
    return true;
}

static void describe_range(const struct field_range *range, json_t *schema) {
    if (range->has_minimum) {
        json_object_set_new(schema, range->open ? "exclusiveMinimum" : "minimum",
                            json_real(range->minimum));
    }
    if (range->has_maximum) {
        json_object_set_new(schema, "maximum", json_real(range->maximum));
    }
}

static void integer_describe(const struct reader_context *context, const struct field *field,
                             json_t *schema) {
    (void)context;
    json_object_set_new(schema, "type", json_string("integer"));
    describe_range(&field->range, schema);
}

const struct field_type field_integer = {.read = integer_read, .describe = integer_describe};

/* Bare numbers. */

static bool number_read(struct reading *reading, const struct field *field, struct node *node,
                        void *target) {
    double value;
    if (node->kind != NODE_SCALAR || !decimal_parse(node->text, &value)) {
        return reading_refuse_value(reading, field, node, "a number", number_hint(node));
    }
    if (!reading_check_range(reading, &field->range, node, value, format_number)) {
        return false;
    }
    *(double *)target = field->divisor > 0 ? value / field->divisor : value;
    return true;
}

static void number_describe(const struct reader_context *context, const struct field *field,
                            json_t *schema) {
    (void)context;
    json_object_set_new(schema, "type", json_string("number"));
    describe_range(&field->range, schema);
}

const struct field_type field_number = {.size = sizeof(double),
                                        .words = WORDS_AS_DOUBLE,
                                        .read = number_read,
                                        .describe = number_describe};

/* Quantities with units. */

/* How the value of each kind is read and told. */
static const struct {
    bool (*parse_whole)(const char *text, int64_t *value);
    bool (*parse)(const char *text, double *value);
    void (*format)(double value, char *buffer, size_t size);
} kinds[] = {
    [QUANTITY_DURATION] = {.parse_whole = duration_parse, .format = format_duration},
    [QUANTITY_BYTES] = {.parse_whole = bytes_parse, .format = format_bytes},
    [QUANTITY_RATE] = {.parse = rate_parse, .format = format_rate},
    [QUANTITY_BANDWIDTH] = {.parse = bandwidth_parse, .format = format_bandwidth},
    [QUANTITY_SHARE] = {.parse = share_parse, .format = format_share},
    [QUANTITY_POWER] = {.parse = power_parse, .format = format_power},
};

/* Puts the value into an int64_t or a double, as its kind has it. */
static bool parse_quantity(enum quantity_kind kind, const char *text, void *target, double *value) {
    if (kinds[kind].parse != NULL) {
        if (!kinds[kind].parse(text, value)) {
            return false;
        }
        *(double *)target = *value;
        return true;
    }
    int64_t whole;
    if (!kinds[kind].parse_whole(text, &whole)) {
        return false;
    }
    *(int64_t *)target = whole;
    *value = (double)whole;
    return true;
}

static struct field_range range_of(const struct field *field) {
    bool own = field->range.has_minimum || field->range.has_maximum;
    if (field->type->quantity == QUANTITY_SHARE && !own) {
        return (struct field_range){.has_minimum = true, .has_maximum = true, .maximum = 1};
    }
    return field->range;
}

static bool quantity_read(struct reading *reading, const struct field *field, struct node *node,
                          void *target) {
    enum quantity_kind kind = field->type->quantity;
    double value;
    if (node->kind != NODE_SCALAR || !parse_quantity(kind, node->text, target, &value)) {
        return reading_refuse_value(reading, field, node, quantity_advice(kind),
                                    quantity_hint(kind, node));
    }
    struct field_range range = range_of(field);
    return reading_check_range(reading, &range, node, value, kinds[kind].format);
}

void quantity_describe(enum quantity_kind kind, json_t *schema) {
    char pattern[160];
    json_object_set_new(schema, "type", json_pack("[s, s]", "string", "number"));
    json_object_set_new(schema, "pattern",
                        json_string(quantity_pattern(kind, pattern, sizeof(pattern))));
    /* Of bare numbers only 0 needs no unit. */
    json_object_set_new(schema, "minimum", json_integer(0));
    json_object_set_new(schema, "maximum", json_integer(0));
}

static void describe(const struct reader_context *context, const struct field *field,
                     json_t *schema) {
    (void)context;
    quantity_describe(field->type->quantity, schema);
    if (field->type->quantity == QUANTITY_SHARE) {
        struct field_range range = range_of(field);
        json_object_del(schema, "maximum");
        describe_range(&range, schema);
    }
}

const struct field_type field_duration = {.size = sizeof(int64_t),
                                          .quantity = QUANTITY_DURATION,
                                          .read = quantity_read,
                                          .describe = describe};
const struct field_type field_bytes = {.size = sizeof(int64_t),
                                       .quantity = QUANTITY_BYTES,
                                       .read = quantity_read,
                                       .describe = describe};
const struct field_type field_rate = {.size = sizeof(double),
                                      .quantity = QUANTITY_RATE,
                                      .words = WORDS_AS_DOUBLE,
                                      .read = quantity_read,
                                      .describe = describe};
const struct field_type field_bandwidth = {.size = sizeof(double),
                                           .quantity = QUANTITY_BANDWIDTH,
                                           .words = WORDS_AS_DOUBLE,
                                           .read = quantity_read,
                                           .describe = describe};
const struct field_type field_power = {.size = sizeof(double),
                                       .quantity = QUANTITY_POWER,
                                       .words = WORDS_AS_DOUBLE,
                                       .read = quantity_read,
                                       .describe = describe};
const struct field_type field_share = {.size = sizeof(double),
                                       .quantity = QUANTITY_SHARE,
                                       .words = WORDS_AS_DOUBLE,
                                       .read = quantity_read,
                                       .describe = describe};
