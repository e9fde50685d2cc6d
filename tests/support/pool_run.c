#include "tests/support/pool_run.h"

#include <math.h>
#include <stdio.h>

#include "tests/support/unit.h"

static const double CLOSE = 1e-6;

void pool_run(struct scenario_run *run, const char *head, const char *pool, const char *workloads) {
    char text[4096];
    int length =
        snprintf(text, sizeof text,
                 "headroom: 1\n"
                 "name: pool\n"
                 "%s\n"
                 "record: {jobs: true, requests: true}\n"
                 "cluster: {pools: {p: {gpu: A100-SXM4-80GB, price: {per_gpu_hour: 3600},\n"
                 "  %s}}}\n"
                 "workloads:\n"
                 "%s",
                 head, pool, workloads);
    assert_true(length > 0 && (size_t)length < sizeof text);
    scenario_run_text(run, "/tmp", text, NULL, 0);
}

void pool_run_expect(const struct scenario_run *run, const char *name, double start_s,
                     double end_s) {
    const struct job_row *row = recording_job(&run->recording, name, "1");
    assert_string_equal(job_state_names[row->state], job_state_names[JOB_COMPLETED]);
    if (row->start != sim_time_from_seconds(start_s) || row->end != sim_time_from_seconds(end_s)) {
        fail_msg("%s runs from %.9f to %.9f instead of %.9f to %.9f", name,
                 (double)row->start * 1e-9, (double)row->end * 1e-9, start_s, end_s);
    }
}

static void expect_near(const char *what, double value, double expected) {
    if (!(fabs(value - expected) <= CLOSE)) {
        fail_msg("%s is %.12g instead of %.12g", what, value, expected);
    }
}

void pool_run_expect_figure(const struct scenario_run *run, const char *metric, double expected) {
    expect_near(metric, results_metric(&run->results, SCOPE_RUN, "", metric), expected);
}

void pool_run_expect_time(const struct scenario_run *run, enum gpu_category category,
                          double gpu_s) {
    double sum = 0;
    for (size_t i = 0; i < run->results.gpu_hours_count; i++) {
        const struct gpu_hours *entry = &run->results.gpu_hours[i];
        sum += entry->category == category ? entry->hours * 3600 : 0;
    }
    expect_near(gpu_category_names[category], sum, gpu_s);
}

void pool_run_expect_bill(const struct scenario_run *run, double useful, double down, double idle) {
    pool_run_expect_time(run, GPU_USEFUL, useful);
    pool_run_expect_time(run, GPU_DOWN, down);
    pool_run_expect_time(run, GPU_IDLE, idle);
    pool_run_expect_figure(run, "usd_total", useful + down + idle);
}
