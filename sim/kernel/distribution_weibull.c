/* The Weibull shape for a coefficient of variation: moments of shape k and scale 1 are
 * E X^n = Gamma(1 + n/k), so 1 + cv^2 = Gamma(1 + 2/k) / Gamma(1 + 1/k)^2. */
#include <assert.h>
#include <gsl/gsl_roots.h>
#include <gsl/gsl_sf_gamma.h>
#include <math.h>

#include "sim/kernel/distribution_parts.h"
#include "sim/kernel/memory.h"

/* The shapes searched: their cvs, 6e-4 and 4e5, lie beyond those accepted. */
static const double smallest_shape = 0.05;
static const double largest_shape = 2000;

/* How much ln(1 + cv^2) is above the one wanted, falling in ln k. */
static double excess(double log_shape, void *wanted) {
    double inverse = exp(-log_shape);
    return gsl_sf_lngamma(1 + 2 * inverse) - 2 * gsl_sf_lngamma(1 + inverse) -
           *(const double *)wanted;
}

double distribution_weibull_shape(double cv) {
    double wanted = log1p(cv * cv);
    double low = log(smallest_shape);
    double high = log(largest_shape);
    assert(excess(low, &wanted) > 0 && excess(high, &wanted) < 0);
    gsl_root_fsolver *solver = gsl_root_fsolver_alloc(gsl_root_fsolver_brent);
    if (solver == NULL) {
        memory_exhausted(0);
    }
    gsl_function function = {.function = excess, .params = &wanted};
    gsl_root_fsolver_set(solver, &function, low, high);
    /* Brent halves the bracket at worst every other step: 106 steps would do for 53 bits. */
    for (int i = 0; i < 110 && high - low > 1e-14; i++) {
        gsl_root_fsolver_iterate(solver);
        low = gsl_root_fsolver_x_lower(solver);
        high = gsl_root_fsolver_x_upper(solver);
    }
    double log_shape = gsl_root_fsolver_root(solver);
    gsl_root_fsolver_free(solver);
    return exp(log_shape);
}
