/* Running statistics: of observations (weighted or not) and of a value that holds over time. */
#ifndef SIM_KERNEL_TALLY_H
#define SIM_KERNEL_TALLY_H

#include <assert.h>
#include <stdint.h>

#include "sim/kernel/sim_time.h"

/* Mean and variance of weighted observations, by West's one-pass update (CACM 22(9), 1979). */
struct tally {
    uint64_t count; /* observations of positive weight */
    double weight;
    double mean;
    double squares; /* weighted sum of squared deviations */
    double minimum; /* +inf when empty */
    double maximum; /* -inf when empty */
};

void tally_initialize(struct tally *tally);
void tally_add(struct tally *tally, double value);
void tally_add_weighted(struct tally *tally, double value, double weight); /* weight >= 0 */
/* Adds what other has seen. */
void tally_merge(struct tally *tally, const struct tally *other);
/* Of the sample, n - 1: squares / weight x n / (n - 1), whatever the scale of the weights; 0 below
 * two observations. */
double tally_variance(const struct tally *tally);

/* A piecewise constant integer over time (a queue length, busy GPUs): its exact time integral. */
struct time_tally {
    sim_time since;  /* when value last changed */
    sim_time origin; /* when the integral was zero */
    int64_t value;
    int64_t maximum;   /* since origin, be it for no time */
    gpu_time integral; /* value x nanoseconds, up to `since` */
};

void time_tally_initialize(struct time_tally *tally, sim_time now, int64_t value);

/* The value from now on; now never decreases. */
static inline void time_tally_set(struct time_tally *tally, sim_time now, int64_t value) {
    assert(now >= tally->since);
    tally->integral += (gpu_time)tally->value * (now - tally->since);
    tally->since = now;
    tally->value = value;
    if (__builtin_expect(value > tally->maximum, 0)) {
        tally->maximum = value;
    }
}

/* The integral up to now, and the mean over [origin, now]; the mean of no time is the value. */
gpu_time time_tally_integral(const struct time_tally *tally, sim_time now);
double time_tally_mean(const struct time_tally *tally, sim_time now);
/* Forgets the past (at the end of the warm-up): the value stays. */
void time_tally_reset(struct time_tally *tally, sim_time now);

#endif
