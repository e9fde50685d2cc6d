/* The engine: reading one value by its row, what is left out, and how problems are told. */
#include "scenarios/schema.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "scenarios/problem.h"
#include "scenarios/schema_engine.h"
#include "scenarios/yaml_tree.h"

static bool is_plain_name(const char *name) {
    return name[0] != '\0' && name[strcspn(name, ".\"' \t")] == '\0';
}

size_t reading_enter(struct reading *reading, const char *name) {
    size_t before = reading->path_length;
    size_t room = sizeof(reading->path) - before;
    const char *dot = before > 0 ? "." : "";
    const char *quote = is_plain_name(name) ? "" : "\"";
    int length = snprintf(reading->path + before, room, "%s%s%s%s", dot, quote, name, quote);
    bool cut = length < 0 || (size_t)length >= room;
    reading->path_length = cut ? sizeof(reading->path) - 1 : before + (size_t)length;
    return before;
}

void reading_leave(struct reading *reading, size_t length) {
    reading->path_length = length;
    reading->path[length] = '\0';
}

const char *reading_path(const struct reading *reading) {
    return reading->path_length > 0 ? reading->path
           : reading->whole != NULL ? reading->whole
                                    : "the scenario";
}

bool reading_report(struct reading *reading, struct place place, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    problem_add_v(reading->errors, place, format, arguments);
    va_end(arguments);
    return false;
}

bool reading_refuse(struct reading *reading, struct place place, const char *format, ...) {
    char text[1024];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof(text), format, arguments);
    va_end(arguments);
    return reading_report(reading, place, "%s %s", reading_path(reading), text);
}

bool reading_refuse_value(struct reading *reading, const struct field *field,
                          const struct node *node, const char *advice, const char *hint) {
    char words[256] = "";
    for (const struct field_word *word = field->words; word != NULL && word->word != NULL; word++) {
        size_t used = strlen(words);
        snprintf(words + used, sizeof(words) - used, ", or %s", word->word);
    }
    char found[96];
    return reading_refuse(reading, node->place, "must be %s%s, not %s%s%s%s", advice, words,
                          node_describe(node, found, sizeof(found)), hint != NULL ? " (" : "",
                          hint != NULL ? hint : "", hint != NULL ? ")" : "");
}

static void put_word(const struct field *field, void *target, long long value) {
    if (field->type->words == WORDS_AS_DOUBLE) {
        *(double *)target = (double)value;
    } else if (field->size == sizeof(int32_t)) {
        *(int32_t *)target = (int32_t)value;
    } else {
        *(int64_t *)target = value;
    }
}

/* A word that stands instead of a value. */
static bool read_word(const struct field *field, const struct node *node, void *target) {
    if (node->kind != NODE_SCALAR || field->type->words == WORDS_READ_BY_TYPE) {
        return false;
    }
    for (const struct field_word *word = field->words; word != NULL && word->word != NULL; word++) {
        if (strcmp(node->text, word->word) == 0) {
            put_word(field, target, word->value);
            return true;
        }
    }
    return false;
}

static bool read_value(struct reading *reading, const struct field *field, struct node *node,
                       void *target) {
    if (read_word(field, node, target)) {
        return true;
    }
    bool empty_map = field->type->empty_is_map && field->may_be_empty;
    if (node_is_empty(node) && !empty_map) {
        return reading_refuse(reading, node->place, "needs a value");
    }
    return field->type->read(reading, field, node, target);
}

bool field_read(struct reading *reading, const struct field *field, struct node *node, void *base) {
    assert(field->type->size == 0 || field->type->size == field->size);
    char *bytes = base;
    if (field->has_place) {
        *(struct place *)(bytes + field->place_offset) = node->place;
    }
    if (node->bad) {
        return false;
    }
    if (!read_value(reading, field, node, bytes + field->offset)) {
        node->bad = true;
        return false;
    }
    return true;
}

bool reading_report_slip(struct reading *reading, const struct node *map,
                         const struct entry *entry) {
    if (!node_is_empty(entry->value)) {
        return false;
    }
    char key[96];
    text_describe(entry->key, key, sizeof(key));
    const char *colon = strchr(entry->key, ':');
    if (colon != NULL && colon[1] != '\0') {
        reading_report(reading, entry->place, "a blank is missing after the colon in %s", key);
        return true;
    }
    if (map->flow && entry->value->text[0] == '\0') {
        reading_report(reading, entry->place,
                       "%s has no value; if the comma before it belongs to a value, put that value "
                       "in quotes",
                       key);
        return true;
    }
    return false;
}

bool field_read_member(struct reading *reading, const struct field *field, const struct node *map,
                       struct entry *entry, void *base) {
    bool may_be_empty = field->type->empty_is_map && field->may_be_empty;
    if (!entry->value->bad && !may_be_empty && reading_report_slip(reading, map, entry)) {
        entry->value->bad = true;
        return false;
    }
    size_t before = reading_enter(reading, entry->key);
    bool sound = field_read(reading, field, entry->value, base);
    reading_leave(reading, before);
    return sound;
}

/* A preset that is a map. */
static struct node *preset_tree(struct reading *reading, const struct field *field) {
    return yaml_tree_parse(&reading->scenario->arena, reading->scenario->file, field->preset,
                           strlen(field->preset), reading->errors);
}

void field_preset(struct reading *reading, const struct field *field, void *base) {
    if (field->preset != NULL) {
        struct node scalar = {.kind = NODE_SCALAR, .text = field->preset, .quoted = true};
        struct node *node = field->preset[0] == '{' ? preset_tree(reading, field) : &scalar;
        bool sound = read_value(reading, field, node, (char *)base + field->offset);
        assert(sound && "a preset must be a valid value");
        (void)sound;
    } else if (field->type->preset != NULL) {
        field->type->preset(reading, field, (char *)base + field->offset);
    }
}

const char *missing_blank_hint(const struct node *node) {
    const char *colon = node->kind == NODE_SCALAR && !node->quoted ? strchr(node->text, ':') : NULL;
    return colon != NULL && colon[1] != '\0' ? "is a blank missing after the colon?" : NULL;
}
