/* Invariant: requests start, end and are turned away to the nanosecond as the rules for timeouts,
 * full queues, loading and lost replicas say. Cases by hand, on exclusive GPUs, in seconds. */
#include "tests/support/service_case.h"
#include "tests/support/spec.h"
#include "tests/support/unit.h"

static void seat_all(struct service_case *service_case) {
    service_case_open(service_case, "exclusive");
    for (int32_t i = 0; i < service_case->spec.service.replicas; i++) {
        service_case_seat(service_case, 0, i, 1);
    }
}

/* --- Timeouts --- */

/* 3 s: 2 leaves at 4; 3 starts at 5, the very instant of its timeout; 4 leaves at 6. */
static void a_start_wins_over_a_timeout(void **state) {
    (void)state;
    struct service_case service_case;
    service_case_initialize(&service_case, 1, "central");
    service_case.spec.service.timeout = 3 * NANOSECONDS_PER_SECOND;
    seat_all(&service_case);
    service_case_arrive(&service_case, 0, 5);
    service_case_arrive(&service_case, 1, 1);
    service_case_arrive(&service_case, 2, 4);
    service_case_arrive(&service_case, 3, 1);
    service_case_finish(&service_case);
    service_case_expect_completed(&service_case, 1, 0, 0, 5);
    service_case_expect_left(&service_case, 2, REQUEST_TIMED_OUT, 4);
    service_case_expect_completed(&service_case, 3, 0, 5, 9);
    service_case_expect_left(&service_case, 4, REQUEST_TIMED_OUT, 6);
    assert_int_equal(service_case.figures.timed_out, 2);
    assert_int_equal(service_case.figures.started, 2);
    service_case_terminate(&service_case);
}

/* Whoever cannot start at once leaves at once; 3 arrives at the end of 1. */
static void a_timeout_of_nothing(void **state) {
    (void)state;
    struct service_case service_case;
    service_case_initialize(&service_case, 1, "central");
    service_case.spec.service.timeout = 0;
    seat_all(&service_case);
    service_case_arrive(&service_case, 0, 2);
    service_case_arrive(&service_case, 1, 2);
    service_case_arrive(&service_case, 2, 2);
    service_case_finish(&service_case);
    service_case_expect_completed(&service_case, 1, 0, 0, 2);
    service_case_expect_left(&service_case, 2, REQUEST_TIMED_OUT, 1);
    service_case_expect_completed(&service_case, 3, 0, 2, 4);
    service_case_terminate(&service_case);
}

/* In turn, 4 s: 3 and 5 queue behind 1, 4 behind 2. 3 gives up at 5 and 5 at 7, each from the
 * middle of what waits; 4 starts at 3. */
static void timeouts_in_queues_of_their_own(void **state) {
    (void)state;
    struct service_case service_case;
    service_case_initialize(&service_case, 2, "round_robin");
    service_case.spec.service.timeout = 4 * NANOSECONDS_PER_SECOND;
    seat_all(&service_case);
    service_case_arrive(&service_case, 0, 20);
    service_case_arrive(&service_case, 0, 3);
    service_case_arrive(&service_case, 1, 1);
    service_case_arrive(&service_case, 2, 1);
    service_case_arrive(&service_case, 3, 1);
    service_case_finish(&service_case);
    service_case_expect_left(&service_case, 3, REQUEST_TIMED_OUT, 5);
    service_case_expect_completed(&service_case, 4, 1, 3, 4);
    service_case_expect_left(&service_case, 5, REQUEST_TIMED_OUT, 7);
    service_case_terminate(&service_case);
}

/* With 50 waiting there are two events: the end of the first, and one timeout. */
static void one_timeout_is_pending(void **state) {
    (void)state;
    struct service_case service_case;
    service_case_initialize(&service_case, 1, "central");
    service_case.spec.service.timeout = 100 * NANOSECONDS_PER_SECOND;
    seat_all(&service_case);
    for (int i = 0; i <= 50; i++) {
        service_case_arrive(&service_case, i, 60);
    }
    assert_int_equal(event_queue_size(service_case.events), 2);
    service_case_finish(&service_case);
    service_case_expect_completed(&service_case, 2, 0, 60, 120);
    service_case_expect_left(&service_case, 3, REQUEST_TIMED_OUT, 102);
    /* 4, which arrived at 3, is gone at 103; 21, which arrived at 20, starts with the end of 2. */
    service_case_expect_left(&service_case, 20, REQUEST_TIMED_OUT, 119);
    service_case_expect_completed(&service_case, 21, 0, 120, 180);
    service_case_terminate(&service_case);
}

/* --- Full queues --- */

/* Room for one: 3 is turned away at 1. At 5 the end of 1 has 2 start, which makes room for 4, not
 * for 5. */
static void room_for_one(void **state) {
    (void)state;
    struct service_case service_case;
    service_case_initialize(&service_case, 1, "central");
    service_case.spec.max_queue = 1;
    seat_all(&service_case);
    service_case_arrive(&service_case, 0, 5);
    service_case_arrive(&service_case, 1, 5);
    service_case_arrive(&service_case, 1, 5);
    service_case_arrive(&service_case, 5, 5);
    service_case_arrive(&service_case, 5, 5);
    service_case_finish(&service_case);
    service_case_expect_completed(&service_case, 2, 0, 5, 10);
    service_case_expect_left(&service_case, 3, REQUEST_REJECTED, 1);
    service_case_expect_completed(&service_case, 4, 0, 10, 15);
    service_case_expect_left(&service_case, 5, REQUEST_REJECTED, 5);
    service_case_terminate(&service_case);
}

/* No room: 1 and 2 come before their replica at 0, which takes the first of them. With a timeout of
 * nothing as well, 2 is turned away, not timed out. */
static void a_replica_of_the_same_instant(void **state) {
    for (int both = 0; both < 2; both++) {
        (void)state;
        struct service_case service_case;
        service_case_initialize(&service_case, 1, "central");
        service_case.spec.max_queue = 0;
        service_case.spec.service.timeout = both ? 0 : SIM_TIME_NEVER;
        service_case_open(&service_case, "exclusive");
        service_case_arrive(&service_case, 0, 2);
        service_case_arrive(&service_case, 0, 2);
        service_case_seat(&service_case, 0, 0, 1);
        service_case_finish(&service_case);
        service_case_expect_completed(&service_case, 1, 0, 0, 2);
        service_case_expect_left(&service_case, 2, REQUEST_REJECTED, 0);
        service_case_terminate(&service_case);
    }
}

/* 2 gives up at 3, and that makes room for 3, which comes then. */
static void a_timeout_makes_room(void **state) {
    (void)state;
    struct service_case service_case;
    service_case_initialize(&service_case, 1, "central");
    service_case.spec.max_queue = 1;
    service_case.spec.service.timeout = 2 * NANOSECONDS_PER_SECOND;
    seat_all(&service_case);
    service_case_arrive(&service_case, 0, 4);
    service_case_arrive(&service_case, 1, 1);
    service_case_arrive(&service_case, 3, 1);
    service_case_finish(&service_case);
    service_case_expect_left(&service_case, 2, REQUEST_TIMED_OUT, 3);
    service_case_expect_completed(&service_case, 3, 0, 4, 5);
    service_case_terminate(&service_case);
}

/* --- Loading --- */

/* Loads from 1 to 4. 1 waited 4 s without a replica up, 2 did so for 2 s and then 2 s for 1, and 3
 * only for those before it. */
static void requests_wait_for_loading(void **state) {
    (void)state;
    struct service_case service_case;
    service_case_initialize(&service_case, 1, "central");
    service_case.spec.needs.load_time = test_constant(3e9);
    service_case_open(&service_case, "exclusive");
    service_case_arrive(&service_case, 0, 2);
    service_case_seat(&service_case, 1, 0, 1);
    service_case_arrive(&service_case, 2, 2);
    service_case_arrive(&service_case, 5, 2);
    service_case_finish(&service_case);
    service_case_expect_completed(&service_case, 1, 0, 4, 6);
    service_case_expect_completed(&service_case, 2, 0, 6, 8);
    service_case_expect_completed(&service_case, 3, 0, 8, 10);
    assert_true(service_case.rows[1].cold_s == 4);
    assert_true(service_case.rows[2].cold_s == 2);
    assert_true(service_case.rows[3].cold_s == 0);
    service_case_terminate(&service_case);
}

/* In turn; they are up at 3 and 4. 1 to 3 come before that, and go to 0, 1 and 0 when the first is
 * up; 4 goes to 1 while that loads. */
static void loading_replicas_take_part(void **state) {
    (void)state;
    struct service_case service_case;
    service_case_initialize(&service_case, 2, "round_robin");
    service_case.spec.needs.load_time = test_constant(3e9);
    service_case_open(&service_case, "exclusive");
    service_case_seat(&service_case, 0, 0, 1);
    service_case_seat(&service_case, 1, 1, 1);
    for (int i = 0; i < 3; i++) {
        service_case_arrive(&service_case, 2, 5);
    }
    service_case_arrive(&service_case, 3.5, 5);
    service_case_finish(&service_case);
    service_case_expect_completed(&service_case, 1, 0, 3, 8);
    service_case_expect_completed(&service_case, 2, 1, 4, 9);
    service_case_expect_completed(&service_case, 3, 0, 8, 13);
    service_case_expect_completed(&service_case, 4, 1, 9, 14);
    service_case_terminate(&service_case);
}

/* Those that load no time at all take part as well: the first up does not get everything. */
static void replicas_of_one_instant_share(void **state) {
    (void)state;
    struct service_case service_case;
    service_case_initialize(&service_case, 2, "least_loaded");
    service_case_open(&service_case, "exclusive");
    for (int i = 0; i < 2; i++) {
        service_case_arrive(&service_case, 0, 5);
    }
    device_seat(&service_case.devices[0], &service_case.service.replicas[0].tenant, 0);
    service_replica_seated(&service_case.service, &service_case.service.replicas[0], 1, 0);
    device_seat(&service_case.devices[1], &service_case.service.replicas[1].tenant, 0);
    service_replica_seated(&service_case.service, &service_case.service.replicas[1], 1, 0);
    service_case_finish(&service_case);
    service_case_expect_completed(&service_case, 1, 0, 0, 5);
    service_case_expect_completed(&service_case, 2, 1, 0, 5);
    service_case_terminate(&service_case);
}

/* --- Lost replicas --- */

/* 1 is cut off at 2 and goes before 3, which waits; it begins anew at 4, on the other replica. Its
 * timeout, at 3, no longer counts: it has started. 3 leaves at 4, too late. */
static void running_requests_return(void **state) {
    (void)state;
    struct service_case service_case;
    service_case_initialize(&service_case, 2, "central");
    service_case.spec.service.timeout = 3 * NANOSECONDS_PER_SECOND;
    seat_all(&service_case);
    service_case_arrive(&service_case, 0, 10);
    service_case_arrive(&service_case, 0, 4);
    service_case_arrive(&service_case, 1, 1);
    service_case_lose(&service_case, 2, 0, RUNNING_RETURN);
    service_case_finish(&service_case);
    service_case_expect_completed(&service_case, 1, 0, 0, 14);
    service_case_expect_completed(&service_case, 2, 1, 0, 4);
    service_case_expect_left(&service_case, 3, REQUEST_TIMED_OUT, 4);
    assert_int_equal(service_case.figures.started, 2);
    service_case_terminate(&service_case);
}

static void running_requests_fail(void **state) {
    (void)state;
    struct service_case service_case;
    service_case_initialize(&service_case, 1, "central");
    seat_all(&service_case);
    service_case_arrive(&service_case, 0, 10);
    service_case_arrive(&service_case, 1, 1);
    service_case_lose(&service_case, 2, 0, RUNNING_FAIL);
    service_case_advance(&service_case, 5);
    service_case_expect_left(&service_case, 1, REQUEST_FAILED, 2);
    assert_int_equal(service_case.service.waiting, 1);
    assert_int_equal(service_case.service.running, 0);
    service_case_seat(&service_case, 6, 0, 1);
    service_case_finish(&service_case);
    service_case_expect_completed(&service_case, 2, 0, 6, 7);
    assert_true(service_case.rows[2].cold_s == 4); /* from 2 to 6 */
    service_case_terminate(&service_case);
}

/* Two at once, sharing a GPU: 1 and 2 are cut off together and go back in their order, before 3. */
static void several_return_in_order(void **state) {
    (void)state;
    struct service_case service_case;
    service_case_initialize(&service_case, 1, "central");
    service_case.spec.service.concurrency = 2;
    seat_all(&service_case);
    service_case_arrive(&service_case, 0, 4);
    service_case_arrive(&service_case, 0, 2);
    service_case_arrive(&service_case, 0, 1);
    service_case_lose(&service_case, 1, 0, RUNNING_RETURN);
    service_case_seat(&service_case, 2, 0, 1);
    service_case_finish(&service_case);
    /* From 2: 1 and 2 at half speed; 2 ends at 6, with 2 s of 1 left; 3 takes 2 s beside it, to 8,
     * and 1 has 1 s left alone. */
    service_case_expect_completed(&service_case, 1, 0, 0, 9);
    service_case_expect_completed(&service_case, 2, 0, 0, 6);
    service_case_expect_completed(&service_case, 3, 0, 6, 8);
    assert_true(service_case.rows[1].cold_s == 1);
    service_case_terminate(&service_case);
}

/* In turn: 1 and 3 go to 0, 2 to 1, which is idle when both are lost at 5: 3 does not start there
 * in that moment, but waits until 1 is seated again, and is up, at 6. */
static void lost_together(void **state) {
    (void)state;
    struct service_case service_case;
    service_case_initialize(&service_case, 2, "round_robin");
    seat_all(&service_case);
    service_case_arrive(&service_case, 0, 10);
    service_case_arrive(&service_case, 0, 1);
    service_case_arrive(&service_case, 0, 2);
    service_case_advance(&service_case, 5);
    struct service *service = &service_case.service;
    for (int i = 0; i < 2; i++) {
        service_replica_down(service, &service->replicas[i], RUNNING_FAIL, service_case.now);
        device_unseat(&service->replicas[i].tenant, service_case.now);
    }
    for (int i = 0; i < 2; i++) {
        service_replica_clear(service, &service->replicas[i], service_case.now);
    }
    service_case_seat(&service_case, 6, 1, 1);
    service_case_finish(&service_case);
    service_case_expect_left(&service_case, 1, REQUEST_FAILED, 5);
    service_case_expect_completed(&service_case, 2, 1, 0, 1);
    service_case_expect_completed(&service_case, 3, 1, 6, 8);
    service_case_terminate(&service_case);
}

/* In turn: 1, 4 go to 0, 2, 5 to 1, 3, 6 to 2. Replica 1 is lost at 1: 2, which ran, and 5, which
 * waited, are sent on, to 0 (whose turn it is) and 2. There 2 goes before 4; 5 behind 6. */
static void queues_are_dispatched_anew(void **state) {
    (void)state;
    struct service_case service_case;
    service_case_initialize(&service_case, 3, "round_robin");
    seat_all(&service_case);
    for (int i = 0; i < 6; i++) {
        service_case_arrive(&service_case, 0, 10);
    }
    service_case_lose(&service_case, 1, 1, RUNNING_RETURN);
    service_case_arrive(&service_case, 2, 10); /* 7: to 0 */
    service_case_finish(&service_case);
    service_case_expect_completed(&service_case, 2, 1, 0, 20);
    service_case_expect_completed(&service_case, 4, 0, 20, 30);
    service_case_expect_completed(&service_case, 6, 2, 10, 20);
    service_case_expect_completed(&service_case, 5, 2, 20, 30);
    service_case_expect_completed(&service_case, 7, 0, 30, 40);
    service_case_terminate(&service_case);
}

/* The only one is lost while it loads, and what waited is served by the next that comes up. */
static void a_replica_lost_while_loading(void **state) {
    (void)state;
    struct service_case service_case;
    service_case_initialize(&service_case, 2, "least_loaded");
    service_case.spec.needs.load_time = test_constant(3e9);
    service_case_open(&service_case, "exclusive");
    service_case_seat(&service_case, 0, 0, 1);
    service_case_arrive(&service_case, 1, 1);
    service_case_lose(&service_case, 2, 0, RUNNING_FAIL);
    service_case_seat(&service_case, 4, 1, 1);
    service_case_finish(&service_case);
    service_case_expect_completed(&service_case, 1, 1, 7, 8);
    assert_true(service_case.rows[1].cold_s == 6);
    service_case_terminate(&service_case);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_start_wins_over_a_timeout),
        cmocka_unit_test(a_timeout_of_nothing),
        cmocka_unit_test(timeouts_in_queues_of_their_own),
        cmocka_unit_test(one_timeout_is_pending),
        cmocka_unit_test(room_for_one),
        cmocka_unit_test(a_replica_of_the_same_instant),
        cmocka_unit_test(a_timeout_makes_room),
        cmocka_unit_test(requests_wait_for_loading),
        cmocka_unit_test(loading_replicas_take_part),
        cmocka_unit_test(replicas_of_one_instant_share),
        cmocka_unit_test(running_requests_return),
        cmocka_unit_test(running_requests_fail),
        cmocka_unit_test(several_return_in_order),
        cmocka_unit_test(lost_together),
        cmocka_unit_test(queues_are_dispatched_anew),
        cmocka_unit_test(a_replica_lost_while_loading),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
