/* What no single value shows: whether the parts of a scenario go together. */
#ifndef SCENARIOS_CHECKS_H
#define SCENARIOS_CHECKS_H

#include "scenarios/schema_engine.h"

/* Reports every contradiction between values that are fine by themselves; what was reported before
 * is left out of it. Also completes the reference GPU. */
void checks_run(struct reading *reading);
/* The part of it about workloads: see checks_workloads.c. */
void checks_workloads(struct reading *reading);

/* Whether a key of a map, given or not, has nothing wrong with it. */
bool checks_sound(const struct node *map, const char *key);

#endif
