#include "scenarios/language_models.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "scenarios/scenario.h"
#include "scenarios/schema_engine.h"
#include "scenarios/suggest.h"

/* models.NAME */

static const struct field model_fields[] = {MODEL_FIELDS(struct model_spec, ), {.name = NULL}};

const struct field language_model_name = {
    .type = &field_name, FIELD_AT(struct model_spec, name), FIELD_PLACE(struct model_spec, place)};
const struct field language_model = {.type = &field_object, .fields = model_fields};

/* The name of a model: one of the scenario's, with or without mistakes in it, or the catalogue's.
 */

static bool model_name_read(struct reading *reading, const struct field *field, struct node *node,
                            void *target) {
    if (!field_name.read(reading, field, node, target)) {
        return false;
    }
    const struct node *models = node_member(reading->root, "models");
    const struct catalogue *catalogue = reading->scenario->catalogue;
    if (node_entry(models, node->text) != NULL ||
        catalogue_find_model(catalogue, node->text) != NULL) {
        return true;
    }
    if (models != NULL && models->kind != NODE_MAP && !node_is_empty(models)) {
        return false; /* reported there */
    }
    struct suggestion suggestion = suggestion_start(node->text);
    for (size_t i = 0; models != NULL && models->kind == NODE_MAP && i < models->count; i++) {
        suggestion_consider(&suggestion, models->entries[i].key);
    }
    for (size_t i = 0; i < catalogue->model_count; i++) {
        suggestion_consider(&suggestion, catalogue->models[i].name);
    }
    bool close = suggestion.best != NULL;
    char name[96];
    return reading_refuse(reading, node->place,
                          "names no model of the scenario or the catalogue: %s%s%s%s",
                          node_describe(node, name, sizeof(name)),
                          close ? "; did you mean \"" : " (`headroom catalog models` lists those)",
                          close ? suggestion.best : "", close ? "\"?" : "");
}

static void model_name_describe(const struct reader_context *context, const struct field *field,
                                json_t *schema) {
    field_name.describe(context, field, schema);
}

const struct field_type language_model_type = {
    .size = sizeof(char *), .read = model_name_read, .describe = model_name_describe};

/* The name of a MIG profile: 2g.20gb. Kept as the catalogue spells it. */

static const char *find_profile(const struct catalogue *catalogue, const char *name,
                                struct suggestion *suggestion) {
    for (size_t i = 0; i < catalogue->gpu_count; i++) {
        const struct gpu_model *gpu = &catalogue->gpus[i];
        for (size_t k = 0; k < gpu->profile_count; k++) {
            if (strcasecmp(gpu->profiles[k].name, name) == 0) {
                return gpu->profiles[k].name;
            }
            suggestion_consider(suggestion, gpu->profiles[k].name);
        }
    }
    return NULL;
}

static bool profile_read(struct reading *reading, const struct field *field, struct node *node,
                         void *target) {
    static const char advice[] = "the name of a MIG profile such as 2g.20gb";
    if (node->kind != NODE_SCALAR) {
        return reading_refuse_value(reading, field, node, advice, NULL);
    }
    struct suggestion suggestion = suggestion_start(node->text);
    const char *profile = find_profile(reading->scenario->catalogue, node->text, &suggestion);
    if (profile == NULL) {
        char hint[160];
        snprintf(hint, sizeof(hint), "did you mean %s?", suggestion.best);
        return reading_refuse_value(reading, field, node, advice,
                                    suggestion.best != NULL ? hint : NULL);
    }
    *(const char **)target = arena_duplicate_string(&reading->scenario->arena, profile);
    return true;
}

static void profile_describe(const struct reader_context *context, const struct field *field,
                             json_t *schema) {
    (void)context;
    (void)field;
    json_object_set_new(schema, "type", json_string("string"));
    json_object_set_new(schema, "pattern", json_string("^[1-9][0-9]*g[.][0-9]+gb"));
}

const struct field_type language_profile_type = {
    .size = sizeof(char *), .read = profile_read, .describe = profile_describe};

/* memory: 14GB, a distribution, or {start: 6GB, growth: 50MB/h}. */

static const struct field memory_fields[] = {
    {.name = "start",
     .summary = "what it takes when it is placed",
     .type = &field_distribution,
     FIELD_AT(struct memory_spec, start),
     FIELD_RANGE(0, 1e18),
     .dimension = DIMENSION_BYTES,
     .required = true},
    {.name = "growth",
     .summary = "how fast it grows",
     .type = &field_bandwidth,
     FIELD_AT(struct memory_spec, growth_per_s),
     .preset = "0"},
    {.name = NULL},
};

static bool memory_read(struct reading *reading, const struct field *field, struct node *node,
                        void *target) {
    (void)field;
    if (node_member(node, "start") != NULL || node_member(node, "growth") != NULL) {
        return fields_read(reading, memory_fields, node, target, NULL);
    }
    *(struct memory_spec *)target = (struct memory_spec){0};
    return field_distribution.read(reading, &memory_fields[0], node,
                                   &((struct memory_spec *)target)->start);
}

static void memory_describe(const struct reader_context *context, const struct field *field,
                            json_t *schema) {
    (void)field;
    json_t *amount = json_object();
    json_t *growing = json_object();
    field_distribution.describe(context, &memory_fields[0], amount);
    fields_describe(context, memory_fields, growing);
    json_object_set_new(schema, "anyOf", json_pack("[o, o]", amount, growing));
}

const struct field_type language_memory_type = {
    .size = sizeof(struct memory_spec), .read = memory_read, .describe = memory_describe};

/* load_time: 20s, a distribution, or storage. */

static bool load_time_read(struct reading *reading, const struct field *field, struct node *node,
                           void *target) {
    struct model_spec *model =
        (struct model_spec *)((char *)target - offsetof(struct model_spec, load_time));
    if (node->kind == NODE_SCALAR && strcmp(node->text, "storage") == 0) {
        model->load_from_storage = true;
        distribution_constant(target, 0);
        return true;
    }
    return field_distribution.read(reading, field, node, target);
}

static void load_time_describe(const struct reader_context *context, const struct field *field,
                               json_t *schema) {
    json_t *time = json_object();
    field_distribution.describe(context, field, time);
    json_object_set_new(schema, "anyOf", json_pack("[{s:[s]}, o]", "enum", "storage", time));
}

const struct field_type language_load_time_type = {
    .size = sizeof(struct distribution), .read = load_time_read, .describe = load_time_describe};

/* speed: measured, catalogue, or factors on GPUs and on MIG profiles. */

/* "3g.40gb" rather than the name of a GPU. */
static bool is_like_profile(const char *text) {
    size_t digits = strspn(text, "0123456789");
    return digits > 0 && strncasecmp(text + digits, "g.", 2) == 0;
}

static bool speed_subject_read(struct reading *reading, const struct field *field,
                               struct node *node, void *target) {
    struct speed_spec *speed = target;
    if (is_like_profile(node->text)) {
        speed->gpu = -1;
        return profile_read(reading, field, node, &speed->profile);
    }
    return field_gpu.read(reading, field, node, &speed->gpu);
}

static void speed_subject_describe(const struct reader_context *context, const struct field *field,
                                   json_t *schema) {
    json_t *gpu = json_object();
    json_t *profile = json_object();
    field_gpu.describe(context, field, gpu);
    profile_describe(context, field, profile);
    json_object_set_new(schema, "anyOf", json_pack("[o, o]", gpu, profile));
}

static const struct field_type speed_subject_type = {.size = sizeof(struct speed_spec),
                                                     .read = speed_subject_read,
                                                     .describe = speed_subject_describe};
static const struct field speed_subject = {.type = &speed_subject_type,
                                           .size = sizeof(struct speed_spec)};
static const struct field speed_factor = {
    .summary = "speed on that GPU over speed on the reference GPU, or on an instance of that MIG "
               "profile over that on the whole GPU",
    .type = &field_number,
    FIELD_AT(struct speed_spec, factor),
    FIELD_ABOVE(0)};
static const struct field speed_map = {.type = &field_map,
                                       FIELD_AT(struct model_spec, speeds),
                                       FIELD_COUNT(struct model_spec, speed_count),
                                       .key = &speed_subject,
                                       .item = &speed_factor,
                                       .item_size = sizeof(struct speed_spec),
                                       .may_be_empty = true};
static const struct field_word speed_words[] = {
    {"measured", SPEED_MEASURED}, {"catalogue", SPEED_CATALOGUE}, {NULL, 0}};

static bool speed_read(struct reading *reading, const struct field *field, struct node *node,
                       void *target) {
    struct model_spec *model =
        (struct model_spec *)((char *)target - offsetof(struct model_spec, speeds));
    for (const struct field_word *word = speed_words; word->word != NULL; word++) {
        if (node->kind == NODE_SCALAR && strcmp(node->text, word->word) == 0) {
            model->speed_rule = (enum speed_rule)word->value;
            return true;
        }
    }
    if (node->kind != NODE_MAP && !node_is_empty(node)) {
        return reading_refuse_value(reading, field, node,
                                    "measured, catalogue, or a map of GPUs and MIG profiles such "
                                    "as {T4-16GB: 0.2, 3g.40gb: 0.6}",
                                    missing_blank_hint(node));
    }
    return field_map.read(reading, &speed_map, node, target);
}

static void speed_describe(const struct reader_context *context, const struct field *field,
                           json_t *schema) {
    (void)field;
    json_t *map = json_object();
    field_map.describe(context, &speed_map, map);
    json_object_set_new(
        schema, "anyOf",
        json_pack("[{s:[s, s]}, o]", "enum", speed_words[0].word, speed_words[1].word, map));
}

const struct field_type language_speed_type = {.size = sizeof(struct speed_spec *),
                                               .empty_is_map = true,
                                               .read = speed_read,
                                               .describe = speed_describe};
