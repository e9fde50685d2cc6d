/* Invariant: the integral is that of the line, however often it is looked at or bent. */
#include <math.h>

#include "sim/kernel/ramp_tally.h"
#include "tests/support/unit.h"

static const sim_time DAY = 86400 * NANOSECONDS_PER_SECOND;

static void assert_near(double actual, double expected) {
    if (!(fabs(actual - expected) <= 1e-12 * fmax(1, fabs(expected)))) {
        fail_msg("%.17g is not %.17g", actual, expected);
    }
}

/* 6 a day from day 1 to 3, twice as much from 2 to 3: 6 (3 - 1) + 6 (3 - 2) = 18 on day 3, where
 * both leave. Area: 6 x 2 x 2 / 2 + 6 x 1 x 1 / 2 = 15 days. */
static void a_line_that_bends(void **state) {
    (void)state;
    struct ramp_tally tally = {0};
    ramp_tally_change(&tally, DAY, 6, 0);
    assert_near(ramp_tally_integral(&tally, 2 * DAY) / (double)DAY, 3);
    ramp_tally_change(&tally, 2 * DAY, 6, 0);
    assert_true(ramp_tally_value(&tally, 3 * DAY) == 18 * (ramp_amount)RAMP_UNIT);
    ramp_tally_change(&tally, 3 * DAY, -12, -18 * (ramp_amount)RAMP_UNIT);
    assert_true(tally.value == 0 && tally.rate == 0);
    assert_near(ramp_tally_integral(&tally, 3 * DAY) / (double)DAY, 15);
    assert_near(ramp_tally_integral(&tally, 300 * DAY) / (double)DAY, 15);
}

/* Random amounts that come and go: zero is exact when all have gone, and the area is the sum of
 * their triangles. */
static void triangles_add_up(void **state) {
    (void)state;
    enum { AMOUNTS = 8, STEPS = 20000 };
    struct test_random random = {.state = 1};
    struct ramp_tally tally = {0};
    int64_t rates[AMOUNTS] = {0};
    sim_time since[AMOUNTS];
    sim_time now = 0;
    long double area = 0;
    for (int step = 0; step < STEPS; step++) {
        int i = test_random_below(&random, AMOUNTS);
        now += (sim_time)(test_random_next(&random) % (uint64_t)DAY);
        if (rates[i] > 0) {
            long double days = (long double)(now - since[i]) / (long double)DAY;
            area += (long double)rates[i] * days * days / 2;
            ramp_tally_change(&tally, now, -rates[i], -ramp_grown(rates[i], now - since[i]));
            rates[i] = 0;
        } else {
            rates[i] = (int64_t)(test_random_next(&random) % 1000000000000);
            since[i] = now;
            ramp_tally_change(&tally, now, rates[i], 0);
        }
    }
    for (int i = 0; i < AMOUNTS; i++) {
        long double days = (long double)(now - since[i]) / (long double)DAY;
        area += rates[i] > 0 ? (long double)rates[i] * days * days / 2 : 0;
        ramp_tally_change(&tally, now, -rates[i], -ramp_grown(rates[i], now - since[i]));
    }
    assert_true(tally.value == 0 && tally.rate == 0);
    assert_near(ramp_tally_integral(&tally, now) / (double)DAY, (double)area);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_line_that_bends),
        cmocka_unit_test(triangles_add_up),
    };
    return cmocka_run_group_tests_name("ramp tally", tests, NULL, NULL);
}
