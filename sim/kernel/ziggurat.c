/* The rare draws of the ziggurats: the wedges between a layer's rectangle and the curve, and the
 * tails. Layer i is the strip of heights from f(edge i) to f(edge i + 1); in the base strip,
 * layer 0, what lies beyond edge 1 stands for the tail. */
#include <math.h>

#include "sim/kernel/stream.h"

/* A height within the layer, uniformly. */
static double height_between(struct stream *stream, double low, double high) {
    return low + stream_uniform(stream) * (high - low);
}

double ziggurat_exponential_edge_case(struct stream *stream, unsigned layer, double x) {
    const double *edges = ziggurat_exponential_edges;
    if (layer == 0) {
        /* Memoryless: what is beyond edge 1 is exponential again. */
        return edges[1] + stream_exponential(stream);
    }
    double height = height_between(stream, exp(-edges[layer]), exp(-edges[layer + 1]));
    if (height < exp(-x)) {
        return x;
    }
    return stream_exponential(stream);
}

static double normal_curve(double x) {
    return exp(-0.5 * x * x);
}

/* Marsaglia, Generating a variable from the tail of the normal distribution, Technometrics 6
 * (1964): r + E1/r, accepted with probability exp(-(E1/r)^2 / 2). */
static double normal_tail(struct stream *stream, double r) {
    double beyond;
    do {
        beyond = stream_exponential(stream) / r;
    } while (2 * stream_exponential(stream) < beyond * beyond);
    return r + beyond;
}

double ziggurat_normal_edge_case(struct stream *stream, unsigned layer, double x) {
    const double *edges = ziggurat_normal_edges;
    if (layer == 0) {
        return copysign(normal_tail(stream, edges[1]), x);
    }
    double low = normal_curve(edges[layer]);
    double height = height_between(stream, low, normal_curve(edges[layer + 1]));
    if (height < normal_curve(x)) {
        return x;
    }
    return stream_normal(stream);
}
