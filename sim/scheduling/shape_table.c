#include "sim/scheduling/shape_table.h"

#include <stdlib.h>

#include "sim/kernel/memory.h"

struct shape_entry {
    int32_t gpus;
    int32_t preference;
    int32_t compute;
    int32_t owner;
    int32_t urgency;
    struct host_share each;
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
    for (size_t i = 0; i < scenario->pool_count; i++) {
        table->limits_cpus |= pools[i].index.host.cpus != INT64_MAX;
        table->limits_memory |= pools[i].index.host.memory != INT64_MAX;
    }
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

/* What quotas count for a job in a pool; in a slot, of the smallest that would do. */
static int64_t amount_in(const struct pool *pool, const struct pool_ask *ask, int32_t gpus,
                         int32_t compute) {
    int64_t least = gpus * QUOTA_GPU;
    for (uint64_t kinds = ask->whole ? 0 : ask->kinds; kinds != 0; kinds &= kinds - 1) {
        const struct slot_kind *kind = &pool->slots->kinds[__builtin_ctzll(kinds)];
        int64_t amount = quota_slot_amount(compute, kind->mode->slots(kind->spec), kind->units,
                                           pool->units_per_gpu);
        least = amount < least ? amount : least;
    }
    return least;
}

/* A pool where not even an empty quota would do is none. */
static void keep_admitted(struct shape *shape, const struct quotas *quotas) {
    size_t kept = 0;
    shape->least_amount = INT64_MAX;
    for (size_t i = 0; i < shape->pool_count; i++) {
        struct shape_pool *pool = &shape->pools[i];
        if (quotas_could_admit(quotas, shape->owner, pool->amount)) {
            shape->least_amount =
                pool->amount < shape->least_amount ? pool->amount : shape->least_amount;
            shape->pools[kept++] = *pool;
        }
    }
    shape->beyond_quota = shape->pool_count > 0 && kept == 0;
    shape->pool_count = kept;
}

static struct shape *make_shape(const struct shape_table *table, const struct shape_ask *asked,
                                struct host_share each) {
    int32_t index = table->preferences->of_workload[asked->workload];
    const struct preference *preference = &table->preferences->items[index];
    struct shape *shape = memory_zero(1, sizeof *shape);
    int32_t gpus = asked->gpus;
    int64_t memory = asked->memory;
    int32_t compute = asked->compute;
    shape->gpus = gpus;
    shape->span = preference->span;
    shape->closed = preference->closed;
    shape->each = each;
    struct gang gang = shape_gang(shape);
    shape->owner = asked->owner;
    shape->pools = memory_zero(preference->pool_count, sizeof *shape->pools);
    for (size_t i = 0; i < preference->pool_count; i++) {
        const struct preferred_pool *wanted = &preference->pools[i];
        const struct pool *pool = &table->pools[wanted->pool];
        const struct gpu_model *gpu =
            pool->slots == NULL
                ? NULL
                : &table->scenario->catalogue->gpus[table->scenario->pools[wanted->pool].gpu];
        struct pool_ask ask = preference_ask(preference, pool, gpu, gpus, each, memory, compute);
        if (ask.possible) {
            shape->pools[shape->pool_count++] = (struct shape_pool){
                .pool = wanted->pool,
                .whole = ask.whole,
                .slot = {.kinds = ask.kinds,
                         .memory = memory,
                         .compute = compute,
                         .party = preference->party,
                         .exclusive_party = preference->isolation == ISOLATION_WEAK,
                         .host = each},
                .speed = wanted->speed,
                .amount =
                    amount_in(pool, &ask, gang_held(&gang, pool->index.gpus_per_node), compute)};
        }
    }
    if (table->quotas != NULL) {
        keep_admitted(shape, table->quotas);
    }
    return shape;
}

static struct shape_entry *entry_for(struct shape_entry *entries, size_t capacity,
                                     const struct shape_entry *key) {
    uint64_t host =
        (uint64_t)key->each.cpus * UINT64_C(0x9fb21c651e98df25) + (uint64_t)key->each.memory;
    uint64_t hash = host * UINT64_C(0xd6e8feb86659fd93) +
                    (uint64_t)(uint32_t)key->gpus * UINT64_C(0x9e3779b97f4a7c15) +
                    (uint64_t)(uint32_t)key->preference * UINT64_C(0xc2b2ae3d27d4eb4f) +
                    (uint64_t)(uint32_t)key->compute * UINT64_C(0x27d4eb2f165667c5) +
                    (uint64_t)(uint32_t)key->owner * UINT64_C(0x85ebca77c2b2ae63) +
                    (uint64_t)(uint32_t)key->urgency * UINT64_C(0xff51afd7ed558ccd) +
                    (uint64_t)key->memory * UINT64_C(0x165667b19e3779f9);
    size_t i = (size_t)(hash >> 32) & (capacity - 1);
    while (entries[i].shape != NULL &&
           (entries[i].gpus != key->gpus || entries[i].preference != key->preference ||
            entries[i].compute != key->compute || entries[i].owner != key->owner ||
            entries[i].urgency != key->urgency || entries[i].each.cpus != key->each.cpus ||
            entries[i].each.memory != key->each.memory || entries[i].memory != key->memory)) {
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

/* What no pool limits is nothing to tell shapes apart by. */
static struct host_share limited_share(const struct shape_table *table, struct host_share each) {
    return (struct host_share){table->limits_cpus ? each.cpus : 0,
                               table->limits_memory ? each.memory : 0};
}

struct shape *shape_table_find(struct shape_table *table, const struct shape_ask *ask) {
    struct shape_entry key = {.gpus = ask->gpus,
                              .preference = table->preferences->of_workload[ask->workload],
                              .compute = ask->compute,
                              .owner = ask->owner,
                              .urgency = ask->urgency,
                              .each = limited_share(table, ask->each),
                              .memory = memory_key(table, ask->memory)};
    struct shape_entry *entry = entry_for(table->entries, table->capacity, &key);
    if (entry->shape == NULL) {
        if ((table->count + 1) * 2 > table->capacity) {
            make_room(table);
            entry = entry_for(table->entries, table->capacity, &key);
        }
        key.shape = make_shape(table, ask, key.each);
        *entry = key;
        table->count++;
    }
    entry->shape->jobs++;
    return entry->shape;
}

void shape_table_close(struct shape_table *table, struct job_queue *queue, int32_t preference,
                       bool closed) {
    table->preferences->items[preference].closed = closed;
    for (size_t i = 0; i < table->capacity; i++) {
        const struct shape_entry *entry = &table->entries[i];
        if (entry->shape != NULL && entry->preference == preference) {
            job_queue_close(queue, entry->shape, closed);
        }
    }
}
