/* The scenario language, version 1: the keys of a scenario file, as tables over struct scenario. */
#ifndef SCENARIOS_LANGUAGE_H
#define SCENARIOS_LANGUAGE_H

#include "scenarios/schema.h"

/* The whole file: an object over struct scenario. */
extern const struct field language_scenario;

/* One of its workloads, and the name of one (language_workloads.c). */
extern const struct field language_workload;
extern const struct field language_workload_name;

#endif
