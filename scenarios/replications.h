/* How many replications: a number, or until the figures are precise enough. */
#ifndef SCENARIOS_REPLICATIONS_H
#define SCENARIOS_REPLICATIONS_H

#include "scenarios/schema_engine.h"

/* `replications` (int32_t) and `precision` of struct scenario: `10`, or `{auto: {relative: 2%, max:
 * 200}}`. */
extern const struct field_type replications_type;

#endif
