#include "scenarios/scenario.h"

#include <stdlib.h>

void scenario_destroy(struct scenario *scenario) {
    if (scenario == NULL) {
        return;
    }
    for (size_t i = 0; i < scenario->distribution_count; i++) {
        distribution_clear(&scenario->distributions[i]);
    }
    free(scenario->distributions);
    struct arena arena = scenario->arena;
    arena_clear(&arena);
    free(scenario);
}
