/* From what a file says to what runs: `count` multiplied out, `enabled: false` left out. */
#ifndef SCENARIOS_EXPANSION_H
#define SCENARIOS_EXPANSION_H

#include "scenarios/scenario.h"

/* The workload as written that a name means after expansion: `train`, or `train-2` of a `train`
 * with a count; also `train` itself then. NULL: there is none. */
const struct workload_spec *expansion_find(const struct scenario *scenario, const char *name);
/* The enabled workload with a count that makes one of this name. NULL: there is none. */
const struct workload_spec *expansion_find_family(const struct scenario *scenario,
                                                  const char *name);

/* Multiplies out the workloads, and drops disabled ones with the objectives about them. */
void expansion_apply(struct scenario *scenario);

#endif
