/* Workloads that may start only at some hours of the week, in whole runs through the real reader,
 * by hand to the nanosecond. t = 0 is Monday 00:00; the windows are open from 100 s to 200 s of a
 * day unless it says otherwise. */
#include <stdio.h>

#include "tests/support/scenario_run.h"
#include "tests/support/unit.h"

/* On one GPU. */
static void run_with(struct scenario_run *run, const char *head, const char *workloads) {
    char text[4096];
    int length =
        snprintf(text, sizeof text,
                 "headroom: 1\n"
                 "name: window\n"
                 "start: \"2026-03-02T00:00:00\"\n"
                 "%s\n"
                 "cluster: {pools: {p: {gpu: A100-SXM4-80GB, nodes: 1, gpus_per_node: 1}}}\n"
                 "workloads:\n"
                 "%s",
                 head, workloads);
    assert_true(length > 0 && (size_t)length < sizeof text);
    scenario_run_text(run, "/tmp", text, NULL, 0);
}

/* One job of a workload of that name, submitted then. */
#define JOB(name, submit, duration, more)                                                          \
    "  " name ": {kind: jobs, limit: 1, arrivals: {renewal: " submit "}, duration: " duration      \
    ", " more "}\n"
#define WINDOW "window: [\"00:01:40-00:03:20\"]"
#define DAY 86400.0

static sim_time moment(double seconds) {
    return seconds < 0 ? SIM_TIME_NEVER : sim_time_from_seconds(seconds);
}

/* Below 0: never. */
static void expect(const struct scenario_run *run, const char *name, enum job_state state,
                   double start_s, double end_s) {
    const struct job_row *row = recording_job(&run->recording, name, "1");
    assert_string_equal(job_state_names[row->state], job_state_names[state]);
    assert_int_equal(row->start, moment(start_s));
    assert_int_equal(row->end, moment(end_s));
}

static void expect_done(const struct scenario_run *run, const char *name, double start_s,
                        double end_s) {
    expect(run, name, JOB_COMPLETED, start_s, end_s);
}

/* a comes first but does not block b; when its window opens it is the first again, before c. */
static void a_closed_window_blocks_nobody(void **state) {
    (void)state;
    struct scenario_run run;
    run_with(&run, "horizon: end_of_work",
             JOB("a", "10s", "5s", WINDOW) JOB("b", "20s", "90s", "gpus: 1")
                 JOB("c", "30s", "5s", "gpus: 1"));
    expect_done(&run, "b", 20, 110);
    expect_done(&run, "a", 110, 115);
    expect_done(&run, "c", 115, 120);
    assert_float_equal(results_metric(&run.results, SCOPE_WORKLOAD, "a", "wait_s.mean"), 100, 1e-9);
    scenario_run_clear(&run);
}

/* [100, 200): it opens for a at 100, b starts in it, and c, submitted as it closes, waits for the
 * next day. What runs goes on. */
static void windows_are_half_open(void **state) {
    (void)state;
    struct scenario_run run;
    run_with(&run, "horizon: end_of_work",
             JOB("a", "100s", "50s", WINDOW) JOB("b", "199s", "50s", WINDOW)
                 JOB("c", "200s", "5s", WINDOW));
    expect_done(&run, "a", 100, 150);
    expect_done(&run, "b", 199, 249);
    expect_done(&run, "c", DAY + 100, DAY + 105);
    scenario_run_clear(&run);
}

/* A job that ends as another's window closes makes no room for it. */
static void an_end_at_the_close(void **state) {
    (void)state;
    struct scenario_run run;
    run_with(&run, "horizon: end_of_work",
             JOB("a", "10s", "190s", "gpus: 1") JOB("b", "150s", "5s", WINDOW));
    expect_done(&run, "a", 10, 200);
    expect_done(&run, "b", DAY + 100, DAY + 105);
    scenario_run_clear(&run);
}

/* a is preempted with 100 s of its work done, b only then finds the GPU; the rest is done on the
 * next day, ahead of c, which was submitted later. */
static void preempting_at_the_end(void **state) {
    (void)state;
    struct scenario_run run;
    run_with(&run, "horizon: end_of_work",
             JOB("a", "10s", "150s", WINDOW ", at_end: preempt") JOB("b", "110s", "10s", "gpus: 1")
                 JOB("c", "120s", "5s", WINDOW));
    expect_done(&run, "b", 200, 210);
    expect_done(&run, "a", 100, DAY + 150);
    expect_done(&run, "c", DAY + 150, DAY + 155);
    assert_float_equal(results_metric(&run.results, SCOPE_WORKLOAD, "a", "preemptions"), 1, 0);
    scenario_run_clear(&run);
}

/* One that ends as its window does ends by itself. */
static void an_end_is_no_preemption(void **state) {
    (void)state;
    struct scenario_run run;
    run_with(&run, "horizon: end_of_work", JOB("a", "10s", "100s", WINDOW ", at_end: preempt"));
    expect_done(&run, "a", 100, 200);
    assert_float_equal(results_metric(&run.results, SCOPE_WORKLOAD, "a", "preemptions"), 0, 0);
    scenario_run_clear(&run);
}

/* It waits for the window all the same; the start would win at that very instant. */
static void withdrawals_go_on(void **state) {
    (void)state;
    struct scenario_run run;
    run_with(&run, "horizon: end_of_work",
             JOB("a", "10s", "5s", WINDOW ", max_wait: 50s")
                 JOB("b", "20s", "5s", WINDOW ", max_wait: 80s"));
    expect(&run, "a", JOB_TIMED_OUT, -1, 60);
    expect_done(&run, "b", 100, 105);
    scenario_run_clear(&run);
}

/* Two spans that meet, and one over midnight of Sunday: closed from 300 s on. */
static void several_spans(void **state) {
    (void)state;
    struct scenario_run run;
    run_with(&run, "horizon: end_of_work",
             JOB("a", "5s", "5s",
                 "window: [\"sun 22:00-00:00:20\", \"00:01:40-00:03:20\", "
                 "\"00:03:20-00:05:00\"], at_end: preempt") JOB("b", "150s", "100s", WINDOW)
                 JOB("c", "155s", "100s", "window: [\"00:01:40-00:05:00\"], at_end: preempt"));
    expect_done(&run, "a", 5, 10);
    expect_done(&run, "b", 150, 250);
    /* Preempted at 300 with 50 s left. */
    expect_done(&run, "c", 250, DAY + 150);
    scenario_run_clear(&run);
}

/* Workloads alike but for their windows are told apart. */
static void windows_of_their_own(void **state) {
    (void)state;
    struct scenario_run run;
    run_with(&run, "horizon: 1000s\nscheduler: {backfill: skip}",
             JOB("day", "10s", "5s", "window: [\"09:00-21:00\"]") JOB("a", "20s", "5s", WINDOW)
                 JOB("always", "30s", "5s", "gpus: 1"));
    expect(&run, "day", JOB_QUEUED, -1, -1);
    expect_done(&run, "a", 100, 105);
    expect_done(&run, "always", 30, 35);
    scenario_run_clear(&run);
}

/* The run goes on until the window opens, at the end of the week. */
static void waiting_for_a_window_is_work(void **state) {
    (void)state;
    struct scenario_run run;
    run_with(&run, "horizon: end_of_work", JOB("a", "10s", "5s", "window: [\"sun 23:00-23:30\"]"));
    expect_done(&run, "a", 6 * DAY + 23 * 3600, 6 * DAY + 23 * 3600 + 5);
    scenario_run_clear(&run);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_closed_window_blocks_nobody),
        cmocka_unit_test(windows_are_half_open),
        cmocka_unit_test(an_end_at_the_close),
        cmocka_unit_test(preempting_at_the_end),
        cmocka_unit_test(an_end_is_no_preemption),
        cmocka_unit_test(withdrawals_go_on),
        cmocka_unit_test(several_spans),
        cmocka_unit_test(windows_of_their_own),
        cmocka_unit_test(waiting_for_a_window_is_work),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
