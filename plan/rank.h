/* Which candidate is best, by how much, and what else may be said of those that were simulated. */
#ifndef PLAN_RANK_H
#define PLAN_RANK_H

#include "plan/problem.h"

/* Means over the replications; NaN if one has no value. */
double plan_cost(const struct plan_candidate *candidate);
double plan_main(const struct plan_candidate *candidate);
double plan_excess(const struct plan_candidate *candidate);

/* A figure of two candidates over the replications that both have, which share their random
 * numbers. */
struct plan_difference {
    size_t pairs;
    double mean;       /* of a less b */
    double half_width; /* of its 95 % interval; NaN: unknown */
    bool significant;  /* the interval leaves out 0 */
};
struct plan_difference plan_compare_cost(const struct plan_candidate *a,
                                         const struct plan_candidate *b);
struct plan_difference plan_compare_main(const struct plan_candidate *a,
                                         const struct plan_candidate *b);
/* Whether a's excess is above b's by more than the tolerance, beyond chance. */
bool plan_is_worse(const struct plan_candidate *a, const struct plan_candidate *b,
                   double tolerance);

/* The best of each group that has one, the cheapest first; of equal cost, the one whose first
 * objective is better (sign 1: smaller is better, -1: larger). order has room for all groups;
 * returns their number. */
size_t plan_rank(const struct plan_problem *problem, double sign, size_t *order);

/* Where costs are random: more replications for the bests that may be the cheapest, until each
 * differs from the first by a significant amount or is known to be within the tolerance. */
bool plan_race(struct plan_problem *problem, const struct plan_evaluator *evaluator, double sign);

/* The candidates that were simulated and than which none is both cheaper and better in the first
 * objective: the cheapest first. front has room for all candidates; returns their number. */
size_t plan_front(const struct plan_problem *problem, double sign, size_t *front);

#endif
