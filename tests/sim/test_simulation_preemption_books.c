/* Preemption by hand: whom it spares as he is no use, how a suspended job is told from others that
 * wait, and whose the time of saves is on a GPU that several share. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "tests/support/scenario_run.h"
#include "tests/support/unit.h"

/* One job of a workload of that name; those called low can be preempted. */
#define JOB(name, submit, duration, more)                                                          \
    "  " name ": {kind: jobs, limit: 1, arrivals: {renewal: " submit "}, duration: " duration      \
    ", " more "}\n"
#define LOW(save, more)                                                                            \
    "preemptible: true, priority: 10, checkpoint: {save_time: " save ", restore_time: 0s}, " more
#define URGENT(more) "priority: 0, " more

static void run_with(struct scenario_run *run, const char *horizon, const char *pool,
                     const char *preemption, const char *workloads) {
    char text[4096];
    int length = snprintf(text, sizeof text,
                          "headroom: 1\n"
                          "name: books\n"
                          "start: \"2026-03-02T00:00:00\"\n"
                          "horizon: %s\n"
                          "record: {jobs: true, events: true}\n"
                          "cluster: {pools: {p: {gpu: A100-SXM4-80GB, nodes: 1, %s}}}\n"
                          "scheduler: {order: priority, backfill: skip, preemption: "
                          "{min_runtime: 0s, %s}}\n"
                          "workloads:\n%s",
                          horizon, pool, preemption, workloads);
    assert_true(length > 0 && (size_t)length < sizeof text);
    scenario_run_text(run, "/tmp", text, NULL, 0);
}

static void expect(const struct scenario_run *run, const char *name, double start_s,
                   int32_t preemptions) {
    const struct job_row *row = recording_job(&run->recording, name, "1");
    assert_true(sim_time_to_seconds(row->start) == start_s);
    assert_int_equal(row->preemptions, preemptions);
}

static double seconds(const struct scenario_run *run, const char *workload, const char *metric) {
    return 3600 * results_metric(&run->results, SCOPE_WORKLOAD, workload, metric);
}

static double ledger_s(const struct scenario_run *run, enum gpu_category category) {
    double sum = 0;
    for (size_t i = 0; i < run->results.gpu_hours_count; i++) {
        sum += run->results.gpu_hours[i].category == category
                   ? 3600 * run->results.gpu_hours[i].hours
                   : 0;
    }
    return sum;
}

/* From 20 s on one GPU at a time is to be cut: that of a, for whose end it waits. To preempt a
 * would be cheaper, but u could not have its GPU: b saves, up to 36 s. */
static void who_has_a_gpu_that_closes_is_spared(void **state) {
    (void)state;
    struct scenario_run run;
    run_with(&run, "end_of_work",
             "gpus_per_node: 2, sharing: {mode: mig, layout: [7g.80gb], reconfigure: {time: 10s, "
             "mode_time: 20s, drain: wait, at_most: 1}, calendar: "
             "[{from: \"00:00\", to: \"00:00:20\", mode: exclusive}]}",
             "victims: least_progress_lost",
             JOB("a", "1s", "100s", LOW("1s", "slot: gpu"))
                 JOB("b", "2s", "60s", LOW("5s", "slot: gpu"))
                     JOB("u", "31s", "20s", URGENT("slot: gpu")));
    expect(&run, "a", 1, 0);
    expect(&run, "b", 2, 1);
    expect(&run, "u", 36, 0);
    scenario_run_clear(&run);
}

static const char *last_event(const struct scenario_run *run, const char *workload) {
    const char *name = "";
    for (size_t i = 0; i < run->recording.event_count; i++) {
        const struct event_row *event = &run->recording.events[i];
        name = strcmp(event->workload, workload) == 0 ? job_event_names[event->kind] : name;
    }
    return name;
}

/* At the end u has the slot of a, which keeps its memory there; v waits for the end of w's save. */
static void a_suspended_job_has_a_reason_of_its_own(void **state) {
    (void)state;
    struct scenario_run run;
    run_with(&run, "40s",
             "gpus_per_node: 1, sharing: {mode: timeslice, replicas: 1, slice: 2ms, switch: 1ms}",
             "victims: least_progress_lost, mode: suspend",
             JOB("a", "1s", "100s", LOW("5s", "memory: 30GB"))
                 JOB("u", "31s", "20s", URGENT("memory: 30GB")));
    assert_string_equal(last_event(&run, "a"), "suspended");
    scenario_run_clear(&run);
    run_with(&run, "40s", "gpus_per_node: 1", "victims: least_progress_lost",
             JOB("a", "1s", "100s", LOW("20s", "gpus: 1"))
                 JOB("v", "31s", "20s", URGENT("gpus: 1")));
    assert_string_equal(last_event(&run, "v"), "waits_for_victims");
    scenario_run_clear(&run);
}

/* For u to have the GPU alone, a saves from 31 to 35 s and b to 39 s, c at once. Of 8 s in which
 * the GPU saves, the first four are shared by the two. They come back at 59 s at the same time, and
 * restore for 2 and 6 s: 2 s shared. In the second run d, which cannot be preempted, computes
 * beside them for a client's slot: the GPU is useful and saves at no time. */
static void saves_of_those_who_share_a_gpu(void **state) {
    (void)state;
    struct scenario_run run;
    const char *pool = "gpus_per_node: 1, sharing: {mode: mps, clients: 3}";
    run_with(
        &run, "end_of_work", pool, "victims: least_progress_lost",
        "  a: {kind: jobs, limit: 1, arrivals: {renewal: 1s}, duration: 100s, preemptible: true, "
        "priority: 10, memory: 10GB, checkpoint: {save_time: 4s, restore_time: 2s}}\n"
        "  b: {kind: jobs, limit: 1, arrivals: {renewal: 1s}, duration: 100s, preemptible: true, "
        "priority: 10, memory: 10GB, checkpoint: {save_time: 8s, restore_time: 6s}}\n" JOB(
            "u", "31s", "20s", URGENT("slot: gpu")));
    expect(&run, "u", 39, 0);
    double saves =
        seconds(&run, "a", "checkpoint_gpu_hours") + seconds(&run, "b", "checkpoint_gpu_hours");
    double restores =
        seconds(&run, "a", "restore_gpu_hours") + seconds(&run, "b", "restore_gpu_hours");
    assert_true(fabs(seconds(&run, "a", "checkpoint_gpu_hours") - 2) < 1e-6);
    assert_true(fabs(seconds(&run, "b", "checkpoint_gpu_hours") - 6) < 1e-6);
    assert_true(fabs(seconds(&run, "a", "restore_gpu_hours") - 1) < 1e-6);
    assert_true(fabs(saves - ledger_s(&run, GPU_CHECKPOINT)) < 1e-6);
    assert_true(fabs(restores - ledger_s(&run, GPU_RESTORE)) < 1e-6);
    scenario_run_clear(&run);
    run_with(&run, "end_of_work", pool, "victims: least_progress_lost",
             JOB("a", "1s", "100s", LOW("4s", "memory: 10GB"))
                 JOB("c", "1s", "100s", LOW("3s", "memory: 10GB"))
                     JOB("d", "1s", "100s", URGENT("memory: 10GB"))
                         JOB("u", "31s", "20s", URGENT("memory: 10GB")));
    expect(&run, "u", 34, 0);
    assert_true(seconds(&run, "c", "checkpoint_gpu_hours") == 0);
    assert_true(ledger_s(&run, GPU_CHECKPOINT) == 0);
    scenario_run_clear(&run);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(who_has_a_gpu_that_closes_is_spared),
        cmocka_unit_test(a_suspended_job_has_a_reason_of_its_own),
        cmocka_unit_test(saves_of_those_who_share_a_gpu),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
