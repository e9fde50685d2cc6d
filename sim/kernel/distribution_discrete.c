/* choice and empirical: values drawn from a list. */
#include <gsl/gsl_randist.h>
#include <math.h>

#include "sim/kernel/distribution_parts.h"
#include "sim/kernel/memory.h"

/* Weights are written in decimal; a sum further from 1 than their rounding is a mistake. */
static const double weight_tolerance = 1e-9;

static bool check_values(const struct distribution *d, struct error *error) {
    if (d->value_count == 0) {
        return distribution_refuse(error, "there is no value to draw from");
    }
    for (size_t i = 0; i < d->value_count; i++) {
        if (!isfinite(d->values[i]) || d->values[i] < 0) {
            return distribution_refuse(error, "value %zu must be finite and not negative", i + 1);
        }
    }
    return true;
}

static bool check_weights(const struct distribution *d, struct error *error) {
    double sum = 0;
    for (size_t i = 0; i < d->value_count; i++) {
        if (!isfinite(d->weights[i]) || d->weights[i] < 0) {
            return distribution_refuse(error, "weight %zu must be finite and not negative, not %g",
                                       i + 1, d->weights[i]);
        }
        sum += d->weights[i];
    }
    if (sum <= 0) {
        return distribution_refuse(error, "all weights are 0: at least one must be positive");
    }
    if (fabs(sum - 1) > weight_tolerance) {
        return distribution_refuse(error,
                                   "the weights must add up to 1, but add up to %.10g: divide each "
                                   "by that, or correct the one that is off",
                                   sum);
    }
    return true;
}

bool distribution_choice_prepare(struct distribution *d, struct error *error) {
    if (!check_values(d, error) || !check_weights(d, error)) {
        return false;
    }
    if (d->alias != NULL) {
        gsl_ran_discrete_free(d->alias);
    }
    /* Walker's alias method (ACM TOMS 3, 1977): one draw, whatever the number of values. */
    d->alias = gsl_ran_discrete_preproc(d->value_count, d->weights);
    if (d->alias == NULL) {
        memory_exhausted(0);
    }
    return true;
}

double distribution_choice_draw(const struct distribution *d, struct stream *stream) {
    return d->values[gsl_ran_discrete(&stream->gsl, d->alias)];
}

double distribution_choice_mean(const struct distribution *d) {
    double sum = 0;
    double weights = 0;
    for (size_t i = 0; i < d->value_count; i++) {
        sum += d->weights[i] * d->values[i];
        weights += d->weights[i];
    }
    return sum / weights;
}

bool distribution_empirical_prepare(struct distribution *d, struct error *error) {
    return check_values(d, error);
}

double distribution_empirical_draw(const struct distribution *d, struct stream *stream) {
    return d->values[stream_uniform_integer(stream, d->value_count)];
}

double distribution_empirical_mean(const struct distribution *d) {
    double sum = 0;
    for (size_t i = 0; i < d->value_count; i++) {
        sum += d->values[i];
    }
    return sum / (double)d->value_count;
}

double distribution_listed_most(const struct distribution *d) {
    double most = d->values[0];
    for (size_t i = 1; i < d->value_count; i++) {
        most = d->values[i] > most ? d->values[i] : most;
    }
    return most;
}
