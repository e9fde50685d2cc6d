/* Closed forms against published or hand-derived values. Where a case has a simpler form of its
 * own, that is the derivation: M/M/1 wait = rho / (1 - rho), its tail rho exp(-(1 - rho) t). */
#include <math.h>

#include "models/queueing.h"
#include "tests/support/unit.h"

/* As many digits as the expected value was published with. */
static void assert_near(double value, double expected, double within) {
    if (!(fabs(value - expected) <= within)) {
        fail_msg("%.12g instead of %.12g", value, expected);
    }
}

/* Waiting 4 = .8 / .2; percentiles ln(80) / .2 = 21.91013 and ln(100) / .2 = 23.02585. */
static void one_server(void **state) {
    (void)state;
    assert_near(queueing_mmc_wait(1, 0.8, 1), 4, 1e-12);
    assert_near(queueing_mmc_wait_quantile(1, 0.8, 1, 0.99), log(80) / 0.2, 1e-12);
    assert_near(queueing_mmc_response_quantile(1, 0.8, 1, 0.99), log(100) / 0.2, 1e-9);
    assert_near(queueing_mmc_wait_quantile(1, 0.8, 1, 0.1), 0, 0);
}

/* Two servers at half load: C = 1/3, wait = C / (2 - 1). The rest to the digits published. */
static void several_servers(void **state) {
    (void)state;
    assert_near(queueing_mmc_wait(2, 1, 1), 1.0 / 3, 1e-12);
    assert_near(queueing_mmc_wait(8, 7.2, 1), 0.8769162, 5e-8);
    assert_near(queueing_mmc_wait_quantile(8, 7.2, 1, 0.99), 5.313354, 5e-7);
    assert_near(queueing_mmc_response_quantile(8, 7.2, 1, 0.99), 7.087347, 5e-7);
    assert_near(queueing_mmc_wait(64, 60.8, 1), 0.1837534, 5e-8);
    assert_near(queueing_mmc_wait_quantile(64, 60.8, 1, 0.99), 1.273175, 5e-7);
}

/* Where the waiting drains as fast as one server works, the formula has a limit of its own: it must
 * meet its neighbours. */
static void response_is_continuous(void **state) {
    (void)state;
    double at = queueing_mmc_response_quantile(2, 1, 1, 0.99);
    double below = queueing_mmc_response_quantile(2, 1 - 1e-6, 1, 0.99);
    double above = queueing_mmc_response_quantile(2, 1 + 1e-6, 1, 0.99);
    assert_near((below + above) / 2, at, 1e-6);
}

static void units_of_time_do_not_matter(void **state) {
    (void)state;
    assert_near(queueing_mmc_wait(8, 0.72, 10), 8.769162, 5e-7);
    assert_near(queueing_mdc_wait(4, 0.36, 10), 9.9996589, 5e-7);
    assert_near(queueing_mmc_response_quantile(8, 0.72, 10, 0.99), 70.87347, 5e-6);
}

static void loss(void **state) {
    (void)state;
    assert_near(queueing_erlang_b(10, 8), 0.1216610643, 5e-11);
    assert_near(queueing_erlang_b(100, 90), 0.0269573805, 5e-11);
}

static void bounded_room(void **state) {
    (void)state;
    struct queueing_bounded bounded = queueing_mmck(4, 10, 5, 1);
    assert_near(bounded.blocking, 0.2300243, 5e-8);
    assert_near(bounded.number, 7.356112, 5e-7);
    assert_near(bounded.response, 1.910739, 5e-7);
    /* Without room to wait it is Erlang's loss system. */
    assert_near(queueing_mmck(10, 10, 8, 1).blocking, queueing_erlang_b(10, 8), 1e-12);
}

/* One server: half the M/M/1 wait. Others: tables of M/D/c. */
static void constant_service(void **state) {
    (void)state;
    assert_near(queueing_mdc_wait(1, 0.8, 1), 2, 1e-12);
    assert_near(queueing_mdc_wait(2, 1.6, 1), 0.90328388, 5e-9);
    assert_near(queueing_mdc_wait(4, 3.6, 1), 0.99996589, 5e-9);
    assert_near(queueing_mdc_wait(8, 7.2, 1), 0.44997326, 5e-9);
}

/* Least servers by load: P99 of the wait within .1 and within 1 mean service. */
static void least_servers(void **state) {
    (void)state;
    static const int expected[][3] = {{10, 18, 14}, {50, 64, 54}, {100, 118, 105}, {500, 528, 505}};
    for (size_t i = 0; i < sizeof expected / sizeof expected[0]; i++) {
        assert_int_equal(queueing_mmc_servers_for_quantile(expected[i][0], 0.99, 0.1),
                         expected[i][1]);
        assert_int_equal(queueing_mmc_servers_for_quantile(expected[i][0], 0.99, 1),
                         expected[i][2]);
    }
    /* A fifth may wait. M/M/2 at load 1: a third waits, so a third will do and less takes 3. */
    assert_int_equal(queueing_mmc_servers_for_waits(10, 0.2), 14);
    assert_int_equal(queueing_mmc_servers_for_waits(100, 0.2), 111);
    assert_int_equal(queueing_mmc_servers_for_waits(1, 0.334), 2);
    assert_int_equal(queueing_mmc_servers_for_waits(1, 0.333), 3);
}

/* .7 (1 + 4) / (2 x .3) = 35/6. */
static void general_service(void **state) {
    (void)state;
    assert_near(queueing_mg1_wait(0.7, 1, 2), 35.0 / 6, 1e-12);
    assert_near(queueing_mg1_wait(0.8, 1, 1), queueing_mmc_wait(1, 0.8, 1), 1e-12);
}

/* The mean number there is that of M/M/1, .7 / .3, whatever the service; over the rate: 1 / .3. */
static void processor_sharing(void **state) {
    (void)state;
    assert_near(queueing_mg1_sharing_response(0.7, 1), 3.33333333, 5e-9);
    assert_near(queueing_mg1_sharing_response(0.07, 10), 33.3333333, 5e-8);
    assert_near(queueing_mg1_sharing_response(0.7, 1), queueing_mmc_response(1, 0.7, 1), 1e-12);
}

/* Rate .5, service 1, set-up 10. Exponential: 1 / (1 - .5) + 10; the memoryless rest of a set-up is
 * what every arrival finds that comes in one. Constant: 2 + (20 + .5 x 100) / (2 x 6). None: M/M/1.
 */
static void set_up(void **state) {
    (void)state;
    assert_near(queueing_setup_response(0.5, 1, 10, 1), 12, 1e-12);
    assert_near(queueing_setup_response(0.5, 1, 10, 0), 7.83333333, 5e-9);
    assert_near(queueing_setup_response(0.5, 1, 0, 0), 2, 1e-12);
}

/* Load .8, in units of one service on a slice. M/M/1: 1 / (1 - .8), and a seventh of it where all
 * is seven times as fast. M/M/7 at 5.6: the digits published. */
static void slices(void **state) {
    (void)state;
    assert_near(queueing_mmc_response(1, 0.8, 1), 5, 1e-12);
    assert_near(queueing_mmc_response(7, 5.6, 1), 1.347098, 5e-7);
    assert_near(queueing_mmc_response(1, 5.6, 1.0 / 7), 0.714286, 5e-7);
}

/* Slices of 2 ms behind switches of .2 ms: 2 of every 4.4 ms, or of 22 with ten tenants. Equal
 * slice and switch: half of the time is lost. */
static void turns(void **state) {
    (void)state;
    assert_near(queueing_turns_share(2, 2, 0.2), 5.0 / 11, 1e-12);
    assert_near(queueing_turns_share(10, 2, 0.2), 1.0 / 11, 1e-12);
    assert_near(queueing_turns_share(2, 5, 5), 0.25, 1e-12);
    assert_near(queueing_turns_share(2, 10, 5), 1.0 / 3, 1e-12);
    assert_near(queueing_turns_share(4, 2, 0), 0.25, 1e-12);
}

/* M/M/1 at .3 and .5: work in service .8; .8 / .7 and .8 / (.7 x .2). M/G/1: .4 x .25 + .3 x 4
 * = 1.3; 1.3 / .8 and 1.3 / (.8 x .2). */
static void priorities(void **state) {
    (void)state;
    const struct queueing_class equal[] = {{0.3, 1}, {0.5, 1}};
    assert_near(queueing_priority_wait(equal, 2, 0), 0.8 / 0.7, 1e-12);
    assert_near(queueing_priority_wait(equal, 2, 1), 0.8 / 0.14, 1e-12);
    const struct queueing_class unequal[] = {{0.4, 0.5}, {0.3, 2}};
    assert_near(queueing_priority_wait(unequal, 2, 0), 1.625, 1e-12);
    assert_near(queueing_priority_wait(unequal, 2, 1), 8.125, 1e-12);
    const double rates[] = {1.2, 2};
    assert_near(queueing_mmc_priority_wait(4, rates, 2, 1, 0), 0.2130116, 5e-8);
    assert_near(queueing_mmc_priority_wait(4, rates, 2, 1, 1), 1.0650580, 5e-8);
}

/* M/M/1: 1 / 0.7, and 1 / 0.7 + 0.8 / (0.7 x 0.2) = 50 / 7, as for one server in Conway, Maxwell
 * and Miller, Theory of Scheduling, 1967. With four servers by the sums of Erlang's formula. */
static void preemptive_priorities(void **state) {
    (void)state;
    const double one[] = {0.3, 0.5};
    const double four[] = {1.2, 2};
    assert_near(queueing_mmc_preemptive_response(1, one, 1, 0), 1 / 0.7, 1e-12);
    assert_near(queueing_mmc_preemptive_response(1, one, 1, 1), 50 / 7.0, 1e-12);
    assert_near(queueing_mmc_preemptive_response(4, four, 1, 0), 1.0132321, 5e-8);
    assert_near(queueing_mmc_preemptive_response(4, four, 1, 1), 2.1849257, 5e-8);
}

static void closed_loop(void **state) {
    (void)state;
    struct queueing_closed five = queueing_closed_loop(5, 10, 1);
    assert_near(five.throughput, 0.4360478, 5e-8);
    assert_near(five.response, 1.466632, 5e-7);
    struct queueing_closed twenty = queueing_closed_loop(20, 10, 1);
    assert_near(twenty.throughput, 0.998131, 5e-7);
    assert_near(twenty.response, 10.03745, 5e-6);
}

/* 2000/1190, 8/7 and 200/199. */
static void gangs(void **state) {
    (void)state;
    assert_near(queueing_gang_throughput(0.1, 1), 1.68067227, 5e-9);
    assert_near(queueing_gang_throughput(0.5, 1), 8.0 / 7, 1e-12);
    assert_near(queueing_gang_throughput(0.9, 1), 200.0 / 199, 1e-12);
    assert_near(queueing_gang_throughput(1, 1), 1, 1e-12);
}

static void sinusoidal_arrivals(void **state) {
    (void)state;
    struct queueing_sine sine = queueing_sinusoidal(24, 1);
    assert_near(sine.ratio, 0.967397, 5e-7);
    assert_near(sine.lag, 0.978050, 5e-7);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_server),
        cmocka_unit_test(several_servers),
        cmocka_unit_test(response_is_continuous),
        cmocka_unit_test(units_of_time_do_not_matter),
        cmocka_unit_test(loss),
        cmocka_unit_test(bounded_room),
        cmocka_unit_test(constant_service),
        cmocka_unit_test(general_service),
        cmocka_unit_test(least_servers),
        cmocka_unit_test(processor_sharing),
        cmocka_unit_test(set_up),
        cmocka_unit_test(slices),
        cmocka_unit_test(turns),
        cmocka_unit_test(priorities),
        cmocka_unit_test(preemptive_priorities),
        cmocka_unit_test(closed_loop),
        cmocka_unit_test(gangs),
        cmocka_unit_test(sinusoidal_arrivals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
