/* Speed under MPS, by hand from rate = (d / saturation) min(1, 1 / D) / (1 + interference (D - d)).
 */
#include <math.h>

#include "models/mps.h"
#include "tests/support/unit.h"

static void assert_near(double value, double expected) {
    if (!(fabs(value - expected) <= 1e-12 * fabs(expected))) {
        fail_msg("%.15g instead of %.15g", value, expected);
    }
}

static void alone_without_cap_is_full_speed(void **state) {
    (void)state;
    struct mps_tenant small = mps_tenant_of(0.3, 1);
    assert_true(small.demand == 0.3 && small.speed == 1);
    assert_true(mps_rate(small, small.demand, 0) == 1);
    assert_true(mps_rate(small, small.demand, 0.7) == 1); /* nobody interferes */
}

/* .6 + .6 = 1.2 of the SMs. */
static void demands_beyond_the_device_share_it(void **state) {
    (void)state;
    struct mps_tenant tenant = mps_tenant_of(0.6, 1);
    assert_near(mps_rate(tenant, 1.2, 0), 1 / 1.2);
}

static void demands_within_the_device_do_not_meet(void **state) {
    (void)state;
    assert_true(mps_rate(mps_tenant_of(0.6, 1), 0.6 + 0.4, 0) == 1);
    assert_true(mps_rate(mps_tenant_of(0.4, 1), 0.6 + 0.4, 0) == 1);
}

/* Both would use all SMs: they run at .6 and .4, together and alone. */
static void a_cap_holds_also_alone(void **state) {
    (void)state;
    struct mps_tenant large = mps_tenant_of(1, 0.6);
    struct mps_tenant small = mps_tenant_of(1, 0.4);
    assert_near(mps_rate(large, 0.6 + 0.4, 0), 0.6);
    assert_near(mps_rate(small, 0.6 + 0.4, 0), 0.4);
    assert_near(mps_rate(large, 0.6, 0), 0.6);
    assert_near(mps_rate(small, 0.4, 0), 0.4);
}

/* A cap of 25 % on saturation .5 halves the speed; one of 80 % does nothing. */
static void a_cap_counts_against_saturation(void **state) {
    (void)state;
    struct mps_tenant capped = mps_tenant_of(0.5, 0.25);
    assert_true(capped.demand == 0.25 && capped.speed == 0.5);
    struct mps_tenant wide = mps_tenant_of(0.5, 0.8);
    assert_true(wide.demand == 0.5 && wide.speed == 1);
}

/* Two clients of saturation s >= 1/2 do 2 x 1 / (2 s) = 1 / s times the work of one: 30 % more at
 * .77, 50 % more at .67. */
static void two_clients_gain_what_one_leaves(void **state) {
    (void)state;
    for (double saturation = 0.67; saturation < 0.775; saturation += 0.01) {
        double together = 2 * mps_rate(mps_tenant_of(saturation, 1), 2 * saturation, 0);
        assert_near(together, 1 / saturation);
        assert_true(together > 1.295 && together < 1.495);
    }
}

/* d = .5, .75 (capped from 1) and .25: D = 1.5, interference .2.
 * (.5 / .5) / 1.5 / (1 + .2 x 1) = 5/9; (.75 / 1) / 1.5 / (1 + .2 x .75) = .5 / 1.15;
 * 1 / 1.5 / (1 + .2 x 1.25) = 8/15. Within the device, of two that ask for .5 and .25, the first
 * runs at 1 / (1 + .2 x .25). */
static void interference_grows_with_the_others(void **state) {
    (void)state;
    assert_near(mps_rate(mps_tenant_of(0.5, 1), 1.5, 0.2), 5.0 / 9);
    assert_near(mps_rate(mps_tenant_of(1, 0.75), 1.5, 0.2), 0.5 / 1.15);
    assert_near(mps_rate(mps_tenant_of(0.25, 1), 1.5, 0.2), 8.0 / 15);
    assert_near(mps_rate(mps_tenant_of(0.5, 1), 0.75, 0.2), 1 / 1.05);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(alone_without_cap_is_full_speed),
        cmocka_unit_test(demands_beyond_the_device_share_it),
        cmocka_unit_test(demands_within_the_device_do_not_meet),
        cmocka_unit_test(a_cap_holds_also_alone),
        cmocka_unit_test(a_cap_counts_against_saturation),
        cmocka_unit_test(two_clients_gain_what_one_leaves),
        cmocka_unit_test(interference_grows_with_the_others),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
