/* Where the start-up of a simulation ends: the marginal standard error rule. */
#ifndef SIM_KERNEL_MSER_H
#define SIM_KERNEL_MSER_H

#include <stddef.h>

/* How many of the first of n values to leave out: the d that minimizes
 *
 *     sum over i >= d of (y_i - mean of those)^2 / (n - d)^2,
 *
 * the squared standard error of the mean of what is kept, among d <= n / 2; the least of equals. A
 * shorter rest may look precise by chance: waits at a low load often end in a row of zeros, which
 * has no error at all. Given means of batches of five observations this is MSER-5. Sources: White,
 * An effective truncation heuristic for bias reduction in simulation output, Simulation 69 (1997);
 * White, Cobb and Spratt, WSC 2000; the bound: Hoad, Robinson and Davies, Automating warm-up length
 * estimation, WSC 2008. */
size_t mser_truncation(const double *values, size_t n);

#endif
