#include "workloads/owner_table.h"

#include <stdlib.h>

#include "sim/kernel/memory.h"

/* The slot that holds the pair, or the free one where it belongs. */
static size_t find_slot(const struct owner_table *table, struct owner_pair pair) {
    uint64_t hash = (uint64_t)(uint32_t)pair.queue * UINT64_C(0x9e3779b97f4a7c15) +
                    (uint64_t)(uint32_t)pair.user * UINT64_C(0xc2b2ae3d27d4eb4f);
    size_t mask = table->slot_count - 1;
    size_t slot = (size_t)(hash >> 32) & mask;
    while (table->slots[slot] != 0) {
        const struct owner_pair *known = &table->pairs[table->slots[slot] - 1];
        if (known->queue == pair.queue && known->user == pair.user) {
            break;
        }
        slot = (slot + 1) & mask;
    }
    return slot;
}

/* Keeps at least half of the slots free. */
static void make_room(struct owner_table *table) {
    if (2 * (table->count + 1) <= table->slot_count) {
        return;
    }
    table->slot_count = table->slot_count > 0 ? 2 * table->slot_count : 64;
    free(table->slots);
    table->slots = memory_zero(table->slot_count, sizeof(table->slots[0]));
    for (size_t i = 0; i < table->count; i++) {
        table->slots[find_slot(table, table->pairs[i])] = (uint32_t)i + 1;
    }
}

int32_t owner_table_add(struct owner_table *table, const char *queue, const char *user) {
    struct owner_pair pair = {
        .queue = queue != NULL ? name_table_add(&table->queues, queue) : -1,
        .user = user != NULL ? name_table_add(&table->users, user) : -1,
    };
    make_room(table);
    size_t slot = find_slot(table, pair);
    if (table->slots[slot] == 0) {
        if (table->count == INT32_MAX) {
            memory_exhausted(0);
        }
        table->pairs =
            memory_grow(table->pairs, &table->capacity, table->count + 1, sizeof(table->pairs[0]));
        table->pairs[table->count++] = pair;
        table->slots[slot] = (uint32_t)table->count;
    }
    return (int32_t)(table->slots[slot] - 1);
}

void owner_table_get(const struct owner_table *table, int32_t number, const char **queue,
                     const char **user) {
    struct owner_pair pair = table->pairs[number];
    *queue = pair.queue >= 0 ? table->queues.names[pair.queue] : NULL;
    *user = pair.user >= 0 ? table->users.names[pair.user] : NULL;
}

void owner_table_clear(struct owner_table *table) {
    name_table_clear(&table->queues);
    name_table_clear(&table->users);
    free(table->pairs);
    free(table->slots);
    *table = (struct owner_table){0};
}
