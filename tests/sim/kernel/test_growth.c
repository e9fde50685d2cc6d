/* The test for growth without limit, on increments whose statistic is computed by hand. With n = 32
 * increments the bound on t is 2.744 (31 degrees of freedom, 0.5 % on one side). */
#include <math.h>

#include "sim/kernel/growth.h"
#include "tests/support/unit.h"

static void assert_near(double actual, double expected) {
    if (!(fabs(actual - expected) <= 1e-9 * fabs(expected))) {
        fail_msg("%.12g is not %.12g", actual, expected);
    }
}

/* Even increments of the first half, odd ones, and the same of the second half. */
static struct growth judge(const int64_t pattern[4], int64_t arrivals) {
    int64_t lengths[GROWTH_SAMPLES] = {7};
    for (int i = 0; i < GROWTH_INTERVALS; i++) {
        int half = i < GROWTH_INTERVALS / 2 ? 0 : 2;
        lengths[i + 1] = lengths[i] + pattern[half + i % 2];
    }
    return growth_judge(lengths, arrivals);
}

static void steady_growth_is_unstable(void **state) {
    (void)state;
    struct growth growth = judge((const int64_t[]){5, 5, 5, 5}, 1000);
    assert_true(growth.unstable);
    assert_true(isinf(growth.statistic) && growth.statistic > 0);
    assert_near(growth.total, 160);
}

/* 0 and 2 in turn: mean 1, s^2 = 32/31, r1 below 0, so t = sqrt(31). */
static void scattered_growth_is_unstable(void **state) {
    (void)state;
    struct growth growth = judge((const int64_t[]){0, 2, 0, 2}, 1000);
    assert_near(growth.statistic, sqrt(31));
    assert_true(growth.unstable);
}

/* -7 and 9 in turn: mean 1, deviations of 8, t = sqrt(31) / 8. */
static void growth_within_the_scatter_is_not(void **state) {
    (void)state;
    struct growth growth = judge((const int64_t[]){-7, 9, -7, 9}, 1000);
    assert_near(growth.statistic, sqrt(31) / 8);
    assert_false(growth.unstable);
}

/* 0 in the first half, 2 in the second: of 31 neighbours 30 agree, r1 = (30 - 1) / 32, so that
 * f = (61/32) / (3/32) and t = sqrt(31) / sqrt(61/3). */
static void autocorrelated_growth_counts_for_less(void **state) {
    (void)state;
    struct growth growth = judge((const int64_t[]){0, 0, 2, 2}, 1000);
    assert_near(growth.statistic, sqrt(31.0 * 3 / 61));
    assert_false(growth.unstable);
}

/* 0 and 4 in turn, then nothing: mean 1, squares 8 x 9 + 24, t = sqrt(32 x 31 / 96) = 3.21. */
static void growth_that_ended_is_not_unstable(void **state) {
    (void)state;
    struct growth growth = judge((const int64_t[]){0, 4, 0, 0}, 1000);
    assert_near(growth.statistic, sqrt(32.0 * 31 / 96));
    assert_false(growth.unstable);
}

/* 32 of 3,200 is 1 %. */
static void growth_must_matter(void **state) {
    (void)state;
    assert_true(judge((const int64_t[]){0, 2, 0, 2}, 3200).unstable);
    assert_false(judge((const int64_t[]){0, 2, 0, 2}, 3201).unstable);
}

static void nothing_and_decline_are_stable(void **state) {
    (void)state;
    assert_false(judge((const int64_t[]){0, 0, 0, 0}, 0).unstable);
    assert_false(judge((const int64_t[]){-1, -1, -1, -1}, 10).unstable);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(steady_growth_is_unstable),
        cmocka_unit_test(scattered_growth_is_unstable),
        cmocka_unit_test(growth_within_the_scatter_is_not),
        cmocka_unit_test(autocorrelated_growth_counts_for_less),
        cmocka_unit_test(growth_that_ended_is_not_unstable),
        cmocka_unit_test(growth_must_matter),
        cmocka_unit_test(nothing_and_decline_are_stable),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
