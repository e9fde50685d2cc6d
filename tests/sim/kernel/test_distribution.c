/* Every row: its mean and cv against the closed form, its shape against GSL's distribution
 * function, and what it refuses. */
#include <string.h>

#include "sim/kernel/distribution.h"
#include "sim/kernel/memory.h"
#include "tests/sim/kernel/goodness.h"

enum { SAMPLE = 200000 };

static void make(struct distribution *distribution, const char *name, double first, double second) {
    *distribution =
        (struct distribution){.kind = distribution_find(name), .given = {first, second}};
    struct error error;
    assert_non_null(distribution->kind);
    if (!distribution_prepare(distribution, &error)) {
        fail_msg("%s: %s", name, error.message);
    }
}

static double *draw_sample(const struct distribution *distribution) {
    double *values = calloc(SAMPLE, sizeof(double));
    struct stream stream;
    stream_initialize(&stream, 1, 0, distribution->kind->name);
    for (int i = 0; i < SAMPLE; i++) {
        values[i] = distribution_draw(distribution, &stream);
        assert_true(values[i] >= 0 && isfinite(values[i]));
    }
    return values;
}

/* The sample mean has variance sd^2 / n, the sample variance sd^4 (kurtosis - 1) / n: kurtosis is
 * E (X - mean)^4 / sd^4, from the closed form of each distribution. */
static void assert_moments(const double *values, double mean, double cv, double kurtosis) {
    double deviation = mean * cv;
    double sum = 0;
    double squares = 0;
    for (int i = 0; i < SAMPLE; i++) {
        sum += values[i] / SAMPLE;
        squares += (values[i] - mean) * (values[i] - mean) / SAMPLE;
    }
    assert_estimates(sum, mean, deviation / sqrt(SAMPLE));
    assert_estimates(squares, deviation * deviation,
                     deviation * deviation * sqrt((kurtosis - 1) / SAMPLE));
}

static void check(const char *name, double first, double second, double mean, double cv,
                  double kurtosis, double (*cdf)(double, const void *), const double *parameters) {
    struct distribution distribution;
    make(&distribution, name, first, second);
    assert_close(distribution_mean(&distribution) / mean, 1, 1e-14);
    double *values = draw_sample(&distribution);
    assert_moments(values, mean, cv, kurtosis);
    assert_distributed(values, SAMPLE, cdf, parameters);
    free(values);
    distribution_clear(&distribution);
}

static void constant(void **state) {
    (void)state;
    struct distribution distribution;
    struct stream stream;
    stream_initialize(&stream, 1, 0, "constant");
    struct stream untouched = stream;
    distribution_constant(&distribution, 7e9);
    assert_true(distribution_draw(&distribution, &stream) == 7e9);
    assert_true(distribution_mean(&distribution) == 7e9);
    assert_memory_equal(stream.state, untouched.state, sizeof(stream.state));
    make(&distribution, "constant", 0, 0);
    assert_true(distribution_draw(&distribution, &stream) == 0);
    assert_string_equal(distribution_kinds[0].name, "constant");
}

static double uniform_cdf(double x, const void *parameters) {
    const double *p = parameters;
    return gsl_cdf_flat_P(x, p[0], p[1]);
}

/* On [10, 30): sd = 20 / sqrt 12; kurtosis 9/5. */
static void uniform(void **state) {
    (void)state;
    check("uniform", 10, 30, 20, 1 / sqrt(12), 1.8, uniform_cdf, (double[]){10, 30});
    struct distribution distribution;
    struct stream stream;
    stream_initialize(&stream, 1, 0, "point");
    make(&distribution, "uniform", 5, 5);
    assert_true(distribution_draw(&distribution, &stream) == 5);
}

static double exponential_cdf(double x, const void *parameters) {
    return gsl_cdf_exponential_P(x, *(const double *)parameters);
}

static void exponential(void **state) {
    (void)state;
    check("exponential", 7.2e12, 0, 7.2e12, 1, 9, exponential_cdf, (double[]){7.2e12});
}

static double lognormal_cdf(double x, const void *parameters) {
    const double *p = parameters;
    return gsl_cdf_lognormal_P(x, p[0], p[1]);
}

/* With w = exp(sigma^2) = 1 + cv^2 the kurtosis is w^4 + 2 w^3 + 3 w^2 - 3. */
static void lognormal(void **state) {
    (void)state;
    const double cvs[] = {0.01, 0.6, 1};
    for (int i = 0; i < 3; i++) {
        double w = 1 + cvs[i] * cvs[i];
        check("lognormal", 80e6, cvs[i], 80e6, cvs[i],
              w * w * w * w + 2 * w * w * w + 3 * w * w - 3, lognormal_cdf,
              (double[]){log(80e6) - log(w) / 2, sqrt(log(w))});
    }
}

static double gamma_cdf(double x, const void *parameters) {
    const double *p = parameters;
    return gsl_cdf_gamma_P(x, p[0], p[1]);
}

/* Shape k = 1 / cv^2: kurtosis 3 + 6 / k. */
static void gamma_rows(void **state) {
    (void)state;
    const double cvs[] = {0.1, 1, 2};
    for (int i = 0; i < 3; i++) {
        double square = cvs[i] * cvs[i];
        check("gamma", 3600, cvs[i], 3600, cvs[i], 3 + 6 * square, gamma_cdf,
              (double[]){1 / square, 3600 * square});
    }
}

/* k phases: cv = 1 / sqrt k, a gamma of shape k. */
static void erlang(void **state) {
    (void)state;
    for (double k = 1; k <= 64; k *= 4) {
        check("erlang", k, 10, 10, 1 / sqrt(k), 3 + 6 / k, gamma_cdf, (double[]){k, 10 / k});
    }
}

static double weibull_cdf(double x, const void *parameters) {
    const double *p = parameters;
    return gsl_cdf_weibull_P(x, p[0], p[1]);
}

/* From known shapes: raw moments of scale 1 are g(n) = Gamma(1 + n/k), so mean g1, cv^2 = g2 / g1^2
 * - 1, kurtosis (g4 - 4 g1 g3 + 6 g1^2 g2 - 3 g1^4) / (g2 - g1^2)^2. Shape 2 is Rayleigh's: cv =
 * sqrt(4 / pi - 1); shape 1 is exponential, 1/2 has cv sqrt 5. */
static void weibull(void **state) {
    (void)state;
    assert_close(sqrt(tgamma(2) / pow(tgamma(1.5), 2) - 1), sqrt(4 / M_PI - 1), 1e-14);
    const double shapes[] = {0.5, 1, 2, 10};
    for (int i = 0; i < 4; i++) {
        double g[5];
        for (int n = 1; n <= 4; n++) {
            g[n] = tgamma(1 + n / shapes[i]);
        }
        double variance = g[2] - g[1] * g[1];
        double fourth = g[4] - 4 * g[1] * g[3] + 6 * g[1] * g[1] * g[2] - 3 * pow(g[1], 4);
        check("weibull", 50, sqrt(variance) / g[1], 50, sqrt(variance) / g[1],
              fourth / (variance * variance), weibull_cdf, (double[]){50 / g[1], shapes[i]});
    }
}

/* Over all cvs that are accepted, the solved shape gives the cv back. Derived are 1/k and scale. */
static void weibull_solves_its_whole_range(void **state) {
    (void)state;
    for (double cv = 1e-3; cv <= 1e5; cv *= 1.5) {
        struct distribution distribution;
        make(&distribution, "weibull", 1, cv);
        double inverse = distribution.derived[0];
        double square = expm1(lgamma(1 + 2 * inverse) - 2 * lgamma(1 + inverse));
        assert_close(sqrt(square) / cv, 1, 1e-8);
        assert_close(distribution.derived[1] * tgamma(1 + inverse), 1, 1e-12);
    }
}

static double hyperexponential_cdf(double x, const void *parameters) {
    const double *p = parameters;
    return -p[0] * expm1(-x / p[1]) - (1 - p[0]) * expm1(-x / p[2]);
}

/* Two phases of means m1 and m2 with p m1 = (1 - p) m2 = mean / 2. For cv^2 = 5/3 the root is 1/2
 * and p = 3/4: phases of means 2/3 and 2 for a mean of 1. For cv^2 = 17/8 it is 3/5, p = 4/5 and
 * means 5/8 and 5/2. Raw moments are n! (p m1^n + (1-p) m2^n). */
static void hyperexponential(void **state) {
    (void)state;
    const double phases[][4] = {{0.75, 2.0 / 3, 2, 5.0 / 3}, {0.8, 0.625, 2.5, 17.0 / 8}};
    for (int i = 0; i < 2; i++) {
        const double *p = phases[i];
        double m[5];
        for (int n = 1; n <= 4; n++) {
            m[n] = tgamma(n + 1) * (p[0] * pow(p[1], n) + (1 - p[0]) * pow(p[2], n));
        }
        assert_close(m[1], 1, 1e-15);
        assert_close(m[2] - 1, p[3], 1e-14);
        double fourth = m[4] - 4 * m[3] + 6 * m[2] - 3;
        check("hyperexponential", 1, sqrt(p[3]), 1, sqrt(p[3]), fourth / (p[3] * p[3]),
              hyperexponential_cdf, p);
    }
    check("hyperexponential", 4, 1, 4, 1, 9, exponential_cdf, (double[]){4});
}

static double pareto_cdf(double x, const void *parameters) {
    const double *p = parameters;
    return gsl_cdf_pareto_P(x, p[0], p[1]);
}

/* Shape a, smallest value m: mean m a / (a - 1), cv^2 = 1 / (a (a - 2)), and the excess kurtosis is
 * 6 (a^3 + a^2 - 6 a - 2) / (a (a - 3) (a - 4)). Without a variance, the shape alone is tested. */
static void pareto(void **state) {
    (void)state;
    double a = 6;
    check("pareto", 12, a, 12, 1 / sqrt(a * (a - 2)),
          3 + 6 * (a * a * a + a * a - 6 * a - 2) / (a * (a - 3) * (a - 4)), pareto_cdf,
          (double[]){6, 10});
    struct distribution distribution;
    make(&distribution, "pareto", 12, 1.5);
    double *values = draw_sample(&distribution);
    assert_distributed(values, SAMPLE, pareto_cdf, (double[]){1.5, 4});
    free(values);
}

static void make_list(struct distribution *distribution, const char *name, const double *values,
                      const double *weights, size_t count) {
    *distribution = (struct distribution){.kind = distribution_find(name), .value_count = count};
    distribution->values = memory_duplicate(values, count * sizeof(double));
    if (weights != NULL) {
        distribution->weights = memory_duplicate(weights, count * sizeof(double));
    }
}

/* {1: 0.7, 4: 0.2, 8: 0.1, 16: 0}: mean 0.7 + 0.8 + 0.8 = 2.3; counts are binomial. */
static void choice(void **state) {
    (void)state;
    const double values[] = {1, 4, 8, 16};
    const double weights[] = {0.7, 0.2, 0.1, 0};
    struct distribution distribution;
    struct error error;
    make_list(&distribution, "choice", values, weights, 4);
    assert_true(distribution_prepare(&distribution, &error));
    assert_true(distribution_prepare(&distribution, &error)); /* again: nothing leaks */
    assert_close(distribution_mean(&distribution), 2.3, 1e-15);
    double *sample = draw_sample(&distribution);
    for (int k = 0; k < 4; k++) {
        double count = 0;
        for (int i = 0; i < SAMPLE; i++) {
            count += sample[i] == values[k];
        }
        double w = weights[k];
        assert_estimates(count, w * SAMPLE, sqrt(SAMPLE * w * (1 - w)) + (w == 0));
        assert_true(w > 0 || count == 0);
    }
    free(sample);
    distribution_clear(&distribution);
    assert_null(distribution.values);
}

/* Equally likely, a value listed twice counting twice. */
static void empirical(void **state) {
    (void)state;
    const double values[] = {3, 1, 4, 1, 5};
    struct distribution distribution;
    struct error error;
    make_list(&distribution, "empirical", values, NULL, 5);
    assert_true(distribution_prepare(&distribution, &error));
    assert_close(distribution_mean(&distribution), 2.8, 1e-15);
    double *sample = draw_sample(&distribution);
    double counts[6] = {0};
    for (int i = 0; i < SAMPLE; i++) {
        counts[(int)sample[i]]++;
    }
    const double shares[6] = {0, 0.4, 0, 0.2, 0.2, 0.2};
    for (int k = 0; k < 6; k++) {
        double share = shares[k];
        assert_estimates(counts[k], share * SAMPLE,
                         sqrt(SAMPLE * share * (1 - share)) + (share == 0));
    }
    free(sample);
    distribution_clear(&distribution);
}

static void assert_refused(const char *name, double first, double second, const char *reason) {
    struct distribution distribution = {.kind = distribution_find(name), .given = {first, second}};
    struct error error = {.message = ""};
    if (distribution_prepare(&distribution, &error)) {
        fail_msg("%s(%g, %g) accepted", name, first, second);
    }
    if (strstr(error.message, reason) == NULL) {
        fail_msg("%s(%g, %g): '%s' without '%s'", name, first, second, error.message, reason);
    }
    assert_string_equal(error.file, "");
}

static void bad_means_and_cvs(void **state) {
    (void)state;
    const double bad_means[] = {0, -1, NAN, INFINITY, -INFINITY};
    const double bad_cvs[] = {-1, NAN, INFINITY, 1e-9, 1e9};
    const char *two[] = {"lognormal", "gamma", "weibull", "hyperexponential"};
    for (int i = 0; i < 5; i++) {
        for (int k = 0; k < 4; k++) {
            assert_refused(two[k], bad_means[i], 2, "mean must be positive");
            assert_refused(two[k], 1, bad_cvs[i], "cv (standard deviation / mean)");
            assert_refused(two[k], 1, 0, "write the mean alone");
        }
        assert_refused("exponential", bad_means[i], 0, "mean must be positive");
        assert_refused("erlang", 3, bad_means[i], "mean must be positive");
        assert_refused("pareto", bad_means[i], 3, "mean must be positive");
    }
}

static void bad_parameters(void **state) {
    (void)state;
    assert_refused("hyperexponential", 1, 0.9, "use gamma");
    assert_refused("constant", -1, 0, "not negative");
    assert_refused("constant", NAN, 0, "finite");
    assert_refused("uniform", 3, 2, "swap");
    assert_refused("uniform", -3, 2, "not negative");
    assert_refused("uniform", 3, NAN, "finite");
    assert_refused("uniform", 3, INFINITY, "finite");
    assert_refused("erlang", 2.5, 1, "whole number");
    assert_refused("erlang", 0, 1, "whole number");
    assert_refused("erlang", NAN, 1, "whole number");
    assert_refused("erlang", 1e7, 1, "whole number");
    assert_refused("pareto", 1, 1, "more than 1");
    assert_refused("pareto", 1, NAN, "more than 1");
    assert_refused("pareto", 1, INFINITY, "more than 1");
}

static void assert_list_refused(const char *name, const double *values, const double *weights,
                                size_t count, const char *reason) {
    struct distribution distribution;
    struct error error = {.message = ""};
    make_list(&distribution, name, values, weights, count);
    assert_false(distribution_prepare(&distribution, &error));
    if (strstr(error.message, reason) == NULL) {
        fail_msg("'%s' without '%s'", error.message, reason);
    }
    distribution_clear(&distribution);
}

static void bad_lists(void **state) {
    (void)state;
    const double values[] = {1, 2};
    assert_list_refused("choice", values, (double[]){0.5, 0.4}, 2, "add up to 0.9: divide");
    assert_list_refused("choice", values, (double[]){70, 30}, 2, "add up to 100");
    assert_list_refused("choice", values, (double[]){1.5, -0.5}, 2, "weight 2");
    assert_list_refused("choice", values, (double[]){NAN, 1}, 2, "weight 1");
    assert_list_refused("choice", values, (double[]){0, 0}, 2, "all weights are 0");
    assert_list_refused("choice", (double[]){1, -2}, (double[]){0.5, 0.5}, 2, "value 2");
    assert_list_refused("choice", values, values, 0, "no value");
    assert_list_refused("empirical", values, NULL, 0, "no value");
    assert_list_refused("empirical", (double[]){NAN, 1}, NULL, 2, "value 1");
}

/* Written in decimal, weights rarely add up to 1 exactly. */
static void weights_may_be_rounded(void **state) {
    (void)state;
    struct distribution distribution;
    struct error error;
    make_list(&distribution, "choice", (double[]){1, 2, 3},
              (double[]){0.3333333333, 0.3333333333, 0.3333333333}, 3);
    assert_true(distribution_prepare(&distribution, &error));
    distribution_clear(&distribution);
}

static void rows_are_found_by_name(void **state) {
    (void)state;
    assert_int_equal(distribution_kind_count, 11);
    for (size_t i = 0; i < distribution_kind_count; i++) {
        assert_ptr_equal(distribution_find(distribution_kinds[i].name), &distribution_kinds[i]);
        assert_true(strlen(distribution_kinds[i].summary) > 10);
    }
    assert_null(distribution_find("normal"));
    assert_null(distribution_find(""));
}

/* What can be bounded is: 5, the upper end of [2, 5], the largest of a list; no draw is beyond it.
 */
static void the_most_that_can_be_drawn(void **state) {
    (void)state;
    struct distribution distribution;
    struct error error;
    distribution_constant(&distribution, 5);
    assert_true(distribution_most(&distribution) == 5);
    make(&distribution, "uniform", 2, 5);
    assert_true(distribution_most(&distribution) == 5);
    make(&distribution, "exponential", 1, 0);
    assert_true(isinf(distribution_most(&distribution)));
    distribution = (struct distribution){.kind = distribution_find("choice"), .value_count = 3};
    distribution.values = memory_zero(3, sizeof(double));
    distribution.weights = memory_zero(3, sizeof(double));
    for (int i = 0; i < 3; i++) {
        distribution.values[i] = 7 - i;
        distribution.weights[i] = 1.0 / 3;
    }
    assert_true(distribution_prepare(&distribution, &error));
    assert_true(distribution_most(&distribution) == 7);
    distribution_clear(&distribution);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(constant),
        cmocka_unit_test(uniform),
        cmocka_unit_test(exponential),
        cmocka_unit_test(lognormal),
        cmocka_unit_test(gamma_rows),
        cmocka_unit_test(erlang),
        cmocka_unit_test(weibull),
        cmocka_unit_test(weibull_solves_its_whole_range),
        cmocka_unit_test(hyperexponential),
        cmocka_unit_test(pareto),
        cmocka_unit_test(choice),
        cmocka_unit_test(empirical),
        cmocka_unit_test(bad_means_and_cvs),
        cmocka_unit_test(bad_parameters),
        cmocka_unit_test(bad_lists),
        cmocka_unit_test(weights_may_be_rounded),
        cmocka_unit_test(rows_are_found_by_name),
        cmocka_unit_test(the_most_that_can_be_drawn),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
