/* Student intervals over replications. */
#include <math.h>

#include "sim/kernel/statistics.h"
#include "tests/sim/kernel/goodness.h"

/* The table in every textbook, t_{0.975, n}. */
static void student_factors(void **state) {
    (void)state;
    assert_close(statistics_student(1, 0.95), 12.706205, 5e-7);
    assert_close(statistics_student(9, 0.95), 2.262157, 5e-7);
    assert_close(statistics_student(29, 0.95), 2.045230, 5e-7);
    assert_close(statistics_student(1e6, 0.95), 1.959964, 5e-6);
    assert_close(statistics_student(9, 0.99), 3.249836, 5e-7);
}

/* 1 to 10: mean 5.5, variance 82.5 / 9, so the half-width is 2.262157 sqrt(82.5 / 90) = 2.165847.
 */
static void ten_replications(void **state) {
    (void)state;
    double values[10];
    for (int i = 0; i < 10; i++) {
        values[i] = i + 1;
    }
    double mean;
    double half_width;
    assert_true(statistics_interval(values, 10, 0.95, &mean, &half_width));
    assert_close(mean, 5.5, 1e-12);
    assert_close(half_width, 2.262157 * sqrt(82.5 / 90), 1e-6);
}

/* 3 and 5: mean 4, s = sqrt 2, half-width 12.706205 x sqrt 2 / sqrt 2. */
static void two_are_enough_and_equal_ones_have_no_width(void **state) {
    (void)state;
    double mean;
    double half_width;
    assert_true(statistics_interval((double[]){3, 5}, 2, 0.95, &mean, &half_width));
    assert_close(mean, 4, 1e-12);
    assert_close(half_width, 12.706205, 5e-7);
    assert_true(statistics_interval((double[]){7, 7, 7}, 3, 0.95, &mean, &half_width));
    assert_close(mean, 7, 0);
    assert_close(half_width, 0, 0);
}

static void where_there_is_no_interval(void **state) {
    (void)state;
    double mean;
    double half_width;
    assert_false(statistics_interval(NULL, 0, 0.95, &mean, &half_width));
    assert_true(isnan(mean) && isnan(half_width));
    assert_false(statistics_interval((double[]){3}, 1, 0.95, &mean, &half_width));
    assert_true(mean == 3 && isnan(half_width));
    assert_false(statistics_interval((double[]){3, NAN}, 2, 0.95, &mean, &half_width));
    assert_true(isnan(mean) && isnan(half_width));
    assert_false(statistics_interval((double[]){3, INFINITY}, 2, 0.95, &mean, &half_width));
}

/* A million microseconds apart on top of a large offset: the variance survives. */
static void a_large_offset_keeps_its_digits(void **state) {
    (void)state;
    double mean;
    double half_width;
    assert_true(statistics_interval((double[]){1e9 + 3, 1e9 + 5}, 2, 0.95, &mean, &half_width));
    assert_close(half_width, 12.706205, 5e-7);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(student_factors),
        cmocka_unit_test(ten_replications),
        cmocka_unit_test(two_are_enough_and_equal_ones_have_no_width),
        cmocka_unit_test(where_there_is_no_interval),
        cmocka_unit_test(a_large_offset_keeps_its_digits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
