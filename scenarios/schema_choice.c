/* Choices: a name of a registry, with the options of its row. */
#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "scenarios/schema_engine.h"
#include "scenarios/suggest.h"

/* What was written: the name, and the options if there are any. */
struct written {
    const char *name;
    struct place place;
    struct node *options; /* NULL: a bare name; with a tag, the map it stands in */
};

static const struct registry *find_registry(const struct reader_context *context,
                                            const struct field *field) {
    const struct registry *registry = registries_find(&context->registries, field->registry);
    assert(registry != NULL && "the reader's context lacks a registry");
    return registry;
}

/* Whether a row may be chosen by the field. */
static bool is_offered(const struct field *field, const struct choice *choice) {
    return field->except == NULL || strcmp(field->except, choice->name) != 0;
}

/* "fifo, sjf or las". Returns buffer. */
static const char *list_names(const struct field *field, const struct registry *registry,
                              char *buffer, size_t size) {
    const char *last = "";
    buffer[0] = '\0';
    for (size_t i = 0; i < registry->count; i++) {
        const struct choice *choice = registry_row(registry, i);
        if (is_offered(field, choice)) {
            strncat(buffer, buffer[0] != '\0' ? ", " : "", size - strlen(buffer) - 1);
            strncat(buffer, last, size - strlen(buffer) - 1);
            last = choice->name;
        }
    }
    strncat(buffer, buffer[0] != '\0' ? " or " : "", size - strlen(buffer) - 1);
    strncat(buffer, last, size - strlen(buffer) - 1);
    return buffer;
}

static bool take_apart(struct reading *reading, const struct field *field, struct node *node,
                       struct written *written) {
    if (node->kind == NODE_SCALAR) {
        *written = (struct written){node->text, node->place, NULL};
        return true;
    }
    struct node *tag = field->tag != NULL ? node_member(node, field->tag) : NULL;
    if (tag != NULL && tag->kind == NODE_SCALAR) {
        *written = (struct written){tag->text, tag->place, node};
        return true;
    }
    if (field->tag == NULL && node->kind == NODE_MAP && node->count == 1) {
        const struct entry *entry = &node->entries[0];
        *written = (struct written){entry->key, entry->place, entry->value};
        return true;
    }
    char names[256];
    char advice[400];
    const struct registry *registry = find_registry(reading->context, field);
    list_names(field, registry, names, sizeof(names));
    if (field->tag != NULL) {
        snprintf(advice, sizeof(advice), "%s, or a map with the key \"%s\"", names, field->tag);
    } else {
        snprintf(advice, sizeof(advice), "%s, or such a name with its options as {name: options}",
                 names);
    }
    return reading_refuse_value(reading, field, node, advice, NULL);
}

static bool report_unknown_name(struct reading *reading, const struct field *field,
                                const struct registry *registry, const struct written *written) {
    struct suggestion suggestion = suggestion_start(written->name);
    for (size_t i = 0; i < registry->count; i++) {
        const struct choice *choice = registry_row(registry, i);
        if (is_offered(field, choice)) {
            suggestion_consider(&suggestion, choice->name);
        }
    }
    char name[96];
    char names[512];
    text_describe(written->name, name, sizeof(name));
    if (suggestion.best != NULL) {
        return reading_report(reading, written->place, "unknown %s %s: did you mean \"%s\"?",
                              registry->name, name, suggestion.best);
    }
    const char *colon = strchr(written->name, ':');
    if (colon != NULL && colon[1] != '\0') {
        return reading_report(reading, written->place,
                              "unknown %s %s: is a blank missing after the colon?", registry->name,
                              name);
    }
    return reading_report(reading, written->place, "unknown %s %s: choose %s", registry->name, name,
                          list_names(field, registry, names, sizeof(names)));
}

/* A bare name stands for options that are all left out, if they may be. */
static bool read_bare(struct reading *reading, const struct choice *choice,
                      const struct written *written, void *options) {
    if (choice->options->fields == NULL) {
        return reading_report(reading, written->place, "%s needs a value: write {%s: ...} (%s)",
                              choice->name, choice->name, choice->summary);
    }
    struct node none = {.kind = NODE_MAP, .place = written->place};
    return fields_read(reading, choice->options->fields, &none, options, NULL);
}

static bool read_options(struct reading *reading, const struct field *field,
                         const struct choice *choice, const struct written *written,
                         void *options) {
    size_t before = reading_enter(reading, choice->name);
    bool sound;
    if (written->options == NULL) {
        sound = read_bare(reading, choice, written, options);
    } else if (field->tag != NULL) {
        sound =
            fields_read(reading, choice->options->fields, written->options, options, field->tag);
    } else {
        sound = field_read(reading, choice->options, written->options, options);
    }
    reading_leave(reading, before);
    return sound;
}

/* A row without options, in a map with its tag: there must be nothing else in it. */
static bool refuse_options(struct reading *reading, const struct field *field,
                           const struct choice *choice, const struct node *map) {
    bool sound = true;
    for (size_t i = 0; i < map->count; i++) {
        const struct entry *entry = &map->entries[i];
        if (strcmp(entry->key, field->tag) != 0) {
            char key[96];
            sound = reading_report(reading, entry->place, "%s takes no options, such as %s",
                                   choice->name, text_describe(entry->key, key, sizeof(key)));
        }
    }
    return sound;
}

/* What the row itself has to say about options that are fine one by one. */
static bool check_options(struct reading *reading, const struct choice *choice,
                          const struct written *written, const void *options) {
    struct error error;
    if (choice->check == NULL || choice->check(options, &error)) {
        return true;
    }
    return reading_report(reading, written->place, "%s: %s", reading_path(reading), error.message);
}

static bool choice_read(struct reading *reading, const struct field *field, struct node *node,
                        void *target) {
    struct written written;
    if (!take_apart(reading, field, node, &written)) {
        return false;
    }
    const struct registry *registry = find_registry(reading->context, field);
    int index = registry_index(registry, written.name);
    if (index < 0) {
        return report_unknown_name(reading, field, registry, &written);
    }
    const struct choice *choice = registry_row(registry, (size_t)index);
    if (!is_offered(field, choice)) {
        return reading_refuse(reading, written.place, "cannot be %s (%s)", choice->name,
                              field->summary);
    }
    struct chosen *chosen = target;
    *chosen = (struct chosen){.index = index};
    if (choice->options != NULL) {
        void *options = arena_allocate(&reading->scenario->arena, 1, choice->option_size);
        chosen->options = options;
        return read_options(reading, field, choice, &written, options) &&
               check_options(reading, choice, &written, options);
    }
    if (written.options == NULL) {
        return true;
    }
    if (field->tag != NULL) {
        return refuse_options(reading, field, choice, written.options);
    }
    return reading_report(reading, written.place, "%s takes no options: write just %s",
                          choice->name, choice->name);
}

/* One alternative of the schema: the bare name, or a map. */
static json_t *describe_row(const struct reader_context *context, const struct field *field,
                            const struct choice *choice) {
    json_t *schema = json_object();
    json_object_set_new(schema, "description", json_string(choice->summary));
    json_object_set_new(schema, "type", json_string("object"));
    if (field->tag != NULL) {
        if (choice->options != NULL) {
            fields_describe(context, choice->options->fields, schema);
        } else {
            json_object_set_new(schema, "properties", json_object());
            json_object_set_new(schema, "required", json_array());
            json_object_set_new(schema, "additionalProperties", json_false());
        }
        json_object_set_new(json_object_get(schema, "properties"), field->tag,
                            json_pack("{s:s}", "const", choice->name));
        json_array_append_new(json_object_get(schema, "required"), json_string(field->tag));
    } else {
        json_object_set_new(
            schema, "properties",
            json_pack("{s:o}", choice->name, field_describe(context, choice->options)));
        json_object_set_new(schema, "required", json_pack("[s]", choice->name));
        json_object_set_new(schema, "additionalProperties", json_false());
    }
    return schema;
}

/* Whether the bare name will do. */
static bool may_be_bare(const struct choice *choice) {
    if (choice->options == NULL) {
        return true;
    }
    const struct field *field = choice->options->fields;
    while (field != NULL && field->name != NULL && !field->required) {
        field++;
    }
    return field != NULL && field->name == NULL;
}

static void choice_describe(const struct reader_context *context, const struct field *field,
                            json_t *schema) {
    const struct registry *registry = find_registry(context, field);
    json_t *alternatives = json_array();
    for (size_t i = 0; i < registry->count; i++) {
        const struct choice *choice = registry_row(registry, i);
        if (!is_offered(field, choice)) {
            continue;
        }
        if (may_be_bare(choice)) {
            json_array_append_new(alternatives, json_pack("{s:s, s:s}", "const", choice->name,
                                                          "description", choice->summary));
        }
        if (choice->options != NULL || field->tag != NULL) {
            json_array_append_new(alternatives, describe_row(context, field, choice));
        }
    }
    json_object_set_new(schema, "anyOf", alternatives);
}

const struct field_type field_choice = {
    .size = sizeof(struct chosen), .read = choice_read, .describe = choice_describe};
