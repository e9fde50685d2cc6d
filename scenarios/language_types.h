/* Values that only the scenario's own keys have. */
#ifndef SCENARIOS_LANGUAGE_TYPES_H
#define SCENARIOS_LANGUAGE_TYPES_H

#include "scenarios/schema_engine.h"

extern const struct field_type language_version_type; /* no member: it must be 1 */
extern const struct field_type language_pool_type;    /* int: a pool, by its name */

#endif
