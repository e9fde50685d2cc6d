#include "workloads/name_table.h"

#include <stdlib.h>
#include <string.h>

#include "sim/kernel/memory.h"
#include "workloads/fingerprint.h"

/* The slot that holds the name, or the free one where it belongs. */
static size_t find_slot(const struct name_table *table, const char *name) {
    size_t mask = table->slot_count - 1;
    size_t slot = fingerprint(name, strlen(name)) & mask;
    while (table->slots[slot] != 0 && strcmp(table->names[table->slots[slot] - 1], name) != 0) {
        slot = (slot + 1) & mask;
    }
    return slot;
}

/* Keeps at least half of the slots free. */
static void make_room(struct name_table *table) {
    if (2 * (table->count + 1) <= table->slot_count) {
        return;
    }
    table->slot_count = table->slot_count > 0 ? 2 * table->slot_count : 64;
    free(table->slots);
    table->slots = memory_zero(table->slot_count, sizeof(table->slots[0]));
    for (size_t i = 0; i < table->count; i++) {
        table->slots[find_slot(table, table->names[i])] = (uint32_t)i + 1;
    }
}

int32_t name_table_add(struct name_table *table, const char *name) {
    make_room(table);
    size_t slot = find_slot(table, name);
    if (table->slots[slot] == 0) {
        if (table->count == INT32_MAX) {
            memory_exhausted(0);
        }
        table->names =
            memory_grow(table->names, &table->capacity, table->count + 1, sizeof(table->names[0]));
        table->names[table->count++] = arena_duplicate_string(&table->arena, name);
        table->slots[slot] = (uint32_t)table->count;
    }
    return (int32_t)(table->slots[slot] - 1);
}

int32_t name_table_find(const struct name_table *table, const char *name) {
    return table->slot_count > 0 ? (int32_t)table->slots[find_slot(table, name)] - 1 : -1;
}

void name_table_clear(struct name_table *table) {
    arena_clear(&table->arena);
    free(table->names);
    free(table->slots);
    *table = (struct name_table){0};
}
