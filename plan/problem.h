/* A search for the cheapest: candidates, what was learnt of each, and who simulates them. Knows no
 * scenario, so that it can be tested against responses that are made up. */
#ifndef PLAN_PROBLEM_H
#define PLAN_PROBLEM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What one replication of one candidate came to. */
struct plan_sample {
    double cost; /* what is to be as low as can be; NaN: it has none */
    /* By how much the objective that is missed most, or held least, is beyond its bound, as a share
     * of that. Above 0: missed; infinite: for good (no value, a queue without limit). */
    double excess;
    double main; /* the first objective's figure; NaN: none */
};

enum plan_verdict {
    PLAN_OPEN,   /* not tried, or not to the end */
    PLAN_PRUNED, /* cannot meet the objectives, by arithmetic */
    PLAN_MEETS,
    PLAN_MISSES
};

struct plan_candidate {
    size_t group;
    size_t position;   /* on the group's ordered path, upwards */
    double known_cost; /* NaN: only a simulation tells */
    enum plan_verdict verdict;
    bool close;                  /* the replications ran out before the test could tell */
    struct plan_sample *samples; /* by replication */
    size_t count;
    size_t capacity;
};

/* Candidates that differ in nothing but their place on one ordered path (the number of nodes, say)
 * along which the cost rises. */
struct plan_group {
    size_t *members; /* candidates by position; at least one */
    size_t count;
    size_t hint;    /* the member to try first; PLAN_NONE: the first that is not pruned */
    size_t best;    /* the cheapest that meets the objectives, as a member; PLAN_NONE: none known */
    bool searched;  /* best is final, or the group was not worth going on with */
    bool disorder;  /* the response is not monotone: all that are cheaper were tried */
    size_t checked; /* members tried for nothing but that */
};

static const size_t PLAN_NONE = SIZE_MAX;

/* When a candidate meets its objectives. */
struct plan_rule {
    double confidence; /* share of the replications in which they must hold */
    double tolerance;  /* an excess up to this may pass */
    size_t least;      /* replications before it can be accepted */
    size_t most;
};

struct plan_run {
    size_t candidate;
    size_t replication;
};

/* Simulates runs in any order and fills in a sample of each; false stops the search. */
struct plan_evaluator {
    bool (*simulate)(void *context, const struct plan_run *runs, size_t count,
                     struct plan_sample *samples);
    void *context;
};

struct plan_problem {
    struct plan_rule rule;
    struct plan_candidate *candidates;
    size_t candidate_count;
    struct plan_group *groups;
    size_t group_count;
    size_t
        keep; /* the search goes on until it has the best of so many groups (if costs are known) */
};

/* Room for candidates and groups, which are zero; free with plan_problem_clear. */
void plan_problem_create(struct plan_problem *problem, size_t candidates, size_t groups);
void plan_problem_clear(struct plan_problem *problem);
/* The candidate at a member of a group. */
struct plan_candidate *plan_member(const struct plan_problem *problem,
                                   const struct plan_group *group, size_t member);

/* Simulates what each of these lacks up to `upto[i]` replications, all at one time. */
bool plan_replicate(struct plan_problem *problem, const struct plan_evaluator *evaluator,
                    const size_t *candidates, const size_t *upto, size_t count);

#endif
