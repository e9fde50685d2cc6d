/* Parts of scenarios that tests put together in C, with the defaults of the language. */
#ifndef TESTS_SUPPORT_SPEC_H
#define TESTS_SUPPORT_SPEC_H

#include "scenarios/scenario.h"

/* A distribution of one value, in base units; it owns nothing. */
static inline struct distribution test_constant(double value) {
    struct distribution distribution;
    distribution_constant(&distribution, value);
    return distribution;
}

/* What a workload needs of which nothing is said. */
static inline struct model_spec test_needs(void) {
    return (struct model_spec){.memory = {.start = test_constant(0)},
                               .saturation = 1,
                               .load_time = test_constant(0),
                               .measured_as = "",
                               .measured_batch = 1};
}

#endif
