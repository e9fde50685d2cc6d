/* Objects: maps whose keys are the rows of a table. */
#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "scenarios/schema_engine.h"
#include "scenarios/suggest.h"

/* The row of that name; the nameless end of the table if there is none. */
static size_t find_field(const struct field *fields, const char *name) {
    size_t i = 0;
    while (fields[i].name != NULL && strcmp(fields[i].name, name) != 0) {
        i++;
    }
    return i;
}

/* "gpu, nodes, price". Returns buffer. */
static const char *list_keys(const struct field *fields, char *buffer, size_t size) {
    size_t used = 0;
    buffer[0] = '\0';
    for (const struct field *field = fields; field->name != NULL; field++) {
        int length =
            snprintf(buffer + used, size - used, "%s%s", used > 0 ? ", " : "", field->name);
        used += length > 0 ? (size_t)length : 0;
        if (used >= size) {
            break;
        }
    }
    return buffer;
}

/* The row that "nodes:4" was meant for. */
static const char *key_before_colon(const struct field *fields, const char *key) {
    size_t length = strcspn(key, ":");
    for (const struct field *field = fields; field->name != NULL; field++) {
        if (strlen(field->name) == length && strncmp(field->name, key, length) == 0) {
            return field->name;
        }
    }
    return NULL;
}

/* Reports a key that no row knows. Returns the name it was probably meant to be, or NULL. */
static const char *report_unknown_key(struct reading *reading, const struct field *fields,
                                      const struct node *map, const struct entry *entry) {
    if (reading_report_slip(reading, map, entry)) {
        return key_before_colon(fields, entry->key);
    }
    struct suggestion suggestion = suggestion_start(entry->key);
    for (const struct field *field = fields; field->name != NULL; field++) {
        suggestion_consider(&suggestion, field->name);
    }
    char keys[512];
    char key[96];
    text_describe(entry->key, key, sizeof(key));
    const char *where = reading_path(reading);
    if (suggestion.best != NULL) {
        reading_report(reading, entry->place, "unknown key %s in %s: did you mean \"%s\"?", key,
                       where, suggestion.best);
    } else {
        reading_report(reading, entry->place, "unknown key %s in %s, which takes %s", key, where,
                       list_keys(fields, keys, sizeof(keys)));
    }
    return suggestion.best;
}

static bool report_missing(struct reading *reading, const struct field *field, struct node *map) {
    if (!map->created) {
        return reading_refuse(reading, map->place, "needs the key \"%s\" (%s)", field->name,
                              field->summary);
    }
    /* A path with a name that is not there: one word about it is enough. */
    if (!map->bad) {
        reading_refuse(reading, map->place,
                       "is not in the file%s; a new one would need the key \"%s\", too",
                       map->advice, field->name);
        map->bad = true;
    }
    return false;
}

enum { MOST_FIELDS = 64 };

/* Reports the keys that no row knows; tells which rows they were probably meant for, so that those
 * are not reported missing as well. */
static bool check_keys(struct reading *reading, const struct field *fields, struct node *node,
                       const char *skip, bool mistyped[MOST_FIELDS]) {
    bool sound = true;
    for (size_t i = 0; i < node->count; i++) {
        const struct entry *entry = &node->entries[i];
        if ((skip != NULL && strcmp(entry->key, skip) == 0) ||
            fields[find_field(fields, entry->key)].name != NULL) {
            continue;
        }
        sound = false;
        node->strange = true;
        const char *meant = report_unknown_key(reading, fields, node, entry);
        if (meant != NULL) {
            mistyped[find_field(fields, meant)] = true;
        }
    }
    return sound;
}

bool fields_read(struct reading *reading, const struct field *fields, struct node *node, void *base,
                 const char *skip) {
    bool mistyped[MOST_FIELDS] = {false};
    bool sound = check_keys(reading, fields, node, skip, mistyped);
    for (size_t i = 0; fields[i].name != NULL; i++) {
        assert(i < MOST_FIELDS);
        const struct field *field = &fields[i];
        struct entry *entry = node_entry(node, field->name);
        if (entry != NULL) {
            if (field->has_presence) {
                *(bool *)((char *)base + field->presence_offset) = true;
            }
            sound &= field_read_member(reading, field, node, entry, base);
        } else if (!field->required) {
            field_preset(reading, field, base);
        } else if (!mistyped[i]) {
            sound = report_missing(reading, field, node);
        }
    }
    return sound;
}

static bool object_read(struct reading *reading, const struct field *field, struct node *node,
                        void *target) {
    if (node->kind != NODE_MAP) {
        char keys[512];
        char advice[600];
        bool one = field->fields[0].name != NULL && field->fields[1].name == NULL;
        snprintf(advice, sizeof(advice), "a map with the %s %s", one ? "key" : "keys",
                 list_keys(field->fields, keys, sizeof(keys)));
        return reading_refuse_value(reading, field, node, advice, missing_blank_hint(node));
    }
    return fields_read(reading, field->fields, node, target, NULL);
}

static void object_preset(struct reading *reading, const struct field *field, void *target) {
    for (const struct field *row = field->fields; row->name != NULL; row++) {
        field_preset(reading, row, target);
    }
}

static void object_describe(const struct reader_context *context, const struct field *field,
                            json_t *schema) {
    fields_describe(context, field->fields, schema);
}

const struct field_type field_object = {
    .read = object_read, .preset = object_preset, .describe = object_describe};
