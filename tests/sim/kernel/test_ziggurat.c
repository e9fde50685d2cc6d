/* The ziggurats' tables against their definition, and their draws against the distributions. */
#include <gsl/gsl_sf_erf.h>

#include "sim/kernel/stream.h"
#include "tests/sim/kernel/goodness.h"

enum { DRAWS = 4000000, CELLS = 4096, SAMPLE = 1000000 };

/* All layers have the area of the base strip with its tail, v: (f(x[i+1]) - f(x[i])) x[i] = v, and
 * x[0] f(x[1]) = v. Relative error 1e-12: the difference of two heights loses digits. */
static void check_layers(const double *edges, double (*height)(double), double v) {
    assert_close(edges[0] * height(edges[1]) / v, 1, 1e-12);
    for (int i = 1; i < ZIGGURAT_LAYERS; i++) {
        assert_true(edges[i] < edges[i - 1]);
        double area = (height(edges[i + 1]) - height(edges[i])) * edges[i];
        assert_close(area / v, 1, 1e-12);
    }
    assert_close(edges[ZIGGURAT_LAYERS], 0, 0);
}

static double exponential_height(double x) {
    return exp(-x);
}

static double normal_height(double x) {
    return exp(-x * x / 2);
}

/* r and v of 256 layers as published (Marsaglia and Tsang 2000, section 4): 7.69711747013104972 and
 * 0.0039496598225815571993 for the exponential, 3.6541528853610088 and 0.00492867323399 for the
 * normal. The tails beyond r: exp(-r), and sqrt(pi/2) erfc(r / sqrt 2). */
static void tables(void **state) {
    (void)state;
    double r = ziggurat_exponential_edges[1];
    assert_close(r, 7.69711747013104972, 1e-14);
    assert_close(r * exp(-r) + exp(-r), 0.0039496598225815571993, 1e-16);
    check_layers(ziggurat_exponential_edges, exponential_height, 0.0039496598225815571993);
    r = ziggurat_normal_edges[1];
    double tail = sqrt(M_PI / 2) * gsl_sf_erfc(r / sqrt(2));
    assert_close(r, 3.6541528853610088, 1e-14);
    assert_close(r * normal_height(r) + tail, 0.00492867323399, 5e-14);
    check_layers(ziggurat_normal_edges, normal_height, r * normal_height(r) + tail);
}

/* Cells of equal probability, so many that a fault in one layer shows. */
static void cells(void **state) {
    (void)state;
    static uint64_t exponentials[CELLS];
    static uint64_t normals[CELLS];
    struct stream stream;
    stream_initialize(&stream, 1, 0, "cells");
    for (int i = 0; i < DRAWS; i++) {
        double p = -expm1(-stream_exponential(&stream));
        double q = gsl_cdf_ugaussian_P(stream_normal(&stream));
        exponentials[(int)fmin(p * CELLS, CELLS - 1)]++;
        normals[(int)fmin(q * CELLS, CELLS - 1)]++;
    }
    assert_even(exponentials, CELLS);
    assert_even(normals, CELLS);
}

/* Moments, whose estimates vary by Var X^k = E X^2k - (E X^k)^2: of an exponential E X^k = k!, of a
 * normal E X^2k = (2k - 1)!! and odd ones 0. */
static void moments(void **state) {
    (void)state;
    double exponential[3] = {0};
    double normal[4] = {0};
    struct stream stream;
    stream_initialize(&stream, 1, 0, "moments");
    for (int i = 0; i < DRAWS; i++) {
        double x = stream_exponential(&stream);
        double z = stream_normal(&stream);
        for (int k = 0; k < 3; k++) {
            exponential[k] += pow(x, k + 1) / DRAWS;
        }
        for (int k = 0; k < 4; k++) {
            normal[k] += pow(z, k + 1) / DRAWS;
        }
    }
    assert_estimates(exponential[0], 1, sqrt(1.0 / DRAWS));
    assert_estimates(exponential[1], 2, sqrt(20.0 / DRAWS));
    assert_estimates(exponential[2], 6, sqrt(684.0 / DRAWS));
    assert_estimates(normal[0], 0, sqrt(1.0 / DRAWS));
    assert_estimates(normal[1], 1, sqrt(2.0 / DRAWS));
    assert_estimates(normal[2], 0, sqrt(15.0 / DRAWS));
    assert_estimates(normal[3], 3, sqrt(96.0 / DRAWS));
}

/* Beyond the last edge, where draws come from code of their own: how many there are (binomial), and
 * their distribution given that they are there. */
static double exponential_tail(double x, const void *r) {
    return -expm1(-(x - *(const double *)r));
}

static double normal_tail(double x, const void *r) {
    return 1 - gsl_cdf_ugaussian_Q(x) / gsl_cdf_ugaussian_Q(*(const double *)r);
}

static void tails(void **state) {
    (void)state;
    enum { N = 4 * DRAWS };
    double *beyond = calloc(N / 400, sizeof(double));
    double *above = calloc(N / 400, sizeof(double));
    size_t exponentials = 0;
    size_t normals = 0;
    size_t negative = 0;
    double r = ziggurat_exponential_edges[1];
    double s = ziggurat_normal_edges[1];
    struct stream stream;
    stream_initialize(&stream, 1, 0, "tails");
    for (int i = 0; i < N; i++) {
        double x = stream_exponential(&stream);
        double z = stream_normal(&stream);
        if (x > r) {
            beyond[exponentials++] = x;
        }
        if (fabs(z) > s) {
            negative += z < 0;
            above[normals++] = fabs(z);
        }
    }
    double expected = N * exp(-r);
    assert_estimates((double)exponentials, expected, sqrt(expected));
    expected = 2 * N * gsl_cdf_ugaussian_Q(s);
    assert_estimates((double)normals, expected, sqrt(expected));
    assert_estimates((double)negative, (double)normals / 2, sqrt((double)normals) / 2);
    assert_distributed(beyond, exponentials, exponential_tail, &r);
    assert_distributed(above, normals, normal_tail, &s);
    free(beyond);
    free(above);
}

static double exponential_cdf(double x, const void *parameters) {
    (void)parameters;
    return gsl_cdf_exponential_P(x, 1);
}

static double normal_cdf(double x, const void *parameters) {
    (void)parameters;
    return gsl_cdf_ugaussian_P(x);
}

static void kolmogorov_smirnov(void **state) {
    (void)state;
    double *values = calloc(SAMPLE, sizeof(double));
    struct stream stream;
    stream_initialize(&stream, 1, 0, "kolmogorov");
    for (int i = 0; i < SAMPLE; i++) {
        values[i] = stream_exponential(&stream);
        assert_true(values[i] >= 0);
    }
    assert_distributed(values, SAMPLE, exponential_cdf, NULL);
    for (int i = 0; i < SAMPLE; i++) {
        values[i] = stream_normal(&stream);
    }
    assert_distributed(values, SAMPLE, normal_cdf, NULL);
    free(values);
}

/* Successive draws: the product of two centred ones has mean 0 and variance 1. */
static void serial_correlation(void **state) {
    (void)state;
    struct stream stream;
    stream_initialize(&stream, 1, 0, "serial");
    double exponential = 0;
    double normal = 0;
    for (int i = 0; i < DRAWS; i++) {
        exponential += (stream_exponential(&stream) - 1) * (stream_exponential(&stream) - 1);
        normal += stream_normal(&stream) * stream_normal(&stream);
    }
    assert_estimates(exponential, 0, sqrt(DRAWS));
    assert_estimates(normal, 0, sqrt(DRAWS));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tables),
        cmocka_unit_test(cells),
        cmocka_unit_test(moments),
        cmocka_unit_test(tails),
        cmocka_unit_test(kolmogorov_smirnov),
        cmocka_unit_test(serial_correlation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
