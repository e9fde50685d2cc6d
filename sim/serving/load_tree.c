#include "sim/serving/load_tree.h"

#include <assert.h>
#include <stdlib.h>

#include "sim/kernel/memory.h"

void load_tree_initialize(struct load_tree *tree, int32_t places) {
    tree->leaves = 1;
    while (tree->leaves < (uint32_t)places) {
        tree->leaves *= 2;
    }
    tree->least = memory_zero(2 * (size_t)tree->leaves, sizeof *tree->least);
    for (uint32_t i = 0; i < 2 * tree->leaves; i++) {
        tree->least[i] = LOAD_TREE_ABSENT;
    }
}

void load_tree_terminate(struct load_tree *tree) {
    free(tree->least);
    *tree = (struct load_tree){0};
}

void load_tree_set(struct load_tree *tree, int32_t place, int64_t load) {
    int64_t *least = tree->least;
    uint32_t i = tree->leaves + (uint32_t)place;
    least[i] = load;
    for (i /= 2; i > 0; i /= 2) {
        int64_t left = least[2 * i];
        int64_t right = least[2 * i + 1];
        least[i] = right < left ? right : left;
    }
}

int32_t load_tree_first(const struct load_tree *tree) {
    const int64_t *least = tree->least;
    assert(least[1] != LOAD_TREE_ABSENT);
    uint32_t i = 1;
    while (i < tree->leaves) {
        i *= 2;
        i += least[i + 1] < least[i];
    }
    return (int32_t)(i - tree->leaves);
}
