/* Finds the least of some numbers, and of equal ones the first: a complete binary tree of minima.
 * A change or a search costs a step per level (3 for 8 numbers, 17 for 100,000). */
#ifndef SIM_SERVING_LOAD_TREE_H
#define SIM_SERVING_LOAD_TREE_H

#include <stdint.h>

/* Of a place that is out of the question. */
#define LOAD_TREE_ABSENT INT64_MAX

struct load_tree {
    int64_t *least; /* [1]: of all; below [i]: [2i] and [2i + 1]; the leaves from `leaves`; owned */
    uint32_t leaves; /* a power of two; 0: a tree not in use */
};

/* All places absent. */
void load_tree_initialize(struct load_tree *tree, int32_t places);
void load_tree_terminate(struct load_tree *tree);
void load_tree_set(struct load_tree *tree, int32_t place, int64_t load);
/* One of the places must not be absent. */
int32_t load_tree_first(const struct load_tree *tree);

#endif
