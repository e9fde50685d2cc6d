/* The end of a start-up by the marginal standard error rule. */
#include "sim/kernel/mser.h"
#include "tests/support/unit.h"

/* A level of 10 before one of 1: the rest after two values has no error at all. */
static void a_step_is_cut_off(void **state) {
    (void)state;
    const double values[] = {10, 10, 1, 1, 1, 1, 1, 1};
    assert_int_equal(mser_truncation(values, 8), 2);
}

/* Squares over n^2, leaving out none to four: 51.5 / 64 = 0.80, (31 - 169/7) / 49 = 0.14,
 * 6 / 36 = 0.17, 4.8 / 25 = 0.19, 4 / 16 = 0.25. */
static void a_hand_computed_series(void **state) {
    (void)state;
    const double values[] = {9, 1, 3, 1, 3, 1, 3, 1};
    assert_int_equal(mser_truncation(values, 8), 1);
}

static void constant_values_are_all_kept(void **state) {
    (void)state;
    const double values[] = {4, 4, 4, 4, 4, 4, 4};
    assert_int_equal(mser_truncation(values, 7), 0);
    assert_int_equal(mser_truncation(values, 1), 0);
    assert_int_equal(mser_truncation(values, 0), 0);
}

/* The error of m values of a trend grows with m: m^3 / 12 over m^2. */
static void a_trend_is_cut_in_the_middle(void **state) {
    (void)state;
    double values[100];
    for (int i = 0; i < 100; i++) {
        values[i] = i;
    }
    assert_int_equal(mser_truncation(values, 100), 50);
}

/* Every d by the definition, each with two passes over what is kept. */
static size_t by_definition(const double *values, size_t n) {
    long double least = 0;
    size_t truncation = 0;
    for (size_t d = 0; d <= n / 2; d++) {
        long double mean = 0;
        long double squares = 0;
        for (size_t i = d; i < n; i++) {
            mean += (long double)values[i] / (long double)(n - d);
        }
        for (size_t i = d; i < n; i++) {
            squares += ((long double)values[i] - mean) * ((long double)values[i] - mean);
        }
        long double error = squares / ((long double)(n - d) * (long double)(n - d));
        if (d == 0 || error < least) {
            least = error;
            truncation = d;
        }
    }
    return truncation;
}

/* Random series that decay from a high level, of which some are cut early, some late, some not. */
static void agrees_with_the_definition(void **state) {
    (void)state;
    struct test_random random = {.state = 5};
    for (int series = 0; series < 300; series++) {
        double values[120];
        size_t n = (size_t)test_random_between(&random, 10, 120);
        double level = test_random_below(&random, 40);
        for (size_t i = 0; i < n; i++) {
            values[i] = level + test_random_below(&random, 1000003) / 1e5;
            level *= 0.9;
        }
        assert_int_equal(mser_truncation(values, n), by_definition(values, n));
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_step_is_cut_off),
        cmocka_unit_test(a_hand_computed_series),
        cmocka_unit_test(constant_values_are_all_kept),
        cmocka_unit_test(a_trend_is_cut_in_the_middle),
        cmocka_unit_test(agrees_with_the_definition),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
