/* Whether a candidate meets its objectives in enough of its replications: a sequential test that
 * asks for more only while it cannot tell.
 *
 * To reject, the exact binomial test: were the objectives held in the share `confidence` of all
 * replications, would so many of these have missed? To accept, the same test the other way round,
 * with misses of up to `tolerance` passing; or, far sooner where all have held by a margin, a
 * one-sided tolerance limit, which takes the excess to be normal (NIST/SEMATECH e-Handbook of
 * Statistical Methods, 7.2.6.3, after Natrella). Each look has an equal part of an error of 5 %, so
 * the whole test errs at most so often in either direction, whatever it is that stops it. */
#ifndef PLAN_JUDGE_H
#define PLAN_JUDGE_H

#include "plan/problem.h"

/* How many replications to have at the next look: 2, 3, least, then half as many again each time,
 * up to most. 0: there is none. */
size_t plan_next_look(const struct plan_rule *rule, size_t count);

/* Judges by the replications so far; with `most` of them there is always a verdict, perhaps a close
 * one. Sets verdict and close. */
void plan_judge(const struct plan_rule *rule, struct plan_candidate *candidate);

/* Replications in which the objectives held. */
size_t plan_held(const struct plan_candidate *candidate);
/* The exact two-sided 95 % interval (Clopper and Pearson, Biometrika 26 (1934)) of the share that
 * `held` of `count` are a sample of. */
void plan_share_interval(size_t held, size_t count, double *low, double *high);

/* The factor k for which mean + k x deviation of n >= 2 normal values is beyond the share `content`
 * of all with probability 1 - error; infinite where the approximation gives none. */
double plan_tolerance_factor(size_t n, double content, double error);

#endif
