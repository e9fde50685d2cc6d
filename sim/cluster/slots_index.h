/* How free slots are kept to be found: between slots.c, which keeps them, and who searches. */
#ifndef SIM_CLUSTER_SLOTS_INDEX_H
#define SIM_CLUSTER_SLOTS_INDEX_H

#include "sim/cluster/slots.h"

enum { GROUP_EMPTY, GROUP_OPEN }; /* of trees; then one for each party */

static inline struct slot_link **slots_tree(const struct slots *slots, size_t kind, int32_t group) {
    return &slots->trees[kind * (size_t)slots->groups + (size_t)group];
}

/* What a tenant could have of a device now: bytes, and 1e-9 of a GPU's SMs. */
int64_t slots_memory_left(const struct device *device);
static inline int32_t slots_compute_left(const struct device *device) {
    return slots_compute(device->sm_share) - slots_compute(device->compute_used) -
           device->promised.compute;
}

/* The first place of a tree that will do, with room on its host; NULL: none. Those of the tree that
 * are like it: how many, and the k-th of them, from 0 (below 0: none). */
const struct slot_link *slots_first_in_tree(const struct slots *slots, const struct slot_ask *ask,
                                            const struct slot_link *root);
const struct slot_link *slots_choose_in_tree(const struct slots *slots, const struct slot_ask *ask,
                                             const struct slot_link *root,
                                             const struct slot_link *first, int32_t k,
                                             int32_t *count);

/* Whom a device's tenants let in (enum company), and the party of one of them; -1: there is none.
 */
int slots_company(const struct device *device, int32_t *party);

/* Whether a GPU is a whole one that a gang could take, and how many of a node are. */
bool slots_is_for_gangs(const struct slots *slots, int32_t node, int32_t gpu);
int32_t slots_free_gpus(const struct slots *slots, int32_t node);

#endif
