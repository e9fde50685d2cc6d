#include "sim/kernel/ramp_tally.h"

/* The integral in rate x ns x ns: a rectangle and a triangle more than up to the last change. */
static double integral_at(const struct ramp_tally *tally, sim_time now) {
    assert(now >= tally->since);
    double elapsed = (double)(now - tally->since);
    return tally->integral + (double)tally->value * elapsed +
           0.5 * (double)tally->rate * elapsed * elapsed;
}

void ramp_tally_change(struct ramp_tally *tally, sim_time now, ramp_amount rate,
                       ramp_amount value) {
    tally->integral = integral_at(tally, now);
    tally->value = ramp_tally_value(tally, now) + value;
    tally->rate += rate;
    tally->since = now;
}

double ramp_tally_integral(const struct ramp_tally *tally, sim_time now) {
    return integral_at(tally, now) / (double)RAMP_UNIT;
}
