/* The daily wave in the number of busy GPUs, from the timeline of a run: a + b cos + c sin of the
 * time of day, by least squares. */
#ifndef CLI_SELFTEST_WAVE_H
#define CLI_SELFTEST_WAVE_H

#include "sim/simulation.h"

struct wave {
    sim_time since;    /* rows before are left out */
    sim_time interval; /* that a row covers */
    double sum;
    double cosine;
    double sine;
    double rows;
};

/* The context of a recorder: adds a row of the timeline. */
bool wave_add(void *context, const struct timeline_record *record, struct error *error);

/* Both need rows over whole days from `since` to the end. */
double wave_relative_amplitude(const struct wave *wave);
double wave_peak_h(const struct wave *wave); /* the time of day at the peak */

#endif
