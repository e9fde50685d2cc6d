/* Confidence intervals over replications. */
#ifndef SIM_KERNEL_STATISTICS_H
#define SIM_KERNEL_STATISTICS_H

#include <stdbool.h>
#include <stddef.h>

/* The mean of n independent values and the half-width of its two-sided Student interval at a level
 * in (0, 1): t_{(1 + level)/2, n - 1} x s / sqrt(n). False where there is no interval: *half_width
 * is then NaN, and so is *mean if there is no value or one of them is not finite. */
bool statistics_interval(const double *values, size_t n, double level, double *mean,
                         double *half_width);

/* t_{(1 + level)/2, degrees}: the two-sided Student factor. degrees >= 1, level in (0, 1). */
double statistics_student(double degrees, double level);

#endif
