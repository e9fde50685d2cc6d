#include "scenarios/language_queues.h"

#include <math.h>
#include <string.h>

#include "scenarios/quantity.h"
#include "scenarios/queue_spec.h"
#include "scenarios/schema_engine.h"

/* A number of GPUs, or a share of them all: 16 or 40%. */

double gpu_amount_in(struct gpu_amount amount, int64_t gpus) {
    return amount.is_share ? amount.value * (double)gpus : amount.value;
}

double gpu_limit_in(struct gpu_amount amount, int64_t gpus) {
    return amount.given ? gpu_amount_in(amount, gpus) : (double)INFINITY;
}

static bool is_none(const struct node *node) {
    return node->kind == NODE_SCALAR && strcmp(node->text, "none") == 0;
}

static bool amount_read(struct reading *reading, const struct field *field, struct node *node,
                        void *target) {
    struct gpu_amount *amount = target;
    const char *text = node->kind == NODE_SCALAR ? node->text : "";
    size_t length = strlen(text);
    amount->is_share = length > 0 && text[length - 1] == '%';
    amount->given = !is_none(node) || field->words == NULL;
    if (!amount->given) {
        return true;
    }
    bool read = amount->is_share ? share_parse(text, &amount->value) && amount->value <= 1
                                 : decimal_parse(text, &amount->value);
    if (!read || amount->value < 0 || !isfinite(amount->value)) {
        return reading_refuse_value(reading, field, node,
                                    "a number of GPUs such as 16, or a share of all GPUs such as "
                                    "40%",
                                    NULL);
    }
    return true;
}

static void amount_describe(const struct reader_context *context, const struct field *field,
                            json_t *schema) {
    (void)context;
    (void)field;
    json_object_set_new(schema, "anyOf",
                        json_pack("[{s:s, s:i}, {s:s, s:s}]", "type", "number", "minimum", 0,
                                  "type", "string", "pattern", "^[0-9.eE+-]+ *%?$"));
}

const struct field_type language_gpu_amount_type = {.size = sizeof(struct gpu_amount),
                                                    .words = WORDS_READ_BY_TYPE,
                                                    .read = amount_read,
                                                    .describe = amount_describe};

static const struct field_word none[] = {{"none", 0}, {NULL, 0}};

static const struct field queue_fields[] = {
    {.name = "guaranteed",
     .summary = "GPUs that it gets first, as a number or as a share of all: 16 or 40%",
     .type = &language_gpu_amount_type,
     FIELD_AT(struct queue_spec, guaranteed),
     .preset = "0"},
    {.name = "limit",
     .summary = "GPUs that it may hold at most, with what it borrows",
     .type = &language_gpu_amount_type,
     FIELD_AT(struct queue_spec, limit),
     .words = none,
     .preset = "none"},
    {.name = "weight",
     .summary = "under order: fair, its part of the GPUs over those of others",
     .type = &field_number,
     FIELD_AT(struct queue_spec, weight),
     FIELD_ABOVE_TO(0, 1e9),
     .preset = "1"},
    {.name = "user_limit",
     .summary = "GPUs that one user may hold at most in this queue",
     .type = &language_gpu_amount_type,
     FIELD_AT(struct queue_spec, user_limit),
     .words = none,
     .preset = "none"},
    {.name = NULL},
};

/* Queues have the names that traces give them. */
const struct field language_queue_name = {
    .type = &field_text, FIELD_AT(struct queue_spec, name), FIELD_PLACE(struct queue_spec, place)};
const struct field language_queue = {.type = &field_object, .fields = queue_fields};

/* array: 10, or {size: 100, at_most: 4}. */

enum { LARGEST_ARRAY = 1000000 };
static const struct field_word all[] = {{"all", INT32_MAX}, {NULL, 0}};

static const struct field array_fields[] = {
    {.name = "size",
     .summary = "how many equal jobs each arrival brings",
     .type = &field_integer,
     FIELD_AT(struct array_spec, size),
     FIELD_RANGE(1, LARGEST_ARRAY),
     .required = true},
    {.name = "at_most",
     .summary = "how many of them run at a time",
     .type = &field_integer,
     FIELD_AT(struct array_spec, at_most),
     FIELD_RANGE(1, LARGEST_ARRAY),
     .words = all,
     .preset = "all"},
    {.name = NULL},
};

static const struct field plain_size = {
    .type = &field_integer, FIELD_AT(struct array_spec, size), FIELD_RANGE(1, LARGEST_ARRAY)};

static bool array_read(struct reading *reading, const struct field *field, struct node *node,
                       void *target) {
    struct array_spec *array = target;
    if (node->kind == NODE_MAP) {
        return fields_read(reading, array_fields, node, array, NULL);
    }
    array->at_most = INT32_MAX;
    if (node->kind != NODE_SCALAR) {
        return reading_refuse_value(reading, field, node,
                                    "a number of jobs, or a map such as {size: 100, at_most: 4}",
                                    NULL);
    }
    return field_integer.read(reading, &plain_size, node, &array->size);
}

static void array_describe(const struct reader_context *context, const struct field *field,
                           json_t *schema) {
    (void)field;
    json_t *plain = json_object();
    json_t *map = json_object();
    field_integer.describe(context, &plain_size, plain);
    fields_describe(context, array_fields, map);
    json_object_set_new(schema, "anyOf", json_pack("[o, o]", plain, map));
}

const struct field_type language_array_type = {
    .size = sizeof(struct array_spec), .read = array_read, .describe = array_describe};
