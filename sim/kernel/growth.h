/* Does a queue grow without limit? A test on its length, sampled at equal intervals. */
#ifndef SIM_KERNEL_GROWTH_H
#define SIM_KERNEL_GROWTH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Samples are taken at the ends of this many equal intervals, so there is one more of them. */
enum { GROWTH_INTERVALS = 32, GROWTH_SAMPLES = GROWTH_INTERVALS + 1 };

struct growth {
    double total;     /* last length - first length */
    double statistic; /* Student's t of the mean increment; infinite if all increments are equal */
    bool unstable;
};

/* With d the increments, n = GROWTH_INTERVALS of them, r1 their lag-1 autocorrelation and s their
 * standard deviation:
 *
 *     t = mean(d) / (s sqrt(f / n)),   f = max(1, (1 + r1) / (1 - r1))
 *
 * A critical queue is a random walk with independent increments, a stable one is pulled back, so
 * that t is smaller still; f is the loss of information by a first-order autoregression (Thiebaux
 * and Zwiers, J. Climate Appl. Meteor. 23, 1984). Unstable is what passes three conditions: t
 * beyond the one-sided 0.5 % point of Student's distribution with n - 1 degrees; growth of at
 * least 1 % of the arrivals, which is what an overload of 1 % leaves; and at least a quarter of
 * the growth in the second half, where a linear growth has half of it.
 *
 * arrivals: what came into the queue between the first and the last sample. */
struct growth growth_judge(const int64_t lengths[GROWTH_SAMPLES], int64_t arrivals);

#endif
