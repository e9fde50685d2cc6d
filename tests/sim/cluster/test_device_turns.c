/* Invariant: where tenants take turns, a switch is on the account of the tenant that it leads to,
 * or is loading time while anybody loads; and a slot that gets another tenant is another. All cases
 * by hand, in seconds. */
#include "tests/support/device_desk.h"
#include "tests/support/unit.h"

static struct device_desk desk;

static void open_turns(void) {
    static const struct sharing_spec spec = {.slice = 2 * NANOSECONDS_PER_SECOND,
                                             .switch_time = NANOSECONDS_PER_SECOND};
    desk_open(&desk, &engine_turns, DESK_TENANTS, &spec);
}

static int close_desk(void **state) {
    (void)state;
    desk_close(&desk);
    return 0;
}

/* A 0-2, switch, B 3-5, switch, A 6-8. Then both wait for 2 s. */
static void taking_turns(void **state) {
    (void)state;
    open_turns();
    desk_seat(&desk, 0, 0);
    desk_seat(&desk, 0, 1);
    desk_begin(&desk, 0, 0, 0, 4);
    desk_begin(&desk, 0, 1, 1, 2);
    desk_expect_time(&desk, 10, 6, 0, 2, 2);
    desk_expect_end(&desk, 0, 8);
    desk_expect_end(&desk, 1, 5);
    desk_expect_accounts(&desk, 4 + 1 + 1, 2 + 1 + 1, 0);
    desk_expect_near(desk.parts[0].switching, 2e9, 1);
    desk_expect_near(desk.parts[0].others, 2e9, 1);
    desk_expect_near(desk.parts[1].switching, 1e9, 1);
    desk_expect_near(desk.parts[1].others, 2e9, 1);
}

/* The same while C loads until the middle of the first switch, which is loading until then. */
static void loading_beside_a_switch(void **state) {
    (void)state;
    open_turns();
    desk_seat(&desk, 0, 0);
    desk_seat(&desk, 0, 1);
    desk_seat(&desk, 0, 2);
    desk_load(&desk, 0, 2, true);
    desk_begin(&desk, 0, 0, 0, 4);
    desk_begin(&desk, 0, 1, 1, 2);
    desk_load(&desk, 2.5, 2, false);
    desk_expect_time(&desk, 8, 6, 0.5, 1.5, 0);
    desk_expect_accounts(&desk, 4 + 1, 2 + 0.5, 0.5);
}

/* And while C saves, a checkpoint. */
static void saving_beside_a_switch(void **state) {
    (void)state;
    open_turns();
    desk_seat(&desk, 0, 0);
    desk_seat(&desk, 0, 1);
    desk_seat(&desk, 0, 2);
    desk_set(&desk, 0, 2, TENANT_SAVES);
    desk_begin(&desk, 0, 0, 0, 4);
    desk_begin(&desk, 0, 1, 1, 2);
    desk_set(&desk, 2.5, 2, TENANT_WAITS);
    desk_go_to(&desk, 8);
    device_book(&desk.device, desk.now);
    desk_expect_near((double)ledger_integral(&desk.pool.ledger, GPU_CHECKPOINT, desk.now), 0.5e9,
                     0.1);
    desk_expect_near((double)ledger_integral(&desk.pool.ledger, GPU_SWITCH, desk.now), 1.5e9, 0.1);
    desk_expect_accounts(&desk, 4 + 1, 2 + 0.5, 0.5);
}

/* Who takes the slot of a tenant that is gone is another: a switch, also at the very instant at
 * which the one before has ended, and the turn of the others first. */
static void another_tenant_in_a_slot(void **state) {
    (void)state;
    open_turns();
    desk_seat(&desk, 0, 0);
    desk_begin(&desk, 0, 0, 0, 2);
    desk_unseat(&desk, 2, 0);
    desk_seat(&desk, 2, 1);
    desk_seat(&desk, 2, 2);
    assert_int_equal(desk.tenants[1].slot, 0);
    desk_begin(&desk, 2, 1, 1, 2);
    desk_begin(&desk, 2, 2, 2, 2);
    /* Slot 1 comes after slot 0: switch, 3-5, switch, 6-8. */
    desk_expect_time(&desk, 8, 6, 0, 2, 0);
    desk_expect_end(&desk, 2, 5);
    desk_expect_end(&desk, 1, 8);
    desk_expect_accounts(&desk, 2, 2 + 1, 2 + 1);
}

static void another_tenant_in_a_slot_at_rest(void **state) {
    (void)state;
    open_turns();
    desk_seat(&desk, 0, 0);
    desk_begin(&desk, 0, 0, 0, 1);
    desk_unseat(&desk, 3, 0);
    desk_seat(&desk, 5, 1);
    desk_begin(&desk, 5, 1, 1, 1);
    desk_expect_time(&desk, 7, 2, 0, 1, 2);
    desk_expect_end(&desk, 1, 7);
    desk_expect_accounts(&desk, 1 + 2, 1 + 1, 0);
}

/* The same tenant goes on without one. */
static void the_same_tenant_goes_on(void **state) {
    (void)state;
    open_turns();
    desk_seat(&desk, 0, 0);
    desk_begin(&desk, 0, 0, 0, 1);
    desk_begin(&desk, 1, 0, 1, 4);
    desk_begin(&desk, 7, 0, 2, 1);
    desk_expect_time(&desk, 8, 6, 0, 0, 2);
    desk_expect_end(&desk, 1, 5);
    desk_expect_end(&desk, 2, 8);
}

/* Nothing ends later, and B has the GPU for itself. */
static void withdrawn(void **state) {
    (void)state;
    open_turns();
    desk_seat(&desk, 0, 0);
    desk_seat(&desk, 0, 1);
    desk_begin(&desk, 0, 0, 0, 10);
    desk_begin(&desk, 1, 1, 1, 4);
    desk_go_to(&desk, 1.5);
    sim_time done = device_withdraw(&desk.tenants[0], &desk.tasks[0], desk.now);
    assert_int_equal(done, sim_time_from_seconds(1.5));
    /* A 0-1.5, switch, B 2.5-6.5. */
    desk_expect_time(&desk, 20, 1.5 + 4, 0, 1, 13.5);
    desk_expect_end(&desk, 0, -1);
    desk_expect_end(&desk, 1, 6.5);
    desk_expect_accounts(&desk, 1.5 + 6.75, 1 + 4 + 6.75, 0);
}

/* At the very instant at which it was to end, before that is taken. */
static void withdrawn_at_its_end(void **state) {
    (void)state;
    open_turns();
    desk_seat(&desk, 0, 0);
    desk_begin(&desk, 0, 0, 0, 2);
    desk_go_to(&desk, 1.5);
    desk.now = sim_time_from_seconds(2);
    sim_time done = device_withdraw(&desk.tenants[0], &desk.tasks[0], desk.now);
    assert_int_equal(done, sim_time_from_seconds(2));
    device_unseat(&desk.tenants[0], desk.now);
    desk_expect_time(&desk, 5, 2, 0, 0, 0);
    desk_expect_end(&desk, 0, -1);
    desk_expect_accounts(&desk, 2, 0, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(taking_turns, close_desk),
        cmocka_unit_test_teardown(loading_beside_a_switch, close_desk),
        cmocka_unit_test_teardown(saving_beside_a_switch, close_desk),
        cmocka_unit_test_teardown(another_tenant_in_a_slot, close_desk),
        cmocka_unit_test_teardown(another_tenant_in_a_slot_at_rest, close_desk),
        cmocka_unit_test_teardown(the_same_tenant_goes_on, close_desk),
        cmocka_unit_test_teardown(withdrawn, close_desk),
        cmocka_unit_test_teardown(withdrawn_at_its_end, close_desk),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
