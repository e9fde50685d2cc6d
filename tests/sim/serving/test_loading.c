/* Replicas that load from the storage of their pool, through the real reader: in whole runs, by
 * hand at 4 GB/s. */
#include <stdio.h>

#include "tests/support/scenario_run.h"
#include "tests/support/unit.h"

static void run_on(struct scenario_run *run, const char *workloads) {
    char text[2048];
    snprintf(text, sizeof text,
             "headroom: 1\n"
             "name: loading\n"
             "horizon: 100s\n"
             "record: {requests: true}\n"
             "cluster: {pools: {p: {gpu: A100-SXM4-80GB, nodes: 1, gpus_per_node: 8, storage: "
             "{bandwidth: 4GB/s}}}}\n"
             "workloads:\n"
             "%s",
             workloads);
    scenario_run_text(run, "/tmp", text, NULL, 0);
}

static void expect_start(const struct scenario_run *run, const char *workload, int64_t request,
                         double start_s) {
    const struct request_row *row = recording_request(&run->recording, workload, request);
    assert_int_equal(row->start, sim_time_from_seconds(start_s));
}

#define LOADS "load_time: storage, service_time: 10ms"

/* 40 GB alone take 10 s. */
static void one_replica(void **state) {
    (void)state;
    struct scenario_run run;
    run_on(&run, "  s: {kind: service, memory: 40GB, arrivals: {renewal: 1s}, " LOADS "}\n");
    expect_start(&run, "s", 1, 10);
    double loading = 0;
    for (size_t i = 0; i < run.results.gpu_hours_count; i++) {
        const struct gpu_hours *row = &run.results.gpu_hours[i];
        loading += row->category == GPU_LOADING ? row->hours * 3600 : 0;
    }
    assert_true(loading > 10 - 1e-6 && loading < 10 + 1e-6);
    scenario_run_clear(&run);
}

/* 40 GB and 20 GB begin at once: the smaller is there at 10, the larger at 15. */
static void two_share(void **state) {
    (void)state;
    struct scenario_run run;
    run_on(&run, "  a: {kind: service, memory: 40GB, arrivals: {renewal: 1s}, " LOADS "}\n"
                 "  b: {kind: service, memory: 20GB, arrivals: {renewal: 1s}, " LOADS "}\n");
    expect_start(&run, "b", 1, 10);
    expect_start(&run, "a", 1, 15);
    scenario_run_clear(&run);
}

/* A job of 4 GPUs that is preempted at 12 saves 40 GB until 22, beside a replica that woke at 14
 * for its 20 GB: it shares 14 to 24, when it is there, and the save is done by 27. */
static void loads_share_with_saves(void **state) {
    (void)state;
    struct scenario_run run;
    char text[2048];
    snprintf(text, sizeof text,
             "headroom: 1\n"
             "name: loading\n"
             "horizon: 100s\n"
             "record: {requests: true}\n"
             "scheduler: {order: priority, preemption: {min_runtime: 0s}}\n"
             "cluster: {pools: {p: {gpu: A100-SXM4-80GB, nodes: 1, gpus_per_node: 2, storage: "
             "{bandwidth: 4GB/s}}}}\n"
             "workloads:\n"
             "  s: {kind: service, memory: 20GB, arrivals: {renewal: 14s}, limit: 1, "
             "unload_after: 2s, " LOADS "}\n"
             "  t: {kind: jobs, limit: 1, arrivals: {renewal: 1s}, duration: 50s, preemptible: "
             "true, checkpoint: {size: 40GB}}\n"
             "  i: {kind: jobs, class: inference, limit: 1, arrivals: {renewal: 12s}, duration: "
             "1s}\n");
    scenario_run_text(&run, "/tmp", text, NULL, 0);
    expect_start(&run, "s", 1, 24);
    const struct job_row *row = recording_job(&run.recording, "i", "1");
    assert_int_equal(row->start, sim_time_from_seconds(27));
    scenario_run_clear(&run);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_replica),
        cmocka_unit_test(two_share),
        cmocka_unit_test(loads_share_with_saves),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
