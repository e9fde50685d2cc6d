#include "sim/serving/latency_parts.h"

#include <math.h>
#include <stdlib.h>

#include "sim/kernel/memory.h"

const char *const latency_part_names[LATENCY_PART_COUNT] = {
    [LATENCY_QUEUEING] = "queueing",
    [LATENCY_LOADING] = "loading",
    [LATENCY_OTHERS] = "others",
    [LATENCY_SWITCHING] = "switching",
    [LATENCY_INTERFERENCE] = "interference",
    [LATENCY_BATCHING] = "batching",
    [LATENCY_SERVICE] = "service",
};

enum { OCTAVES = sizeof((struct latency_parts *)0)->sums[0] / sizeof(double *) };

void latency_parts_terminate(struct latency_parts *parts) {
    for (int part = 0; part < LATENCY_PART_COUNT; part++) {
        for (int octave = 0; octave < OCTAVES; octave++) {
            free(parts->sums[part][octave]);
        }
    }
    *parts = (struct latency_parts){0};
}

double *latency_parts_allocate(struct latency_parts *parts, enum latency_part part,
                               const struct histogram *latency, int octave) {
    double *sums = memory_zero(histogram_octave_size(latency, octave), sizeof *sums);
    parts->sums[part][octave] = sums;
    return sums;
}

void latency_parts_merge(struct latency_parts *parts, const struct latency_parts *other,
                         const struct histogram *latency) {
    for (int part = 0; part < LATENCY_PART_COUNT; part++) {
        for (int octave = 0; octave < OCTAVES; octave++) {
            const double *from = other->sums[part][octave];
            double *into = parts->sums[part][octave];
            if (from == NULL) {
                continue;
            }
            if (into == NULL) {
                into = latency_parts_allocate(parts, (enum latency_part)part, latency, octave);
            }
            for (uint64_t i = 0; i < histogram_octave_size(latency, octave); i++) {
                into[i] += from[i];
            }
        }
    }
}

/* Adds up one octave from bucket `first` on; returns the number of requests there. */
static uint64_t add_octave(const struct latency_parts *parts, const struct histogram *latency,
                           int octave, uint64_t first, double totals[LATENCY_PART_COUNT]) {
    uint64_t count = 0;
    for (uint64_t i = first; i < histogram_octave_size(latency, octave); i++) {
        count += latency->octaves[octave][i].count;
        totals[LATENCY_QUEUEING] += histogram_bucket_sum(latency, octave, i);
        for (int part = LATENCY_QUEUEING + 1; part < LATENCY_PART_COUNT; part++) {
            const double *sums = parts->sums[part][octave];
            totals[part] += sums == NULL ? 0 : sums[i];
        }
    }
    return count;
}

bool latency_parts_above(const struct latency_parts *parts, const struct histogram *latency,
                         double quantile, double means[LATENCY_PART_COUNT]) {
    int first_octave = 0;
    uint64_t first = 0;
    if (!histogram_find_quantile(latency, quantile, &first_octave, &first)) {
        for (int part = 0; part < LATENCY_PART_COUNT; part++) {
            means[part] = NAN;
        }
        return false;
    }
    double totals[LATENCY_PART_COUNT] = {0};
    uint64_t count = 0;
    for (int octave = first_octave; octave < OCTAVES; octave++) {
        if (latency->octaves[octave] != NULL) {
            count += add_octave(parts, latency, octave, octave == first_octave ? first : 0, totals);
        }
    }
    for (int part = LATENCY_QUEUEING + 1; part < LATENCY_PART_COUNT; part++) {
        totals[LATENCY_QUEUEING] -= totals[part];
        means[part] = totals[part] / (double)count;
    }
    /* What rounding leaves of nothing may be below it. */
    means[LATENCY_QUEUEING] = fmax(0, totals[LATENCY_QUEUEING]) / (double)count;
    return true;
}
