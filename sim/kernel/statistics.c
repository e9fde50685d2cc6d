#include "sim/kernel/statistics.h"

#include <assert.h>
#include <gsl/gsl_cdf.h>
#include <gsl/gsl_statistics_double.h>
#include <math.h>

double statistics_student(double degrees, double level) {
    assert(degrees >= 1 && level > 0 && level < 1);
    return gsl_cdf_tdist_Pinv(0.5 + level / 2, degrees);
}

static bool all_finite(const double *values, size_t n) {
    for (size_t i = 0; i < n; i++) {
        if (!isfinite(values[i])) {
            return false;
        }
    }
    return true;
}

bool statistics_interval(const double *values, size_t n, double level, double *mean,
                         double *half_width) {
    *mean = NAN;
    *half_width = NAN;
    if (n == 0 || !all_finite(values, n)) {
        return false;
    }
    *mean = gsl_stats_mean(values, 1, n);
    if (n < 2) {
        return false;
    }
    double deviation = gsl_stats_sd_m(values, 1, n, *mean);
    *half_width = statistics_student((double)(n - 1), level) * deviation / sqrt((double)n);
    return true;
}
