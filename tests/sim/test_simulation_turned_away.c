/* max_queue: a job is turned away if, once the scheduler has looked at its instant, as many of its
 * workload's jobs wait as may. One GPU and jobs of 10 s unless said otherwise; each case by hand.
 */
#include <string.h>

#include "tests/support/sim_case.h"
#include "tests/support/unit.h"

#define HEADER "job_id,submit_s,gpus,duration_s,max_wait_s,priority\n"

static struct workload_spec *set_up(struct sim_case *sim_case, int32_t gpus, int64_t max_queue,
                                    const char *csv) {
    sim_case_initialize(sim_case);
    sim_case_pool(sim_case, "pool", "V100-SXM2-32GB", 1, gpus);
    struct workload_spec *workload = sim_case_workload(sim_case, "w", csv);
    workload->max_queue = max_queue;
    return workload;
}

static void expect(const struct sim_case *sim_case, const char *id, double start_s, double end_s) {
    sim_case_expect_completed(sim_case, "w", id, start_s, end_s);
}

static void turned_away(const struct sim_case *sim_case, const char *id, double at_s) {
    sim_case_expect_turned_away(sim_case, "w", id, JOB_REJECTED, at_s);
}

/* a runs, b waits, c finds b waiting. When b has started, d may wait. */
static void a_full_queue_turns_away(void **state) {
    (void)state;
    struct sim_case sim_case;
    set_up(&sim_case, 1, 1, HEADER "a,0,1,10,,\nb,1,1,10,,\nc,2,1,10,,\nd,11,1,10,,\n");
    sim_case_run_to_end(&sim_case);
    expect(&sim_case, "a", 0, 10);
    expect(&sim_case, "b", 10, 20);
    turned_away(&sim_case, "c", 2);
    expect(&sim_case, "d", 20, 30);
    assert_int_equal(sim_case.results.rejected, 1);
    assert_non_null(strstr(sim_case.results.first_rejected, "job c of workload w"));
    assert_non_null(strstr(sim_case.results.first_rejected, "max_queue: 1"));
    assert_true(results_metric(&sim_case.results, SCOPE_WORKLOAD, "w", "rejected") == 1);
    sim_case_terminate(&sim_case);
}

/* a ends at 10, where c arrives: b starts, so there is room. */
static void an_end_at_the_same_instant_makes_room(void **state) {
    (void)state;
    struct sim_case sim_case;
    set_up(&sim_case, 1, 1, HEADER "a,0,1,10,,\nb,1,1,10,,\nc,10,1,10,,\n");
    sim_case_run_to_end(&sim_case);
    expect(&sim_case, "b", 10, 20);
    expect(&sim_case, "c", 20, 30);
    assert_int_equal(sim_case.results.rejected, 0);
    sim_case_terminate(&sim_case);
}

/* No queue at all: what does not start at once is gone, and what does is not. */
static void without_a_queue_only_free_gpus_count(void **state) {
    (void)state;
    struct sim_case sim_case;
    set_up(&sim_case, 1, 0, HEADER "a,0,1,10,,\nb,5,1,10,,\nc,10,1,10,,\n");
    sim_case_run_to_end(&sim_case);
    expect(&sim_case, "a", 0, 10);
    turned_away(&sim_case, "b", 5);
    expect(&sim_case, "c", 10, 20);
    sim_case_terminate(&sim_case);
}

/* Five at once for one GPU and one place: the first two are kept. */
static void of_those_that_come_together_the_first_stay(void **state) {
    (void)state;
    struct sim_case sim_case;
    set_up(&sim_case, 1, 1, HEADER "a,0,1,10,,\nb,0,1,10,,\nc,0,1,10,,\nd,0,1,10,,\ne,0,1,10,,\n");
    sim_case_run_to_end(&sim_case);
    expect(&sim_case, "a", 0, 10);
    expect(&sim_case, "b", 10, 20);
    turned_away(&sim_case, "c", 0);
    turned_away(&sim_case, "d", 0);
    turned_away(&sim_case, "e", 0);
    sim_case_terminate(&sim_case);
}

/* b waits; at 10 GPU and place are free for b and for one of c and d: c, though d is more urgent
 * and would start first, for which b waits on. d takes the GPU, b keeps its place, c has none. */
static void who_starts_is_up_to_the_order(void **state) {
    (void)state;
    struct sim_case sim_case;
    set_up(&sim_case, 1, 1, HEADER "a,0,1,10,,5\nb,1,1,10,,5\nc,10,1,10,,5\nd,10,1,10,,1\n");
    sim_case_rules(&sim_case, "priority", "none", "first_fit");
    sim_case_run_to_end(&sim_case);
    expect(&sim_case, "d", 10, 20);
    expect(&sim_case, "b", 20, 30);
    turned_away(&sim_case, "c", 10);
    sim_case_terminate(&sim_case);
}

/* A withdrawal at the instant of the arrival frees a place: b gives up at 5, where c comes. */
static void a_withdrawal_at_the_same_instant_makes_room(void **state) {
    (void)state;
    struct sim_case sim_case;
    set_up(&sim_case, 1, 1, HEADER "a,0,1,10,,\nb,1,1,10,4,\nc,5,1,10,,\n");
    sim_case_run_to_end(&sim_case);
    sim_case_expect_turned_away(&sim_case, "w", "b", JOB_TIMED_OUT, 5);
    expect(&sim_case, "c", 10, 20);
    sim_case_terminate(&sim_case);
}

/* c would be withdrawn at the very instant at which it is turned away: it is the latter, once. And
 * d, of no duration, starts and ends there before anybody asks whether it had room. */
static void nothing_happens_twice(void **state) {
    (void)state;
    struct sim_case sim_case;
    set_up(&sim_case, 1, 1, HEADER "a,0,1,10,,\nb,1,1,0,,\nc,5,1,10,0,\nd,10,1,0,,\ne,10,1,0,,\n");
    sim_case_run_to_end(&sim_case);
    turned_away(&sim_case, "c", 5);
    expect(&sim_case, "b", 10, 10);
    expect(&sim_case, "d", 10, 10);
    expect(&sim_case, "e", 10, 10);
    assert_int_equal(sim_case.recording.job_count, 5);
    sim_case_terminate(&sim_case);
}

/* b asks for both GPUs and blocks; the more urgent c, which asks for both as well, is turned away
 * and must not block d of another workload, which has room. */
static void one_that_is_turned_away_blocks_nobody(void **state) {
    (void)state;
    struct sim_case sim_case;
    set_up(&sim_case, 2, 0, HEADER "a,0,1,10,,5\nc,5,2,10,,0\n");
    sim_case_workload(&sim_case, "other", HEADER "d,5,1,2,,5\n");
    sim_case_rules(&sim_case, "priority", "none", "first_fit");
    sim_case_run_to_end(&sim_case);
    turned_away(&sim_case, "c", 5);
    sim_case_expect_completed(&sim_case, "other", "d", 5, 7);
    sim_case_terminate(&sim_case);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_full_queue_turns_away),
        cmocka_unit_test(an_end_at_the_same_instant_makes_room),
        cmocka_unit_test(without_a_queue_only_free_gpus_count),
        cmocka_unit_test(of_those_that_come_together_the_first_stay),
        cmocka_unit_test(who_starts_is_up_to_the_order),
        cmocka_unit_test(a_withdrawal_at_the_same_instant_makes_room),
        cmocka_unit_test(nothing_happens_twice),
        cmocka_unit_test(one_that_is_turned_away_blocks_nobody),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
