#include "sim/kernel/interval_histogram.h"

#include <stdlib.h>

#include "sim/kernel/memory.h"

/* A place is the octave and, below it, the bucket in it: places sort as values do. */
enum { INDEX_BITS = 20 };

static int octave_of(uint32_t place) {
    return (int)(place >> INDEX_BITS);
}

static uint64_t index_of(uint32_t place) {
    return place & ((UINT32_C(1) << INDEX_BITS) - 1);
}

void interval_histogram_initialize(struct interval_histogram *histogram, int precision) {
    *histogram = (struct interval_histogram){0};
    histogram_initialize(&histogram->values, precision);
}

void interval_histogram_terminate(struct interval_histogram *histogram) {
    histogram_terminate(&histogram->values);
    free(histogram->places);
    *histogram = (struct interval_histogram){0};
}

void interval_histogram_note(struct interval_histogram *histogram, uint64_t value) {
    int octave = histogram_octave(&histogram->values, value);
    uint64_t index = histogram_index(&histogram->values, value, octave);
    histogram->places = memory_grow(histogram->places, &histogram->place_capacity,
                                    histogram->place_count + 1, sizeof histogram->places[0]);
    histogram->places[histogram->place_count++] =
        ((uint32_t)octave << INDEX_BITS) | (uint32_t)index;
}

static int by_place(const void *a, const void *b) {
    uint32_t left = *(const uint32_t *)a;
    uint32_t right = *(const uint32_t *)b;
    return (left > right) - (left < right);
}

double interval_histogram_quantile(struct interval_histogram *histogram, double q) {
    const struct histogram *values = &histogram->values;
    if (values->count == 0) {
        return 0;
    }
    if (histogram->sorted != histogram->place_count) {
        qsort(histogram->places, histogram->place_count, sizeof histogram->places[0], by_place);
        histogram->sorted = histogram->place_count;
    }
    uint64_t rank = histogram_rank(q, values->count);
    uint64_t seen = 0;
    size_t at = 0;
    while (seen +=
           values->octaves[octave_of(histogram->places[at])][index_of(histogram->places[at])].count,
           seen < rank) {
        at++;
    }
    return histogram_answer(values, rank, octave_of(histogram->places[at]),
                            index_of(histogram->places[at]));
}

void interval_histogram_clear(struct interval_histogram *histogram) {
    struct histogram *values = &histogram->values;
    for (size_t i = 0; i < histogram->place_count; i++) {
        uint32_t place = histogram->places[i];
        values->octaves[octave_of(place)][index_of(place)] = (struct histogram_bucket){0};
    }
    histogram->place_count = histogram->sorted = 0;
    values->count = 0;
    values->maximum = 0;
    values->minimum = UINT64_MAX;
    values->excess = 0;
}
