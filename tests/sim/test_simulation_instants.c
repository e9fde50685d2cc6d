/* What happens at one instant happens in this order: ends; arrivals, by declaration and then by
 * row; the scheduler; withdrawals. Each by a case small enough to compute by hand. */
#include "tests/support/sim_case.h"
#include "tests/support/unit.h"

#define HEADER "job_id,submit_s,gpus,duration_s,estimate_s,max_wait_s\n"

static const sim_time SECOND = NANOSECONDS_PER_SECOND;

static void set_up(struct sim_case *sim_case, int32_t gpus, const char *csv) {
    sim_case_initialize(sim_case);
    sim_case_pool(sim_case, "pool", "V100-SXM2-32GB", 1, gpus);
    sim_case_workload(sim_case, "w", csv);
}

static void run(struct sim_case *sim_case, int32_t gpus, const char *csv) {
    set_up(sim_case, gpus, csv);
    sim_case_run_to_end(sim_case);
}

static void expect(const struct sim_case *sim_case, const char *id, double start_s, double end_s) {
    sim_case_expect_completed(sim_case, "w", id, start_s, end_s);
}

/* Rows need not be in order; those of one moment stay as they are in the file. */
static void ties_go_by_row(void **state) {
    (void)state;
    struct sim_case sim_case;
    run(&sim_case, 1,
        HEADER "z,5,1,1,,\n"
               "a,0,1,6,,\n"
               "y,5,1,2,,\n"
               "b,5,1,3,,\n");
    expect(&sim_case, "a", 0, 6);
    expect(&sim_case, "z", 6, 7);
    expect(&sim_case, "y", 7, 9);
    expect(&sim_case, "b", 9, 12);
    sim_case_terminate(&sim_case);
}

/* At 5 the workload declared first goes first, all its rows before those of the other; but an
 * earlier job of the other goes before it. */
static void ties_go_by_declaration(void **state) {
    (void)state;
    struct sim_case sim_case;
    set_up(&sim_case, 1,
           HEADER "a,0,1,5,,\n"
                  "b,5,1,1,,\n"
                  "c,5,1,2,,\n");
    sim_case_workload(&sim_case, "second",
                      HEADER "a,4,1,7,,\n"
                             "b,5,1,3,,\n");
    sim_case_run_to_end(&sim_case);
    expect(&sim_case, "a", 0, 5);
    sim_case_expect_completed(&sim_case, "second", "a", 5, 12);
    expect(&sim_case, "b", 12, 13);
    expect(&sim_case, "c", 13, 15);
    sim_case_expect_completed(&sim_case, "second", "b", 15, 18);
    sim_case_terminate(&sim_case);
}

/* a ends at 10 before b arrives then, so b waits no time; c arrives behind it. Neither waits at
 * all, and b's start comes before its withdrawal. */
static void ends_come_before_arrivals_and_starts_before_withdrawals(void **state) {
    (void)state;
    struct sim_case sim_case;
    run(&sim_case, 1,
        HEADER "a,0,1,10,,\n"
               "b,10,1,5,,0\n"
               "c,10,1,5,,0\n");
    expect(&sim_case, "a", 0, 10);
    expect(&sim_case, "b", 10, 15);
    sim_case_expect_turned_away(&sim_case, "w", "c", JOB_TIMED_OUT, 10);
    sim_case_terminate(&sim_case);
}

/* b's longest wait ends at the very instant at which a makes room. */
static void a_start_wins_over_a_withdrawal(void **state) {
    (void)state;
    struct sim_case sim_case;
    run(&sim_case, 1,
        HEADER "a,0,1,10,,\n"
               "b,3,1,5,,7\n");
    expect(&sim_case, "b", 10, 15);
    sim_case_terminate(&sim_case);
}

/* Both arrive before the scheduler looks, so the shorter y goes first, and x, which does not wait,
 * gives up only then. */
static void the_scheduler_sees_all_arrivals_of_an_instant(void **state) {
    (void)state;
    struct sim_case sim_case;
    set_up(&sim_case, 1,
           HEADER "x,3,1,10,,0\n"
                  "y,3,1,5,,\n");
    sim_case_rules(&sim_case, "sjf", "none", "first_fit");
    sim_case_run_to_end(&sim_case);
    expect(&sim_case, "y", 3, 8);
    sim_case_expect_turned_away(&sim_case, "w", "x", JOB_TIMED_OUT, 3);
    sim_case_terminate(&sim_case);
}

/* Three nodes of 2 under easy. At 0 r takes node 0 and half of node 1 until 13, when h (5 GPUs) is
 * promised nodes 0 and 1 and half of node 2. c (20 s) would go to node 1, where nothing is left
 * beside that; then e, which claims to take 1 s, goes there and stays until 10. So from then on c
 * would be put on node 2, beside the reservation: it starts when the scheduler looks next. */
#define LOOK_AGAIN(LONGEST_WAIT_OF_C)                                                              \
    HEADER "r,0,3,13,,\n"                                                                          \
           "h,0,5,1,,\n"                                                                           \
           "c,0,1,20,," LONGEST_WAIT_OF_C "\n"                                                     \
           "e,0,1,10,1,\n"

static void run_easy(struct sim_case *sim_case, const char *csv) {
    sim_case_initialize(sim_case);
    sim_case_rules(sim_case, "fifo", "easy", "first_fit");
    sim_case_pool(sim_case, "pool", "V100-SXM2-32GB", 3, 2);
    sim_case_workload(sim_case, "w", csv);
    sim_case_run_to_end(sim_case);
}

/* x fits nowhere, but it arrives. */
static void the_scheduler_looks_after_a_rejected_arrival(void **state) {
    (void)state;
    struct sim_case sim_case;
    run_easy(&sim_case, LOOK_AGAIN("") "x,2,7,1,,\n");
    sim_case_expect_turned_away(&sim_case, "w", "x", JOB_REJECTED, 2);
    expect(&sim_case, "e", 0, 10);
    expect(&sim_case, "c", 2, 22);
    sim_case_terminate(&sim_case);
}

/* Nothing else happens when c is about to give up, and its start wins over that. */
static void the_scheduler_looks_before_a_withdrawal(void **state) {
    (void)state;
    struct sim_case sim_case;
    run_easy(&sim_case, LOOK_AGAIN("2"));
    expect(&sim_case, "e", 0, 10);
    expect(&sim_case, "c", 2, 22);
    sim_case_terminate(&sim_case);
}

/* h blocks b until it gives up at 6; b starts at that instant. */
static void a_withdrawal_unblocks(void **state) {
    (void)state;
    struct sim_case sim_case;
    run(&sim_case, 4,
        HEADER "a,0,3,100,,\n"
               "h,1,2,1,,5\n"
               "b,2,1,1,,\n");
    sim_case_expect_turned_away(&sim_case, "w", "h", JOB_TIMED_OUT, 6);
    expect(&sim_case, "b", 6, 7);
    sim_case_terminate(&sim_case);
}

/* h and b give up at the same instant: all withdrawals of an instant come before the scheduler
 * looks again, so b does not profit from h's; c does. */
static void withdrawals_of_one_instant_go_together(void **state) {
    (void)state;
    struct sim_case sim_case;
    run(&sim_case, 4,
        HEADER "a,0,3,100,,\n"
               "h,1,2,1,,5\n"
               "b,2,1,1,,4\n"
               "c,3,1,1,,\n");
    sim_case_expect_turned_away(&sim_case, "w", "h", JOB_TIMED_OUT, 6);
    sim_case_expect_turned_away(&sim_case, "w", "b", JOB_TIMED_OUT, 6);
    expect(&sim_case, "c", 6, 7);
    sim_case_terminate(&sim_case);
}

/* Jobs that take no time pass one after the other within the instant. */
static void jobs_that_take_no_time(void **state) {
    (void)state;
    struct sim_case sim_case;
    run(&sim_case, 1,
        HEADER "a,0,1,0,,\n"
               "b,0,1,0,,\n"
               "c,0,1,4,,0\n"
               "d,4,1,0,,\n"
               "e,4,1,3,,0\n");
    expect(&sim_case, "a", 0, 0);
    expect(&sim_case, "b", 0, 0);
    expect(&sim_case, "c", 0, 4);
    expect(&sim_case, "d", 4, 4);
    expect(&sim_case, "e", 4, 7);
    sim_case_terminate(&sim_case);
}

/* Until 10: a ends then, c starts, d gives up, e arrives and queues; f is never submitted. */
static void the_horizon_is_part_of_the_run(void **state) {
    (void)state;
    struct sim_case sim_case;
    set_up(&sim_case, 2,
           HEADER "a,0,1,10,,\n"
                  "b,1,1,30,,\n"
                  "c,2,1,5,,\n"
                  "d,4,1,5,,6\n"
                  "e,10,1,5,,\n"
                  "f,11,1,5,,\n");
    sim_case_horizon(&sim_case, 10 * SECOND);
    sim_case_run_to_end(&sim_case);
    expect(&sim_case, "a", 0, 10);
    sim_case_expect_running(&sim_case, "w", "b", 1);
    sim_case_expect_running(&sim_case, "w", "c", 10);
    sim_case_expect_turned_away(&sim_case, "w", "d", JOB_TIMED_OUT, 10);
    sim_case_expect_queued(&sim_case, "w", "e");
    assert_int_equal(sim_case.recording.job_count, 5);
    assert_int_equal(sim_case.results.end, 10 * SECOND);
    sim_case_terminate(&sim_case);
}

/* The run ends with its last end, here at 12; with nothing left to do a horizon is waited for. */
static void the_end_of_work_is_the_last_end(void **state) {
    (void)state;
    struct sim_case sim_case;
    set_up(&sim_case, 1, HEADER "a,2,1,10,,\n");
    sim_case_run_to_end(&sim_case);
    assert_int_equal(sim_case.results.end, 12 * SECOND);
    sim_case_horizon(&sim_case, 50 * SECOND);
    sim_case_run_to_end(&sim_case);
    assert_int_equal(sim_case.results.end, 50 * SECOND);
    expect(&sim_case, "a", 2, 12);
    sim_case_terminate(&sim_case);
}

/* Rows come as jobs end; of those left at the horizon, in order of submission. */
static void rows_come_in_the_order_of_what_happened(void **state) {
    (void)state;
    static const char *const expected[] = {"e", "c", "a", "b", "d"};
    struct sim_case sim_case;
    set_up(&sim_case, 2,
           HEADER "a,0,1,30,,\n"
                  "b,1,1,40,,\n"
                  "c,2,1,5,,6\n"
                  "d,3,1,5,,\n"
                  "e,4,3,5,,\n");
    sim_case_horizon(&sim_case, 20 * SECOND);
    sim_case_run_to_end(&sim_case);
    assert_int_equal(sim_case.recording.job_count, 5);
    for (size_t i = 0; i < 5; i++) {
        assert_string_equal(sim_case.recording.jobs[i].id, expected[i]);
    }
    sim_case_expect_turned_away(&sim_case, "w", "e", JOB_REJECTED, 4);
    sim_case_terminate(&sim_case);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ties_go_by_row),
        cmocka_unit_test(ties_go_by_declaration),
        cmocka_unit_test(ends_come_before_arrivals_and_starts_before_withdrawals),
        cmocka_unit_test(a_start_wins_over_a_withdrawal),
        cmocka_unit_test(the_scheduler_sees_all_arrivals_of_an_instant),
        cmocka_unit_test(the_scheduler_looks_after_a_rejected_arrival),
        cmocka_unit_test(the_scheduler_looks_before_a_withdrawal),
        cmocka_unit_test(a_withdrawal_unblocks),
        cmocka_unit_test(withdrawals_of_one_instant_go_together),
        cmocka_unit_test(jobs_that_take_no_time),
        cmocka_unit_test(the_horizon_is_part_of_the_run),
        cmocka_unit_test(the_end_of_work_is_the_last_end),
        cmocka_unit_test(rows_come_in_the_order_of_what_happened),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
