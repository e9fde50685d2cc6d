/* What arithmetic can say of a scenario before it is simulated: that it cannot meet its objectives.
 * Every rule errs on the side of simulating, and each is a lower bound only under the conditions
 * that it checks first. */
#ifndef PLAN_FLOOR_H
#define PLAN_FLOOR_H

#include <stdbool.h>

#include "scenarios/scenario.h"

enum floor_reason {
    FLOOR_NONE,    /* nothing against it */
    FLOOR_INVALID, /* it is no sound scenario */
    FLOOR_MEMORY,  /* something fits nowhere, or not all at one time */
    FLOOR_SLOTS,   /* more replicas than slots */
    FLOOR_LOAD,    /* more work comes than can be done */
    FLOOR_ERLANG,  /* M/M/c: the stationary figure is beyond its bound */
    FLOOR_REASON_COUNT
};
extern const char *const floor_reason_names[FLOOR_REASON_COUNT];

struct plan_floor {
    enum floor_reason reason;
    char text[256]; /* why, with the numbers */
};

/* Takes the first rule that rules it out. tolerance: share by which Erlang's figure must be beyond
 * its bound. */
void plan_floor_find(const struct scenario *scenario, double tolerance, struct plan_floor *floor);

#endif
