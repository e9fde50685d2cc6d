#include "sim/kernel/growth.h"

#include <gsl/gsl_statistics_double.h>
#include <math.h>

#include "sim/kernel/statistics.h"

static const double LEVEL = 0.99;             /* two-sided: 0.5 % on the side that counts */
static const double LEAST_SHARE = 0.01;       /* of the arrivals, that stays behind */
static const double LEAST_SECOND_HALF = 0.25; /* of the growth */

/* How much more the mean of autocorrelated values varies than that of independent ones. */
static double variance_inflation(const double *values, size_t n) {
    double r1 = gsl_stats_lag1_autocorrelation(values, 1, n);
    return r1 > 0 ? (1 + r1) / (1 - r1) : 1;
}

static double statistic_of(const double *increments) {
    double mean = gsl_stats_mean(increments, 1, GROWTH_INTERVALS);
    double deviation = gsl_stats_sd_m(increments, 1, GROWTH_INTERVALS, mean);
    if (deviation <= 0) {
        return mean > 0 ? INFINITY : mean < 0 ? -INFINITY : 0;
    }
    double inflation = variance_inflation(increments, GROWTH_INTERVALS);
    return mean / (deviation * sqrt(inflation / GROWTH_INTERVALS));
}

struct growth growth_judge(const int64_t lengths[GROWTH_SAMPLES], int64_t arrivals) {
    double increments[GROWTH_INTERVALS];
    for (size_t i = 0; i < GROWTH_INTERVALS; i++) {
        increments[i] = (double)(lengths[i + 1] - lengths[i]);
    }
    struct growth growth = {.total = (double)(lengths[GROWTH_INTERVALS] - lengths[0]),
                            .statistic = statistic_of(increments)};
    double second_half = (double)(lengths[GROWTH_INTERVALS] - lengths[GROWTH_INTERVALS / 2]);
    growth.unstable = growth.statistic > statistics_student(GROWTH_INTERVALS - 1, LEVEL) &&
                      growth.total >= LEAST_SHARE * (double)arrivals &&
                      second_half >= LEAST_SECOND_HALF * growth.total;
    return growth;
}
