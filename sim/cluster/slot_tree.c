#include "sim/cluster/slot_tree.h"

#include <assert.h>
#include <stdbool.h>
#include <stddef.h>

static bool link_before(const struct slot_link *a, const struct slot_link *b) {
    if (a->memory != b->memory) {
        return a->memory < b->memory;
    }
    return a->rank < b->rank || (a->rank == b->rank && a->order < b->order);
}

/* The random priority that keeps the tree balanced, the same in every run (the finalizer of
 * splitmix64; Steele, Lea and Flood, OOPSLA 2014). */
static uint64_t balance(const struct slot_link *link) {
    uint64_t x = (uint64_t)link->order + UINT64_C(0x9e3779b97f4a7c15);
    x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
    return x ^ (x >> 31);
}

static void refresh(struct slot_link *link) {
    const struct slot_link *below[] = {link->left, link->right};
    link->most_compute = link->compute;
    link->least_compute = link->compute;
    link->size = 1;
    for (int i = 0; i < 2; i++) {
        if (below[i] == NULL) {
            continue;
        }
        if (below[i]->most_compute > link->most_compute) {
            link->most_compute = below[i]->most_compute;
        }
        if (below[i]->least_compute < link->least_compute) {
            link->least_compute = below[i]->least_compute;
        }
        link->size += below[i]->size;
    }
}

/* Into what comes before `at` and what comes after it. */
static void split(struct slot_link *root, const struct slot_link *at, struct slot_link **before,
                  struct slot_link **after) {
    if (root == NULL) {
        *before = NULL;
        *after = NULL;
    } else if (link_before(root, at)) {
        split(root->right, at, &root->right, after);
        *before = root;
        refresh(root);
    } else {
        split(root->left, at, before, &root->left);
        *after = root;
        refresh(root);
    }
}

static struct slot_link *join(struct slot_link *before, struct slot_link *after) {
    if (before == NULL || after == NULL) {
        return before == NULL ? after : before;
    }
    if (balance(before) >= balance(after)) {
        before->right = join(before->right, after);
        refresh(before);
        return before;
    }
    after->left = join(before, after->left);
    refresh(after);
    return after;
}

struct slot_link *slot_tree_add(struct slot_link *root, struct slot_link *link) {
    if (root == NULL || balance(link) > balance(root)) {
        split(root, link, &link->left, &link->right);
        refresh(link);
        return link;
    }
    if (link_before(link, root)) {
        root->left = slot_tree_add(root->left, link);
    } else {
        root->right = slot_tree_add(root->right, link);
    }
    refresh(root);
    return root;
}

struct slot_link *slot_tree_remove(struct slot_link *root, struct slot_link *link) {
    assert(root != NULL);
    if (root == link) {
        return join(root->left, root->right);
    }
    if (link_before(link, root)) {
        root->left = slot_tree_remove(root->left, link);
    } else {
        root->right = slot_tree_remove(root->right, link);
    }
    refresh(root);
    return root;
}

/* A subtree that is known to have enough memory everywhere holds a match if its most compute is
 * enough, so the search turns back only along the one path where memory begins to be enough. */
const struct slot_link *slot_tree_find(const struct slot_link *root, int64_t memory,
                                       int32_t compute) {
    if (root == NULL || root->most_compute < compute) {
        return NULL;
    }
    if (root->memory < memory) {
        return slot_tree_find(root->right, memory, compute);
    }
    const struct slot_link *found = slot_tree_find(root->left, memory, compute);
    if (found != NULL) {
        return found;
    }
    return root->compute >= compute ? root : slot_tree_find(root->right, memory, compute);
}

const struct slot_link *slot_tree_next(const struct slot_link *root, const struct slot_link *after,
                                       int32_t compute) {
    if (root == NULL || root->most_compute < compute) {
        return NULL;
    }
    if (!link_before(after, root)) {
        return slot_tree_next(root->right, after, compute);
    }
    const struct slot_link *found = slot_tree_next(root->left, after, compute);
    if (found != NULL) {
        return found;
    }
    return root->compute >= compute ? root : slot_tree_find(root->right, INT64_MIN, compute);
}

/* Which part of a tree's order has one memory: open ends lie within it. */
struct stretch {
    int64_t memory;
    bool from; /* some may have less */
    bool to;   /* some may have more */
};

static int32_t count_within(const struct slot_link *root, struct stretch stretch, int32_t compute) {
    if (root == NULL || root->most_compute < compute) {
        return 0;
    }
    if (!stretch.from && !stretch.to && root->least_compute >= compute) {
        return root->size;
    }
    if (root->memory < stretch.memory) {
        return count_within(root->right, stretch, compute);
    }
    if (root->memory > stretch.memory) {
        return count_within(root->left, stretch, compute);
    }
    struct stretch left = {.memory = stretch.memory, .from = stretch.from};
    struct stretch right = {.memory = stretch.memory, .to = stretch.to};
    return (root->compute >= compute) + count_within(root->left, left, compute) +
           count_within(root->right, right, compute);
}

int32_t slot_tree_count(const struct slot_link *root, int64_t memory, int32_t compute) {
    return count_within(root, (struct stretch){memory, true, true}, compute);
}

const struct slot_link *slot_tree_at(const struct slot_link *root, int64_t memory, int32_t compute,
                                     int32_t k) {
    struct stretch stretch = {memory, true, true};
    while (root != NULL) {
        if (root->memory != memory) {
            root = root->memory < memory ? root->right : root->left;
            continue;
        }
        struct stretch left = {.memory = memory, .from = stretch.from};
        int32_t before = count_within(root->left, left, compute);
        int32_t itself = root->compute >= compute;
        if (k < before) {
            stretch = left;
            root = root->left;
        } else if (k < before + itself) {
            return root;
        } else {
            k -= before + itself;
            stretch = (struct stretch){.memory = memory, .to = stretch.to};
            root = root->right;
        }
    }
    return NULL;
}
