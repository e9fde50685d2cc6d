/* A sequence of values in bounded memory: the means of batches of consecutive values. When there
 * is no room for another batch, neighbours are merged in pairs and batches are twice as long from
 * then on, so however long the sequence, between half and all of the room is in use. */
#ifndef SIM_KERNEL_BATCH_SERIES_H
#define SIM_KERNEL_BATCH_SERIES_H

#include <stddef.h>
#include <stdint.h>

#include "sim/kernel/sim_time.h"

struct batch_series {
    double *sums;     /* of the complete batches, and of the one under way */
    sim_time *began;  /* the time of each batch's first value */
    size_t capacity;  /* complete batches at most; even */
    size_t count;     /* complete batches */
    uint64_t size;    /* values in each of them */
    uint64_t pending; /* values in the batch under way */
};

/* Room for `capacity` batches (even, at least 2) of first `size` values. */
void batch_series_initialize(struct batch_series *series, size_t capacity, uint64_t size);
void batch_series_terminate(struct batch_series *series);

/* What batch_series_add does when a batch is complete. */
void batch_series_complete(struct batch_series *series);

static inline void batch_series_add(struct batch_series *series, sim_time now, double value) {
    if (series->pending == 0) {
        series->began[series->count] = now;
        series->sums[series->count] = 0;
    }
    series->sums[series->count] += value;
    if (++series->pending == series->size) {
        batch_series_complete(series);
    }
}

#endif
