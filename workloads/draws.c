#include "workloads/draws.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "sim/kernel/memory.h"

void draws_start_stream(struct stream *stream, uint64_t seed, uint64_t replication,
                        const char *what, const char *workload) {
    char *purpose = NULL;
    if (asprintf(&purpose, "%s of workload %s", what, workload) < 0) {
        memory_exhausted(0);
    }
    stream_initialize(stream, seed, replication, purpose);
    free(purpose);
}

sim_time draws_round_time(double ns) {
    double whole = nearbyint(ns);
    if (!(whole > 0)) { /* NaN, too */
        return 0;
    }
    return whole < (double)SIM_TIME_LONGEST ? (sim_time)whole : SIM_TIME_LONGEST;
}

sim_time draw_duration(const struct distribution *distribution, struct stream *stream) {
    return draws_round_time(distribution_draw(distribution, stream));
}

/* The nearest whole number from `least` to INT32_MAX. */
static int32_t draw_count(const struct distribution *distribution, struct stream *stream,
                          int32_t least) {
    double count = nearbyint(distribution_draw(distribution, stream));
    if (!(count > least)) {
        return least;
    }
    return count < INT32_MAX ? (int32_t)count : INT32_MAX;
}

int32_t draw_gpus(const struct distribution *distribution, struct stream *stream) {
    return draw_count(distribution, stream, 1);
}

int32_t draw_tokens(const struct distribution *distribution, struct stream *stream) {
    return draw_count(distribution, stream, 0);
}

int64_t draw_bytes(const struct distribution *distribution, struct stream *stream) {
    double bytes = nearbyint(distribution_draw(distribution, stream));
    if (!(bytes > 0)) {
        return 0;
    }
    return bytes < 9e18 ? (int64_t)bytes : INT64_MAX;
}
