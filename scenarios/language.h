/* The scenario language, version 1: the keys of a scenario file, as tables over struct scenario. */
#ifndef SCENARIOS_LANGUAGE_H
#define SCENARIOS_LANGUAGE_H

#include "scenarios/schema.h"

/* The whole file: an object over struct scenario. */
extern const struct field language_scenario;

#endif
