/* Erlang's formula for candidates that are M/M/c: one workload of Poisson arrivals and exponential
 * times, each on one of c servers, first come first served. */
#ifndef PLAN_ERLANG_H
#define PLAN_ERLANG_H

#include <stdbool.h>
#include <stddef.h>

#include "scenarios/scenario.h"

/* Why the formula says nothing of this scenario; NULL if it does. Besides the model, a replication
 * must be long enough (ten thousand arrivals, and for the queue to settle) for its figures to
 * scatter around the stationary ones: then one that is beyond its bound is missed in half of the
 * replications or more. */
const char *plan_erlang_obstacle(const struct scenario *scenario);

/* Whether the stationary figure of an objective is beyond its bound by more than the tolerance, a
 * share of the bound; text says which. There must be no obstacle. */
bool plan_erlang_misses(const struct scenario *scenario, double tolerance, char *text, size_t size);

#endif
