#include "sim/scheduling/shape_table.h"

#include <stdlib.h>

#include "sim/kernel/memory.h"

struct shape_entry {
    int32_t gpus;
    int32_t preference;
    int32_t memory_rank; /* how many pools' GPUs have less memory */
    struct shape *shape; /* NULL: free entry */
};

/* 1 where nothing is said: the checker refuses a workload that may use another GPU than the
 * reference without saying how fast it is there. */
static double speed_on(const struct workload_spec *workload, int gpu) {
    for (size_t i = 0; i < workload->speed_count; i++) {
        if (workload->speeds[i].gpu == gpu) {
            return workload->speeds[i].factor;
        }
    }
    return 1;
}

static struct preference preference_of(struct arena *arena, const struct scenario *scenario,
                                       const struct workload_spec *workload) {
    bool any = workload->pool_count == 0;
    struct preference preference = {.pool_count =
                                        any ? scenario->pool_count : workload->pool_count};
    preference.pools = arena_allocate(arena, preference.pool_count, sizeof *preference.pools);
    for (size_t i = 0; i < preference.pool_count; i++) {
        int pool = any ? (int)i : workload->pools[i];
        preference.pools[i] = (struct shape_pool){
            .pool = pool,
            .speed = speed_on(workload, scenario->pools[pool].gpu),
        };
    }
    return preference;
}

static bool preference_equal(const struct preference *a, const struct preference *b) {
    if (a->pool_count != b->pool_count) {
        return false;
    }
    for (size_t i = 0; i < a->pool_count; i++) {
        if (a->pools[i].pool != b->pools[i].pool || a->pools[i].speed != b->pools[i].speed) {
            return false;
        }
    }
    return true;
}

static int32_t intern_preference(struct shape_table *table, struct preference preference) {
    for (size_t i = 0; i < table->preference_count; i++) {
        if (preference_equal(&table->preferences[i], &preference)) {
            return (int32_t)i;
        }
    }
    table->preferences[table->preference_count] = preference;
    return (int32_t)table->preference_count++;
}

static int compare_memory(const void *a, const void *b) {
    int64_t left = *(const int64_t *)a;
    int64_t right = *(const int64_t *)b;
    return (left > right) - (left < right);
}

void shape_table_initialize(struct shape_table *table, const struct scenario *scenario,
                            const struct pool *pools) {
    *table =
        (struct shape_table){.pools = pools, .pool_count = scenario->pool_count, .capacity = 64};
    table->entries = memory_zero(table->capacity, sizeof *table->entries);
    table->preferences =
        arena_allocate(&table->arena, scenario->workload_count, sizeof *table->preferences);
    table->preference_of =
        arena_allocate(&table->arena, scenario->workload_count, sizeof *table->preference_of);
    for (size_t i = 0; i < scenario->workload_count; i++) {
        table->preference_of[i] = intern_preference(
            table, preference_of(&table->arena, scenario, &scenario->workloads[i]));
    }
    table->memories = arena_allocate(&table->arena, table->pool_count, sizeof *table->memories);
    for (size_t i = 0; i < table->pool_count; i++) {
        table->memories[i] = pools[i].gpu_memory;
    }
    qsort(table->memories, table->pool_count, sizeof *table->memories, compare_memory);
}

void shape_table_terminate(struct shape_table *table) {
    free(table->entries);
    arena_clear(&table->arena);
}

static struct shape *make_shape(struct shape_table *table, int32_t preference, int32_t gpus,
                                int64_t memory) {
    const struct preference *wanted = &table->preferences[preference];
    struct shape *shape = arena_allocate(&table->arena, 1, sizeof *shape);
    shape->gpus = gpus;
    shape->pools = arena_allocate(&table->arena, wanted->pool_count, sizeof *shape->pools);
    for (size_t i = 0; i < wanted->pool_count; i++) {
        if (pool_could_hold(&table->pools[wanted->pools[i].pool], gpus, memory)) {
            shape->pools[shape->pool_count++] = wanted->pools[i];
        }
    }
    return shape;
}

static struct shape_entry *entry_for(struct shape_entry *entries, size_t capacity,
                                     const struct shape_entry *key) {
    uint64_t hash = (uint64_t)(uint32_t)key->gpus * UINT64_C(0x9e3779b97f4a7c15) +
                    (uint64_t)(uint32_t)key->preference * UINT64_C(0xc2b2ae3d27d4eb4f) +
                    (uint64_t)(uint32_t)key->memory_rank * UINT64_C(0x165667b19e3779f9);
    size_t i = (size_t)(hash >> 32) & (capacity - 1);
    while (entries[i].shape != NULL &&
           (entries[i].gpus != key->gpus || entries[i].preference != key->preference ||
            entries[i].memory_rank != key->memory_rank)) {
        i = (i + 1) & (capacity - 1);
    }
    return &entries[i];
}

static void grow(struct shape_table *table) {
    size_t capacity = table->capacity * 2;
    struct shape_entry *entries = memory_zero(capacity, sizeof *entries);
    for (size_t i = 0; i < table->capacity; i++) {
        if (table->entries[i].shape != NULL) {
            *entry_for(entries, capacity, &table->entries[i]) = table->entries[i];
        }
    }
    free(table->entries);
    table->entries = entries;
    table->capacity = capacity;
}

struct shape *shape_table_find(struct shape_table *table, int32_t workload, int32_t gpus,
                               int64_t memory) {
    struct shape_entry key = {.gpus = gpus, .preference = table->preference_of[workload]};
    while ((size_t)key.memory_rank < table->pool_count &&
           table->memories[key.memory_rank] < memory) {
        key.memory_rank++;
    }
    struct shape_entry *entry = entry_for(table->entries, table->capacity, &key);
    if (entry->shape == NULL) {
        key.shape = make_shape(table, key.preference, gpus, memory);
        *entry = key;
        if (++table->count * 2 > table->capacity) {
            grow(table);
        }
        return key.shape;
    }
    return entry->shape;
}
