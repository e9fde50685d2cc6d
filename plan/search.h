/* The search for candidates that meet their objectives, cheapest first: several groups at a time,
 * in each of them galloping and bisection along its ordered path. That the response is monotone
 * there is not taken for granted: two more members below the one found are tried, and what was
 * simulated must be in order; where it is not, every cheaper member of the group is tried. */
#ifndef PLAN_SEARCH_H
#define PLAN_SEARCH_H

#include "plan/problem.h"

/* Until every group is searched, or cannot get among the `keep` cheapest bests. False if the
 * evaluator stopped it; what was learnt stays. */
bool plan_search(struct plan_problem *problem, const struct plan_evaluator *evaluator);

#endif
