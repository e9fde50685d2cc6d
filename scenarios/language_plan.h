/* The key `plan`. */
#ifndef SCENARIOS_LANGUAGE_PLAN_H
#define SCENARIOS_LANGUAGE_PLAN_H

#include "scenarios/schema.h"

/* The keys of a struct plan_spec. */
extern const struct field language_plan_fields[];

#endif
