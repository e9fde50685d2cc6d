#include "sim/kernel/distribution.h"

#include <assert.h>
#include <gsl/gsl_randist.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

const struct distribution_kind *distribution_find(const char *name) {
    for (size_t i = 0; i < distribution_kind_count; i++) {
        if (strcmp(distribution_kinds[i].name, name) == 0) {
            return &distribution_kinds[i];
        }
    }
    return NULL;
}

void distribution_constant(struct distribution *distribution, double value) {
    *distribution = (struct distribution){.kind = &distribution_kinds[0], .given = {value}};
}

bool distribution_prepare(struct distribution *distribution, struct error *error) {
    assert(distribution->kind != NULL);
    return distribution->kind->prepare(distribution, error);
}

void distribution_scale(struct distribution *distribution, double factor) {
    const struct distribution_kind *kind = distribution->kind;
    for (size_t i = 0; i < DISTRIBUTION_PARAMETERS; i++) {
        if (kind->parameters[i].unit == PARAMETER_IN_KIND) {
            distribution->given[i] *= factor;
        }
    }
    for (size_t i = 0; i < distribution->value_count; i++) {
        distribution->values[i] *= factor;
    }
    /* What is derived follows the parameters; an alias table the weights, which stay. */
    if (distribution->value_count == 0) {
        struct error error;
        bool prepared = distribution_prepare(distribution, &error);
        assert(prepared && "a multiple of a sound distribution is one");
        (void)prepared;
    }
}

void distribution_clear(struct distribution *distribution) {
    free(distribution->values);
    free(distribution->weights);
    if (distribution->alias != NULL) {
        gsl_ran_discrete_free(distribution->alias);
    }
    *distribution = (struct distribution){0};
}

double distribution_mean(const struct distribution *distribution) {
    return distribution->kind->mean(distribution);
}

double distribution_most(const struct distribution *distribution) {
    return distribution->kind->most == NULL ? INFINITY : distribution->kind->most(distribution);
}
