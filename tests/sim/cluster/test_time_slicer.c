/* The rules of taking turns, each in a case small enough to follow by hand. Unless said otherwise a
 * slice takes 10, a switch 3, and the times in the comments say who has the device: 0-10 A, 10-13
 * to B. A, B, C, D are slots 0 to 3. */
#include "sim/cluster/time_slicer.h"
#include "tests/support/unit.h"

enum { A, B, C, D, SLOTS };

static struct time_slicer slicer_of(sim_time slice, sim_time switch_time) {
    struct time_slicer slicer;
    time_slicer_initialize(&slicer, SLOTS, slice, switch_time);
    return slicer;
}

/* The end alone, for cases in which more happens at that instant. */
static void expect_end(struct time_slicer *slicer, int32_t slot, sim_time time) {
    assert_int_equal(time_slicer_next(slicer), time);
    assert_int_equal(time_slicer_end(slicer, time), slot);
}

static void expect_only_end(struct time_slicer *slicer, int32_t slot, sim_time time) {
    expect_end(slicer, slot, time);
    time_slicer_settle(slicer, time);
}

static void expect_rest(struct time_slicer *slicer) {
    assert_int_equal(time_slicer_next(slicer), SIM_TIME_NEVER);
    assert_int_equal(time_slicer_phase(slicer), TIME_SLICER_RESTS);
    assert_int_equal(time_slicer_current(slicer), -1);
    time_slicer_terminate(slicer);
}

static void begin_only(struct time_slicer *slicer, int32_t slot, sim_time work, sim_time now) {
    time_slicer_begin(slicer, slot, work, now);
    time_slicer_settle(slicer, now);
}

/* --- A device at rest --- */

/* The first run costs no switch, nor does the same tenant again; another one does. */
static void arrivals_at_rest(void **state) {
    (void)state;
    struct time_slicer slicer = slicer_of(10, 3);
    begin_only(&slicer, C, 5, 7); /* 7-12 C */
    expect_only_end(&slicer, C, 12);
    begin_only(&slicer, C, 5, 20); /* 20-25 C */
    expect_only_end(&slicer, C, 25);
    begin_only(&slicer, A, 5, 30); /* 30-33 to A, 33-38 A */
    expect_only_end(&slicer, A, 38);
    assert_int_equal(time_slicer_switching(&slicer), 3);
    expect_rest(&slicer);
}

/* None has run: the ring starts at slot 0. */
static void first_arrivals_together(void **state) {
    (void)state;
    struct time_slicer slicer = slicer_of(10, 3);
    time_slicer_begin(&slicer, D, 4, 0);
    begin_only(&slicer, B, 5, 0);
    expect_only_end(&slicer, B, 5);  /* 0-5 B, 5-8 to D */
    expect_only_end(&slicer, D, 12); /* 8-12 D */
    expect_rest(&slicer);
}

static void last_goes_first_else_next_in_ring(void **state) {
    (void)state;
    struct time_slicer slicer = slicer_of(10, 3);
    begin_only(&slicer, B, 5, 0);
    expect_only_end(&slicer, B, 5);
    time_slicer_begin(&slicer, A, 5, 10);
    begin_only(&slicer, B, 5, 10);
    expect_only_end(&slicer, B, 15); /* 10-15 B, without a switch */
    expect_only_end(&slicer, A, 23); /* 15-18 to A, 18-23 A */
    time_slicer_begin(&slicer, D, 5, 30);
    begin_only(&slicer, C, 5, 30);
    expect_only_end(&slicer, C, 38); /* 30-33 to C, the next after A; 33-38 C */
    expect_only_end(&slicer, D, 46);
    time_slicer_begin(&slicer, C, 5, 50);
    begin_only(&slicer, B, 5, 50);
    expect_only_end(&slicer, B, 58); /* B is the next after D, around the ring */
    expect_only_end(&slicer, C, 66);
    expect_rest(&slicer);
}

/* --- Within a slice --- */

static void yields_when_its_work_ends(void **state) {
    (void)state;
    struct time_slicer slicer = slicer_of(10, 3);
    begin_only(&slicer, A, 4, 0);
    begin_only(&slicer, B, 5, 1);
    expect_only_end(&slicer, A, 4);  /* 0-4 A, 4-7 to B */
    expect_only_end(&slicer, B, 12); /* 7-12 B */
    expect_rest(&slicer);
}

/* The next task of A begins at the end of its first and has the 6 left of the slice. */
static void goes_on_within_the_slice(void **state) {
    (void)state;
    struct time_slicer slicer = slicer_of(10, 3);
    begin_only(&slicer, A, 4, 0);
    begin_only(&slicer, B, 5, 1);
    expect_end(&slicer, A, 4);
    begin_only(&slicer, A, 9, 4);    /* 4-10 A, 10-13 to B */
    expect_only_end(&slicer, B, 18); /* 13-18 B, 18-21 to A */
    expect_only_end(&slicer, A, 24); /* 21-24 A: 9 - 6 */
    expect_rest(&slicer);
}

/* --- The end of a slice --- */

static void takes_turns_around_the_ring(void **state) {
    (void)state;
    struct time_slicer slicer = slicer_of(10, 3);
    begin_only(&slicer, C, 12, 0);
    begin_only(&slicer, B, 12, 1);
    begin_only(&slicer, D, 12, 2);
    /* 0-10 C, 13-23 D, 26-36 B, 39-41 C, 44-46 D, 49-51 B */
    expect_only_end(&slicer, C, 41);
    expect_only_end(&slicer, D, 46);
    expect_only_end(&slicer, B, 51);
    assert_int_equal(time_slicer_switching(&slicer), 15);
    expect_rest(&slicer);
}

/* Alone, A starts slices at 0, 10, 20 without a switch; B waits for the end of the second. */
static void alone_starts_new_slices(void **state) {
    (void)state;
    struct time_slicer slicer = slicer_of(10, 3);
    begin_only(&slicer, A, 25, 0);
    assert_int_equal(time_slicer_next(&slicer), 25);
    begin_only(&slicer, B, 5, 12);
    expect_only_end(&slicer, B, 28); /* 20-23 to B, 23-28 B */
    expect_only_end(&slicer, A, 36); /* 28-31 to A, 31-36 A: 25 - 20 */
    expect_rest(&slicer);
}

static void arrival_at_the_very_end_of_a_slice(void **state) {
    (void)state;
    for (sim_time arrival = 10; arrival <= 11; arrival++) {
        struct time_slicer slicer = slicer_of(10, 3);
        begin_only(&slicer, A, 25, 0);
        begin_only(&slicer, B, 5, arrival);
        expect_only_end(&slicer, B, arrival == 10 ? 18 : 28);
        time_slicer_terminate(&slicer);
    }
}

/* 10-13 to B; the arrival of D at 11 changes nothing, nor that of C at 13, when the switch ends. */
static void arrivals_do_not_interrupt_a_switch(void **state) {
    (void)state;
    struct time_slicer slicer = slicer_of(10, 3);
    begin_only(&slicer, A, 11, 0);
    begin_only(&slicer, B, 5, 1);
    begin_only(&slicer, D, 5, 11);
    begin_only(&slicer, C, 5, 13);
    expect_only_end(&slicer, B, 18);
    expect_only_end(&slicer, C, 26);
    expect_only_end(&slicer, D, 34);
    expect_only_end(&slicer, A, 38);
    expect_rest(&slicer);
}

/* The task ends just as the switch to B would begin, and so does the slice: a new task of A waits
 * for B. */
static void work_and_slice_end_together(void **state) {
    (void)state;
    struct time_slicer slicer = slicer_of(10, 3);
    begin_only(&slicer, A, 10, 0);
    begin_only(&slicer, B, 5, 1);
    expect_end(&slicer, A, 10);
    begin_only(&slicer, A, 0, 10);
    expect_only_end(&slicer, B, 18); /* 10-13 to B, 13-18 B */
    expect_only_end(&slicer, A, 21); /* 18-21 to A */
    expect_rest(&slicer);
}

/* With nobody waiting the new task starts a new slice, 10-20. */
static void work_and_slice_end_together_alone(void **state) {
    (void)state;
    struct time_slicer slicer = slicer_of(10, 3);
    begin_only(&slicer, A, 10, 0);
    expect_end(&slicer, A, 10);
    begin_only(&slicer, A, 15, 10);
    begin_only(&slicer, B, 5, 15);
    expect_only_end(&slicer, B, 28); /* 20-23 to B, 23-28 B */
    expect_only_end(&slicer, A, 36);
    expect_rest(&slicer);
}

/* Before the end at 10 is taken, settling there decides nothing. */
static void settling_waits_for_an_end_that_is_due(void **state) {
    (void)state;
    struct time_slicer slicer = slicer_of(10, 3);
    begin_only(&slicer, A, 10, 0);
    begin_only(&slicer, B, 5, 10);
    expect_only_end(&slicer, A, 10);
    expect_only_end(&slicer, B, 18);
    expect_rest(&slicer);
}

/* --- No work, no switch --- */

static void tasks_without_work(void **state) {
    (void)state;
    struct time_slicer slicer = slicer_of(10, 3);
    time_slicer_begin(&slicer, A, 0, 5);
    begin_only(&slicer, B, 0, 5);
    expect_end(&slicer, A, 5);
    begin_only(&slicer, A, 0, 5); /* still within the slice */
    expect_only_end(&slicer, A, 5);
    expect_only_end(&slicer, B, 8); /* 5-8 to B */
    expect_rest(&slicer);
}

/* At 10 the slice of A ends, and B and C each have a turn of no time. */
static void several_ends_at_one_instant(void **state) {
    (void)state;
    struct time_slicer slicer = slicer_of(10, 0);
    begin_only(&slicer, A, 20, 0);
    time_slicer_begin(&slicer, C, 0, 3);
    begin_only(&slicer, B, 0, 3);
    expect_end(&slicer, -1, 10);
    time_slicer_settle(&slicer, 10);
    expect_only_end(&slicer, B, 10);
    expect_only_end(&slicer, C, 10);
    expect_only_end(&slicer, A, 20);
    expect_rest(&slicer);
}

/* C would end at 10, but B arrives at the end of the slice and comes before it. */
static void arrival_before_a_turn_of_no_time(void **state) {
    (void)state;
    struct time_slicer slicer = slicer_of(10, 0);
    begin_only(&slicer, A, 20, 0);
    begin_only(&slicer, C, 0, 3);
    expect_end(&slicer, -1, 10);
    begin_only(&slicer, B, 4, 10);
    expect_only_end(&slicer, B, 14);
    expect_only_end(&slicer, C, 14);
    expect_only_end(&slicer, A, 24);
    expect_rest(&slicer);
}

/* --- Withdrawals --- */

static void withdrawn_while_computing(void **state) {
    (void)state;
    struct time_slicer slicer = slicer_of(10, 3);
    begin_only(&slicer, A, 25, 0);
    begin_only(&slicer, B, 5, 1);
    assert_int_equal(time_slicer_withdraw(&slicer, A, 4), 21);
    time_slicer_settle(&slicer, 4);
    expect_only_end(&slicer, B, 12); /* 4-7 to B, 7-12 B */
    assert_int_equal(time_slicer_computing(&slicer, A), 4);
    expect_rest(&slicer);
}

/* C is gone when its turn comes. */
static void withdrawn_while_waiting(void **state) {
    (void)state;
    struct time_slicer slicer = slicer_of(10, 3);
    begin_only(&slicer, B, 12, 0);
    time_slicer_begin(&slicer, C, 7, 1);
    begin_only(&slicer, D, 5, 1);
    assert_int_equal(time_slicer_withdraw(&slicer, C, 9), 7);
    time_slicer_settle(&slicer, 9);
    expect_only_end(&slicer, D, 18); /* 0-10 B, 10-13 to D, 13-18 D */
    expect_only_end(&slicer, B, 23); /* 18-21 to B, 21-23 B */
    expect_rest(&slicer);
}

/* 10-12 to B, then to C, whose whole switch it costs. */
static void withdrawn_while_switched_to(void **state) {
    (void)state;
    struct time_slicer slicer = slicer_of(10, 3);
    begin_only(&slicer, A, 12, 0);
    time_slicer_begin(&slicer, B, 7, 1);
    begin_only(&slicer, C, 5, 1);
    assert_int_equal(time_slicer_withdraw(&slicer, B, 12), 7);
    time_slicer_settle(&slicer, 12);
    expect_only_end(&slicer, C, 20); /* 12-15 to C, 15-20 C */
    expect_only_end(&slicer, A, 25); /* 20-23 to A, 23-25 A */
    assert_int_equal(time_slicer_switching_to(&slicer, B), 2);
    assert_int_equal(time_slicer_switching(&slicer), 2 + 3 + 3);
    expect_rest(&slicer);
}

/* Only A is left, which was the last to run and starts a new slice at once. */
static void withdrawn_while_switched_to_from_the_only_other(void **state) {
    (void)state;
    struct time_slicer slicer = slicer_of(10, 3);
    begin_only(&slicer, A, 12, 0);
    begin_only(&slicer, B, 7, 1);
    time_slicer_withdraw(&slicer, B, 12);
    time_slicer_settle(&slicer, 12);
    expect_only_end(&slicer, A, 14);
    expect_rest(&slicer);
}

/* With another task at the same instant the tenant is still the one to switch to. */
static void withdrawn_and_begun_again(void **state) {
    (void)state;
    struct time_slicer slicer = slicer_of(10, 3);
    begin_only(&slicer, A, 12, 0);
    begin_only(&slicer, B, 7, 1);
    time_slicer_withdraw(&slicer, B, 12);
    begin_only(&slicer, B, 4, 12);
    time_slicer_withdraw(&slicer, B, 15); /* 13-15 B */
    begin_only(&slicer, B, 9, 15);
    expect_only_end(&slicer, A, 28); /* 15-23 B, 23-26 to A, 26-28 A */
    expect_only_end(&slicer, B, 32); /* 28-31 to B, 31-32 B: 9 - 8 */
    expect_rest(&slicer);
}

/* The switch has ended at 13: B was the last to have the device, if for no time. */
static void withdrawn_as_the_switch_ends(void **state) {
    (void)state;
    struct time_slicer slicer = slicer_of(10, 3);
    begin_only(&slicer, A, 12, 0);
    begin_only(&slicer, B, 7, 1);
    assert_int_equal(time_slicer_withdraw(&slicer, B, 13), 7);
    time_slicer_settle(&slicer, 13);
    expect_only_end(&slicer, A, 18); /* 13-16 to A, 16-18 A */
    expect_rest(&slicer);
}

/* Nothing is left of a task withdrawn as it ends, not even the end; the slice is over, too, so that
 * the next task, though of no work, waits for B. */
static void withdrawn_as_it_ends(void **state) {
    (void)state;
    struct time_slicer slicer = slicer_of(10, 3);
    begin_only(&slicer, A, 10, 0);
    begin_only(&slicer, B, 5, 1);
    assert_int_equal(time_slicer_withdraw(&slicer, A, 10), 0);
    assert_int_equal(time_slicer_end(&slicer, 10), -1);
    begin_only(&slicer, A, 0, 10);
    expect_only_end(&slicer, B, 18);
    expect_only_end(&slicer, A, 21);
    expect_rest(&slicer);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(arrivals_at_rest),
        cmocka_unit_test(first_arrivals_together),
        cmocka_unit_test(last_goes_first_else_next_in_ring),
        cmocka_unit_test(yields_when_its_work_ends),
        cmocka_unit_test(goes_on_within_the_slice),
        cmocka_unit_test(takes_turns_around_the_ring),
        cmocka_unit_test(alone_starts_new_slices),
        cmocka_unit_test(arrival_at_the_very_end_of_a_slice),
        cmocka_unit_test(arrivals_do_not_interrupt_a_switch),
        cmocka_unit_test(work_and_slice_end_together),
        cmocka_unit_test(work_and_slice_end_together_alone),
        cmocka_unit_test(settling_waits_for_an_end_that_is_due),
        cmocka_unit_test(tasks_without_work),
        cmocka_unit_test(several_ends_at_one_instant),
        cmocka_unit_test(arrival_before_a_turn_of_no_time),
        cmocka_unit_test(withdrawn_while_computing),
        cmocka_unit_test(withdrawn_while_waiting),
        cmocka_unit_test(withdrawn_while_switched_to),
        cmocka_unit_test(withdrawn_while_switched_to_from_the_only_other),
        cmocka_unit_test(withdrawn_and_begun_again),
        cmocka_unit_test(withdrawn_as_the_switch_ends),
        cmocka_unit_test(withdrawn_as_it_ends),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
