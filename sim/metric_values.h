/* Values of figures in money and tokens, for the rows of metrics.c. */
#ifndef SIM_METRIC_VALUES_H
#define SIM_METRIC_VALUES_H

#include <math.h>

#include "sim/metrics.h"

/* x / 0 has no value. */
static inline double metric_ratio(double dividend, double divisor) {
    return divisor > 0 ? dividend / divisor : (double)NAN;
}

double value_usd_total(const struct measured *measured, const struct metric_row *row);
double value_usd_energy(const struct measured *measured, const struct metric_row *row);
double value_usd_per_1k_requests(const struct measured *measured, const struct metric_row *row);
double value_monthly_part(const struct measured *measured, const struct metric_row *row);
double value_monthly_usage(const struct measured *measured, const struct metric_row *row);
double value_usd_per_useful_gpu_hour(const struct measured *measured, const struct metric_row *row);
double value_tokens(const struct measured *measured, const struct metric_row *row);
double value_usd_per_million_tokens(const struct measured *measured, const struct metric_row *row);
double value_usd_per_million_output_tokens(const struct measured *measured,
                                           const struct metric_row *row);
double value_usd_per_model_month(const struct measured *measured, const struct metric_row *row);
double value_usd_per_month(const struct measured *measured, const struct metric_row *row);
double value_useful_hours(const struct measured *measured, const struct metric_row *row);

#endif
