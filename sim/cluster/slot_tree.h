/* Devices of one kind with a free slot, in the order in which a tenant would take them: the least
 * memory that is enough, then as the placement rule ranks them, then in declaration order. A treap
 * (Seidel and Aragon, Algorithmica 16, 1996) that also knows the most compute free below each
 * place, so that a search costs O(log devices). */
#ifndef SIM_CLUSTER_SLOT_TREE_H
#define SIM_CLUSTER_SLOT_TREE_H

#include <stdint.h>

/* A device's place in a tree, with what it is sorted and found by. */
struct slot_link {
    struct slot_link *left;
    struct slot_link *right;
    int64_t memory;       /* bytes that a tenant could have there now */
    int64_t rank;         /* by the placement rule: smaller first */
    int32_t order;        /* of the device in its pool; unique within a tree */
    int32_t compute;      /* share of a GPU's SMs that nobody asked for yet, in 1e-9 */
    int32_t most_compute; /* over this place and all below it */
    int32_t least_compute;
    int32_t size; /* how many these are */
};

/* A tree is its root; NULL: empty. */
struct slot_link *slot_tree_add(struct slot_link *root, struct slot_link *link)
    __attribute__((warn_unused_result));
struct slot_link *slot_tree_remove(struct slot_link *root, struct slot_link *link)
    __attribute__((warn_unused_result));
/* The first place with at least this memory and compute; NULL: none. */
const struct slot_link *slot_tree_find(const struct slot_link *root, int64_t memory,
                                       int32_t compute);
/* The first place after another one with at least this compute; NULL: none. */
const struct slot_link *slot_tree_next(const struct slot_link *root, const struct slot_link *after,
                                       int32_t compute);

/* How many places have exactly this memory and at least this compute, and the k-th of them, from 0.
 * O(log devices) where those of one memory have equal compute or none is asked for, else up to the
 * number of them. */
int32_t slot_tree_count(const struct slot_link *root, int64_t memory, int32_t compute);
const struct slot_link *slot_tree_at(const struct slot_link *root, int64_t memory, int32_t compute,
                                     int32_t k);

#endif
