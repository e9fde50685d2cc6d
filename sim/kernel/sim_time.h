/* Simulated time: integer nanoseconds since t = 0. */
#ifndef SIM_KERNEL_SIM_TIME_H
#define SIM_KERNEL_SIM_TIME_H

#include <stdint.h>

typedef int64_t sim_time;

#define NANOSECONDS_PER_SECOND INT64_C(1000000000)
/* Later than anything that happens: the longest time (about 292 years). */
#define SIM_TIME_NEVER INT64_MAX
/* The longest duration or moment that input may give (100 years), so that a sum of a few of them
 * cannot overflow. */
#define SIM_TIME_LONGEST (INT64_C(36525) * 86400 * NANOSECONDS_PER_SECOND)

/* A sum of GPU-nanoseconds over pools: 100,000 GPUs overflow 64 bits in a day. */
typedef __int128 gpu_time;

static inline double sim_time_to_seconds(sim_time t) {
    return (double)t / 1e9;
}

static inline double gpu_time_to_hours(gpu_time t) {
    return (double)t / 3.6e12;
}

/* a + b for a, b >= 0, SIM_TIME_NEVER where that is beyond all time. */
static inline sim_time sim_time_add(sim_time a, sim_time b) {
    return a > SIM_TIME_NEVER - b ? SIM_TIME_NEVER : a + b;
}

/* Nearest nanosecond; values beyond SIM_TIME_LONGEST become SIM_TIME_LONGEST, negative ones 0. */
sim_time sim_time_from_seconds(double seconds);

#endif
