/* What a workload asks for: GPUs, slots, the time of a request. */
#include <ctype.h>
#include <string.h>

#include "scenarios/distribution_reader.h"
#include "scenarios/language_models.h"
#include "scenarios/language_types.h"
#include "scenarios/quantity.h"

/* gpus: whole ones, drawn; or a fraction of one. */

static const struct field whole_gpus = {.type = &field_distribution,
                                        .size = sizeof(struct distribution),
                                        FIELD_RANGE(1, 640000000),
                                        .whole = true,
                                        .dimension = DIMENSION_COUNT};

static bool gpus_read(struct reading *reading, const struct field *field, struct node *node,
                      void *target) {
    (void)field;
    struct workload_spec *workload =
        (struct workload_spec *)((char *)target - offsetof(struct workload_spec, gpus));
    double amount;
    if (node->kind == NODE_SCALAR && decimal_parse(node->text, &amount) && amount > 0 &&
        amount < 1) {
        workload->fraction = amount;
        distribution_constant(&workload->gpus, 1);
        return true;
    }
    return field_distribution.read(reading, &whole_gpus, node, target);
}

static void gpus_describe(const struct reader_context *context, const struct field *field,
                          json_t *schema) {
    (void)field;
    field_distribution.describe(context, &whole_gpus, schema);
}

const struct field_type language_gpus_type = {
    .size = sizeof(struct distribution), .read = gpus_read, .describe = gpus_describe};

/* estimate: a distribution, or the duration times one. */

static const struct field factor_fields[] = {
    {.name = "factor",
     .summary = "the duration times this, drawn for each job",
     .type = &field_distribution,
     FIELD_AT(struct workload_spec, estimate_factor),
     FIELD_RANGE(0, 1e6),
     .dimension = DIMENSION_COUNT,
     .required = true},
    {.name = NULL},
};

static const struct field plain_estimate = {.type = &field_distribution,
                                            .size = sizeof(struct distribution),
                                            FIELD_RANGE(0, (double)SIM_TIME_LONGEST),
                                            .dimension = DIMENSION_DURATION};

static bool estimate_read(struct reading *reading, const struct field *field, struct node *node,
                          void *target) {
    (void)field;
    struct workload_spec *workload =
        (struct workload_spec *)((char *)target - offsetof(struct workload_spec, estimate));
    if (node_member(node, "factor") != NULL) {
        workload->has_estimate_factor = true;
        return fields_read(reading, factor_fields, node, workload, NULL);
    }
    return field_distribution.read(reading, &plain_estimate, node, target);
}

static void estimate_describe(const struct reader_context *context, const struct field *field,
                              json_t *schema) {
    (void)field;
    json_t *plain = json_object();
    json_t *factor = json_object();
    field_distribution.describe(context, &plain_estimate, plain);
    fields_describe(context, factor_fields, factor);
    json_object_set_new(schema, "anyOf", json_pack("[o, o]", plain, factor));
}

const struct field_type language_estimate_type = {
    .size = sizeof(struct distribution), .read = estimate_read, .describe = estimate_describe};

/* slot: any, smallest, gpu or a MIG profile. */

static const struct field_word slot_words[] = {
    {"any", SLOT_ANY}, {"smallest", SLOT_SMALLEST}, {"gpu", SLOT_GPU}, {NULL, 0}};

static bool slot_read(struct reading *reading, const struct field *field, struct node *node,
                      void *target) {
    struct workload_spec *workload =
        (struct workload_spec *)((char *)target - offsetof(struct workload_spec, slot));
    for (const struct field_word *word = slot_words; word->word != NULL; word++) {
        if (node->kind == NODE_SCALAR && strcmp(node->text, word->word) == 0) {
            workload->slot = (enum slot_wish)word->value;
            return true;
        }
    }
    if (node->kind == NODE_SCALAR && isdigit((unsigned char)node->text[0])) {
        workload->slot = SLOT_PROFILE;
        return language_profile_type.read(reading, field, node, &workload->slot_profile);
    }
    return reading_refuse_value(reading, field, node,
                                "any, smallest, gpu or a MIG profile such as 2g.20gb", NULL);
}

static void slot_describe(const struct reader_context *context, const struct field *field,
                          json_t *schema) {
    json_t *profile = json_object();
    language_profile_type.describe(context, field, profile);
    json_object_set_new(schema, "anyOf",
                        json_pack("[{s:[s, s, s]}, o]", "enum", slot_words[0].word,
                                  slot_words[1].word, slot_words[2].word, profile));
}

const struct field_type language_slot_type = {
    .size = sizeof(enum slot_wish), .read = slot_read, .describe = slot_describe};

/* service_time: a distribution, or so much per token. */

#define TOKEN_TIME(NAME, MEMBER, SUMMARY)                                                          \
    {                                                                                              \
        .name = NAME, .summary = SUMMARY, .type = &distribution_value_type,                        \
        FIELD_AT(struct service_time_spec, MEMBER), .dimension = DIMENSION_DURATION, .preset = "0" \
    }

static const struct field token_fields[] = {
    TOKEN_TIME("base", base_ns, "what every request takes, whatever its tokens"),
    TOKEN_TIME("per_input_token", per_input_token_ns, "what each token of the prompt takes"),
    TOKEN_TIME("per_output_token", per_output_token_ns, "what each token that it makes takes"),
    {.name = NULL},
};

static const struct field by_tokens_fields[] = {
    {.name = "tokens",
     .summary = "so much for each token, instead of a distribution",
     .type = &field_object,
     .fields = token_fields,
     .required = true},
    {.name = NULL},
};

static const struct field plain_time = {.type = &field_distribution,
                                        .size = sizeof(struct distribution),
                                        FIELD_RANGE(0, (double)SIM_TIME_LONGEST),
                                        .dimension = DIMENSION_DURATION};

static bool service_time_read(struct reading *reading, const struct field *field, struct node *node,
                              void *target) {
    (void)field;
    struct service_time_spec *spec = target;
    if (node_member(node, "tokens") != NULL) {
        spec->by_tokens = true;
        return fields_read(reading, by_tokens_fields, node, spec, NULL);
    }
    return field_distribution.read(reading, &plain_time, node, &spec->time);
}

static void service_time_describe(const struct reader_context *context, const struct field *field,
                                  json_t *schema) {
    (void)field;
    json_t *plain = json_object();
    json_t *by_tokens = json_object();
    field_distribution.describe(context, &plain_time, plain);
    fields_describe(context, by_tokens_fields, by_tokens);
    json_object_set_new(schema, "anyOf", json_pack("[o, o]", plain, by_tokens));
}

const struct field_type language_service_time_type = {.size = sizeof(struct service_time_spec),
                                                      .read = service_time_read,
                                                      .describe = service_time_describe};
