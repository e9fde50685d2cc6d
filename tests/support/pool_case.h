/* A pool whose GPUs are shared, put together in C, with tenants to seat on it. */
#ifndef TESTS_SUPPORT_POOL_CASE_H
#define TESTS_SUPPORT_POOL_CASE_H

#include "models/catalogue.h"
#include "sim/cluster/pool.h"
#include "sim/scheduling/placement.h"

enum { POOL_CASE_ITEMS = 8, POOL_CASE_TENANTS = 16, POOL_CASE_WORKLOADS = 4 };

struct pool_case {
    struct catalogue *catalogue;
    struct pool_spec spec; /* change it, then open */
    struct sharing_spec sharing[2];
    struct layout_item items[POOL_CASE_ITEMS];
    size_t item_count;
    struct gpu_layout layout;
    struct device_host host;
    gpu_time accounts[POOL_CASE_WORKLOADS];
    struct pool pool;
    struct tenant tenants[POOL_CASE_TENANTS];
    int tenant_count;
};

/* Nodes of GPUs of one type, all exclusive. */
void pool_case_initialize(struct pool_case *pool_case, const char *gpu, int32_t nodes,
                          int32_t gpus_per_node);
/* What `sharing` of the pool, or of some GPUs of each node, can be; each once. */
struct chosen pool_case_mig(struct pool_case *pool_case, const char *const *profiles, size_t count);
struct chosen pool_case_mps(struct pool_case *pool_case, int32_t clients, int64_t memory_limit);
void pool_case_apart(struct pool_case *pool_case, int32_t *gpus, size_t count,
                     struct chosen sharing);
void pool_case_open(struct pool_case *pool_case, int32_t parties, slot_rank *rank);
/* The same, its slots found as the placement rule of this name does. */
const struct placement_rule *pool_case_open_by_rule(struct pool_case *pool_case, int32_t parties,
                                                    const char *name);
void pool_case_terminate(struct pool_case *pool_case);

const struct gpu_model *pool_case_gpu(const struct pool_case *pool_case);

/* All kinds of its slots, as bits. */
uint64_t pool_case_kinds(const struct pool_case *pool_case);

/* Seats a tenant that asks for this on a device. */
struct tenant *pool_case_seat_there(struct pool_case *pool_case, struct device *device,
                                    const struct slot_ask *ask);
/* Seats a tenant that asks for this where it belongs: returns it, NULL if there is no slot. */
struct tenant *pool_case_seat(struct pool_case *pool_case, const struct slot_ask *ask);

#endif
