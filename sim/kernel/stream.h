/* Named random streams: xoshiro256** seeded from (seed, replication, purpose), so that a change in
 * one place leaves every other draw alone, and usable as a gsl_rng so that every GSL distribution
 * works on them. */
#ifndef SIM_KERNEL_STREAM_H
#define SIM_KERNEL_STREAM_H

#include <gsl/gsl_rng.h>
#include <stdint.h>

/* State first, so that the inline draws and GSL's virtual calls share it. */
struct stream {
    uint64_t state[4];
    gsl_rng gsl; /* gsl.state points at state: a stream must not be copied or moved once made */
};

/* The generator as GSL knows it ("xoshiro256**", 64 bits internally, 53-bit doubles in [0, 1)).
 * Source: Blackman and Vigna, Scrambled linear pseudorandom number generators, ACM TOMS 47 (2021).
 */
extern const gsl_rng_type *const stream_gsl_type;

/* Starts the stream of this purpose ("arrivals of workload train", ...). */
void stream_initialize(struct stream *stream, uint64_t seed, uint64_t replication,
                       const char *purpose);

static inline uint64_t stream_next(struct stream *stream) {
    uint64_t *s = stream->state;
    uint64_t product = s[1] * 5;
    uint64_t result = ((product << 7) | (product >> 57)) * 9;
    uint64_t t = s[1] << 17;
    s[2] ^= s[0];
    s[3] ^= s[1];
    s[1] ^= s[2];
    s[0] ^= s[3];
    s[2] ^= t;
    s[3] = (s[3] << 45) | (s[3] >> 19);
    return result;
}

/* Uniform on [0, 1), a multiple of 2^-53. */
static inline double stream_uniform(struct stream *stream) {
    return (double)(stream_next(stream) >> 11) * 0x1.0p-53;
}

/* Uniform integer on [0, n), n >= 1, without bias. */
uint64_t stream_uniform_integer(struct stream *stream, uint64_t n);

/* Standard variates by 256-step ziggurats (Marsaglia and Tsang, JSS 5(8), 2000; tables of doubles
 * and 53 random bits, so that no value is left out for want of resolution). Of one 64-bit draw the
 * low 8 bits choose the layer and the high 53 the place in it, so the two are independent. */
enum { ZIGGURAT_LAYERS = 256 };

/* The right edge of each layer; the first is the width of the base strip, whose tail is folded in,
 * and the last is 0. Layer i lies between the heights of edges i and i + 1. */
extern const double ziggurat_exponential_edges[ZIGGURAT_LAYERS + 1];
extern const double ziggurat_normal_edges[ZIGGURAT_LAYERS + 1];

/* The 1 to 2 % of draws that do not fall inside the rectangle under the next layer. */
double ziggurat_exponential_edge_case(struct stream *stream, unsigned layer, double x);
double ziggurat_normal_edge_case(struct stream *stream, unsigned layer, double x);

/* Mean 1. */
static inline double stream_exponential(struct stream *stream) {
    uint64_t bits = stream_next(stream);
    unsigned layer = bits & (ZIGGURAT_LAYERS - 1);
    double x = (double)(bits >> 11) * 0x1.0p-53 * ziggurat_exponential_edges[layer];
    if (__builtin_expect(x < ziggurat_exponential_edges[layer + 1], 1)) {
        return x;
    }
    return ziggurat_exponential_edge_case(stream, layer, x);
}

/* Mean 0, variance 1. */
static inline double stream_normal(struct stream *stream) {
    uint64_t bits = stream_next(stream);
    unsigned layer = bits & (ZIGGURAT_LAYERS - 1);
    double x = (double)((int64_t)bits >> 11) * 0x1.0p-52 * ziggurat_normal_edges[layer];
    if (__builtin_expect(__builtin_fabs(x) < ziggurat_normal_edges[layer + 1], 1)) {
        return x;
    }
    return ziggurat_normal_edge_case(stream, layer, x);
}

#endif
