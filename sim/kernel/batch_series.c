#include "sim/kernel/batch_series.h"

#include <assert.h>
#include <stdlib.h>

#include "sim/kernel/memory.h"

void batch_series_initialize(struct batch_series *series, size_t capacity, uint64_t size) {
    assert(capacity >= 2 && capacity % 2 == 0 && size >= 1);
    *series = (struct batch_series){.sums = memory_zero(capacity + 1, sizeof *series->sums),
                                    .began = memory_zero(capacity + 1, sizeof *series->began),
                                    .capacity = capacity,
                                    .size = size};
}

void batch_series_terminate(struct batch_series *series) {
    free(series->sums);
    free(series->began);
    *series = (struct batch_series){0};
}

void batch_series_complete(struct batch_series *series) {
    series->count++;
    series->pending = 0;
    if (series->count < series->capacity) {
        return;
    }
    series->count /= 2;
    series->size *= 2;
    for (size_t i = 0; i < series->count; i++) {
        series->sums[i] = series->sums[2 * i] + series->sums[2 * i + 1];
        series->began[i] = series->began[2 * i];
    }
}
