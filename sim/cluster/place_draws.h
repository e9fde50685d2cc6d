/* The random numbers that `placement: random` goes by in one pool. A place that is planned, taken
 * back and planned again must be the same one, so numbers are used up only once somebody goes
 * there. Plans for a later time have a stream of their own: they would else be made with the very
 * numbers of the next start. */
#ifndef SIM_CLUSTER_PLACE_DRAWS_H
#define SIM_CLUSTER_PLACE_DRAWS_H

#include <stdbool.h>
#include <string.h>

#include "sim/kernel/stream.h"

struct place_draws {
    struct stream now;
    struct stream ahead;
    uint64_t used[4]; /* the state of `now` after the last start */
    bool looks_ahead;
};

/* In place: the streams are not to be moved. */
static inline void place_draws_initialize(struct place_draws *draws, uint64_t seed,
                                          uint64_t replication, const char *now,
                                          const char *ahead) {
    stream_initialize(&draws->now, seed, replication, now);
    stream_initialize(&draws->ahead, seed, replication, ahead);
    memcpy(draws->used, draws->now.state, sizeof draws->used);
    draws->looks_ahead = false;
}

/* A plan begins, with the numbers of the last one if nobody started there. */
static inline void place_draws_begin(struct place_draws *draws) {
    memcpy(draws->now.state, draws->used, sizeof draws->used);
}

/* Somebody goes where the last plan had them. */
static inline void place_draws_keep(struct place_draws *draws) {
    memcpy(draws->used, draws->now.state, sizeof draws->used);
}

/* One of `count` alike, from 0. */
static inline int64_t place_draws_choose(struct place_draws *draws, int64_t count) {
    struct stream *stream = draws->looks_ahead ? &draws->ahead : &draws->now;
    return (int64_t)stream_uniform_integer(stream, (uint64_t)count);
}

#endif
