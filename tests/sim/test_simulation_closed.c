/* Closed loops: each client submits its next job when the last has ended, however it ended, and it
 * has thought. Cases by hand, through the real reader. */
#include <stdio.h>

#include "tests/support/scenario_run.h"
#include "tests/support/unit.h"

/* A workload `w` of closed arrivals and whatever else it says, on a node of one GPU. */
static void run(struct scenario_run *run, const char *horizon, const char *workload) {
    char text[1024];
    snprintf(text, sizeof text,
             "headroom: 1\n"
             "name: closed\n"
             "horizon: %s\n"
             "cluster: {pools: {p: {gpu: V100-SXM2-32GB, nodes: 1, gpus_per_node: 1}}}\n"
             "workloads:\n"
             "  w:\n"
             "    kind: jobs\n"
             "%s",
             horizon, workload);
    scenario_run_text(run, "/tmp", text, NULL, 0);
}

static void expect(const struct scenario_run *run, const char *id, enum job_state state,
                   int submit_s, int start_s, int end_s) {
    const struct job_row *row = recording_job(&run->recording, "w", id);
    assert_string_equal(job_state_names[row->state], job_state_names[state]);
    assert_int_equal(row->submit, submit_s * NANOSECONDS_PER_SECOND);
    assert_int_equal(row->start, start_s < 0 ? SIM_TIME_NEVER : start_s * NANOSECONDS_PER_SECOND);
    assert_int_equal(row->end, end_s < 0 ? SIM_TIME_NEVER : end_s * NANOSECONDS_PER_SECOND);
}

/* Two clients that think for 3 s, jobs of 2 s: the first client's jobs come at 0 and then 3 s after
 * their ends at 2 and 7; the second's wait for the first, end at 4, come at 7 and end at 9. */
static void clients_wait_for_their_ends(void **state) {
    (void)state;
    struct scenario_run case_run;
    run(&case_run, "12s",
        "    arrivals: {closed: {clients: 2, think: 3s}}\n"
        "    duration: 2s\n");
    expect(&case_run, "1", JOB_COMPLETED, 0, 0, 2);
    expect(&case_run, "2", JOB_COMPLETED, 0, 2, 4);
    expect(&case_run, "3", JOB_COMPLETED, 5, 5, 7);
    expect(&case_run, "4", JOB_COMPLETED, 7, 7, 9);
    expect(&case_run, "5", JOB_COMPLETED, 10, 10, 12);
    expect(&case_run, "6", JOB_RUNNING, 12, 12, -1);
    assert_int_equal(case_run.recording.job_count, 6);
    scenario_run_clear(&case_run);
}

/* Client 2 gives up at 1 and comes again at 4; client 1, whose job ended at 2, at 5. Its start at 6
 * wins over giving up. */
static void a_withdrawal_is_an_end(void **state) {
    (void)state;
    struct scenario_run case_run;
    run(&case_run, "7s",
        "    arrivals: {closed: {clients: 2, think: 3s}}\n"
        "    duration: 2s\n"
        "    max_wait: 1s\n");
    expect(&case_run, "1", JOB_COMPLETED, 0, 0, 2);
    expect(&case_run, "2", JOB_TIMED_OUT, 0, -1, 1);
    expect(&case_run, "3", JOB_COMPLETED, 4, 4, 6);
    expect(&case_run, "4", JOB_RUNNING, 5, 6, -1);
    assert_int_equal(case_run.recording.job_count, 4);
    scenario_run_clear(&case_run);
}

/* Client 2 finds no room at 0 and comes again at 3; client 1 at 5, just as client 2's job ends. */
static void being_turned_away_is_an_end(void **state) {
    (void)state;
    struct scenario_run case_run;
    run(&case_run, "7s",
        "    arrivals: {closed: {clients: 2, think: 3s}}\n"
        "    duration: 2s\n"
        "    max_queue: 0\n");
    expect(&case_run, "1", JOB_COMPLETED, 0, 0, 2);
    expect(&case_run, "2", JOB_REJECTED, 0, -1, 0);
    expect(&case_run, "3", JOB_COMPLETED, 3, 3, 5);
    expect(&case_run, "4", JOB_COMPLETED, 5, 5, 7);
    assert_int_equal(case_run.recording.job_count, 4);
    scenario_run_clear(&case_run);
}

/* No pool has two GPUs: both clients come in vain at 0, 3 and 6. */
static void a_job_that_fits_nowhere_is_an_end(void **state) {
    (void)state;
    struct scenario_run case_run;
    run(&case_run, "7s",
        "    arrivals: {closed: {clients: 2, think: 3s}}\n"
        "    gpus: 2\n"
        "    duration: 2s\n");
    assert_int_equal(case_run.recording.job_count, 6);
    expect(&case_run, "6", JOB_REJECTED, 6, -1, 6);
    scenario_run_clear(&case_run);
}

/* With a limit the work ends: the third job is the last. */
static void a_limit_ends_the_loop(void **state) {
    (void)state;
    struct scenario_run case_run;
    run(&case_run, "end_of_work",
        "    arrivals: {closed: {clients: 2, think: 3s}}\n"
        "    duration: 2s\n"
        "    limit: 3\n");
    expect(&case_run, "3", JOB_COMPLETED, 5, 5, 7);
    assert_int_equal(case_run.recording.job_count, 3);
    assert_int_equal(case_run.results.end, 7 * NANOSECONDS_PER_SECOND);
    scenario_run_clear(&case_run);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(clients_wait_for_their_ends),
        cmocka_unit_test(a_withdrawal_is_an_end),
        cmocka_unit_test(being_turned_away_is_an_end),
        cmocka_unit_test(a_job_that_fits_nowhere_is_an_end),
        cmocka_unit_test(a_limit_ends_the_loop),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
