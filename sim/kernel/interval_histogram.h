/* A histogram that is asked and emptied again and again, as for each interval of a timeline: it
 * knows which of its buckets hold something, so that both cost what it holds and not its range. */
#ifndef SIM_KERNEL_INTERVAL_HISTOGRAM_H
#define SIM_KERNEL_INTERVAL_HISTOGRAM_H

#include "sim/kernel/histogram.h"

struct interval_histogram {
    struct histogram values;
    uint32_t *places; /* of the buckets that hold something, in the order in which they came, */
    size_t place_count;
    size_t sorted; /* of them: all, once a quantile has been asked for */
    size_t place_capacity;
};

void interval_histogram_initialize(struct interval_histogram *histogram, int precision);
void interval_histogram_terminate(struct interval_histogram *histogram);

/* The slow path: the first value of a bucket. */
void interval_histogram_note(struct interval_histogram *histogram, uint64_t value);

static inline void interval_histogram_add(struct interval_histogram *histogram, uint64_t value) {
    struct histogram *values = &histogram->values;
    int octave = histogram_octave(values, value);
    const struct histogram_bucket *buckets = values->octaves[octave];
    if (buckets == NULL || buckets[histogram_index(values, value, octave)].count == 0) {
        interval_histogram_note(histogram, value);
    }
    histogram_add(values, value);
}

/* As histogram_quantile of the values since it was emptied; sorts the places, if any came. */
double interval_histogram_quantile(struct interval_histogram *histogram, double q);
void interval_histogram_clear(struct interval_histogram *histogram);

#endif
