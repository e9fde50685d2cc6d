/* Quotas in a run: who is set aside and who goes on, how parts of GPUs count, and how a queue takes
 * back what it is guaranteed. Small cases by hand; times in seconds. */
#include <stdio.h>
#include <string.h>

#include "tests/support/scenario_run.h"
#include "tests/support/unit.h"

#define HEAD "headroom: 1\nhorizon: end_of_work\n"
#define NODE "cluster: {pools: {a: {gpu: A100-SXM4-40GB, nodes: 1, gpus_per_node: 4%s}}}\n"

static void run_text(struct scenario_run *run, const char *sharing, const char *scheduler,
                     const char *workloads) {
    char cluster[256];
    char text[2048];
    snprintf(cluster, sizeof cluster, NODE, sharing);
    snprintf(text, sizeof text, HEAD "%sscheduler: {%s}\nworkloads:\n%s", cluster, scheduler,
             workloads);
    scenario_run_text(run, "/tmp", text, NULL, 0);
}

static void expect_job(const struct scenario_run *run, const char *workload, const char *id,
                       double start_s, double end_s) {
    const struct job_row *row = recording_job(&run->recording, workload, id);
    if (row->state != JOB_COMPLETED || row->start != sim_time_from_seconds(start_s) ||
        row->end != sim_time_from_seconds(end_s)) {
        fail_msg("job %s of %s: %s, %.9g to %.9g s, not %g to %g s", id, workload,
                 job_state_names[row->state], sim_time_to_seconds(row->start),
                 sim_time_to_seconds(row->end), start_s, end_s);
    }
}

/* red may hold 2 of 4 GPUs: its third job, which comes at 3, waits until 11, and blue's, behind it
 * under `none`, starts at 4. Alone, red has no more. */
static void a_queue_at_its_limit_blocks_nobody(void **state) {
    (void)state;
    struct scenario_run run;
    run_text(&run, "", "queues: {red: {limit: 2}, blue: {}}",
             "  r: {kind: jobs, arrivals: {renewal: 1s}, limit: 3, duration: 10s, queue: red}\n"
             "  b: {kind: jobs, arrivals: {renewal: 4s}, limit: 1, duration: 1s, gpus: 2, "
             "queue: blue}\n");
    expect_job(&run, "r", "2", 2, 12);
    expect_job(&run, "b", "1", 4, 5);
    expect_job(&run, "r", "3", 11, 21);
    scenario_run_clear(&run);
}

/* Where an order preempts, a pass plans several starts at once: each counts for the next. At 10 all
 * four GPUs are free. red may hold two, so its third job waits until 20, and blocks nobody; with a
 * limit for its user instead it is the same. */
static void starts_of_one_pass_count_together(void **state) {
    (void)state;
    const char *const limits[] = {"queues: {red: {limit: 2}, blue: {}}",
                                  "queues: {red: {user_limit: 2}, blue: {}}",
                                  "queues: {red: {}, blue: {}}, user_limit: 2"};
    const char *const orders[] = {"srtf", "srsf", "las"};
    for (int i = 0; i < 18; i++) {
        struct scenario_run run;
        char scheduler[256];
        snprintf(scheduler, sizeof scheduler,
                 "order: %s, backfill: %s, preemption: {victims: order, min_runtime: 0s}, %s",
                 orders[i / 6], i % 2 == 0 ? "none" : "skip", limits[i / 2 % 3]);
        run_text(
            &run, "", scheduler,
            "  first: {kind: jobs, arrivals: {renewal: 1s}, limit: 1, duration: 9s, gpus: 4, "
            "queue: blue}\n"
            "  r: {kind: jobs, arrivals: {renewal: 2s}, limit: 3, duration: 10s, queue: red, "
            "user: ann}\n"
            "  b: {kind: jobs, arrivals: {renewal: 7s}, limit: 1, duration: 20s, queue: blue}\n");
        expect_job(&run, "first", "1", 1, 10);
        expect_job(&run, "r", "1", 10, 20);
        expect_job(&run, "r", "2", 10, 20);
        expect_job(&run, "b", "1", 10, 30);
        expect_job(&run, "r", "3", 20, 30);
        scenario_run_clear(&run);
    }
}

/* A smaller job of the same queue passes the one that is set aside. */
static void a_smaller_job_passes(void **state) {
    (void)state;
    struct scenario_run run;
    run_text(
        &run, "", "queues: {red: {limit: 3}}",
        "  first: {kind: jobs, arrivals: {renewal: 1s}, limit: 1, duration: 10s, gpus: 2, "
        "queue: red}\n"
        "  large: {kind: jobs, arrivals: {renewal: 2s}, limit: 1, duration: 1s, gpus: 2, "
        "queue: red}\n"
        "  small: {kind: jobs, arrivals: {renewal: 3s}, limit: 1, duration: 1s, queue: red}\n");
    expect_job(&run, "small", "1", 3, 4);
    expect_job(&run, "large", "1", 11, 12);
    scenario_run_clear(&run);
}

static void what_no_quota_admits_is_rejected(void **state) {
    (void)state;
    struct scenario_run run;
    run_text(&run, "", "queues: {red: {limit: 50%}}, user_limit: 3",
             "  w: {kind: jobs, arrivals: {renewal: 1s}, limit: 1, duration: 1s, gpus: 3, "
             "queue: red, user: ann}\n");
    assert_int_equal(recording_job(&run.recording, "w", "1")->state, JOB_REJECTED);
    assert_string_equal(run.results.first_rejected,
                        "job 1 of workload w asks for 3 GPUs: more than queue red, or user ann in "
                        "it, may hold at a time");
    scenario_run_clear(&run);
}

/* On time-sliced GPUs of four turns each slot counts a quarter: 1 GPU is four jobs; each of four on
 * one GPU takes 4 x 10 s, less what they are alone for. The fifth waits for the first to end. */
static void turns_count_their_part(void **state) {
    (void)state;
    struct scenario_run run;
    run_text(&run, ", sharing: {mode: timeslice, replicas: 4}", "queues: {red: {limit: 1}}",
             "  w: {kind: jobs, arrivals: {renewal: 1s}, limit: 5, duration: 10s, queue: red}\n");
    const struct job_row *first = recording_job(&run.recording, "w", "1");
    for (int i = 2; i <= 4; i++) {
        char id[8];
        snprintf(id, sizeof id, "%d", i);
        assert_int_equal(recording_job(&run.recording, "w", id)->start, i * NANOSECONDS_PER_SECOND);
    }
    assert_int_equal(recording_job(&run.recording, "w", "5")->start, first->end);
    scenario_run_clear(&run);
}

/* Asked-for shares count as such: 0.4 + 0.4 of 1 GPU, and no third. */
static void shares_count_as_asked(void **state) {
    (void)state;
    struct scenario_run run;
    run_text(&run, ", sharing: mps", "queues: {red: {limit: 1}}",
             "  w: {kind: jobs, arrivals: {renewal: 1s}, limit: 3, duration: 10s, gpus: 0.4, "
             "saturation: 0.4, queue: red}\n");
    expect_job(&run, "w", "1", 1, 11);
    expect_job(&run, "w", "2", 2, 12);
    expect_job(&run, "w", "3", 11, 21);
    scenario_run_clear(&run);
}

/* Instances of 3, 2 and 2 of the 7 compute slices of an A100 count as much. 0.6 GPUs are two of 2
 * slices (4/7), and no third of 2 or 3 beside them, though three GPUs more are free. */
static void instances_count_their_slices(void **state) {
    (void)state;
    struct scenario_run run;
    run_text(&run, ", sharing: {mode: mig, layout: [3g.20gb, 2g.10gb, 2g.10gb]}",
             "queues: {red: {limit: 0.6}}",
             "  w: {kind: jobs, arrivals: {renewal: 1s}, limit: 3, duration: 10s, memory: 1GB, "
             "saturation: 0.1, queue: red}\n");
    expect_job(&run, "w", "1", 1, 11);
    expect_job(&run, "w", "2", 2, 12);
    expect_job(&run, "w", "3", 11, 21);
    scenario_run_clear(&run);
}

/* blue has borrowed all of red's 2 GPUs: jobs at 1, 2, 3 and 4. red's job of 2 GPUs comes at 10 and
 * takes back the last two, which begin again when it has ended at 15, as they had nothing saved. */
static void a_guarantee_is_taken_back(void **state) {
    (void)state;
    struct scenario_run run;
    run_text(&run, "",
             "order: fair, queues: {red: {guaranteed: 2}, blue: {guaranteed: 2}}, "
             "preemption: {mode: kill, min_runtime: 0s, victims: most_borrowed}",
             "  b: {kind: jobs, arrivals: {renewal: 1s}, limit: 4, duration: 30s, queue: blue, "
             "preemptible: true}\n"
             "  r: {kind: jobs, arrivals: {renewal: 10s}, limit: 1, duration: 5s, gpus: 2, "
             "queue: red}\n");
    expect_job(&run, "r", "1", 10, 15);
    expect_job(&run, "b", "1", 1, 31);
    expect_job(&run, "b", "2", 2, 32);
    expect_job(&run, "b", "3", 3, 45);
    expect_job(&run, "b", "4", 4, 45);
    scenario_run_clear(&run);
}

/* The same, but red is guaranteed one GPU only: what is beyond a guarantee waits. */
static void and_no_more_than_that(void **state) {
    (void)state;
    struct scenario_run run;
    run_text(&run, "",
             "order: fair, queues: {red: {guaranteed: 1}, blue: {guaranteed: 2}}, "
             "preemption: {mode: kill, min_runtime: 0s, victims: most_borrowed}",
             "  b: {kind: jobs, arrivals: {renewal: 1s}, limit: 4, duration: 30s, queue: blue, "
             "preemptible: true}\n"
             "  r: {kind: jobs, arrivals: {renewal: 10s}, limit: 1, duration: 5s, gpus: 2, "
             "queue: red}\n");
    expect_job(&run, "r", "1", 32, 37);
    expect_job(&run, "b", "4", 4, 34);
    scenario_run_clear(&run);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_queue_at_its_limit_blocks_nobody),
        cmocka_unit_test(starts_of_one_pass_count_together),
        cmocka_unit_test(a_smaller_job_passes),
        cmocka_unit_test(what_no_quota_admits_is_rejected),
        cmocka_unit_test(turns_count_their_part),
        cmocka_unit_test(shares_count_as_asked),
        cmocka_unit_test(instances_count_their_slices),
        cmocka_unit_test(a_guarantee_is_taken_back),
        cmocka_unit_test(and_no_more_than_that),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
