/* Jobs that wait for others: for whole workloads, for a job of their trace, for their turn in an
 * array. Small cases by hand; times in seconds. */
#include <stdio.h>
#include <stdlib.h>

#include "tests/support/scenario_run.h"
#include "tests/support/sim_case.h"
#include "tests/support/unit.h"

#define HEADER "job_id,submit_s,gpus,duration_s,after,afterok,max_wait_s\n"

static void make_case(struct sim_case *sim_case, int gpus, const char *csv) {
    sim_case_initialize(sim_case);
    sim_case_pool(sim_case, "a", "T4", 1, gpus);
    sim_case_workload(sim_case, "w", csv);
}

/* b may start when a has ended, at 10; c and d, in a chain behind it, at 15 and 16; e waits for
 * nobody. */
static void a_chain_in_a_trace(void **state) {
    (void)state;
    struct sim_case c;
    make_case(&c, 4,
              HEADER "a,0,1,10,,,\n"
                     "b,1,1,5,a,,\n"
                     "c,1,1,1,b,,\n"
                     "d,2,1,1,,c,\n"
                     "e,3,1,1,,,\n");
    sim_case_run_to_end(&c);
    sim_case_expect_completed(&c, "w", "a", 0, 10);
    sim_case_expect_completed(&c, "w", "b", 10, 15);
    sim_case_expect_completed(&c, "w", "c", 15, 16);
    sim_case_expect_completed(&c, "w", "d", 16, 17);
    sim_case_expect_completed(&c, "w", "e", 3, 4);
    /* The wait counts from the submission. */
    assert_true(results_metric(&c.results, SCOPE_WORKLOAD, "w", "wait_s.max") == 14);
    sim_case_terminate(&c);
}

/* a cannot be held by any node. What waits for its end goes on at once, what waits for its success
 * is rejected, and so is what waits for that; a job that comes later, too. */
static void after_one_that_is_rejected(void **state) {
    (void)state;
    struct sim_case c;
    make_case(&c, 4,
              HEADER "any,0,1,1,big,,\n"
                     "ok,0,1,1,,big,\n"
                     "next,0,1,1,,ok,\n"
                     "rest,0,1,1,next,,\n"
                     "big,2,5,1,,,\n"
                     "late,3,1,1,,big,\n");
    sim_case_run_to_end(&c);
    sim_case_expect_completed(&c, "w", "any", 2, 3);
    sim_case_expect_turned_away(&c, "w", "big", JOB_REJECTED, 2);
    sim_case_expect_turned_away(&c, "w", "ok", JOB_REJECTED, 2);
    sim_case_expect_turned_away(&c, "w", "next", JOB_REJECTED, 2);
    sim_case_expect_completed(&c, "w", "rest", 2, 3);
    sim_case_expect_turned_away(&c, "w", "late", JOB_REJECTED, 3);
    assert_int_equal(c.results.rejected, 4);
    sim_case_terminate(&c);
}

/* A held job is withdrawn like one that waits in the queue, and one that waits for it goes on. */
static void a_held_job_times_out(void **state) {
    (void)state;
    struct sim_case c;
    make_case(&c, 4,
              HEADER "a,0,1,10,,,\n"
                     "b,0,1,1,a,,4\n"
                     "c,0,1,1,a,,\n"
                     "d,0,1,1,b,,\n");
    sim_case_run_to_end(&c);
    sim_case_expect_turned_away(&c, "w", "b", JOB_TIMED_OUT, 4);
    sim_case_expect_completed(&c, "w", "c", 10, 11);
    sim_case_expect_completed(&c, "w", "d", 4, 5);
    sim_case_terminate(&c);
}

/* A chain of 100,000: neither searched nor recursed through. All fail with the first. */
static void a_long_chain(void **state) {
    (void)state;
    enum { JOBS = 100000 };
    struct sim_case c;
    size_t size = 40 * JOBS;
    char *csv = malloc(size);
    assert_non_null(csv);
    size_t used =
        (size_t)snprintf(csv, size, "job_id,submit_s,gpus,duration_s,afterok\n0,1,2,1,\n");
    for (int j = 1; j < JOBS; j++) {
        used += (size_t)snprintf(csv + used, size - used, "%d,0,1,1,%d\n", j, j - 1);
    }
    make_case(&c, 1, csv);
    free(csv);
    c.scenario.record.jobs = false;
    sim_case_run_to_end(&c);
    assert_int_equal(c.results.rejected, JOBS);
    sim_case_terminate(&c);
}

/* --- Whole workloads, and arrays: from scenario files --- */

#define HEAD                                                                                       \
    "headroom: 1\nhorizon: end_of_work\n"                                                          \
    "cluster: {pools: {a: {gpu: T4, nodes: 1, gpus_per_node: 4}}}\n"

static void run_text(struct scenario_run *run, const char *workloads) {
    char text[2048];
    snprintf(text, sizeof text, "%sworkloads:\n%s", HEAD, workloads);
    scenario_run_text(run, "/tmp", text, NULL, 0);
}

static void expect_start(const struct scenario_run *run, const char *workload, const char *id,
                         int start_s) {
    const struct job_row *row = recording_job(&run->recording, workload, id);
    if (row->state != JOB_COMPLETED || row->start != start_s * NANOSECONDS_PER_SECOND) {
        fail_msg("job %s of %s: %s, start %.9g s, not %d s", id, workload,
                 job_state_names[row->state], sim_time_to_seconds(row->start), start_s);
    }
}

/* prep comes at 1, 2 and 3 s, each for 10 s: the last ends at 13. train comes at 5, 10, 15, 20. */
static void after_a_workload(void **state) {
    (void)state;
    struct scenario_run run;
    run_text(&run, "  train: {kind: jobs, arrivals: {renewal: 5s}, limit: 4, duration: 3s, "
                   "after: [prep]}\n"
                   "  prep: {kind: jobs, arrivals: {renewal: 1s}, limit: 3, duration: 10s}\n");
    expect_start(&run, "train", "1", 13);
    expect_start(&run, "train", "2", 13);
    expect_start(&run, "train", "3", 15);
    expect_start(&run, "train", "4", 20);
    scenario_run_clear(&run);
}

/* `count: 2` makes two that must both have ended: prep-1 and prep-2 wait for one another's GPUs, as
 * each job takes all four: 1 to 11 and 11 to 21. One of them alone may be named, too. */
static void after_all_of_a_count(void **state) {
    (void)state;
    struct scenario_run run;
    run_text(&run, "  prep: {kind: jobs, count: 2, arrivals: {renewal: 1s}, limit: 1, gpus: 4, "
                   "duration: 10s}\n"
                   "  all: {kind: jobs, arrivals: {renewal: 1s}, limit: 1, duration: 1s, "
                   "after: [prep]}\n"
                   "  one: {kind: jobs, arrivals: {renewal: 1s}, limit: 1, duration: 1s, gpus: 4, "
                   "after: [prep-1]}\n");
    expect_start(&run, "prep-2", "1", 11);
    expect_start(&run, "all", "1", 21);
    expect_start(&run, "one", "1", 22); /* behind `all`, which came first */
    scenario_run_clear(&run);
}

/* The second job of prep finds no GPU within 2 s. */
static void after_a_workload_that_failed(void **state) {
    (void)state;
    struct scenario_run run;
    run_text(&run, "  prep: {kind: jobs, arrivals: {renewal: 1s}, limit: 2, gpus: 4, duration: 9s, "
                   "max_wait: 2s}\n"
                   "  any: {kind: jobs, arrivals: {renewal: 1s}, limit: 1, duration: 1s, "
                   "after: [prep]}\n"
                   "  ok: {kind: jobs, arrivals: {renewal: 6s}, limit: 2, duration: 1s, "
                   "afterok: [prep]}\n");
    expect_start(&run, "any", "1", 10);
    /* Submitted at 6, rejected when prep has ended at 10; submitted at 12, rejected at once. */
    const struct job_row *held = recording_job(&run.recording, "ok", "1");
    const struct job_row *late = recording_job(&run.recording, "ok", "2");
    assert_int_equal(held->state, JOB_REJECTED);
    assert_int_equal(held->end, 10 * NANOSECONDS_PER_SECOND);
    assert_int_equal(late->state, JOB_REJECTED);
    assert_int_equal(late->end, 12 * NANOSECONDS_PER_SECOND);
    scenario_run_clear(&run);
}

/* Five jobs of 2 s on four GPUs, two at a time: at 1, 3 and 5. What comes at 2 has GPUs. */
static void an_array_of_which_so_many_run(void **state) {
    (void)state;
    struct scenario_run run;
    run_text(&run, "  sweep: {kind: jobs, arrivals: {renewal: 1s}, limit: 1, duration: 2s, "
                   "array: {size: 5, at_most: 2}}\n"
                   "  other: {kind: jobs, arrivals: {renewal: 2s}, limit: 1, duration: 9s, "
                   "gpus: 2}\n");
    static const int starts[] = {1, 1, 3, 3, 5};
    for (int i = 0; i < 5; i++) {
        char id[8];
        snprintf(id, sizeof id, "1_%d", i + 1);
        expect_start(&run, "sweep", id, starts[i]);
    }
    expect_start(&run, "other", "1", 2);
    assert_true(results_metric(&run.results, SCOPE_WORKLOAD, "sweep", "submitted") == 5);
    scenario_run_clear(&run);
}

/* Two arrays of six jobs of 3 s each, at 1 and 2, on four GPUs: in order 1_1 to 1_4 at 1, 1_5, 1_6,
 * 2_1 and 2_2 at 4, the rest at 7. What waits for both begins at 10. */
static void a_plain_array(void **state) {
    (void)state;
    struct scenario_run run;
    run_text(&run, "  a: {kind: jobs, arrivals: {renewal: 1s}, limit: 2, duration: 3s, array: 6}\n"
                   "  b: {kind: jobs, arrivals: {renewal: 1s}, limit: 1, duration: 1s, "
                   "afterok: [a]}\n");
    expect_start(&run, "a", "1_4", 1);
    expect_start(&run, "a", "1_6", 4);
    expect_start(&run, "a", "2_2", 4);
    expect_start(&run, "a", "2_6", 7);
    expect_start(&run, "b", "1", 10);
    scenario_run_clear(&run);
}

/* A client of a closed loop goes on when the whole of its array has ended: 0 to 4, 5 to 9. */
static void an_array_in_a_closed_loop(void **state) {
    (void)state;
    struct scenario_run run;
    run_text(&run, "  a: {kind: jobs, arrivals: {closed: {clients: 1, think: 1s}}, limit: 2, "
                   "duration: 2s, gpus: 2, array: {size: 4, at_most: 2}}\n");
    const struct job_row *first = recording_job(&run.recording, "a", "1_1");
    const struct job_row *last = recording_job(&run.recording, "a", "1_4");
    const struct job_row *next = recording_job(&run.recording, "a", "2_1");
    assert_int_equal(last->end - first->start, 4 * NANOSECONDS_PER_SECOND);
    assert_int_equal(next->submit - last->end, NANOSECONDS_PER_SECOND);
    scenario_run_clear(&run);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_chain_in_a_trace),
        cmocka_unit_test(after_one_that_is_rejected),
        cmocka_unit_test(a_held_job_times_out),
        cmocka_unit_test(a_long_chain),
        cmocka_unit_test(after_a_workload),
        cmocka_unit_test(after_all_of_a_count),
        cmocka_unit_test(after_a_workload_that_failed),
        cmocka_unit_test(an_array_of_which_so_many_run),
        cmocka_unit_test(a_plain_array),
        cmocka_unit_test(an_array_in_a_closed_loop),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
