#include "sim/scheduling/shape_table.h"

#include <stdlib.h>

#include "sim/kernel/memory.h"

struct shape_entry {
    int32_t gpus;
    int32_t preference;
    int32_t compute;
    int64_t memory;      /* bytes, or how many of the sizes are less */
    struct shape *shape; /* NULL: free entry */
};

static int compare_memory(const void *a, const void *b) {
    int64_t left = *(const int64_t *)a;
    int64_t right = *(const int64_t *)b;
    return (left > right) - (left < right);
}

static void collect_memories(struct shape_table *table) {
    size_t most = 0;
    for (size_t i = 0; i < table->pool_count; i++) {
        const struct slots *slots = table->pools[i].slots;
        most += 1 + (slots != NULL ? slots->kind_count : 0);
    }
    table->memories = memory_zero(most, sizeof *table->memories);
    for (size_t i = 0; i < table->pool_count; i++) {
        const struct slots *slots = table->pools[i].slots;
        table->memories[table->memory_count++] = table->pools[i].gpu_memory;
        for (size_t k = 0; slots != NULL && k < slots->kind_count; k++) {
            table->memories[table->memory_count++] = slots->kinds[k].most_memory;
            table->exact_memory |= !slots->kinds[k].mode->exclusive;
        }
    }
    qsort(table->memories, table->memory_count, sizeof *table->memories, compare_memory);
}

void shape_table_initialize(struct shape_table *table, const struct scenario *scenario,
                            const struct pool *pools, struct preferences *preferences) {
    *table = (struct shape_table){.scenario = scenario,
                                  .pools = pools,
                                  .pool_count = scenario->pool_count,
                                  .preferences = preferences,
                                  .capacity = 64};
    table->entries = memory_zero(table->capacity, sizeof *table->entries);
    collect_memories(table);
}

static void free_shape(struct shape *shape) {
    free(shape->pools);
    free(shape);
}

void shape_table_terminate(struct shape_table *table) {
    for (size_t i = 0; i < table->capacity; i++) {
        if (table->entries[i].shape != NULL) {
            free_shape(table->entries[i].shape);
        }
    }
    free(table->entries);
    free(table->memories);
}

static struct shape *make_shape(const struct shape_table *table, int32_t index, int32_t gpus,
                                int64_t memory, int32_t compute) {
    const struct preference *preference = &table->preferences->items[index];
    struct shape *shape = memory_zero(1, sizeof *shape);
    shape->gpus = gpus;
    shape->pools = memory_zero(preference->pool_count, sizeof *shape->pools);
    for (size_t i = 0; i < preference->pool_count; i++) {
        const struct preferred_pool *wanted = &preference->pools[i];
        const struct pool *pool = &table->pools[wanted->pool];
        const struct gpu_model *gpu =
            pool->slots == NULL
                ? NULL
                : &table->scenario->catalogue->gpus[table->scenario->pools[wanted->pool].gpu];
        struct pool_ask ask = preference_ask(preference, pool, gpu, gpus, memory, compute);
        if (ask.possible) {
            shape->pools[shape->pool_count++] = (struct shape_pool){
                .pool = wanted->pool,
                .whole = ask.whole,
                .slot = {.kinds = ask.kinds,
                         .memory = memory,
                         .compute = compute,
                         .party = preference->party,
                         .exclusive_party = preference->isolation == ISOLATION_WEAK},
                .speed = wanted->speed};
        }
    }
    return shape;
}

static struct shape_entry *entry_for(struct shape_entry *entries, size_t capacity,
                                     const struct shape_entry *key) {
    uint64_t hash = (uint64_t)(uint32_t)key->gpus * UINT64_C(0x9e3779b97f4a7c15) +
                    (uint64_t)(uint32_t)key->preference * UINT64_C(0xc2b2ae3d27d4eb4f) +
                    (uint64_t)(uint32_t)key->compute * UINT64_C(0x27d4eb2f165667c5) +
                    (uint64_t)key->memory * UINT64_C(0x165667b19e3779f9);
    size_t i = (size_t)(hash >> 32) & (capacity - 1);
    while (entries[i].shape != NULL &&
           (entries[i].gpus != key->gpus || entries[i].preference != key->preference ||
            entries[i].compute != key->compute || entries[i].memory != key->memory)) {
        i = (i + 1) & (capacity - 1);
    }
    return &entries[i];
}

/* Forgets shapes that no job has any more, and makes room for as many again as are left. */
static void make_room(struct shape_table *table) {
    size_t alive = 0;
    for (size_t i = 0; i < table->capacity; i++) {
        alive += table->entries[i].shape != NULL && table->entries[i].shape->jobs > 0;
    }
    size_t capacity = 64;
    while (capacity < alive * 4) {
        capacity *= 2;
    }
    struct shape_entry *entries = memory_zero(capacity, sizeof *entries);
    for (size_t i = 0; i < table->capacity; i++) {
        struct shape *shape = table->entries[i].shape;
        if (shape != NULL && shape->jobs > 0) {
            *entry_for(entries, capacity, &table->entries[i]) = table->entries[i];
        } else if (shape != NULL) {
            free_shape(shape);
        }
    }
    free(table->entries);
    table->entries = entries;
    table->capacity = capacity;
    table->count = alive;
}

static int64_t memory_key(const struct shape_table *table, int64_t memory) {
    if (table->exact_memory) {
        return memory;
    }
    size_t rank = 0;
    while (rank < table->memory_count && table->memories[rank] < memory) {
        rank++;
    }
    return (int64_t)rank;
}

struct shape *shape_table_find(struct shape_table *table, int32_t workload, int32_t gpus,
                               int64_t memory, int32_t compute) {
    struct shape_entry key = {.gpus = gpus,
                              .preference = table->preferences->of_workload[workload],
                              .compute = compute,
                              .memory = memory_key(table, memory)};
    struct shape_entry *entry = entry_for(table->entries, table->capacity, &key);
    if (entry->shape == NULL) {
        if ((table->count + 1) * 2 > table->capacity) {
            make_room(table);
            entry = entry_for(table->entries, table->capacity, &key);
        }
        key.shape = make_shape(table, key.preference, gpus, memory, compute);
        *entry = key;
        table->count++;
    }
    entry->shape->jobs++;
    return entry->shape;
}
