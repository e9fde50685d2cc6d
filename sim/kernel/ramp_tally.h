/* A sum of amounts that each grow steadily from their own start on, and its time integral. Amounts
 * are whole numbers: rate x ns, 1 / RAMP_UNIT of what is counted. */
#ifndef SIM_KERNEL_RAMP_TALLY_H
#define SIM_KERNEL_RAMP_TALLY_H

#include <assert.h>

#include "sim/kernel/sim_time.h"

/* Rates are per day: so those of whole bytes per hour, minute or second are whole, and a sum of
 * them reaches a limit at the nanosecond that one gets by hand. */
#define RAMP_RATE_PER_SECOND INT64_C(86400)
#define RAMP_UNIT (RAMP_RATE_PER_SECOND * NANOSECONDS_PER_SECOND)

/* rate x ns. */
typedef __int128 ramp_amount;

struct ramp_tally {
    sim_time since; /* the last change; a zeroed tally is 0 since 0 */
    ramp_amount rate;
    ramp_amount value; /* at `since` */
    double integral;   /* up to `since`: rate x ns x ns */
};

static inline ramp_amount ramp_grown(ramp_amount rate, sim_time duration) {
    return rate * duration;
}

static inline ramp_amount ramp_tally_value(const struct ramp_tally *tally, sim_time now) {
    return tally->value + ramp_grown(tally->rate, now - tally->since);
}

/* From now on it grows by `rate` more, and is larger by `value` at once; now never decreases. */
void ramp_tally_change(struct ramp_tally *tally, sim_time now, ramp_amount rate, ramp_amount value);

/* The time integral up to now: byte-ns, if bytes are counted. */
double ramp_tally_integral(const struct ramp_tally *tally, sim_time now);

#endif
