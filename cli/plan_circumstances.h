/* Circumstances in which a plan asks for its answer again. */
#ifndef CLI_PLAN_CIRCUMSTANCES_H
#define CLI_PLAN_CIRCUMSTANCES_H

#include "scenarios/scenario.h"

struct circumstances {
    double load;        /* times as many arrivals */
    double switch_time; /* times as long a switch between tenants */
};

/* Changes a scenario to be in them; before its traces are prepared. */
void circumstances_apply(struct circumstances circumstances, struct scenario *scenario);

#endif
