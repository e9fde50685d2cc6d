#include "sim/kernel/histogram.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "sim/kernel/memory.h"

void histogram_initialize(struct histogram *histogram, int precision) {
    assert(precision >= 2 && precision <= 20);
    *histogram = (struct histogram){.precision = precision,
                                    .leading_bit = precision - 1,
                                    .half_octave = UINT64_C(1) << (precision - 1),
                                    .minimum = UINT64_MAX};
}

static int octave_count(const struct histogram *histogram) {
    return 64 - histogram->precision + 1;
}

void histogram_terminate(struct histogram *histogram) {
    for (int octave = 0; octave < octave_count(histogram); octave++) {
        free(histogram->octaves[octave]);
        histogram->octaves[octave] = NULL;
    }
}

uint64_t histogram_octave_size(const struct histogram *histogram, int octave) {
    return UINT64_C(1) << (octave == 0 ? histogram->precision : histogram->precision - 1);
}

struct histogram_bucket *histogram_allocate_octave(struct histogram *histogram, int octave) {
    size_t buckets = histogram_octave_size(histogram, octave);
    histogram->octaves[octave] = memory_zero(buckets, sizeof(struct histogram_bucket));
    return histogram->octaves[octave];
}

/* The smallest value of a bucket; its largest is 2^octave - 1 more. */
static uint64_t lower_edge(const struct histogram *histogram, int octave, uint64_t index) {
    uint64_t leading = octave == 0 ? 0 : UINT64_C(1) << (histogram->precision - 1);
    return (leading + index) << octave;
}

void histogram_saturate(struct histogram *histogram, struct histogram_bucket *bucket) {
    histogram->excess += (unsigned __int128)bucket->offset_sum + 1; /* 2^64 more, less the most */
    bucket->offset_sum = UINT64_MAX;
}

static void merge_octave(struct histogram *histogram, int octave,
                         const struct histogram_bucket *from) {
    struct histogram_bucket *into = histogram->octaves[octave];
    uint64_t buckets = histogram_octave_size(histogram, octave);
    for (uint64_t i = 0; i < buckets; i++) {
        into[i].count += from[i].count;
        if (__builtin_add_overflow(into[i].offset_sum, from[i].offset_sum, &into[i].offset_sum)) {
            histogram_saturate(histogram, &into[i]);
        }
    }
}

void histogram_merge(struct histogram *histogram, const struct histogram *other) {
    assert(histogram->precision == other->precision);
    histogram->excess += other->excess; /* before that changes: other may be the same one */
    for (int octave = 0; octave < octave_count(other); octave++) {
        if (other->octaves[octave] == NULL) {
            continue;
        }
        if (histogram->octaves[octave] == NULL) {
            histogram_allocate_octave(histogram, octave);
        }
        merge_octave(histogram, octave, other->octaves[octave]);
    }
    histogram->count += other->count;
    if (other->minimum < histogram->minimum) {
        histogram->minimum = other->minimum;
    }
    if (other->maximum > histogram->maximum) {
        histogram->maximum = other->maximum;
    }
}

/* ceil(q * count), where a product that misses a whole number only because q is not exact in binary
 * (0.07 x 100 = 7.000000000000001) counts as that number. */
uint64_t histogram_rank(double q, uint64_t count) {
    double rank = ceil(q * (double)count * (1 - 2 * DBL_EPSILON));
    if (!(rank > 1)) {
        return 1;
    }
    return rank >= (double)count ? count : (uint64_t)rank;
}

/* The mean of a bucket's values, between its edges and the extremes of all values. */
static double bucket_answer(const struct histogram *histogram, int octave, uint64_t index) {
    const struct histogram_bucket *bucket = &histogram->octaves[octave][index];
    double answer = (double)lower_edge(histogram, octave, index) +
                    (double)bucket->offset_sum / (double)bucket->count;
    return fmax((double)histogram->minimum, fmin((double)histogram->maximum, answer));
}

/* The bucket with the value of a rank from 1 to count. */
static void find_rank(const struct histogram *histogram, uint64_t rank, int *octave,
                      uint64_t *index) {
    uint64_t seen = 0;
    for (*octave = 0; *octave < octave_count(histogram); ++*octave) {
        const struct histogram_bucket *row = histogram->octaves[*octave];
        uint64_t buckets = row == NULL ? 0 : histogram_octave_size(histogram, *octave);
        for (*index = 0; *index < buckets; ++*index) {
            seen += row[*index].count;
            if (seen >= rank) {
                return;
            }
        }
    }
}

double histogram_answer(const struct histogram *histogram, uint64_t rank, int octave,
                        uint64_t index) {
    if (rank == 1) {
        return (double)histogram->minimum;
    }
    if (rank == histogram->count) {
        return (double)histogram->maximum;
    }
    return bucket_answer(histogram, octave, index);
}

double histogram_quantile(const struct histogram *histogram, double q) {
    assert(q >= 0 && q <= 1);
    if (histogram->count == 0) {
        return 0;
    }
    uint64_t rank = histogram_rank(q, histogram->count);
    int octave = 0;
    uint64_t index = 0;
    if (rank > 1 && rank < histogram->count) {
        find_rank(histogram, rank, &octave, &index);
    }
    return histogram_answer(histogram, rank, octave, index);
}

bool histogram_find_quantile(const struct histogram *histogram, double q, int *octave,
                             uint64_t *index) {
    assert(q >= 0 && q <= 1);
    if (histogram->count == 0) {
        return false;
    }
    find_rank(histogram, histogram_rank(q, histogram->count), octave, index);
    return true;
}

double histogram_bucket_sum(const struct histogram *histogram, int octave, uint64_t index) {
    const struct histogram_bucket *bucket = &histogram->octaves[octave][index];
    return (double)lower_edge(histogram, octave, index) * (double)bucket->count +
           (double)bucket->offset_sum;
}

unsigned __int128 histogram_sum(const struct histogram *histogram) {
    unsigned __int128 sum = histogram->excess;
    for (int octave = 0; octave < octave_count(histogram); octave++) {
        const struct histogram_bucket *row = histogram->octaves[octave];
        uint64_t buckets = row == NULL ? 0 : histogram_octave_size(histogram, octave);
        for (uint64_t i = 0; i < buckets; i++) {
            sum += (unsigned __int128)lower_edge(histogram, octave, i) * row[i].count +
                   row[i].offset_sum;
        }
    }
    return sum;
}

double histogram_mean(const struct histogram *histogram) {
    if (histogram->count == 0) {
        return 0;
    }
    /* The whole part apart, so that equal values have themselves for a mean. */
    unsigned __int128 sum = histogram_sum(histogram);
    unsigned __int128 whole = sum / histogram->count;
    uint64_t rest = (uint64_t)(sum % histogram->count);
    return (double)whole + (double)rest / (double)histogram->count;
}

bool histogram_next(const struct histogram *histogram, uint64_t *position, uint64_t *upper,
                    uint64_t *count) {
    uint64_t first = 0; /* number of the octave's first bucket, counting all octaves */
    for (int octave = 0; octave < octave_count(histogram); octave++) {
        uint64_t buckets = histogram_octave_size(histogram, octave);
        const struct histogram_bucket *row = histogram->octaves[octave];
        for (; row != NULL && *position < first + buckets; ++*position) {
            uint64_t index = *position - first;
            if (row[index].count > 0) {
                *upper = lower_edge(histogram, octave, index) + ((UINT64_C(1) << octave) - 1);
                *count = row[index].count;
                ++*position;
                return true;
            }
        }
        first += buckets;
        *position = *position > first ? *position : first;
    }
    return false;
}
