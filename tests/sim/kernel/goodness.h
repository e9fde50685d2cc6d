/* Does a sample come from a distribution? Bounds follow from the level at which a true hypothesis
 * is refused; with fixed seeds a test either always passes or always fails. */
#ifndef TESTS_SIM_KERNEL_GOODNESS_H
#define TESTS_SIM_KERNEL_GOODNESS_H

#include <gsl/gsl_cdf.h>
#include <math.h>
#include <stdlib.h>

#include "tests/support/unit.h"

/* One in ten thousand true hypotheses is refused. */
#define GOODNESS_LEVEL 1e-4

static inline int goodness_compare(const void *left, const void *right) {
    double a = *(const double *)left;
    double b = *(const double *)right;
    return (a > b) - (a < b);
}

/* Kolmogorov and Smirnov: the largest distance D of the sample's distribution function from the
 * true one passes x / sqrt(n) with probability 2 exp(-2 x^2) (the first term of the limit), so
 * x = sqrt(ln(2 / level) / 2). Sorts the values. */
static inline void assert_distributed(double *values, size_t n,
                                      double (*cdf)(double x, const void *parameters),
                                      const void *parameters) {
    qsort(values, n, sizeof(values[0]), goodness_compare);
    double distance = 0;
    for (size_t i = 0; i < n; i++) {
        double probability = cdf(values[i], parameters);
        distance = fmax(distance, probability - (double)i / (double)n);
        distance = fmax(distance, (double)(i + 1) / (double)n - probability);
    }
    double bound = sqrt(log(2 / GOODNESS_LEVEL) / 2 / (double)n);
    if (!(distance < bound)) {
        fail_msg("distance %g, bound %g", distance, bound);
    }
}

/* Pearson's test that counts of equally likely cells are that. */
static inline void assert_even(const uint64_t *counts, size_t cells) {
    double n = 0;
    double squares = 0;
    for (size_t i = 0; i < cells; i++) {
        n += (double)counts[i];
    }
    double expected = n / (double)cells;
    for (size_t i = 0; i < cells; i++) {
        squares += pow((double)counts[i] - expected, 2) / expected;
    }
    double degrees = (double)(cells - 1);
    if (!(squares < gsl_cdf_chisq_Qinv(GOODNESS_LEVEL, degrees) &&
          squares > gsl_cdf_chisq_Pinv(GOODNESS_LEVEL, degrees))) {
        fail_msg("chi square %g at %g degrees", squares, degrees);
    }
}

/* An estimate with this standard error: both tails together have the level. */
static inline void assert_estimates(double estimate, double truth, double standard_error) {
    double z = (estimate - truth) / standard_error;
    if (!(fabs(z) < gsl_cdf_ugaussian_Qinv(GOODNESS_LEVEL / 2))) {
        fail_msg("%g for %g, standard error %g: z = %g", estimate, truth, standard_error, z);
    }
}

static inline void assert_close(double value, double expected, double within) {
    if (!(fabs(value - expected) <= within)) {
        fail_msg("%.17g instead of %.17g", value, expected);
    }
}

#endif
