#include "sim/scheduling/job_tree.h"

#include <assert.h>
#include <stddef.h>

/* The random priority that keeps the tree balanced: the same in every run, and well mixed, since
 * the sequences of one shape may lie at regular distances (the finalizer of splitmix64; Steele, Lea
 * and Flood, OOPSLA 2014). */
static uint64_t balance(const struct job *job) {
    uint64_t x = job->sequence + UINT64_C(0x9e3779b97f4a7c15);
    x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
    return x ^ (x >> 31);
}

static void refresh(struct job *job) {
    sim_time least = job->estimate;
    sim_time oldest = job->submit;
    const struct job *left = job->link.left;
    const struct job *right = job->link.right;
    if (left != NULL && left->link.least_estimate < least) {
        least = left->link.least_estimate;
    }
    if (right != NULL && right->link.least_estimate < least) {
        least = right->link.least_estimate;
    }
    if (left != NULL && left->link.oldest < oldest) {
        oldest = left->link.oldest;
    }
    if (right != NULL && right->link.oldest < oldest) {
        oldest = right->link.oldest;
    }
    job->link.least_estimate = least;
    job->link.oldest = oldest;
}

/* What a job above knows of those below when one of them comes; and when one has gone. Neither
 * looks at other jobs unless it has to: each would be a cache miss. */
static void include(struct job *above, const struct job *job) {
    if (job->estimate < above->link.least_estimate) {
        above->link.least_estimate = job->estimate;
    }
    if (job->submit < above->link.oldest) {
        above->link.oldest = job->submit;
    }
}

static void exclude(struct job *above, const struct job *job) {
    if (above->link.least_estimate == job->estimate || above->link.oldest == job->submit) {
        refresh(above);
    }
}

/* Splits the tree below root into what comes before `at` and what comes after it. The depth of the
 * recursion is the depth of the tree: about 2 ln n, 40 at a million jobs. */
static void split(struct job *root, const struct job *at, struct job **before, struct job **after) {
    if (root == NULL) {
        *before = NULL;
        *after = NULL;
    } else if (job_before(root, at)) {
        split(root->link.right, at, &root->link.right, after);
        *before = root;
        refresh(root);
    } else {
        split(root->link.left, at, before, &root->link.left);
        *after = root;
        refresh(root);
    }
}

/* Joins two trees of which the first lies wholly before the second. */
static struct job *join(struct job *before, struct job *after) {
    if (before == NULL) {
        return after;
    }
    if (after == NULL) {
        return before;
    }
    if (balance(before) >= balance(after)) {
        before->link.right = join(before->link.right, after);
        refresh(before);
        return before;
    }
    after->link.left = join(before, after->link.left);
    refresh(after);
    return after;
}

static struct job *add_below(struct job *root, struct job *job) {
    if (root == NULL) {
        job->link.left = NULL;
        job->link.right = NULL;
        refresh(job);
        return job;
    }
    if (balance(job) > balance(root)) {
        split(root, job, &job->link.left, &job->link.right);
        refresh(job);
        return job;
    }
    if (job_before(job, root)) {
        root->link.left = add_below(root->link.left, job);
    } else {
        root->link.right = add_below(root->link.right, job);
    }
    include(root, job);
    return root;
}

static struct job *remove_below(struct job *root, struct job *job) {
    assert(root != NULL);
    if (root == job) {
        return join(root->link.left, root->link.right);
    }
    if (job_before(job, root)) {
        root->link.left = remove_below(root->link.left, job);
    } else {
        root->link.right = remove_below(root->link.right, job);
    }
    exclude(root, job);
    return root;
}

void job_tree_add(struct job_tree *tree, struct job *job) {
    tree->root = add_below(tree->root, job);
    if (tree->first == NULL || job_before(job, tree->first)) {
        tree->first = job;
    }
    tree->count++;
}

void job_tree_remove(struct job_tree *tree, struct job *job) {
    struct job *successor = job == tree->first ? job_tree_next(tree, job) : tree->first;
    tree->root = remove_below(tree->root, job);
    tree->first = successor;
    tree->count--;
}

/* The first match below root. A subtree entered with `after` NULL and a least estimate within the
 * limit holds a match, so the search turns back only along the one path to `after`: O(depth). */
static struct job *find_below(struct job *root, const struct job *after, sim_time limit) {
    if (root == NULL || root->link.least_estimate > limit) {
        return NULL;
    }
    if (after != NULL && !job_before(after, root)) {
        return find_below(root->link.right, after, limit);
    }
    struct job *found = find_below(root->link.left, after, limit);
    if (found == NULL) {
        found = root->estimate <= limit ? root : find_below(root->link.right, NULL, limit);
    }
    return found;
}

struct job *job_tree_find(const struct job_tree *tree, const struct job *after, sim_time limit) {
    return find_below(tree->root, after, limit);
}

struct job *job_tree_next(const struct job_tree *tree, const struct job *after) {
    if (after == NULL) {
        return tree->first;
    }
    struct job *next = NULL;
    struct job *root = tree->root;
    while (root != NULL) {
        if (job_before(after, root)) {
            next = root;
            root = root->link.left;
        } else {
            root = root->link.right;
        }
    }
    return next;
}

struct job *job_tree_submitted_by(const struct job_tree *tree, sim_time latest) {
    struct job *root = tree->root;
    while (root != NULL && root->link.oldest <= latest) {
        if (root->link.left != NULL && root->link.left->link.oldest <= latest) {
            root = root->link.left;
        } else if (root->submit <= latest) {
            return root;
        } else {
            root = root->link.right;
        }
    }
    return NULL;
}
