/* Running statistics against the same from all the values at once. */
#include <math.h>
#include <string.h>

#include "sim/kernel/tally.h"
#include "tests/sim/kernel/goodness.h"

/* 2, 4, 4, 4, 5, 5, 7, 9: mean 5, squares 9+1+1+1+0+0+4+16 = 32, variance 32/7. */
static void a_hand_computed_sample(void **state) {
    (void)state;
    const double values[] = {2, 4, 4, 4, 5, 5, 7, 9};
    struct tally tally;
    tally_initialize(&tally);
    for (int i = 0; i < 8; i++) {
        tally_add(&tally, values[i]);
    }
    assert_int_equal(tally.count, 8);
    assert_close(tally.mean, 5, 1e-14);
    assert_close(tally_variance(&tally), 32.0 / 7, 1e-14);
    assert_close(tally.minimum, 2, 0);
    assert_close(tally.maximum, 9, 0);
}

static void empty_and_single(void **state) {
    (void)state;
    struct tally tally;
    tally_initialize(&tally);
    assert_true(tally.minimum > tally.maximum);
    assert_close(tally_variance(&tally), 0, 0);
    tally_add(&tally, -3);
    assert_close(tally.mean, -3, 0);
    assert_close(tally_variance(&tally), 0, 0);
    assert_true(tally.minimum == -3 && tally.maximum == -3);
}

/* Far from zero the textbook formula, mean of squares less square of mean, would lose all digits:
 * 1e9 + {4, 7, 13, 16} has variance 30. */
static void no_cancellation(void **state) {
    (void)state;
    struct tally tally;
    tally_initialize(&tally);
    const double values[] = {4, 7, 13, 16};
    for (int i = 0; i < 4; i++) {
        tally_add(&tally, 1e9 + values[i]);
    }
    assert_close(tally.mean, 1e9 + 10, 1e-6);
    assert_close(tally_variance(&tally), 30, 1e-5);
}

/* A weight of k is k equal observations for the mean and the squares, at any scale; the variance
 * divides by the observations less one: values 1 and 5 of weights 3 and 1 have mean 2, squares
 * 3 + 9 = 12, and variance 12 / 4 x 2 / 1 = 6. A weight of zero is no observation. */
static void weights(void **state) {
    (void)state;
    for (double scale = 1e-6; scale < 1e7; scale *= 1000) {
        struct tally tally;
        tally_initialize(&tally);
        tally_add_weighted(&tally, 100, 0);
        tally_add_weighted(&tally, 1, 3 * scale);
        tally_add_weighted(&tally, 100, 0);
        tally_add_weighted(&tally, 5, scale);
        assert_int_equal(tally.count, 2);
        assert_close(tally.weight, 4 * scale, 1e-9 * scale);
        assert_close(tally.mean, 2, 1e-14);
        assert_close(tally.squares, 12 * scale, 1e-9 * scale);
        assert_close(tally_variance(&tally), 6, 1e-9);
        assert_close(tally.maximum, 5, 0);
    }
}

/* Merging parts of any sizes, empty ones too, is adding everything. */
static void merging_is_adding_all(void **state) {
    (void)state;
    struct test_random random = {1};
    struct tally whole;
    struct tally merged;
    tally_initialize(&whole);
    tally_initialize(&merged);
    for (int part = 0; part < 50; part++) {
        struct tally tally;
        tally_initialize(&tally);
        for (int i = test_random_below(&random, 40) * (part % 5 != 0); i > 0; i--) {
            double value = (double)test_random_between(&random, -1000, 3000) / 7;
            double weight = test_random_between(&random, 0, 5);
            tally_add_weighted(&whole, value, weight);
            tally_add_weighted(&tally, value, weight);
        }
        tally_merge(&merged, &tally);
    }
    assert_int_equal(merged.count, whole.count);
    assert_close(merged.weight, whole.weight, 1e-9);
    assert_close(merged.mean, whole.mean, 1e-10);
    assert_close(tally_variance(&merged) / tally_variance(&whole), 1, 1e-12);
    assert_true(merged.minimum == whole.minimum && merged.maximum == whole.maximum);
}

/* 2 from 10 to 13, 5 until 14, 5 again at once 0, until 20: 6 + 5 + 0. */
static void a_value_over_time(void **state) {
    (void)state;
    struct time_tally tally;
    time_tally_initialize(&tally, 10, 2);
    assert_close(time_tally_mean(&tally, 10), 2, 0);
    time_tally_set(&tally, 13, 5);
    assert_true(time_tally_integral(&tally, 13) == 6);
    time_tally_set(&tally, 14, 9); /* for no time: counts for the maximum alone */
    time_tally_set(&tally, 14, 0);
    assert_true(time_tally_integral(&tally, 20) == 11);
    assert_close(time_tally_mean(&tally, 20), 1.1, 1e-15);
    assert_int_equal(tally.maximum, 9);
}

static void reset_keeps_the_value_alone(void **state) {
    (void)state;
    struct time_tally tally;
    time_tally_initialize(&tally, 0, 7);
    time_tally_set(&tally, 5, 3);
    time_tally_reset(&tally, 8);
    assert_int_equal(tally.maximum, 3);
    assert_true(time_tally_integral(&tally, 10) == 6);
    assert_close(time_tally_mean(&tally, 10), 3, 0);
}

/* A million for 100 years is 3.2e24, beyond 64 bits; and a negative value counts as such. */
static void the_integral_is_exact(void **state) {
    (void)state;
    struct time_tally tally;
    time_tally_initialize(&tally, 0, 1000000);
    time_tally_set(&tally, SIM_TIME_LONGEST, -1);
    gpu_time expected = (gpu_time)SIM_TIME_LONGEST * 1000000;
    assert_true(time_tally_integral(&tally, SIM_TIME_LONGEST) == expected);
    assert_true(time_tally_integral(&tally, SIM_TIME_LONGEST + 3) == expected - 3);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_hand_computed_sample),
        cmocka_unit_test(empty_and_single),
        cmocka_unit_test(no_cancellation),
        cmocka_unit_test(weights),
        cmocka_unit_test(merging_is_adding_all),
        cmocka_unit_test(a_value_over_time),
        cmocka_unit_test(reset_keeps_the_value_alone),
        cmocka_unit_test(the_integral_is_exact),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
