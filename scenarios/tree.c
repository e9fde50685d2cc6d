#include "scenarios/tree.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

bool node_is_empty(const struct node *node) {
    static const char *const empty[] = {"", "~", "null", "Null", "NULL"};
    if (node->kind != NODE_SCALAR || node->quoted) {
        return false;
    }
    for (size_t i = 0; i < sizeof(empty) / sizeof(empty[0]); i++) {
        if (strcmp(node->text, empty[i]) == 0) {
            return true;
        }
    }
    return false;
}

struct entry *node_entry(const struct node *node, const char *key) {
    if (node == NULL || node->kind != NODE_MAP) {
        return NULL;
    }
    for (size_t i = 0; i < node->count; i++) {
        if (strcmp(node->entries[i].key, key) == 0) {
            return &node->entries[i];
        }
    }
    return NULL;
}

struct node *node_member(const struct node *node, const char *key) {
    struct entry *entry = node_entry(node, key);
    return entry != NULL ? entry->value : NULL;
}

struct node *node_at(const struct node *node, ...) {
    struct node *found = NULL;
    va_list keys;
    va_start(keys, node);
    for (const char *key = va_arg(keys, const char *); key != NULL && node != NULL;
         key = va_arg(keys, const char *)) {
        found = node_member(node, key);
        node = found;
    }
    va_end(keys);
    return found;
}

/* Trees are at most 64 levels deep, so this recursion is, too. */
struct node *node_copy(struct arena *arena, const char *file, const struct node *node) {
    struct node *copy = arena_allocate(arena, 1, sizeof(*copy));
    *copy = *node;
    copy->place.file = file;
    if (node->text != NULL) {
        copy->text = arena_duplicate_string(arena, node->text);
    }
    if (node->kind == NODE_SCALAR) {
        return copy;
    }
    copy->entries = arena_allocate(arena, node->count, sizeof(copy->entries[0]));
    for (size_t i = 0; i < node->count; i++) {
        const struct entry *entry = &node->entries[i];
        copy->entries[i] = *entry;
        copy->entries[i].place.file = file;
        copy->entries[i].value = node_copy(arena, file, entry->value);
        if (entry->key != NULL) {
            copy->entries[i].key = arena_duplicate_string(arena, entry->key);
        }
    }
    return copy;
}

void node_put(struct arena *arena, struct node *map, const char *key, struct place place,
              struct node *value) {
    struct entry *entry = node_entry(map, key);
    if (entry == NULL) {
        struct entry *entries = arena_allocate(arena, map->count + 1, sizeof(entries[0]));
        if (map->count > 0) {
            memcpy(entries, map->entries, map->count * sizeof(entries[0]));
        }
        map->entries = entries;
        entry = &entries[map->count++];
        entry->key = key;
    }
    entry->place = place;
    entry->value = value;
}

const char *text_describe(const char *text, char *buffer, size_t size) {
    enum { LONGEST_TEXT = 60 };
    size_t length = strcspn(text, "\r\n");
    bool cut = text[length] != '\0' || length > LONGEST_TEXT;
    if (length > LONGEST_TEXT) {
        length = LONGEST_TEXT;
        while (length > 0 && ((unsigned char)text[length] & 0xC0) == 0x80) {
            length--;
        }
    }
    snprintf(buffer, size, "\"%.*s%s\"", (int)length, text, cut ? "..." : "");
    return buffer;
}

const char *node_describe(const struct node *node, char *buffer, size_t size) {
    if (node->kind == NODE_SCALAR && !node_is_empty(node)) {
        return text_describe(node->text, buffer, size);
    }
    snprintf(buffer, size, "%s",
             node->kind == NODE_MAP    ? "a map"
             : node->kind == NODE_LIST ? "a list"
                                       : "empty");
    return buffer;
}
