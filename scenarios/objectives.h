/* Objectives: `SCOPE.SUBJECT.METRIC <= VALUE`, one text each. */
#ifndef SCENARIOS_OBJECTIVES_H
#define SCENARIOS_OBJECTIVES_H

#include "scenarios/schema_engine.h"

/* struct objective */
extern const struct field_type objective_type;

#endif
