/* How well the mean of one long autocorrelated sequence is known. */
#ifndef SIM_KERNEL_BATCH_MEANS_H
#define SIM_KERNEL_BATCH_MEANS_H

#include <stdbool.h>

#include "sim/kernel/batch_series.h"

/* The room that a series needs: it then holds 40 to 79 batches. */
enum {
    BATCH_MEANS_ROOM = 80,
    BATCH_MEANS_FEWEST = BATCH_MEANS_ROOM / 2,
    BATCH_MEANS_SHORTEST = 10
};

/* The half-width of the two-sided Student interval of the mean, t_{(1 + level)/2, k - 1} x s /
 * sqrt(k), from k = 20 to 39 batches, each of two of the series (the values of the batch under way
 * are left out). Sources: Law and Kelton, Simulation Modeling and Analysis, section 9.5.3; the
 * number: Schmeiser, Batch size effects in the analysis of simulation output, Oper. Res. 30 (1982).
 *
 * False, and NaN, with fewer than 40 batches of 10 values, or if the means of these shorter batches
 * are correlated at the one-sided 5 % level by von Neumann's ratio: the sequence is too short then.
 *     C = 1 - sum (y_i - y_{i+1})^2 / (2 sum (y_i - mean)^2),  C / sqrt((n - 2) / (n^2 - 1)) ~ N(0,
 * 1) (Fishman, Grouping observations in digital simulation, Management Sci. 24, 1978). */
bool batch_means_interval(const struct batch_series *series, double level, double *half_width);

#endif
