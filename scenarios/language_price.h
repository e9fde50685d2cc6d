/* What GPUs and their electricity cost, in the language. */
#ifndef SCENARIOS_LANGUAGE_PRICE_H
#define SCENARIOS_LANGUAGE_PRICE_H

#include "scenarios/schema.h"

extern const struct field_type language_price_type; /* struct price_spec, in a struct pool_spec */
extern const struct field language_power_fields[];  /* of struct power_spec */

/* The keys that say how much, of which a price has one. NULL ends them. */
extern const char *const price_keys[];

#endif
