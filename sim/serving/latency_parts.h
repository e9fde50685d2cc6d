/* Where the latency of requests went: sums of its parts in buckets like those of the histogram of
 * latencies, so that the slowest requests can be asked about at the end. */
#ifndef SIM_SERVING_LATENCY_PARTS_H
#define SIM_SERVING_LATENCY_PARTS_H

#include "sim/kernel/histogram.h"

enum latency_part {
    LATENCY_QUEUEING, /* what the others leave of the latency: never given, never kept */
    LATENCY_LOADING,  /* waiting while no replica was up */
    LATENCY_OTHERS,   /* other tenants' slices */
    LATENCY_SWITCHING,
    LATENCY_INTERFERENCE,
    LATENCY_BATCHING,
    LATENCY_SERVICE, /* computing, alone in the slot, within its cap */
    LATENCY_PART_COUNT
};
extern const char *const latency_part_names[LATENCY_PART_COUNT];

/* ns, by octave and bucket; what was always zero takes no memory. A zeroed struct is an empty one.
 */
struct latency_parts {
    double *sums[LATENCY_PART_COUNT][65];
};

void latency_parts_terminate(struct latency_parts *parts);

/* The slow path of latency_parts_add: the first value of an octave. */
double *latency_parts_allocate(struct latency_parts *parts, enum latency_part part,
                               const struct histogram *latency, int octave);

/* Adds to one part of a request's latency, which is added to the histogram as well. */
static inline void latency_parts_add(struct latency_parts *parts, const struct histogram *latency,
                                     uint64_t value, enum latency_part part, double ns) {
    if (ns == 0) {
        return;
    }
    int octave = histogram_octave(latency, value);
    double *sums = parts->sums[part][octave];
    if (__builtin_expect(sums == NULL, 0)) {
        sums = latency_parts_allocate(parts, part, latency, octave);
    }
    sums[histogram_index(latency, value, octave)] += ns;
}

/* Adds what other holds; both belong to histograms of one precision. */
void latency_parts_merge(struct latency_parts *parts, const struct latency_parts *other,
                         const struct histogram *latency);

/* The means over the requests in the bucket of the quantile or above: they add up to their mean
 * latency. False, and NaN, where there are none. */
bool latency_parts_above(const struct latency_parts *parts, const struct histogram *latency,
                         double quantile, double means[LATENCY_PART_COUNT]);

#endif
