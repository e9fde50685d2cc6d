/* Tables of fields as JSON Schema. */
#include <string.h>

#include "scenarios/schema_engine.h"

/* Words beside a value: {"anyOf": [value, {"enum": [words]}]}. */
static json_t *add_words(const struct field *field, json_t *value) {
    json_t *words = json_array();
    for (const struct field_word *word = field->words; word->word != NULL; word++) {
        json_array_append_new(words, json_string(word->word));
    }
    return json_pack("{s:[o, {s:o}]}", "anyOf", value, "enum", words);
}

/* The preset in the JSON type that the schema asks for, so that editors insert it as it should be.
 */
static json_t *preset_value(const json_t *schema, const char *preset) {
    const json_t *type = json_object_get(schema, "type");
    const char *name = json_is_string(type) ? json_string_value(type) : "";
    if (strcmp(name, "integer") == 0 || strcmp(name, "number") == 0 ||
        strcmp(name, "boolean") == 0 || preset[0] == '{') {
        json_t *value = json_loads(preset, JSON_DECODE_ANY, NULL);
        if (value != NULL) {
            return value;
        }
    }
    return json_string(preset);
}

json_t *field_describe(const struct reader_context *context, const struct field *field) {
    json_t *schema = json_object();
    field->type->describe(context, field, schema);
    json_t *preset = field->preset != NULL ? preset_value(schema, field->preset) : NULL;
    if (field->words != NULL && field->type != &field_word) {
        schema = add_words(field, schema);
    }
    if (field->summary != NULL) {
        json_object_set_new(schema, "description", json_string(field->summary));
    }
    if (preset != NULL) {
        json_object_set_new(schema, "default", preset);
    }
    return schema;
}

void fields_describe(const struct reader_context *context, const struct field *fields,
                     json_t *schema) {
    json_t *properties = json_object();
    json_t *required = json_array();
    for (const struct field *field = fields; field->name != NULL; field++) {
        json_t *property = field_describe(context, field);
        json_object_set_new(property, "title", json_string(field->name));
        json_object_set_new(properties, field->name, property);
        if (field->required) {
            json_array_append_new(required, json_string(field->name));
        }
    }
    json_object_set_new(schema, "type", json_string("object"));
    json_object_set_new(schema, "properties", properties);
    json_object_set_new(schema, "required", required);
    json_object_set_new(schema, "additionalProperties", json_false());
}
