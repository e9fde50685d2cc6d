/* Invariant: each moment of a device is in the first category that any of its tenants is in, in the
 * order computing, checkpoint, restore, loading, switch, held_idle, and on the accounts of the
 * tenants in it: what they computed by rate, a switch to whom it leads, else equally. All cases by
 * hand, in seconds. */
#include "tests/support/device_desk.h"
#include "tests/support/unit.h"

static struct device_desk desk;

static void open_together(double interference) {
    struct sharing_spec spec = {.interference = interference};
    desk_open(&desk, &engine_together, DESK_TENANTS, &spec);
}

static int close_desk(void **state) {
    (void)state;
    desk_close(&desk);
    return 0;
}

/* Loads for 10 s, waits for 2, computes for 5, waits for 3, is gone. */
static void one_tenant_alone(void **state) {
    (void)state;
    desk_open(&desk, &engine_alone, 1, NULL);
    desk.tenants[0].saturation = 0.5;
    desk_seat(&desk, 0, 0);
    desk_load(&desk, 0, 0, true);
    desk_load(&desk, 10, 0, false);
    desk_begin(&desk, 12, 0, 0, 5);
    desk_unseat(&desk, 20, 0);
    desk_expect_end(&desk, 0, 17);
    desk_expect_time(&desk, 30, 5, 10, 0, 5);
    desk_expect_accounts(&desk, 20, 0, 0);
    desk_expect_near(desk.pool.sm_time * 1e-9, 2.5, 1e-9);
}

/* Tasks of 3 and 5 s share the GPU: the first is done once both have had 3 s, the other 2 s later.
 */
static void several_tasks_of_one_tenant(void **state) {
    (void)state;
    desk_open(&desk, &engine_alone, 1, NULL);
    desk.tenants[0].concurrency = 2;
    desk_seat(&desk, 0, 0);
    desk_begin(&desk, 0, 0, 0, 3);
    desk_begin(&desk, 0, 0, 1, 5);
    desk_expect_time(&desk, 10, 8, 0, 0, 2);
    desk_expect_end(&desk, 0, 6);
    desk_expect_end(&desk, 1, 8);
    desk_expect_near(desk.parts[0].batching, 3e9, 1);
    desk_expect_near(desk.parts[1].batching, 3e9, 1);
    desk_expect_accounts(&desk, 10, 0, 0);
}

/* B loads while A computes, which hides it, then while A waits. Then both wait: half each. */
static void loading_beside_computing(void **state) {
    (void)state;
    open_together(0);
    desk_seat(&desk, 0, 0);
    desk_seat(&desk, 0, 1);
    desk_load(&desk, 0, 1, true);
    desk_begin(&desk, 0, 0, 0, 10);
    desk_load(&desk, 4, 1, false);
    desk_load(&desk, 12, 1, true);
    desk_load(&desk, 14, 1, false);
    desk_expect_time(&desk, 20, 10, 2, 0, 8);
    desk_expect_accounts(&desk, 10 + 1 + 3, 1 + 2 + 3, 0);
}

/* Two load, one waits: those who load share the time. */
static void two_load(void **state) {
    (void)state;
    open_together(0);
    desk_seat(&desk, 0, 0);
    desk_seat(&desk, 0, 1);
    desk_seat(&desk, 0, 2);
    desk_load(&desk, 0, 0, true);
    desk_load(&desk, 0, 1, true);
    desk_load(&desk, 4, 1, false);
    desk_load(&desk, 10, 0, false);
    desk_expect_time(&desk, 10, 0, 10, 0, 0);
    desk_expect_accounts(&desk, 2 + 6, 2, 0);
}

static void expect_category(enum gpu_category category, double seconds) {
    device_book(&desk.device, desk.now);
    gpu_time time = ledger_integral(&desk.pool.ledger, category, desk.now);
    desk_expect_near((double)time * 1e-9, seconds, 1e-9);
}

/* A saves 0-4, B restores 2-6, C loads 0-9, all wait 9-12: save, restore, load and wait take 4, 2,
 * 3 and 3 s, each of its own tenant but the last, which is everybody's. */
static void states_in_their_order(void **state) {
    (void)state;
    open_together(0);
    for (int i = 0; i < DESK_TENANTS; i++) {
        desk_seat(&desk, 0, i);
    }
    desk_set(&desk, 0, 0, TENANT_SAVES);
    desk_set(&desk, 0, 2, TENANT_LOADS);
    desk_set(&desk, 2, 1, TENANT_RESTORES);
    desk_set(&desk, 4, 0, TENANT_WAITS);
    desk_set(&desk, 6, 1, TENANT_WAITS);
    desk_set(&desk, 9, 2, TENANT_WAITS);
    desk_go_to(&desk, 12);
    expect_category(GPU_CHECKPOINT, 4);
    expect_category(GPU_RESTORE, 2);
    expect_category(GPU_LOADING, 3);
    expect_category(GPU_HELD_IDLE, 3);
    desk_expect_accounts(&desk, 4 + 1, 2 + 1, 3 + 1);
}

/* A computes 0-10 and saves 4-12; B saves 11-14, so the second from 11 on is shared. C restores
 * 0-20 behind all of them. */
static void saving_beside_computing(void **state) {
    (void)state;
    open_together(0);
    for (int i = 0; i < DESK_TENANTS; i++) {
        desk_seat(&desk, 0, i);
    }
    desk_begin(&desk, 0, 0, 0, 10);
    desk_set(&desk, 0, 2, TENANT_RESTORES);
    desk_set(&desk, 4, 0, TENANT_SAVES);
    desk_set(&desk, 11, 1, TENANT_SAVES);
    desk_set(&desk, 12, 0, TENANT_WAITS);
    desk_set(&desk, 14, 1, TENANT_WAITS);
    desk_unseat(&desk, 20, 2);
    expect_category(GPU_USEFUL, 10);
    expect_category(GPU_CHECKPOINT, 4);
    expect_category(GPU_RESTORE, 6);
    expect_category(GPU_HELD_IDLE, 0);
    desk_expect_accounts(&desk, 10 + 1 + 0.5, 0.5 + 2, 6);
}

static void expect_withdrawn(double at_s, int tenant, int task, double done_s) {
    desk_go_to(&desk, at_s);
    sim_time done = device_withdraw(&desk.tenants[tenant], &desk.tasks[task], desk.now);
    assert_int_equal(done, sim_time_from_seconds(done_s));
}

/* One at a time: the time it ran. Several: 4 s of two are 2 of each. */
static void work_done_alone(void **state) {
    (void)state;
    desk_open(&desk, &engine_alone, 1, NULL);
    desk_seat(&desk, 0, 0);
    desk_begin(&desk, 1, 0, 0, 10);
    expect_withdrawn(4.5, 0, 0, 3.5);
    desk_begin(&desk, 5, 0, 1, 10);
    expect_withdrawn(5, 0, 1, 0);
    desk_unseat(&desk, 6, 0);
    desk.tenants[0].concurrency = 2;
    desk_seat(&desk, 7, 0);
    desk_begin(&desk, 7, 0, 2, 10);
    desk_begin(&desk, 7, 0, 3, 10);
    expect_withdrawn(11, 0, 2, 2);
    expect_withdrawn(12, 0, 3, 3);
}

/* A third of full speed each for 9 s, then half for 3: 4.5 s. What that is not in whole nanoseconds
 * is rounded down: after 1 ns more, nothing. */
static void work_done_together(void **state) {
    (void)state;
    open_together(0);
    for (int i = 0; i < DESK_TENANTS; i++) {
        desk_seat(&desk, 0, i);
        desk_begin(&desk, 0, i, i, 100);
    }
    expect_withdrawn(9, 0, 0, 3);
    expect_withdrawn(12, 1, 1, 4.5);
    desk_begin(&desk, 12, 1, 3, 100);
    expect_withdrawn(12.000000001, 1, 3, 0);
    expect_withdrawn(13, 2, 2, 5.5 - 1e-9);
}

static void expect_computed(double at_s, int tenant, double seconds) {
    desk_go_to(&desk, at_s);
    gpu_time computed = device_take_computed(&desk.tenants[tenant], desk.now);
    desk_expect_near((double)computed * 1e-9, seconds, 1.1e-9);
}

/* A and B compute half each 0-8, A alone 8-10; measuring starts anew at 4. Of C there is nothing.
 */
static void what_a_tenant_has_computed(void **state) {
    (void)state;
    open_together(0);
    for (int i = 0; i < DESK_TENANTS; i++) {
        desk_seat(&desk, 0, i);
    }
    desk_begin(&desk, 0, 0, 0, 6);
    desk_begin(&desk, 0, 1, 1, 4);
    expect_computed(2, 0, 1);
    expect_computed(2, 0, 0);
    expect_computed(3, 0, 0.5);
    desk_go_to(&desk, 4);
    device_book(&desk.device, desk.now);
    device_host_forget_computed(&desk.host);
    expect_computed(4, 0, 0);
    expect_computed(10, 0, 2 + 2);
    expect_computed(11, 1, 2);
    expect_computed(11, 2, 0);
    desk_unseat(&desk, 11, 0);
    desk_seat(&desk, 11, 0);
    expect_computed(12, 0, 0);
}

/* All of it is lost, however its parts were rounded. */
static void computed_is_no_more_than_useful(void **state) {
    (void)state;
    open_together(0);
    for (int i = 0; i < DESK_TENANTS; i++) {
        desk_seat(&desk, i, i);
        desk_begin(&desk, i, i, i, 1000);
    }
    desk_go_to(&desk, 1000.000000001);
    gpu_time lost = 0;
    for (int i = 0; i < DESK_TENANTS; i++) {
        gpu_time computed = device_take_computed(&desk.tenants[i], desk.now);
        ledger_lose(&desk.pool.ledger, computed, desk.now);
        lost += computed;
    }
    gpu_time rest = ledger_integral(&desk.pool.ledger, GPU_USEFUL, desk.now);
    assert_true(rest >= 0 && rest <= DESK_TENANTS);
    assert_true(ledger_integral(&desk.pool.ledger, GPU_REDONE, desk.now) == lost);
    assert_true(ledger_balances(&desk.pool.ledger, desk.now));
}

/* Each alone would take 10 s: together, with all SMs each, 20 s. */
static void together_with_all_sms(void **state) {
    (void)state;
    open_together(0);
    desk_seat(&desk, 0, 0);
    desk_seat(&desk, 0, 1);
    desk_begin(&desk, 0, 0, 0, 10);
    desk_begin(&desk, 0, 1, 1, 10);
    desk_expect_time(&desk, 20, 20, 0, 0, 0);
    desk_expect_end(&desk, 0, 20);
    desk_expect_end(&desk, 1, 20);
    desk_expect_accounts(&desk, 10, 10, 0);
    desk_expect_near(desk.parts[0].interference, 10e9, 1);
    desk_expect_near(desk.pool.sm_time * 1e-9, 20, 1e-9);
}

/* A quarter of the SMs each: nobody is slowed, and half of the SMs are in use. Interference of 0.4
 * x 0.25 makes it 10 % slower. */
static void together_with_some_sms(void **state) {
    (void)state;
    for (int i = 0; i < 2; i++) {
        open_together(i * 0.4);
        desk.tenants[0].saturation = desk.tenants[1].saturation = 0.25;
        double takes = i == 0 ? 10 : 11;
        desk_seat(&desk, 0, 0);
        desk_seat(&desk, 0, 1);
        desk_begin(&desk, 0, 0, 0, 10);
        desk_begin(&desk, 0, 1, 1, 10);
        desk_expect_time(&desk, 20, takes, 0, 0, 20 - takes);
        desk_expect_end(&desk, 0, takes);
        desk_expect_end(&desk, 1, takes);
        desk_expect_accounts(&desk, 10, 10, 0);
        desk_expect_near(desk.pool.sm_time * 1e-9, takes / 2, 1e-9);
        if (i == 0) {
            desk_close(&desk);
        }
    }
}

/* Held to a quarter of the SMs, of which it could use all: four times as long. */
static void compute_is_a_cap(void **state) {
    (void)state;
    open_together(0);
    desk.tenants[0].compute = 0.25;
    desk_seat(&desk, 0, 0);
    desk_begin(&desk, 0, 0, 0, 2);
    desk_expect_time(&desk, 10, 8, 0, 0, 2);
    desk_expect_end(&desk, 0, 8);
    desk_expect_near(desk.pool.sm_time * 1e-9, 2, 1e-9);
}

/* An instance of 26 of 132 SMs counts so much, and a tenant that can use 13 uses half of it. */
static void an_instance(void **state) {
    (void)state;
    desk_open(&desk, &engine_alone, 1, NULL);
    ledger_initialize(&desk.pool.ledger, 132);
    desk.device.units = 26;
    desk.device.sm_share = 26.0 / 132;
    desk.tenants[0].saturation = 13.0 / 132;
    desk_seat(&desk, 0, 0);
    desk_begin(&desk, 0, 0, 0, 5);
    desk_unseat(&desk, 8, 0);
    device_book(&desk.device, desk.now);
    const struct ledger *ledger = &desk.pool.ledger;
    assert_int_equal(ledger_integral(ledger, GPU_USEFUL, desk.now), 26 * sim_time_from_seconds(5));
    assert_int_equal(ledger_integral(ledger, GPU_HELD_IDLE, desk.now),
                     26 * sim_time_from_seconds(3));
    assert_int_equal(ledger_integral(ledger, GPU_IDLE, desk.now), 106 * sim_time_from_seconds(8));
    assert_int_equal(desk.accounts[0], 26 * sim_time_from_seconds(8));
    desk_expect_near(desk.pool.sm_time * 1e-9, 13 * 5, 1e-6);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(one_tenant_alone, close_desk),
        cmocka_unit_test_teardown(several_tasks_of_one_tenant, close_desk),
        cmocka_unit_test_teardown(loading_beside_computing, close_desk),
        cmocka_unit_test_teardown(two_load, close_desk),
        cmocka_unit_test_teardown(states_in_their_order, close_desk),
        cmocka_unit_test_teardown(saving_beside_computing, close_desk),
        cmocka_unit_test_teardown(work_done_alone, close_desk),
        cmocka_unit_test_teardown(work_done_together, close_desk),
        cmocka_unit_test_teardown(what_a_tenant_has_computed, close_desk),
        cmocka_unit_test_teardown(computed_is_no_more_than_useful, close_desk),
        cmocka_unit_test_teardown(together_with_all_sms, close_desk),
        cmocka_unit_test_teardown(together_with_some_sms, close_desk),
        cmocka_unit_test_teardown(compute_is_a_cap, close_desk),
        cmocka_unit_test_teardown(an_instance, close_desk),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
