#include "tests/support/pool_case.h"

#include <stdlib.h>
#include <string.h>

#include "tests/support/unit.h"

void pool_case_initialize(struct pool_case *pool_case, const char *gpu, int32_t nodes,
                          int32_t gpus_per_node) {
    int candidates[1];
    size_t count;
    *pool_case = (struct pool_case){.catalogue = catalogue_create()};
    pool_case->spec = (struct pool_spec){.name = "pool",
                                         .nodes = nodes,
                                         .gpus_per_node = gpus_per_node,
                                         .sharing = {.index = SHARING_EXCLUSIVE}};
    pool_case->spec.gpu = catalogue_find_gpu(pool_case->catalogue, gpu, candidates, 1, &count);
    assert_true(pool_case->spec.gpu >= 0);
}

const struct gpu_model *pool_case_gpu(const struct pool_case *pool_case) {
    return &pool_case->catalogue->gpus[pool_case->spec.gpu];
}

struct chosen pool_case_mig(struct pool_case *pool_case, const char *const *profiles,
                            size_t count) {
    const struct gpu_model *gpu = pool_case_gpu(pool_case);
    struct sharing_spec *spec = &pool_case->sharing[0];
    *spec = (struct sharing_spec){.layout = &pool_case->items[pool_case->item_count],
                                  .layout_count = count};
    for (size_t i = 0; i < count; i++) {
        size_t row = 0;
        while (row < gpu->profile_count && strcmp(gpu->profiles[row].name, profiles[i]) != 0) {
            row++;
        }
        assert_true(row < gpu->profile_count && pool_case->item_count < POOL_CASE_ITEMS);
        pool_case->items[pool_case->item_count++] =
            (struct layout_item){.profile = profiles[i],
                                 .profile_row = (int)row,
                                 .count = 1,
                                 .sharing = {.index = SHARING_EXCLUSIVE}};
    }
    return (struct chosen){.index = SHARING_MIG, .options = spec};
}

struct chosen pool_case_mps(struct pool_case *pool_case, int32_t clients, int64_t memory_limit) {
    struct sharing_spec *spec = &pool_case->sharing[1];
    *spec = (struct sharing_spec){
        .clients = clients, .thread_percentage = 1, .memory_limit = memory_limit};
    return (struct chosen){.index = SHARING_MPS, .options = spec};
}

void pool_case_apart(struct pool_case *pool_case, int32_t *gpus, size_t count,
                     struct chosen sharing) {
    pool_case->layout = (struct gpu_layout){.gpus = gpus, .gpu_count = count, .sharing = sharing};
    pool_case->spec.layouts = &pool_case->layout;
    pool_case->spec.layout_count = 1;
}

void pool_case_open(struct pool_case *pool_case, int32_t parties, slot_rank *rank) {
    const struct gpu_model *gpu = pool_case_gpu(pool_case);
    pool_case->host = (struct device_host){.accounts = pool_case->accounts, .pool_count = 1};
    pool_initialize(&pool_case->pool, "pool", pool_case->spec.nodes, pool_case->spec.gpus_per_node,
                    gpu->memory_mib * 1024 * 1024);
    pool_share(&pool_case->pool, &pool_case->spec, gpu, &pool_case->host, parties, rank);
}

const struct placement_rule *pool_case_open_by_rule(struct pool_case *pool_case, int32_t parties,
                                                    const char *name) {
    size_t i = 0;
    while (strcmp(placement_rules[i].choice.name, name) != 0) {
        i++;
        assert_true(i < placement_rule_count);
    }
    pool_case_open(pool_case, parties, placement_rules[i].rank);
    if (placement_rules[i].growth != NULL) {
        slots_weigh(pool_case->pool.slots, placement_rules[i].growth, pool_case->pool.gpu_memory);
    }
    if (placement_rules[i].draws) {
        node_index_draw(&pool_case->pool.index, 1, 1, pool_case->pool.name);
    }
    return &placement_rules[i];
}

void pool_case_terminate(struct pool_case *pool_case) {
    pool_terminate(&pool_case->pool);
    catalogue_destroy(pool_case->catalogue);
    free(pool_case->host.unsettled);
}

uint64_t pool_case_kinds(const struct pool_case *pool_case) {
    return UINT64_MAX >> (64 - pool_case->pool.slots->kind_count);
}

struct tenant *pool_case_seat_there(struct pool_case *pool_case, struct device *device,
                                    const struct slot_ask *ask) {
    assert_true(pool_case->tenant_count < POOL_CASE_TENANTS);
    struct tenant *tenant = &pool_case->tenants[pool_case->tenant_count++];
    *tenant = (struct tenant){.concurrency = 1,
                              .saturation = 1,
                              .compute = (double)ask->compute / SLOTS_MOST_COMPUTE,
                              .memory = ask->memory,
                              .party = ask->party,
                              .exclusive_party = ask->exclusive_party};
    pool_seat(&pool_case->pool, device, tenant, 0);
    return tenant;
}

struct tenant *pool_case_seat(struct pool_case *pool_case, const struct slot_ask *ask) {
    struct device *device = slots_find(pool_case->pool.slots, ask);
    return device == NULL ? NULL : pool_case_seat_there(pool_case, device, ask);
}
