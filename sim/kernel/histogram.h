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
    int leading_bit;      /* precision - 1: of the values from which on octaves are cut */
    uint64_t half_octave; /* 2^leading_bit */
    /* By the shift that brings a value down to `precision` bits: 0 for the values below
     * 2^precision, then one octave each. */
    struct histogram_bucket *octaves[65];
    uint64_t count;
    uint64_t maximum;
    uint64_t minimum;
    unsigned __int128 excess; /* what did not fit into the buckets' sums */
};

/* The relative error stays below 0.1 % at 11 (buckets in use stay in the nearest caches), below
 * 0.05 % at 12, below 0.0123 % at 14 (a wait of hours is told to the second). */
enum { HISTOGRAM_FAST = 11, HISTOGRAM_MEDIUM = 12, HISTOGRAM_FINE = 14 };

void histogram_initialize(struct histogram *histogram, int precision); /* 2 to 20 */
void histogram_terminate(struct histogram *histogram);

/* The slow paths of histogram_add: the first value of an octave, and a bucket's sum that has
 * wrapped around. */
struct histogram_bucket *histogram_allocate_octave(struct histogram *histogram, int octave);
void histogram_saturate(struct histogram *histogram, struct histogram_bucket *bucket);

/* As if the value were at least 2^(precision-1): below 2^precision there is one octave. */
static inline int histogram_octave(const struct histogram *histogram, uint64_t value) {
    int leading_bit = 63 ^ __builtin_clzll(value | histogram->half_octave);
    return leading_bit - histogram->leading_bit;
}

/* Where a value belongs among the buckets of its octave. Above the first octave the leading bit is
 * always set, and is not part of the index. */
static inline uint64_t histogram_index(const struct histogram *histogram, uint64_t value,
                                       int octave) {
    uint64_t above_first =
        (uint64_t)(-(int64_t)octave >> 63); /* a mask: a branch could be missed */
    return (value >> octave) - (above_first & histogram->half_octave);
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
        histogram_saturate(histogram, bucket);
    }
    histogram->count++;
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
/* Exact, so that merging in any order gives the same bits. */
unsigned __int128 histogram_sum(const struct histogram *histogram);
double histogram_mean(const struct histogram *histogram); /* 0 when empty */

/* The rank from 1 to count that a quantile means, and the answer for a rank whose value is in this
 * bucket: for what finds the bucket in another way. */
uint64_t histogram_rank(double q, uint64_t count);
double histogram_answer(const struct histogram *histogram, uint64_t rank, int octave,
                        uint64_t index);

/* For sums kept beside a histogram, in buckets like its own (histogram_octave, histogram_index). */

/* The buckets of an octave. */
uint64_t histogram_octave_size(const struct histogram *histogram, int octave);
/* The bucket with the nearest rank's value; false for an empty histogram. */
bool histogram_find_quantile(const struct histogram *histogram, double q, int *octave,
                             uint64_t *index);
/* The sum of a bucket's values. */
double histogram_bucket_sum(const struct histogram *histogram, int octave, uint64_t index);

/* Walks the buckets that hold something, upwards: start with *position = 0; false at the end.
 * *upper is the largest value the bucket can hold. */
bool histogram_next(const struct histogram *histogram, uint64_t *position, uint64_t *upper,
                    uint64_t *count);

#endif
