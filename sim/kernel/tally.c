#include "sim/kernel/tally.h"

#include <assert.h>
#include <math.h>

void tally_initialize(struct tally *tally) {
    *tally = (struct tally){.minimum = INFINITY, .maximum = -INFINITY};
}

void tally_add(struct tally *tally, double value) {
    tally_add_weighted(tally, value, 1.0);
}

void tally_add_weighted(struct tally *tally, double value, double weight) {
    assert(weight >= 0);
    if (weight == 0) {
        return;
    }
    double before = tally->weight;
    double deviation = value - tally->mean;
    tally->count++;
    tally->weight = before + weight;
    double step = deviation * weight / tally->weight;
    tally->mean += step;
    tally->squares += before * deviation * step;
    tally->minimum = fmin(tally->minimum, value);
    tally->maximum = fmax(tally->maximum, value);
}

/* Chan, Golub and LeVeque's pairwise update (The American Statistician 37(3), 1983). */
void tally_merge(struct tally *tally, const struct tally *other) {
    if (other->count == 0) {
        return;
    }
    if (tally->count == 0) {
        *tally = *other;
        return;
    }
    double weight = tally->weight + other->weight;
    double deviation = other->mean - tally->mean;
    double step = deviation * other->weight / weight;
    tally->squares += other->squares + tally->weight * deviation * step;
    tally->mean += step;
    tally->weight = weight;
    tally->count += other->count;
    tally->minimum = fmin(tally->minimum, other->minimum);
    tally->maximum = fmax(tally->maximum, other->maximum);
}

double tally_variance(const struct tally *tally) {
    if (tally->count < 2) {
        return 0;
    }
    double count = (double)tally->count;
    return tally->squares / tally->weight * (count / (count - 1));
}

void time_tally_initialize(struct time_tally *tally, sim_time now, int64_t value) {
    *tally = (struct time_tally){.since = now, .origin = now, .value = value, .maximum = value};
}

gpu_time time_tally_integral(const struct time_tally *tally, sim_time now) {
    assert(now >= tally->since);
    return tally->integral + (gpu_time)tally->value * (now - tally->since);
}

double time_tally_mean(const struct time_tally *tally, sim_time now) {
    if (now == tally->origin) {
        return (double)tally->value;
    }
    return (double)time_tally_integral(tally, now) / (double)(now - tally->origin);
}

void time_tally_reset(struct time_tally *tally, sim_time now) {
    time_tally_initialize(tally, now, tally->value);
}
