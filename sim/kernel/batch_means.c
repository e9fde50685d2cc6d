#include "sim/kernel/batch_means.h"

#include <gsl/gsl_cdf.h>
#include <math.h>

#include "sim/kernel/statistics.h"

enum { GROUP = 2 }; /* batches of the series to one of the interval */

static const double CORRELATION_LEVEL = 0.05;

static bool are_correlated(const double *values, size_t count) {
    double mean = 0;
    double squares = 0;
    double steps = 0;
    for (size_t i = 0; i < count; i++) {
        mean += values[i] / (double)count;
    }
    for (size_t i = 0; i < count; i++) {
        squares += (values[i] - mean) * (values[i] - mean);
        double step = i > 0 ? values[i] - values[i - 1] : 0;
        steps += step * step;
    }
    if (squares <= 0) {
        return false;
    }
    double k = (double)count;
    double score = (1 - steps / (2 * squares)) / sqrt((k - 2) / (k * k - 1));
    return score > gsl_cdf_ugaussian_Qinv(CORRELATION_LEVEL);
}

bool batch_means_interval(const struct batch_series *series, double level, double *half_width) {
    double means[BATCH_MEANS_ROOM / GROUP] = {0};
    *half_width = NAN;
    if (series->count < BATCH_MEANS_FEWEST || series->size < BATCH_MEANS_SHORTEST ||
        are_correlated(series->sums, series->count)) {
        return false;
    }
    size_t groups = series->count / GROUP;
    for (size_t i = 0; i < groups * GROUP; i++) {
        means[i / GROUP] += series->sums[i] / ((double)series->size * GROUP);
    }
    double mean = 0;
    return statistics_interval(means, groups, level, &mean, half_width);
}
