/* Invariant: under each rule, every request starts and ends where and when the rule says, by hand:
 * exclusive GPUs, whole seconds. */
#include "tests/support/service_case.h"
#include "tests/support/unit.h"

static void open_seated(struct service_case *service_case, int32_t replicas, const char *dispatch) {
    service_case_initialize(service_case, replicas, dispatch);
    service_case_open(service_case, "exclusive");
    for (int32_t i = 0; i < replicas; i++) {
        service_case_seat(service_case, 0, i, 1);
    }
}

/* Two replicas. 1 and 2 take them; 3 and 4 wait in one queue; 2 ends first, so replica 1 takes 3,
 * then replica 0, at 5, takes 4. At 9 both are idle: 5 goes to the lower index. */
static void central(void **state) {
    (void)state;
    struct service_case service_case;
    open_seated(&service_case, 2, "central");
    service_case_arrive(&service_case, 0, 5);
    service_case_arrive(&service_case, 1, 1);
    service_case_arrive(&service_case, 1, 4);
    service_case_arrive(&service_case, 1, 2);
    service_case_arrive(&service_case, 9, 1);
    service_case_finish(&service_case);
    service_case_expect_completed(&service_case, 1, 0, 0, 5);
    service_case_expect_completed(&service_case, 2, 1, 1, 2);
    service_case_expect_completed(&service_case, 3, 1, 2, 6);
    service_case_expect_completed(&service_case, 4, 0, 5, 7);
    service_case_expect_completed(&service_case, 5, 0, 9, 10);
    service_case_terminate(&service_case);
}

/* The same in turn: 3 waits for replica 0 though replica 1 is idle from 2 on; 4 goes to 1. */
static void round_robin(void **state) {
    (void)state;
    struct service_case service_case;
    open_seated(&service_case, 2, "round_robin");
    service_case_arrive(&service_case, 0, 5);
    service_case_arrive(&service_case, 1, 1);
    service_case_arrive(&service_case, 1, 4);
    service_case_arrive(&service_case, 1, 2);
    service_case_arrive(&service_case, 9, 1);
    service_case_finish(&service_case);
    service_case_expect_completed(&service_case, 1, 0, 0, 5);
    service_case_expect_completed(&service_case, 2, 1, 1, 2);
    service_case_expect_completed(&service_case, 3, 0, 5, 9);
    service_case_expect_completed(&service_case, 4, 1, 2, 4);
    service_case_expect_completed(&service_case, 5, 0, 9, 10);
    service_case_terminate(&service_case);
}

/* Three replicas. At 1 the loads are 1, 0, 0: 2 goes to replica 1, 3 to 2; then 1, 1, 1: 4 queues
 * at 0, 5 at 1 and 6 at 2. At 4, once 3 has ended there and 6 has started, the loads are 2, 2, 1: 7
 * queues at 2. */
static void least_loaded(void **state) {
    (void)state;
    struct service_case service_case;
    open_seated(&service_case, 3, "least_loaded");
    service_case_arrive(&service_case, 0, 10);
    for (int i = 2; i <= 6; i++) {
        service_case_arrive(&service_case, 1, i == 3 ? 2 : 6);
    }
    service_case_arrive(&service_case, 4, 1);
    service_case_finish(&service_case);
    service_case_expect_completed(&service_case, 1, 0, 0, 10);
    service_case_expect_completed(&service_case, 2, 1, 1, 7);
    service_case_expect_completed(&service_case, 3, 2, 1, 3);
    service_case_expect_completed(&service_case, 4, 0, 10, 16);
    service_case_expect_completed(&service_case, 5, 1, 7, 13);
    service_case_expect_completed(&service_case, 6, 2, 3, 9);
    service_case_expect_completed(&service_case, 7, 2, 9, 10);
    service_case_terminate(&service_case);
}

/* Each of 60 requests is alone in the service, so it starts at once where it is sent: of three
 * replicas, each gets some (none at all has probability (2/3)^60 < 1e-10), and not in turn. */
static void at_random(void **state) {
    (void)state;
    struct service_case service_case;
    int counts[3] = {0};
    bool in_turn = true;
    open_seated(&service_case, 3, "random");
    for (int i = 1; i <= 60; i++) {
        service_case_arrive(&service_case, i, 0.5);
    }
    service_case_finish(&service_case);
    for (int i = 1; i <= 60; i++) {
        int replica = service_case.rows[i].replica;
        service_case_expect_completed(&service_case, i, replica, i, i + 0.5);
        counts[replica]++;
        in_turn = in_turn && replica == (i - 1) % 3;
    }
    assert_true(counts[0] > 0 && counts[1] > 0 && counts[2] > 0 && !in_turn);
    service_case_terminate(&service_case);
}

/* A request behind another at random waits for it even if a replica is idle. */
static void a_queue_of_its_own(void **state) {
    (void)state;
    struct service_case service_case;
    double free_at[2] = {0, 0};
    open_seated(&service_case, 2, "random");
    for (int i = 0; i < 40; i++) {
        service_case_arrive(&service_case, i, 1.75);
    }
    service_case_finish(&service_case);
    for (int i = 0; i < 40; i++) {
        int replica = service_case.rows[i + 1].replica;
        double start = free_at[replica] > i ? free_at[replica] : i;
        service_case_expect_completed(&service_case, i + 1, replica, start, start + 1.75);
        free_at[replica] = start + 1.75;
    }
    service_case_terminate(&service_case);
}

/* The end of 1 at 3 comes before 2 arrives, and 2 starts on it. */
static void ends_come_before_arrivals(void **state) {
    (void)state;
    struct service_case service_case;
    open_seated(&service_case, 1, "central");
    service_case_arrive(&service_case, 0, 3);
    service_case_arrive(&service_case, 3, 1);
    service_case_finish(&service_case);
    service_case_expect_completed(&service_case, 2, 0, 3, 4);
    service_case_terminate(&service_case);
}

/* Half as fast, in whole nanoseconds: 1 ns takes 2, and at speed 0.4 it takes 2.5, that is 3. */
static void a_speed_scales_the_work(void **state) {
    (void)state;
    struct service_case service_case;
    service_case_initialize(&service_case, 1, "central");
    service_case_open(&service_case, "exclusive");
    service_case_seat(&service_case, 0, 0, 0.4);
    service_case_arrive(&service_case, 0, 1e-9);
    service_case_arrive(&service_case, 1, 4);
    service_case_finish(&service_case);
    service_case_expect_completed(&service_case, 1, 0, 0, 3e-9);
    service_case_expect_completed(&service_case, 2, 0, 1, 11);
    service_case_terminate(&service_case);
}

/* Requests that take no time pass one after the other within the instant. */
static void requests_that_take_no_time(void **state) {
    (void)state;
    struct service_case service_case;
    open_seated(&service_case, 1, "central");
    for (int i = 0; i < 3; i++) {
        service_case_arrive(&service_case, 2, 0);
    }
    service_case_finish(&service_case);
    for (int i = 1; i <= 3; i++) {
        service_case_expect_completed(&service_case, i, 0, 2, 2);
    }
    service_case_terminate(&service_case);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(central),
        cmocka_unit_test(round_robin),
        cmocka_unit_test(least_loaded),
        cmocka_unit_test(at_random),
        cmocka_unit_test(a_queue_of_its_own),
        cmocka_unit_test(ends_come_before_arrivals),
        cmocka_unit_test(a_speed_scales_the_work),
        cmocka_unit_test(requests_that_take_no_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
