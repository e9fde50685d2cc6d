#include "cli/selftest_wave.h"

#include <math.h>

#define DAY_NS (86400.0 * NANOSECONDS_PER_SECOND)

bool wave_add(void *context, const struct timeline_record *record, struct error *error) {
    struct wave *wave = context;
    (void)error;
    if (record->time >= wave->since) {
        double middle = (double)record->time + (double)wave->interval / 2;
        double angle = 2 * M_PI * fmod(middle, DAY_NS) / DAY_NS;
        wave->sum += record->busy;
        wave->cosine += record->busy * cos(angle);
        wave->sine += record->busy * sin(angle);
        wave->rows++;
    }
    return true;
}

/* Over whole days of equal rows, 1, cos and sin are orthogonal, so that each coefficient is a sum
 * of its own: a = sum / n, b = 2 cosine / n, c = 2 sine / n. The mean over a row of angle x
 * flattens a wave by sin(x / 2) / (x / 2), which is taken out again. */
double wave_relative_amplitude(const struct wave *wave) {
    double half = M_PI * (double)wave->interval / DAY_NS;
    return 2 * hypot(wave->cosine, wave->sine) / wave->sum * half / sin(half);
}

double wave_peak_h(const struct wave *wave) {
    return atan2(wave->sine, wave->cosine) / (2 * M_PI) * 24;
}
