/* Values that only the scenario's own keys have. */
#ifndef SCENARIOS_LANGUAGE_TYPES_H
#define SCENARIOS_LANGUAGE_TYPES_H

#include "scenarios/schema_engine.h"

extern const struct field_type language_version_type; /* no member: it must be 1 */
extern const struct field_type language_pool_type;    /* int: a pool, by its name */

/* Members of a struct workload_spec (language_demands.c): */
extern const struct field_type language_gpus_type;         /* gpus, and fraction */
extern const struct field_type language_estimate_type;     /* estimate, or estimate_factor */
extern const struct field_type language_slot_type;         /* slot, and slot_profile */
extern const struct field_type language_service_time_type; /* struct service_time_spec */

extern const struct field language_trace_fields[]; /* struct trace_spec (language_trace.c) */

#endif
