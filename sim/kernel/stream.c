#include "sim/kernel/stream.h"

#include <stddef.h>

/* SplitMix64 (Steele, Lea and Flood, OOPSLA 2014), which the authors of xoshiro256** recommend for
 * seeding: a counter in steps of the golden ratio, and a mix of which every output bit depends on
 * every input bit. */
static const uint64_t golden_step = UINT64_C(0x9e3779b97f4a7c15);

static uint64_t mix(uint64_t z) {
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

/* Four successive outputs of SplitMix64. Its outputs differ, so the state is never all zero, the
 * one state from which xoshiro cannot leave. */
static void set_state(uint64_t state[4], uint64_t seed) {
    for (int i = 0; i < 4; i++) {
        seed += golden_step;
        state[i] = mix(seed);
    }
}

/* FNV-1a, 64 bits. */
static uint64_t hash_text(const char *text) {
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    for (const char *c = text; *c != '\0'; c++) {
        hash = (hash ^ (unsigned char)*c) * UINT64_C(0x100000001b3);
    }
    return hash;
}

/* GSL hands back the state that it was given, and only for streams made here: a struct stream, or
 * the bare words that gsl_rng_alloc allocates. Both begin with the state. */
static void gsl_set(void *state, unsigned long seed) {
    set_state(state, seed);
}

static unsigned long gsl_get(void *state) {
    return stream_next(state);
}

static double gsl_get_double(void *state) {
    return stream_uniform(state);
}

/* All 64 bits: gsl_rng_uniform_int divides max - min, never max - min + 1, so it cannot overflow,
 * and GSL's own ziggurat uses the low 32 bits of a generator this wide. */
static const gsl_rng_type xoshiro = {
    .name = "xoshiro256**",
    .max = UINT64_MAX,
    .min = 0,
    .size = sizeof(uint64_t[4]),
    .set = gsl_set,
    .get = gsl_get,
    .get_double = gsl_get_double,
};

const gsl_rng_type *const stream_gsl_type = &xoshiro;

_Static_assert(sizeof(unsigned long) == sizeof(uint64_t), "GSL draws are 64 bits wide");
_Static_assert(offsetof(struct stream, state) == 0, "GSL's calls take the state for the stream");

void stream_initialize(struct stream *stream, uint64_t seed, uint64_t replication,
                       const char *purpose) {
    uint64_t key = mix(seed + golden_step);
    key = mix((key ^ replication) + golden_step);
    key = mix((key ^ hash_text(purpose)) + golden_step);
    set_state(stream->state, key);
    stream->gsl = (gsl_rng){.type = stream_gsl_type, .state = stream->state};
}

/* Lemire, Fast random integer generation in an interval, ACM TOMACS 29 (2019): the high half of
 * n x 64 random bits, drawn again in the rare case that would favour some values. */
uint64_t stream_uniform_integer(struct stream *stream, uint64_t n) {
    unsigned __int128 product = (unsigned __int128)stream_next(stream) * n;
    if ((uint64_t)product < n) {
        uint64_t threshold = -n % n;
        while ((uint64_t)product < threshold) {
            product = (unsigned __int128)stream_next(stream) * n;
        }
    }
    return (uint64_t)(product >> 64);
}
