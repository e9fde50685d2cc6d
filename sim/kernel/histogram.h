/* Log-linear histogram of non-negative 64-bit values: percentiles by nearest rank with a bounded
 * relative error, mergeable, in memory that depends on the range and not on the number of values.
 */
#ifndef SIM_KERNEL_HISTOGRAM_H
#define SIM_KERNEL_HISTOGRAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* One bucket keeps the number of its values and the sum of their distances from its lower edge, so
 * that it answers with the mean of what it holds: exact where all its values are equal. The sum
 * stays at UINT64_MAX if it would overflow; the answer is then still within the bucket. */
struct histogram_bucket {
    uint64_t count;
    uint64_t offset_sum;
};

/* Values below 2^precision have a bucket each; each octave above is cut into 2^(precision-1) equal
 * buckets, so a bucket's width is at most 2^(1-precision) of any value in it. Octaves are allocated
 * when first used. */
struct histogram {
    int precision;
    /* By the shift that brings a value down to `precision` bits: 0 for the values below
     * 2^precision, then one octave each. */
    struct histogram_bucket *octaves[65];
    uint64_t count;
    uint64_t maximum;
    uint64_t minimum;
    unsigned __int128 sum; /* exact, so that merging in any order gives the same bits */
};

/* The relative error stays below 0.1 % at 11 (buckets in use stay in the nearest caches), below
 * 0.05 % at 12, below 0.0123 % at 14 (a wait of hours is told to the second). */
enum { HISTOGRAM_FAST = 11, HISTOGRAM_MEDIUM = 12, HISTOGRAM_FINE = 14 };

void histogram_initialize(struct histogram *histogram, int precision); /* 2 to 20 */
void histogram_terminate(struct histogram *histogram);

/* The slow path of histogram_add: the first value of an octave. */
struct histogram_bucket *histogram_allocate_octave(struct histogram *histogram, int octave);

static inline int histogram_octave(const struct histogram *histogram, uint64_t value) {
    int octave = 64 - histogram->precision - __builtin_clzll(value | 1);
    return octave > 0 ? octave : 0;
}

/* Where a value belongs among the buckets of its octave. Above the first octave the leading bit is
 * always set, and is not part of the index. */
static inline uint64_t histogram_index(const struct histogram *histogram, uint64_t value,
                                       int octave) {
    return (value >> octave) - ((uint64_t)(octave > 0) << (histogram->precision - 1));
}

/* Asks for a value's bucket to be in the cache soon: the buckets of a fine histogram are not. */
static inline __attribute__((always_inline)) void
histogram_prefetch(const struct histogram *histogram, uint64_t value) {
    int octave = histogram_octave(histogram, value);
    if (histogram->octaves[octave] != NULL) {
        __builtin_prefetch(&histogram->octaves[octave][histogram_index(histogram, value, octave)]);
    }
}

static inline void histogram_add(struct histogram *histogram, uint64_t value) {
    int octave = histogram_octave(histogram, value);
    struct histogram_bucket *buckets = histogram->octaves[octave];
    if (__builtin_expect(buckets == NULL, 0)) {
        buckets = histogram_allocate_octave(histogram, octave);
    }
    struct histogram_bucket *bucket = &buckets[histogram_index(histogram, value, octave)];
    uint64_t offset = value - (value >> octave << octave);
    bucket->count++;
    if (__builtin_add_overflow(bucket->offset_sum, offset, &bucket->offset_sum)) {
        bucket->offset_sum = UINT64_MAX;
    }
    histogram->count++;
    histogram->sum += value;
    /* Branches that are hardly ever taken; conditional moves would be stores every time. */
    if (__builtin_expect(value < histogram->minimum, 0)) {
        histogram->minimum = value;
    }
    if (__builtin_expect(value > histogram->maximum, 0)) {
        histogram->maximum = value;
    }
}

/* Adds what other holds; the precisions must be equal. */
void histogram_merge(struct histogram *histogram, const struct histogram *other);

/* Nearest rank: the ceil(q * count)-th smallest value (at least the first), q in [0, 1], within the
 * precision's error, the smallest and the largest exactly; 0 for an empty histogram. */
double histogram_quantile(const struct histogram *histogram, double q);
double histogram_mean(const struct histogram *histogram); /* 0 when empty */

/* Walks the buckets that hold something, upwards: start with *position = 0; false at the end.
 * *upper is the largest value the bucket can hold. */
bool histogram_next(const struct histogram *histogram, uint64_t *position, uint64_t *upper,
                    uint64_t *count);

#endif
