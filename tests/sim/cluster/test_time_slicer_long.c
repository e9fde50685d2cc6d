/* Invariant: what lies between two events costs nothing, however many slices it is, and sums beyond
 * all time become SIM_TIME_NEVER. Expected times come from counting turns. */
#include "sim/cluster/time_slicer.h"
#include "tests/support/unit.h"

#define MILLISECOND INT64_C(1000000)
#define HOUR (3600 * NANOSECONDS_PER_SECOND)

/* A of 10 h beside one task after another of B, of 40 ms each, 10 ms apart. Returns the calls. */
static int calls_beside_a_long_task(sim_time slice, sim_time switch_time) {
    enum { A, B, TASKS = 1000 };
    struct time_slicer slicer;
    time_slicer_initialize(&slicer, 2, slice, switch_time);
    time_slicer_begin(&slicer, A, 10 * HOUR, 0);
    time_slicer_settle(&slicer, 0);
    int calls = 0;
    sim_time now = 0;
    for (int task = 0; task < TASKS; task++) {
        now += 10 * MILLISECOND;
        time_slicer_begin(&slicer, B, 40 * MILLISECOND, now);
        time_slicer_settle(&slicer, now);
        do {
            now = time_slicer_next(&slicer);
            calls++;
        } while (time_slicer_end(&slicer, now) != B);
        time_slicer_settle(&slicer, now);
    }
    now = time_slicer_next(&slicer);
    assert_int_equal(time_slicer_end(&slicer, now), A);
    assert_int_equal(time_slicer_computing(&slicer, A), 10 * HOUR);
    assert_int_equal(time_slicer_computing(&slicer, B), TASKS * 40 * MILLISECOND);
    /* The device never rested. */
    assert_int_equal(now, 10 * HOUR + TASKS * 40 * MILLISECOND + time_slicer_switching(&slicer));
    time_slicer_terminate(&slicer);
    return calls + 1;
}

static void calls_follow_tasks_not_slices(void **state) {
    (void)state;
    assert_int_equal(calls_beside_a_long_task(6 * MILLISECOND, MILLISECOND), 1001);
    assert_int_equal(calls_beside_a_long_task(60000, 20000), 1001);
    assert_int_equal(calls_beside_a_long_task(1, 1), 1001);
}

/* Two tasks of N slices each. The one that starts has N slices and the other N - 1 before its last,
 * with a switch between any two; the other then has one more of each:
 *     end of the first = (2 N - 1) slice + (2 N - 2) switch,  of the other = 2 N slice + (2 N - 1)
 * switch. Until then each computes slice / (2 (slice + switch)) of the time: in k rounds of both,
 * which the first starts without a switch, k slices. */
static void two_busy_tenants(sim_time slice, sim_time switch_time, sim_time slices) {
    struct time_slicer slicer;
    time_slicer_initialize(&slicer, 2, slice, switch_time);
    time_slicer_begin(&slicer, 0, slices * slice, 0);
    time_slicer_begin(&slicer, 1, slices * slice, 0);
    time_slicer_settle(&slicer, 0);
    sim_time first_end = (2 * slices - 1) * slice + (2 * slices - 2) * switch_time;
    assert_int_equal(time_slicer_next(&slicer), first_end);
    for (sim_time rounds = 1; rounds < slices; rounds = rounds * 7 + 3) {
        time_slicer_advance(&slicer, rounds * 2 * (slice + switch_time) - switch_time);
        assert_int_equal(time_slicer_computing(&slicer, 0), rounds * slice);
        assert_int_equal(time_slicer_computing(&slicer, 1), rounds * slice);
        assert_int_equal(time_slicer_switching_to(&slicer, 0), (rounds - 1) * switch_time);
        assert_int_equal(time_slicer_switching_to(&slicer, 1), rounds * switch_time);
        assert_int_equal(time_slicer_work_left(&slicer, 1), (slices - rounds) * slice);
        assert_int_equal(time_slicer_next(&slicer), first_end);
    }
    assert_int_equal(time_slicer_end(&slicer, first_end), 0);
    time_slicer_settle(&slicer, first_end);
    assert_int_equal(time_slicer_next(&slicer), first_end + switch_time + slice);
    assert_int_equal(time_slicer_end(&slicer, first_end + switch_time + slice), 1);
    assert_int_equal(time_slicer_switching(&slicer), (2 * slices - 1) * switch_time);
    time_slicer_terminate(&slicer);
}

static void busy_tenants_share(void **state) {
    (void)state;
    two_busy_tenants(2 * MILLISECOND, 200000, 1000000);
    two_busy_tenants(6 * MILLISECOND, 6 * MILLISECOND, 6000000);
    two_busy_tenants(60000, 0, 600000000);
    two_busy_tenants(1, 2, INT64_C(1000000000000000));
}

/* A switch of 3 after a slice of 10: at 11 one has passed of it, at 14 the slice behind it runs. */
static void sums_within_a_switch(void **state) {
    (void)state;
    struct time_slicer slicer;
    time_slicer_initialize(&slicer, 2, 10, 3);
    time_slicer_begin(&slicer, 0, 20, 0);
    time_slicer_begin(&slicer, 1, 20, 0);
    time_slicer_settle(&slicer, 0);
    time_slicer_advance(&slicer, 10); /* undecided */
    assert_int_equal(time_slicer_phase(&slicer), TIME_SLICER_COMPUTES);
    assert_int_equal(time_slicer_current(&slicer), 0);
    time_slicer_advance(&slicer, 11);
    assert_int_equal(time_slicer_phase(&slicer), TIME_SLICER_SWITCHES);
    assert_int_equal(time_slicer_current(&slicer), 1);
    assert_int_equal(time_slicer_switching_to(&slicer, 1), 1);
    assert_int_equal(time_slicer_switching(&slicer), 1);
    assert_int_equal(time_slicer_computing(&slicer, 1), 0);
    assert_int_equal(time_slicer_work_left(&slicer, 1), 20);
    time_slicer_advance(&slicer, 14);
    assert_int_equal(time_slicer_phase(&slicer), TIME_SLICER_COMPUTES);
    assert_int_equal(time_slicer_computing(&slicer, 1), 1);
    assert_int_equal(time_slicer_work_left(&slicer, 1), 19);
    time_slicer_terminate(&slicer);
}

/* 2,000 of 3,000 slots have work of three slices and 9 more. Turn n, counted from 0, computes from
 * n x TURN: n slices and n switches come before it. The lowest slot's fourth turn is number
 * 3 x 2,000; each after it needs its switch and the 9. */
static void many_tenants(void **state) {
    (void)state;
    enum { SLICE = 100, SWITCH = 7, TURN = SLICE + SWITCH, TENANTS = 2000 };
    struct time_slicer slicer;
    time_slicer_initialize(&slicer, 3000, SLICE, SWITCH);
    for (int32_t tenant = TENANTS - 1; tenant >= 0; tenant--) {
        time_slicer_begin(&slicer, 1000 + tenant, 3 * SLICE + 9, 0);
    }
    time_slicer_settle(&slicer, 0);
    sim_time first = 3 * (sim_time)TENANTS * TURN + 9;
    for (int32_t tenant = 0; tenant < TENANTS; tenant++) {
        sim_time end = first + tenant * (SWITCH + 9);
        assert_int_equal(time_slicer_next(&slicer), end);
        assert_int_equal(time_slicer_end(&slicer, end), 1000 + tenant);
        time_slicer_settle(&slicer, end);
    }
    assert_int_equal(time_slicer_next(&slicer), SIM_TIME_NEVER);
    time_slicer_terminate(&slicer);
}

/* A million tasks longer than all time: none ends, and in the longest run nothing wraps. */
static void beyond_all_time(void **state) {
    (void)state;
    enum { TENANTS = 1000000 };
    struct time_slicer slicer;
    time_slicer_initialize(&slicer, TENANTS, 2 * MILLISECOND, 200000);
    for (int32_t slot = 0; slot < TENANTS; slot++) {
        time_slicer_begin(&slicer, slot, SIM_TIME_NEVER, 0);
    }
    time_slicer_settle(&slicer, 0);
    assert_int_equal(time_slicer_next(&slicer), SIM_TIME_NEVER);
    time_slicer_advance(&slicer, SIM_TIME_LONGEST);
    sim_time sum = time_slicer_switching(&slicer);
    for (int32_t slot = 0; slot < TENANTS; slot++) {
        sum += time_slicer_computing(&slicer, slot);
    }
    assert_int_equal(sum, SIM_TIME_LONGEST);
    time_slicer_terminate(&slicer);
}

/* The longest slice and switch with work of all sizes; what is withdrawn and given again has a sum
 * beyond 64 bits. */
static void longest_slice_and_switch(void **state) {
    (void)state;
    const sim_time longest = SIM_TIME_LONGEST;
    struct time_slicer slicer;
    time_slicer_initialize(&slicer, 3, SIM_TIME_NEVER, longest);
    for (int time = 0; time < 5; time++) {
        time_slicer_begin(&slicer, 0, SIM_TIME_NEVER, time);
        time_slicer_begin(&slicer, 1, 5, time);
        time_slicer_settle(&slicer, time);
        assert_int_equal(time_slicer_next(&slicer), SIM_TIME_NEVER);
        assert_int_equal(time_slicer_withdraw(&slicer, 0, time + 1), SIM_TIME_NEVER - 1);
        assert_int_equal(time_slicer_withdraw(&slicer, 1, time + 1), 5);
        time_slicer_settle(&slicer, time + 1);
    }
    assert_int_equal(time_slicer_computing(&slicer, 0), 5);
    time_slicer_begin(&slicer, 1, 7, 10);
    time_slicer_begin(&slicer, 2, 7, 10);
    time_slicer_settle(&slicer, 10);
    assert_int_equal(time_slicer_next(&slicer), longest + 17);
    assert_int_equal(time_slicer_end(&slicer, longest + 17), 1);
    time_slicer_settle(&slicer, longest + 17);
    assert_int_equal(time_slicer_next(&slicer), 2 * longest + 24);
    assert_int_equal(time_slicer_end(&slicer, 2 * longest + 24), 2);
    time_slicer_begin(&slicer, 0, 0, 2 * longest + 24);
    time_slicer_settle(&slicer, 2 * longest + 24);
    assert_int_equal(time_slicer_next(&slicer), SIM_TIME_NEVER);
    time_slicer_terminate(&slicer);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(calls_follow_tasks_not_slices),
        cmocka_unit_test(busy_tenants_share),
        cmocka_unit_test(sums_within_a_switch),
        cmocka_unit_test(many_tenants),
        cmocka_unit_test(beyond_all_time),
        cmocka_unit_test(longest_slice_and_switch),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
