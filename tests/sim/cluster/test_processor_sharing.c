/* The MPS engine on cases small enough to compute by hand: ends to the nanosecond, and integrals.
 * The derivations follow rate = (d / saturation) min(1, 1 / D) / (1 + interference (D - d)). */
#include <math.h>

#include "sim/cluster/processor_sharing.h"
#include "tests/support/unit.h"

static void assert_near(double value, double expected) {
    if (!(fabs(value - expected) <= 1e-9 * fabs(expected) + 1e-6)) {
        fail_msg("%.15g instead of %.15g", value, expected);
    }
}

static void assert_times(const struct processor_sharing *ps, int32_t slot, double part,
                         double computing, double delayed) {
    struct sharing_times times = processor_sharing_slot_times(ps, slot);
    assert_near(times.part, part);
    assert_near(times.computing, computing);
    assert_near(times.delayed, delayed);
}

/* The next end is that of `task`, at `time`. */
static void expect_end(struct processor_sharing *ps, const struct sharing_task *task,
                       sim_time time) {
    assert_int_equal(processor_sharing_next(ps), time);
    assert_ptr_equal(processor_sharing_end(ps, time), task);
}

static void expect_idle(const struct processor_sharing *ps) {
    assert_int_equal(processor_sharing_next(ps), SIM_TIME_NEVER);
}

/* The last two are beyond 2^53 ns, where a double no longer tells nanoseconds apart. */
static void alone_ends_exactly_after_its_work(void **state) {
    (void)state;
    const sim_time works[] = {
        0, 1, 2, 3, 999999937, INT64_C(36000000000001), (INT64_C(1) << 53) + 1, SIM_TIME_LONGEST};
    struct processor_sharing ps;
    processor_sharing_initialize(&ps, 3, 0.3);
    processor_sharing_seat(&ps, 1, 0.37, 1);
    sim_time now = 0;
    for (size_t i = 0; i < sizeof works / sizeof works[0]; i++) {
        struct sharing_task task;
        now += 7;
        processor_sharing_begin(&ps, 1, &task, works[i], now);
        now += works[i];
        expect_end(&ps, &task, now);
        expect_idle(&ps);
    }
    processor_sharing_terminate(&ps);
}

/* Tasks without work come and go, so that the work is done in four steps, three of them beyond 2^53
 * ns; they take nothing, so that it ends as if alone. */
static void progress_in_steps_is_exact(void **state) {
    (void)state;
    struct processor_sharing ps;
    struct sharing_task task;
    struct sharing_task nothing;
    processor_sharing_initialize(&ps, 1, 0);
    processor_sharing_seat(&ps, 0, 1, 1);
    processor_sharing_begin(&ps, 0, &task, SIM_TIME_LONGEST - 1, 0);
    for (sim_time i = 1; i <= 3; i++) {
        sim_time now = i * ((INT64_C(1) << 55) + 1);
        processor_sharing_begin(&ps, 0, &nothing, 0, now);
        expect_end(&ps, &nothing, now);
    }
    expect_end(&ps, &task, SIM_TIME_LONGEST - 1);
    processor_sharing_terminate(&ps);
}

/* A cap of a quarter of what it could use: four times the work, exactly. */
static void a_cap_slows_also_alone(void **state) {
    (void)state;
    struct processor_sharing ps;
    struct sharing_task task;
    processor_sharing_initialize(&ps, 1, 0);
    processor_sharing_seat(&ps, 0, 1, 0.25);
    const sim_time work = INT64_C(3600000000001);
    processor_sharing_begin(&ps, 0, &task, work, 5);
    expect_end(&ps, &task, 5 + 4 * work);
    assert_times(&ps, 0, 4.0 * (double)work, 4.0 * (double)work, 0); /* no one else delayed it */
    assert_near(processor_sharing_occupied_time(&ps), (double)work);
    processor_sharing_terminate(&ps);
}

/* Saturation .6 twice, 1 s of work each, the second .6 s later. First alone for .6 s; its other .4
 * s take .48 s at 1 / 1.2: ends at 1.08 s. The second has .6 s left then: ends at 1.68 s. Each has
 * half of the .48 s together and .6 s alone, and loses .48 s x (1 - 1 / 1.2) to the other. SMs: .6
 * of .6 s, all of .48 s, .6 of .6 s. */
static void two_tenants_overlap(void **state) {
    (void)state;
    const sim_time second = NANOSECONDS_PER_SECOND;
    struct processor_sharing ps;
    struct sharing_task first;
    struct sharing_task later;
    processor_sharing_initialize(&ps, 2, 0);
    processor_sharing_seat(&ps, 0, 0.6, 1);
    processor_sharing_seat(&ps, 1, 0.6, 1);
    processor_sharing_begin(&ps, 1, &first, second, 0);
    assert_int_equal(processor_sharing_next(&ps), second);
    processor_sharing_begin(&ps, 0, &later, second, second * 6 / 10);
    expect_end(&ps, &first, second * 108 / 100);
    processor_sharing_advance(&ps, second * 12 / 10);
    assert_times(&ps, 0, 0.36e9, 0.6e9, 0.08e9);
    assert_int_equal(processor_sharing_computing_time(&ps), second * 12 / 10);
    expect_end(&ps, &later, second * 168 / 100);
    expect_idle(&ps);
    processor_sharing_advance(&ps, second * 3);
    assert_times(&ps, 0, 0.84e9, 1.08e9, 0.08e9);
    assert_times(&ps, 1, 0.84e9, 1.08e9, 0.08e9);
    assert_int_equal(processor_sharing_computing_time(&ps), second * 168 / 100);
    assert_near(processor_sharing_occupied_time(&ps), 1.2e9);
    processor_sharing_terminate(&ps);
}

/* Caps .6 and .4 fit together, interference .5: the first runs at .6 / (1 + .5 x .4) = .5, the
 * second at .4 / (1 + .5 x .6) = 4/13. Works 500 and 800: the first ends at 1000; the second has
 * 800 - 4000/13 left, and ends 2.5 times that later, at 1000 + 2000 - 10000/13 = 2230.77. By rate,
 * the first has .5 / (.5 + 4/13) = 13/21 of the first 1000 ns, and it loses a sixth, the second
 * 3/13. */
static void interference_and_caps(void **state) {
    (void)state;
    struct processor_sharing ps;
    struct sharing_task tasks[2];
    processor_sharing_initialize(&ps, 2, 0.5);
    processor_sharing_seat(&ps, 0, 1, 0.6);
    processor_sharing_seat(&ps, 1, 1, 0.4);
    processor_sharing_begin(&ps, 0, &tasks[0], 500, 0);
    processor_sharing_begin(&ps, 1, &tasks[1], 800, 0);
    expect_end(&ps, &tasks[0], 1000);
    expect_end(&ps, &tasks[1], 2231);
    assert_times(&ps, 0, 1000 * 13.0 / 21, 1000, 1000.0 / 6);
    assert_times(&ps, 1, 1000 * 8.0 / 21 + 1231, 2231, 1000 * 3.0 / 13);
    assert_near(processor_sharing_occupied_time(&ps), 1000 + 0.4 * 1231);
    processor_sharing_terminate(&ps);
}

/* Works 100, 200 and 300 at once: 3 x 100, then 2 x 100, then 100. */
static void tasks_of_a_tenant_share_equally(void **state) {
    (void)state;
    struct processor_sharing ps;
    struct sharing_task tasks[3];
    processor_sharing_initialize(&ps, 1, 0.2);
    processor_sharing_seat(&ps, 0, 0.5, 1);
    processor_sharing_begin(&ps, 0, &tasks[0], 300, 0);
    processor_sharing_begin(&ps, 0, &tasks[1], 100, 0);
    processor_sharing_begin(&ps, 0, &tasks[2], 200, 0);
    expect_end(&ps, &tasks[1], 300);
    expect_end(&ps, &tasks[2], 500);
    expect_end(&ps, &tasks[0], 600);
    assert_times(&ps, 0, 600, 600, 0);
    processor_sharing_terminate(&ps);
}

/* Works 1 ... n at once, in mixed order: while the j-th shortest is the first there are n - j + 1,
 * so the k-th ends at the sum of these over j <= k: k n - k (k - 1) / 2. */
static void ten_thousand_tasks_at_once(void **state) {
    (void)state;
    enum { TASKS = 10000, STEP = 7919 /* coprime to it */ };
    static struct sharing_task tasks[TASKS];
    struct processor_sharing ps;
    processor_sharing_initialize(&ps, 1, 0);
    processor_sharing_seat(&ps, 0, 1, 1);
    for (int32_t i = 0; i < TASKS; i++) {
        int32_t which = (int32_t)((int64_t)i * STEP % TASKS);
        processor_sharing_begin(&ps, 0, &tasks[which], which + 1, 0);
    }
    for (int64_t k = 1; k <= TASKS; k++) {
        expect_end(&ps, &tasks[k - 1], k * TASKS - k * (k - 1) / 2);
    }
    expect_idle(&ps);
    processor_sharing_terminate(&ps);
}

/* Two tenants of two equal tasks each, all due at 400. */
static void ties_go_by_slot_then_by_begin(void **state) {
    (void)state;
    struct processor_sharing ps;
    struct sharing_task tasks[4];
    processor_sharing_initialize(&ps, 2, 0);
    processor_sharing_seat(&ps, 0, 1, 1);
    processor_sharing_seat(&ps, 1, 1, 1);
    processor_sharing_begin(&ps, 1, &tasks[2], 100, 0);
    processor_sharing_begin(&ps, 0, &tasks[0], 100, 0);
    processor_sharing_begin(&ps, 1, &tasks[3], 100, 0);
    processor_sharing_begin(&ps, 0, &tasks[1], 100, 0);
    for (int i = 0; i < 4; i++) {
        expect_end(&ps, &tasks[i], 400);
    }
    expect_idle(&ps);
    processor_sharing_terminate(&ps);
}

/* Three share from 0: by 30 each has 10. The one of 50 is taken out with 40 left; the others, of 20
 * and 100, go on in halves: 10 more by 50, then 80 alone until 130, but at 60 that one goes, too.
 */
static void a_withdrawal_returns_the_work_left(void **state) {
    (void)state;
    struct processor_sharing ps;
    struct sharing_task tasks[3];
    processor_sharing_initialize(&ps, 1, 0);
    processor_sharing_seat(&ps, 0, 0.8, 1);
    processor_sharing_begin(&ps, 0, &tasks[0], 20, 0);
    processor_sharing_begin(&ps, 0, &tasks[1], 50, 0);
    processor_sharing_begin(&ps, 0, &tasks[2], 100, 0);
    assert_int_equal(processor_sharing_withdraw(&ps, 0, &tasks[1], 30), 40);
    expect_end(&ps, &tasks[0], 50);
    assert_int_equal(processor_sharing_next(&ps), 130);
    assert_int_equal(processor_sharing_withdraw(&ps, 0, &tasks[2], 60), 70);
    expect_idle(&ps);
    processor_sharing_advance(&ps, 100);
    assert_int_equal(processor_sharing_computing_time(&ps), 60);
    assert_times(&ps, 0, 60, 60, 0);
    processor_sharing_terminate(&ps);
}

/* A withdrawal frees the other tenant: 100 ns at half speed leave 150 of 200. */
static void a_withdrawal_speeds_up_other_tenants(void **state) {
    (void)state;
    struct processor_sharing ps;
    struct sharing_task tasks[2];
    processor_sharing_initialize(&ps, 2, 0);
    processor_sharing_seat(&ps, 0, 1, 1);
    processor_sharing_seat(&ps, 1, 1, 1);
    processor_sharing_begin(&ps, 0, &tasks[0], 1000, 0);
    processor_sharing_begin(&ps, 1, &tasks[1], 200, 0);
    assert_int_equal(processor_sharing_withdraw(&ps, 0, &tasks[0], 100), 950);
    expect_end(&ps, &tasks[1], 250);
    processor_sharing_terminate(&ps);
}

/* Of two that are due at 200, the first begins its next before the second's end is taken; a task
 * without work ends where it begins, also then. */
static void begins_between_ends_of_one_instant(void **state) {
    (void)state;
    struct processor_sharing ps;
    struct sharing_task tasks[3];
    processor_sharing_initialize(&ps, 2, 0);
    processor_sharing_seat(&ps, 0, 1, 1);
    processor_sharing_seat(&ps, 1, 1, 1);
    processor_sharing_begin(&ps, 0, &tasks[0], 100, 0);
    processor_sharing_begin(&ps, 1, &tasks[1], 100, 0);
    expect_end(&ps, &tasks[0], 200);
    processor_sharing_begin(&ps, 0, &tasks[0], 50, 200);
    processor_sharing_begin(&ps, 0, &tasks[2], 0, 200);
    expect_end(&ps, &tasks[2], 200);
    expect_end(&ps, &tasks[1], 200);
    expect_end(&ps, &tasks[0], 250);
    processor_sharing_terminate(&ps);
}

/* Capped at .4, 3 of work are done at 7.5, so that the end is at 8. Before it is taken another
 * tenant begins, whose interference would slow the first 61 times: that its end is half a
 * nanosecond late must not count as 61 times that, by which the second would be ahead. It is alone
 * from its begin. */
static void a_begin_just_before_a_late_end(void **state) {
    (void)state;
    struct processor_sharing ps;
    struct sharing_task tasks[2];
    processor_sharing_initialize(&ps, 2, 100);
    processor_sharing_seat(&ps, 0, 1, 0.4);
    processor_sharing_seat(&ps, 1, 0.6, 1);
    processor_sharing_begin(&ps, 0, &tasks[0], 3, 0);
    assert_int_equal(processor_sharing_next(&ps), 8);
    processor_sharing_begin(&ps, 1, &tasks[1], 100, 8);
    expect_end(&ps, &tasks[0], 8);
    expect_end(&ps, &tasks[1], 108);
    processor_sharing_terminate(&ps);
}

/* The slot's counters go on under its next tenant: 100 ns at full speed, 100 of work at a cap of
 * 1/2. */
static void a_slot_changes_tenants(void **state) {
    (void)state;
    struct processor_sharing ps;
    struct sharing_task task;
    processor_sharing_initialize(&ps, 1, 0);
    processor_sharing_seat(&ps, 0, 0.7, 1);
    processor_sharing_begin(&ps, 0, &task, 100, 0);
    expect_end(&ps, &task, 100);
    processor_sharing_seat(&ps, 0, 1, 0.5);
    processor_sharing_begin(&ps, 0, &task, 100, 1000);
    expect_end(&ps, &task, 1200);
    assert_times(&ps, 0, 300, 300, 0);
    assert_near(processor_sharing_occupied_time(&ps), 0.7 * 100 + 0.5 * 200);
    processor_sharing_terminate(&ps);
}

/* At a rate of 1e-300 the end is beyond all time, and nothing overflows. */
static void an_end_beyond_all_time(void **state) {
    (void)state;
    struct processor_sharing ps;
    struct sharing_task task;
    processor_sharing_initialize(&ps, 1, 0);
    processor_sharing_seat(&ps, 0, 1, 1e-300);
    processor_sharing_begin(&ps, 0, &task, SIM_TIME_LONGEST, 1);
    expect_idle(&ps);
    assert_int_equal(processor_sharing_withdraw(&ps, 0, &task, 1000), SIM_TIME_LONGEST);
    processor_sharing_terminate(&ps);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(alone_ends_exactly_after_its_work),
        cmocka_unit_test(progress_in_steps_is_exact),
        cmocka_unit_test(a_cap_slows_also_alone),
        cmocka_unit_test(two_tenants_overlap),
        cmocka_unit_test(interference_and_caps),
        cmocka_unit_test(tasks_of_a_tenant_share_equally),
        cmocka_unit_test(ten_thousand_tasks_at_once),
        cmocka_unit_test(ties_go_by_slot_then_by_begin),
        cmocka_unit_test(a_withdrawal_returns_the_work_left),
        cmocka_unit_test(a_withdrawal_speeds_up_other_tenants),
        cmocka_unit_test(begins_between_ends_of_one_instant),
        cmocka_unit_test(a_begin_just_before_a_late_end),
        cmocka_unit_test(a_slot_changes_tenants),
        cmocka_unit_test(an_end_beyond_all_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
