/* What a run is measured by: figures over the jobs submitted in [warmup, horizon), the ledger over
 * the same time, and the timeline. Small cases, computed by hand. */
#include <math.h>

#include "tests/support/sim_case.h"
#include "tests/support/unit.h"

#define HEADER "job_id,submit_s,gpus,duration_s,max_wait_s,memory_gib\n"

static const sim_time SECOND = NANOSECONDS_PER_SECOND;

static void assert_close(double actual, double expected) {
    if (!(fabs(actual - expected) <= 1e-9 * fmax(1, fabs(expected)))) {
        fail_msg("%.12g is not %.12g", actual, expected);
    }
}

static double of_run(const struct sim_case *sim_case, const char *name) {
    return results_metric(&sim_case->results, SCOPE_RUN, "", name);
}

static double of_workload(const struct sim_case *sim_case, const char *workload, const char *name) {
    return results_metric(&sim_case->results, SCOPE_WORKLOAD, workload, name);
}

static double of_pool(const struct sim_case *sim_case, const char *pool, const char *name) {
    return results_metric(&sim_case->results, SCOPE_POOL, pool, name);
}

/* 2 GPUs of 32 GiB, measured from 20 to 100.
 *   a    0, 1 GPU,  30 s: runs 0-30      submitted too early to count, but its GPU time from 20 on
 * does b   10, 2 GPUs, 20 s: runs 30-50     likewise c   20, 1 GPU,  10 s: runs 50-60     counts:
 * waited 30 s, took 40 s, slowdown 4 d   25, 3 GPUs      : rejected       counts e   51, 2 GPUs :
 * gives up at 52 counts f   99, 1 GPU,  50 s: runs 99-       counts: waited 0 s, still running at
 * 100 g   99, 2 GPUs, 10 s: waits          counts: still waiting h  100, 1 GPU,  10 s: waits behind
 * g; submitted too late to count */
static const char *const windows = HEADER "a,0,1,30,,\n"
                                          "b,10,2,20,,8\n"
                                          "c,20,1,10,,16\n"
                                          "d,25,3,10,,\n"
                                          "e,51,2,10,1,\n"
                                          "f,99,1,50,,\n"
                                          "g,99,2,10,,\n"
                                          "h,100,1,10,,\n";

static void run_windows(struct sim_case *sim_case) {
    sim_case_initialize(sim_case);
    sim_case_pool(sim_case, "pool", "V100-SXM2-32GB", 1, 2);
    sim_case_workload(sim_case, "w", windows);
    sim_case_horizon(sim_case, 100 * SECOND);
    sim_case->scenario.warmup = 20 * SECOND;
    sim_case_run_to_end(sim_case);
}

static void figures_cover_submissions_after_the_warm_up(void **state) {
    (void)state;
    struct sim_case sim_case;
    run_windows(&sim_case);
    assert_int_equal(sim_case.results.measured_since, 20 * SECOND);
    assert_int_equal(sim_case.recording.job_count, 8);
    assert_close(of_run(&sim_case, "submitted"), 5);
    assert_close(of_run(&sim_case, "completed"), 1);
    assert_close(of_run(&sim_case, "rejected"), 1);
    assert_close(of_run(&sim_case, "timed_out"), 1);
    assert_close(of_run(&sim_case, "running"), 1);
    assert_close(of_run(&sim_case, "queued"), 1);
    assert_close(of_run(&sim_case, "unfinished"), 2);
    assert_close(of_run(&sim_case, "wait_s.mean"), 15);
    assert_close(of_run(&sim_case, "wait_s.p50"), 0);
    assert_close(of_run(&sim_case, "wait_s.p90"), 30);
    assert_close(of_run(&sim_case, "wait_s.max"), 30);
    assert_close(of_run(&sim_case, "jct_s.mean"), 40);
    assert_close(of_run(&sim_case, "slowdown.mean"), 4);
    assert_close(of_run(&sim_case, "throughput_per_s"), 1.0 / 80);
    /* From the first submission to the last end, warm-up or not. */
    assert_close(of_run(&sim_case, "makespan_s"), 60);
    sim_case_terminate(&sim_case);
}

/* From 20 to 100: a 10 s, b 2 x 20 s, c 10 s, f 1 s: 61 of 160 GPU-seconds. Memory: b 2 x 8 GiB x
 * 20 s, c 16 GiB x 10 s: 480 of 2 x 32 x 80 = 5120 GiB-seconds. */
static void the_ledger_covers_the_time_after_the_warm_up(void **state) {
    (void)state;
    struct sim_case sim_case;
    run_windows(&sim_case);
    assert_close(of_run(&sim_case, "gpus"), 2);
    assert_close(of_run(&sim_case, "gpu_hours"), 61.0 / 3600);
    assert_close(of_pool(&sim_case, "pool", "gpu_hours"), 61.0 / 3600);
    assert_close(of_workload(&sim_case, "w", "gpu_hours"), 61.0 / 3600);
    assert_close(of_run(&sim_case, "utilization.allocated"), 61.0 / 160);
    assert_close(of_run(&sim_case, "utilization.busy"), 61.0 / 160);
    assert_close(of_pool(&sim_case, "pool", "utilization.goodput"), 61.0 / 160);
    assert_close(of_run(&sim_case, "utilization.memory"), 480.0 / 5120);
    assert_int_equal(sim_case.results.gpu_hours_count, GPU_CATEGORY_COUNT);
    for (size_t i = 0; i < sim_case.results.gpu_hours_count; i++) {
        const struct gpu_hours *row = &sim_case.results.gpu_hours[i];
        assert_string_equal(row->pool, "pool");
        double gpu_seconds = row->category == GPU_USEFUL ? 61 : row->category == GPU_IDLE ? 99 : 0;
        assert_close(row->hours, gpu_seconds / 3600);
    }
    sim_case_terminate(&sim_case);
}

/* One GPU: a runs 0-5 and is over when measuring begins at 6, b ends at that very moment, c runs
 * 7-9. */
static void what_ended_before_is_not_measured(void **state) {
    (void)state;
    struct sim_case sim_case;
    sim_case_initialize(&sim_case);
    sim_case_pool(&sim_case, "pool", "V100-SXM2-32GB", 1, 1);
    sim_case_workload(&sim_case, "w", HEADER "a,0,1,5,,\nb,1,1,1,,\nc,7,1,2,,\n");
    sim_case_horizon(&sim_case, 10 * SECOND);
    sim_case.scenario.warmup = 6 * SECOND;
    sim_case_run_to_end(&sim_case);
    assert_close(of_run(&sim_case, "submitted"), 1);
    assert_close(of_run(&sim_case, "gpu_hours"), 2.0 / 3600);
    assert_close(of_run(&sim_case, "utilization.allocated"), 0.5);
    sim_case_terminate(&sim_case);
}

/* A mean over nothing is no number, and a count of nothing is 0. */
static void figures_over_nothing_are_not_numbers(void **state) {
    (void)state;
    struct sim_case sim_case;
    sim_case_initialize(&sim_case);
    sim_case_pool(&sim_case, "pool", "V100-SXM2-32GB", 1, 1);
    sim_case_workload(&sim_case, "w", HEADER "a,0,2,1,,\n");
    sim_case_horizon(&sim_case, 10 * SECOND);
    sim_case_run_to_end(&sim_case);
    assert_close(of_run(&sim_case, "submitted"), 1);
    assert_close(of_run(&sim_case, "completed"), 0);
    assert_true(isnan(of_run(&sim_case, "wait_s.mean")));
    assert_true(isnan(of_run(&sim_case, "jct_s.p99")));
    assert_true(isnan(of_run(&sim_case, "makespan_s")));
    assert_close(of_run(&sim_case, "utilization.allocated"), 0);
    assert_true(isnan(of_run(&sim_case, "no such figure")));
    sim_case_terminate(&sim_case);
}

static void a_run_within_its_warm_up_fails(void **state) {
    (void)state;
    struct sim_case sim_case;
    sim_case_initialize(&sim_case);
    sim_case_pool(&sim_case, "pool", "V100-SXM2-32GB", 1, 1);
    sim_case_workload(&sim_case, "w", HEADER "a,0,1,10,,\n");
    sim_case.scenario.warmup = 10 * SECOND;
    sim_case_run(&sim_case);
    assert_int_equal(sim_case.outcome, RUN_FAILED);
    assert_true(sim_case.error.message[0] != '\0');
    sim_case_terminate(&sim_case);
}

/* Two workloads: the run's figures are those of all their jobs. One GPU: a 0-10, x 10-12 (waited
 * 8), b 12-16 (waited 7). */
static void the_run_is_all_its_workloads(void **state) {
    (void)state;
    struct sim_case sim_case;
    sim_case_initialize(&sim_case);
    sim_case_pool(&sim_case, "pool", "V100-SXM2-32GB", 1, 1);
    sim_case_workload(&sim_case, "one", HEADER "a,0,1,10,,\nb,5,1,4,,\n");
    sim_case_workload(&sim_case, "two", HEADER "x,2,1,2,,\n");
    sim_case_run_to_end(&sim_case);
    assert_close(of_workload(&sim_case, "one", "wait_s.mean"), 3.5);
    assert_close(of_workload(&sim_case, "one", "wait_s.max"), 7);
    assert_close(of_workload(&sim_case, "two", "wait_s.mean"), 8);
    assert_close(of_run(&sim_case, "wait_s.mean"), 5);
    assert_close(of_run(&sim_case, "wait_s.max"), 8);
    assert_close(of_workload(&sim_case, "one", "submitted"), 2);
    assert_close(of_run(&sim_case, "completed"), 3);
    assert_close(of_workload(&sim_case, "one", "gpu_hours"), 14.0 / 3600);
    assert_close(of_workload(&sim_case, "two", "gpu_hours"), 2.0 / 3600);
    assert_close(of_run(&sim_case, "utilization.allocated"), 1);
    sim_case_terminate(&sim_case);
}

/* --- The timeline --- */

static void assert_row(const struct timeline_row *row, double time_s, const char *pool,
                       double allocated, double memory_gib, double queued) {
    assert_close(sim_time_to_seconds(row->time), time_s);
    assert_string_equal(row->pool, pool);
    assert_close(row->allocated, allocated);
    assert_close(row->busy, allocated);
    assert_close(row->memory_used_gib, memory_gib);
    assert_close(row->queued_jobs, queued);
}

/* Two pools of 2 GPUs; a on the first 0-15 with 4 GiB on each of 2 GPUs, b (needs 20 GiB, so the
 * second pool only) 5-12, c (2 GPUs of 20 GiB) waits for it from 6 and runs 12-22. The run ends at
 * 22, and so does the last row. */
static void timeline_rows_by_hand(void **state) {
    (void)state;
    struct sim_case sim_case;
    sim_case_initialize(&sim_case);
    sim_case_pool(&sim_case, "t4", "T4-16GB", 1, 2);
    sim_case_pool(&sim_case, "v100", "V100-SXM2-32GB", 1, 2);
    sim_case_workload(&sim_case, "w",
                      HEADER "a,0,2,15,,4\n"
                             "b,5,1,7,,20\n"
                             "c,6,2,10,,20\n");
    sim_case.scenario.record.timeline = 10 * SECOND;
    sim_case_run_to_end(&sim_case);
    const struct timeline_row *rows = sim_case.recording.timeline;
    assert_int_equal(sim_case.recording.timeline_count, 6);
    /* a's two GPUs throughout; no job that waits may run there. */
    assert_row(&rows[0], 0, "t4", 1, 8, 0);
    /* b's GPU for 5 of 10 s: 5 of 20 GPU-s, 20 GiB x 5 s; c waits 4 s of it. */
    assert_row(&rows[1], 0, "v100", 0.25, 10, 0.4);
    assert_row(&rows[2], 10, "t4", 0.5, 4, 0);
    /* b's GPU for 2 s and both for 8 s: 18 of 20 GPU-s, 20 x 2 + 40 x 8 = 360 GiB-s; c waits 2 s.
     */
    assert_row(&rows[3], 10, "v100", 0.9, 36, 0.2);
    assert_row(&rows[4], 20, "t4", 0, 0, 0);
    assert_row(&rows[5], 20, "v100", 1, 40, 0);
    sim_case_terminate(&sim_case);
}

/* Over any stretch of time, rows x their lengths are what the ledger has: here from the warm-up's
 * end at 20 on, with a last row of 5 s. */
static void timeline_rows_add_up_to_the_ledger(void **state) {
    (void)state;
    struct sim_case sim_case;
    sim_case_initialize(&sim_case);
    sim_case_pool(&sim_case, "one", "V100-SXM2-32GB", 2, 4);
    sim_case_pool(&sim_case, "two", "V100-SXM2-32GB", 1, 3);
    sim_case_workload(&sim_case, "w",
                      HEADER "a,3,5,33,,\n"
                             "b,7,3,41,,\n"
                             "c,9,4,17,,\n"
                             "d,31,8,13,,\n"
                             "e,55,1,100,,\n");
    sim_case_horizon(&sim_case, 95 * SECOND);
    sim_case.scenario.warmup = 20 * SECOND;
    sim_case.scenario.record.timeline = 10 * SECOND;
    sim_case_run_to_end(&sim_case);
    assert_int_equal(sim_case.recording.timeline_count, 2 * 10);
    double gpu_seconds[2] = {0, 0};
    for (size_t i = 0; i < sim_case.recording.timeline_count; i++) {
        const struct timeline_row *row = &sim_case.recording.timeline[i];
        double length = row->time == 90 * SECOND ? 5 : 10;
        double gpus = i % 2 == 0 ? 8 : 3;
        assert_string_equal(row->pool, i % 2 == 0 ? "one" : "two");
        if (row->time >= 20 * SECOND) {
            gpu_seconds[i % 2] += row->allocated * gpus * length;
        }
    }
    assert_close(gpu_seconds[0], of_pool(&sim_case, "one", "gpu_hours") * 3600);
    assert_close(gpu_seconds[1], of_pool(&sim_case, "two", "gpu_hours") * 3600);
    sim_case_terminate(&sim_case);
}

/* Without rows of jobs the figures are the same, and so is the reason for a rejection. */
static void jobs_need_not_be_recorded(void **state) {
    (void)state;
    struct sim_case with;
    struct sim_case without;
    run_windows(&with);
    run_windows(&without);
    without.scenario.record.jobs = false;
    sim_case_run_to_end(&without);
    assert_int_equal(without.recording.job_count, 0);
    assert_int_equal(without.results.metric_count, with.results.metric_count);
    for (size_t i = 0; i < with.results.metric_count; i++) {
        assert_memory_equal(&without.results.metrics[i].value, &with.results.metrics[i].value,
                            sizeof with.results.metrics[i].value);
    }
    assert_string_equal(without.results.first_rejected, with.results.first_rejected);
    sim_case_terminate(&with);
    sim_case_terminate(&without);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(figures_cover_submissions_after_the_warm_up),
        cmocka_unit_test(the_ledger_covers_the_time_after_the_warm_up),
        cmocka_unit_test(what_ended_before_is_not_measured),
        cmocka_unit_test(figures_over_nothing_are_not_numbers),
        cmocka_unit_test(a_run_within_its_warm_up_fails),
        cmocka_unit_test(the_run_is_all_its_workloads),
        cmocka_unit_test(timeline_rows_by_hand),
        cmocka_unit_test(timeline_rows_add_up_to_the_ledger),
        cmocka_unit_test(jobs_need_not_be_recorded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
