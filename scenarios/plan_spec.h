/* What a scenario says of `headroom plan`: what may vary, what counts as best, and how sure an
 * answer must be. */
#ifndef SCENARIOS_PLAN_SPEC_H
#define SCENARIOS_PLAN_SPEC_H

#include <stdbool.h>
#include <stdint.h>

#include "scenarios/place.h"

struct sweep;

struct plan_spec {
    bool given;
    struct place place;
    const struct sweep *vary; /* its points are the candidates; ranges are written out as lists */
    const char *minimize;     /* a figure of the run */
    double tolerance;         /* share of an objective's bound within which a miss may pass */
    double confidence;        /* share of replications in which all objectives must hold */
    int32_t least;            /* replications of a candidate before it may be accepted, */
    int32_t most;             /* and in all */
};

#endif
