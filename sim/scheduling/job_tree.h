/* A balanced tree of jobs (a treap) ordered by (key, sequence), that also knows the least estimate
 * below each job, and the earliest submission. Adding, removing and the searches cost O(log n);
 * links live in the jobs. A job is in one tree at most. Source: Seidel and Aragon, Randomized
 * search trees, Algorithmica 16 (1996).
 */
#ifndef SIM_SCHEDULING_JOB_TREE_H
#define SIM_SCHEDULING_JOB_TREE_H

#include "sim/scheduling/job.h"

struct job_tree {
    struct job *root;
    struct job *first; /* NULL: empty */
    uint64_t count;
};

/* Whether a comes before b. */
static inline bool job_before(const struct job *a, const struct job *b) {
    return a->link.key < b->link.key || (a->link.key == b->link.key && a->sequence < b->sequence);
}

/* Adds a job whose link.key, sequence, estimate and submit are set. */
void job_tree_add(struct job_tree *tree, struct job *job);
void job_tree_remove(struct job_tree *tree, struct job *job);

/* The first job after `after` (NULL: from the beginning) whose estimate is at most `limit`. */
struct job *job_tree_find(const struct job_tree *tree, const struct job *after, sim_time limit);
/* The first job that was submitted by then. */
struct job *job_tree_submitted_by(const struct job_tree *tree, sim_time latest);
/* The first job after `after`. */
struct job *job_tree_next(const struct job_tree *tree, const struct job *after);

#endif
