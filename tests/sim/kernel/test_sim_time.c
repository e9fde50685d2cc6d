/* Seconds to nanoseconds and back: nearest, within the range that input may use. */
#include <math.h>

#include "sim/kernel/sim_time.h"
#include "tests/support/unit.h"

static void nearest_nanosecond(void **state) {
    (void)state;
    assert_int_equal(sim_time_from_seconds(0), 0);
    assert_int_equal(sim_time_from_seconds(1), INT64_C(1000000000));
    assert_int_equal(sim_time_from_seconds(0.1), INT64_C(100000000));
    assert_int_equal(sim_time_from_seconds(1.4e-9), 1);
    assert_int_equal(sim_time_from_seconds(1.6e-9), 2);
    assert_int_equal(sim_time_from_seconds(0.4e-9), 0);
}

/* 100 years of 365.25 days are 3,155,760,000 s. */
static void held_within_the_range(void **state) {
    (void)state;
    assert_int_equal(SIM_TIME_LONGEST, INT64_C(3155760000) * NANOSECONDS_PER_SECOND);
    assert_int_equal(sim_time_from_seconds(3155760000.0), SIM_TIME_LONGEST);
    assert_int_equal(sim_time_from_seconds(1e300), SIM_TIME_LONGEST);
    assert_int_equal(sim_time_from_seconds(INFINITY), SIM_TIME_LONGEST);
    assert_int_equal(sim_time_from_seconds(-1), 0);
    assert_int_equal(sim_time_from_seconds(-INFINITY), 0);
    assert_int_equal(sim_time_from_seconds(NAN), 0);
}

/* Seconds and back are two roundings, each by at most half a unit in 53 digits: below 2^51 ns (26
 * days) they move a time by less than half a nanosecond. */
static void there_and_back(void **state) {
    (void)state;
    struct test_random random = {1};
    for (int i = 0; i < 100000; i++) {
        sim_time t = (sim_time)(test_random_next(&random) >> (13 + i % 50));
        assert_int_equal(sim_time_from_seconds(sim_time_to_seconds(t)), t);
    }
}

/* 100,000 GPUs for ten days: 100,000 x 240 h. In nanoseconds, 8.64e19, beyond 64 bits. */
static void gpu_time_of_a_large_cluster(void **state) {
    (void)state;
    gpu_time sum = (gpu_time)100000 * (10 * 86400 * NANOSECONDS_PER_SECOND);
    assert_true(sum > (gpu_time)UINT64_MAX);
    assert_true(fabs(gpu_time_to_hours(sum) - 24e6) < 1e-6);
}

static void sums_stop_at_never(void **state) {
    (void)state;
    assert_int_equal(sim_time_add(2, 3), 5);
    assert_int_equal(sim_time_add(SIM_TIME_NEVER - 3, 3), SIM_TIME_NEVER);
    assert_int_equal(sim_time_add(SIM_TIME_NEVER - 3, 4), SIM_TIME_NEVER);
    assert_int_equal(sim_time_add(SIM_TIME_NEVER, SIM_TIME_NEVER), SIM_TIME_NEVER);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nearest_nanosecond), cmocka_unit_test(held_within_the_range),
        cmocka_unit_test(there_and_back),     cmocka_unit_test(gpu_time_of_a_large_cluster),
        cmocka_unit_test(sums_stop_at_never),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
