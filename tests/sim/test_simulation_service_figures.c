/* The figures of services in whole runs, and those of GPUs that they bring along: tiny scenarios,
 * computed by hand. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "tests/support/scenario_run.h"
#include "tests/support/unit.h"

static void run(struct scenario_run *run, const char *head, const char *pools,
                const char *workloads) {
    char text[2048];
    snprintf(text, sizeof text,
             "headroom: 1\n"
             "name: figures\n"
             "%s\n"
             "cluster: {pools: {%s}}\n"
             "workloads:\n"
             "%s",
             head, pools, workloads);
    scenario_run_text(run, "/tmp", text, NULL, 0);
}

static double of_run(const struct scenario_run *run, const char *name) {
    return results_metric(&run->results, SCOPE_RUN, "", name);
}

static double of_workload(const struct scenario_run *run, const char *workload, const char *name) {
    return results_metric(&run->results, SCOPE_WORKLOAD, workload, name);
}

/* Whether there is such a figure at all, be it one without a value. */
static bool has(const struct scenario_run *run, enum scope scope, const char *subject,
                const char *name) {
    bool found = false;
    for (size_t i = 0; i < run->results.metric_count && !found; i++) {
        const struct metric *metric = &run->results.metrics[i];
        found = metric->scope == scope && strcmp(metric->subject, subject) == 0 &&
                strcmp(metric->name, name) == 0;
    }
    return found;
}

static void assert_close(double actual, double expected) {
    if (!(fabs(actual - expected) <= 1e-9 * fmax(1, fabs(expected)))) {
        fail_msg("%.15g is not %.15g", actual, expected);
    }
}

#define ONE_GPU "p: {gpu: A100-SXM4-40GB, nodes: 1, gpus_per_node: 1, price: {per_gpu_hour: 3600}}"

/* Two requests of 3 s at 2 and 4 on one GPU at 1 a second:
 *   1 starts at 2, ends at 5: queue 0, latency 3;  2 starts at 5, ends at 8: queue 1, latency 4.
 * The run ends at 8 and costs 8, of which 6 s computing, 2 s held idle and nothing idle; a month is
 * 730 x 3600. The 99th percentile of two is the second, whose parts are 1 s of queueing and 3 s of
 * service. */
static void two_requests(void **state) {
    (void)state;
    struct scenario_run case_run;
    run(&case_run, "horizon: end_of_work", ONE_GPU,
        "  w: {kind: service, arrivals: {renewal: 2s}, limit: 2, service_time: 3s, slo: 3500ms}\n");
    static const struct {
        const char *name;
        double value;
    } expected[] = {
        {"submitted", 2},
        {"completed", 2},
        {"timed_out", 0},
        {"rejected", 0},
        {"failed", 0},
        {"running", 0},
        {"queued", 0},
        {"unfinished", 0},
        {"latency_s.mean", 3.5},
        {"latency_s.p50", 3},
        {"latency_s.p90", 4},
        {"latency_s.p99", 4},
        {"latency_s.max", 4},
        {"queue_s.mean", 0.5},
        {"queue_s.p50", 0},
        {"queue_s.max", 1},
        {"slo_attainment", 0.5},
        {"slo_missed", 1},
        {"replicas", 1},
        {"replicas_waiting", 0},
        {"throughput_per_s", 0.25},
        {"usd_per_1k_requests", 4000},
        {"unstable", 0},
        {"latency_s.part.queueing", 1},
        {"latency_s.part.loading", 0},
        {"latency_s.part.others", 0},
        {"latency_s.part.switching", 0},
        {"latency_s.part.interference", 0},
        {"latency_s.part.batching", 0},
        {"latency_s.part.service", 3},
    };
    for (size_t i = 0; i < sizeof expected / sizeof expected[0]; i++) {
        assert_close(of_workload(&case_run, "w", expected[i].name), expected[i].value);
        assert_close(of_run(&case_run, expected[i].name), expected[i].value);
    }
    assert_close(of_workload(&case_run, "w", "slo_s"), 3.5);
    assert_close(of_run(&case_run, "services"), 1);
    assert_close(of_run(&case_run, "slo_services"), 1);
    assert_close(of_run(&case_run, "usd_per_model_month"), 730 * 3600);
    assert_close(of_run(&case_run, "utilization.busy"), 6.0 / 8);
    assert_close(of_run(&case_run, "crash_takes"), 1);
    /* 49.7 W idle, 400 W at most: 8 s of the one, 6 s of what lies between. */
    double joules = 49.7 * 8 + (400 - 49.7) * 6;
    assert_close(of_run(&case_run, "energy_kwh"), joules / 3.6e6);
    assert_close(results_metric(&case_run.results, SCOPE_POOL, "p", "energy_kwh"), joules / 3.6e6);
    scenario_run_clear(&case_run);
}

/* One replica and requests every second that take 3 s: the k-th takes 3 + 2 k s, k from 0. Each row
 * counts those since the one before, all within a step of the grid and a bucket of the histogram.
 */
static void latencies_are_on_a_grid(void **state) {
    (void)state;
    enum { REQUESTS = 2000 };
    struct scenario_run case_run;
    run(&case_run, "horizon: end_of_work", ONE_GPU,
        "  w: {kind: service, arrivals: {renewal: 1s}, limit: 2000, service_time: 3s}\n");
    const struct results *results = &case_run.results;
    int64_t k = 0;
    for (size_t i = 0; i < results->latency_count; i++) {
        const struct latency_bucket *bucket = &results->latencies[i];
        double least = 3 + 2 * (double)k;
        int64_t count = 0;
        for (; k < REQUESTS && 3 + 2 * (double)k <= bucket->upper_s; k++) {
            count++;
        }
        assert_true(count > 0);
        assert_int_equal(bucket->count, count);
        assert_true(bucket->upper_s < least * 1.01 * 1.001);
    }
    assert_int_equal(k, REQUESTS);
    /* From 3 s to 4001 s there are ln(4001 / 3) / ln(1.01) = 723.3 steps. */
    assert_in_range(results->latency_count, 1, 724);
    scenario_run_clear(&case_run);
}

/* The two latencies in their buckets, whose upper bounds are at most 0.1 % above them. */
static void the_histogram_of_latencies(void **state) {
    (void)state;
    struct scenario_run case_run;
    run(&case_run, "horizon: end_of_work", ONE_GPU,
        "  w: {kind: service, arrivals: {renewal: 2s}, limit: 2, service_time: 3s}\n");
    assert_int_equal(case_run.results.latency_count, 2);
    for (int i = 0; i < 2; i++) {
        const struct latency_bucket *bucket = &case_run.results.latencies[i];
        assert_string_equal(bucket->workload, "w");
        assert_int_equal(bucket->count, 1);
        assert_true(bucket->upper_s >= 3 + i && bucket->upper_s <= (3 + i) * 1.001);
    }
    /* Nothing was promised. */
    assert_true(isnan(of_run(&case_run, "slo_attainment")));
    assert_true(isnan(of_run(&case_run, "slo_missed")));
    assert_close(of_run(&case_run, "slo_services"), 0);
    scenario_run_clear(&case_run);
}

/* One request a second, each of 3.5 s, of which at most one waits, for at most 2 s:
 *   1 runs in [1, 4.5); 2 gives up at 4; 3 finds 2 waiting and is turned away at 3; 4, which came
 * as 2 left (a start would win, but there is none, so 4 finds 2 and itself waiting, of which 2
 * leaves at that instant), starts at 4.5 and ends at 8; 5 gives up at 7; 6 is turned away; 7 comes
 * as 5 leaves, and starts at 8. At the horizon, 8.2, 1 and 4 have ended, 7 runs, 8 waits. With an
 * slo of 3.5 s only 1 kept it: of the 6 that have left, 1 / 6. */
static void whatever_becomes_of_requests(void **state) {
    (void)state;
    struct scenario_run case_run;
    run(&case_run, "horizon: 8200ms", ONE_GPU,
        "  w: {kind: service, arrivals: {renewal: 1s}, service_time: 3500ms, timeout: 2s,\n"
        "      max_queue: 1, slo: 3500ms}\n");
    assert_close(of_run(&case_run, "submitted"), 8);
    assert_close(of_run(&case_run, "completed"), 2);
    assert_close(of_run(&case_run, "timed_out"), 2);
    assert_close(of_run(&case_run, "rejected"), 2);
    assert_close(of_run(&case_run, "running"), 1);
    assert_close(of_run(&case_run, "queued"), 1);
    assert_close(of_run(&case_run, "unfinished"), 2);
    assert_close(of_run(&case_run, "slo_attainment"), 1.0 / 6);
    assert_close(of_run(&case_run, "latency_s.max"), 4);
    /* Started: 1 at once, 4 after 0.5 s, 7 after 1 s. */
    assert_close(of_run(&case_run, "queue_s.mean"), 0.5);
    scenario_run_clear(&case_run);
}

/* Jobs and requests are counted together, and each kind has its own figures. Two services on a GPU
 * each, a job of 4 s at 1 on a third: 2 + 3 requests and 1 job. The services hold a GPU each for 8
 * of 8 s, the job one of them for 4, and 4 GPU-seconds are idle, at 1 each: of these the services
 * pay 8/20 each, so 9.6 a service. */
static void both_kinds_in_a_run(void **state) {
    (void)state;
    struct scenario_run case_run;
    run(&case_run, "horizon: 8s",
        "p: {gpu: A100-SXM4-40GB, nodes: 1, gpus_per_node: 3, price: {per_gpu_hour: 3600}}",
        "  w: {kind: service, arrivals: {renewal: 3s}, service_time: 1s, limit: 2, slo: 1s}\n"
        "  v: {kind: service, arrivals: {renewal: 2s}, service_time: 1s, limit: 3}\n"
        "  j: {kind: jobs, arrivals: {renewal: 1s}, duration: 4s, limit: 1}\n");
    assert_close(of_run(&case_run, "submitted"), 6);
    assert_close(of_run(&case_run, "completed"), 6);
    assert_close(of_run(&case_run, "throughput_per_s"), 6.0 / 8);
    assert_close(of_run(&case_run, "wait_s.mean"), 0);
    assert_close(of_run(&case_run, "jct_s.mean"), 4);
    assert_close(of_run(&case_run, "latency_s.mean"), 1);
    assert_true(isnan(of_run(&case_run, "wait_s.mean_half_width")));
    assert_true(has(&case_run, SCOPE_WORKLOAD, "w", "latency_s.p99"));
    assert_false(has(&case_run, SCOPE_WORKLOAD, "w", "wait_s.p99"));
    assert_false(has(&case_run, SCOPE_WORKLOAD, "j", "latency_s.p99"));
    assert_true(has(&case_run, SCOPE_WORKLOAD, "j", "wait_s.p99"));
    assert_close(of_workload(&case_run, "j", "completed"), 1);
    /* Only w has an slo, and keeps it. */
    assert_close(of_run(&case_run, "slo_attainment"), 1);
    assert_close(of_run(&case_run, "services"), 2);
    assert_close(of_run(&case_run, "slo_services"), 1);
    assert_close(of_run(&case_run, "slo_missed"), 0);
    assert_close(of_workload(&case_run, "w", "usd_total"), 9.6);
    assert_close(of_workload(&case_run, "w", "usd_per_1k_requests"), 9600.0 / 2);
    assert_close(of_run(&case_run, "usd_per_1k_requests"), 2 * 9600.0 / 5);
    assert_close(of_run(&case_run, "usd_per_model_month"), 9.6 / 8 * 730 * 3600);
    assert_close(of_run(&case_run, "usd_per_month"), 3 * 730 * 3600);
    scenario_run_clear(&case_run);
}

/* A run without services has none of their figures. */
static void jobs_alone(void **state) {
    (void)state;
    struct scenario_run case_run;
    run(&case_run, "horizon: 8s", ONE_GPU,
        "  j: {kind: jobs, arrivals: {renewal: 1s}, duration: 4s, limit: 1}\n");
    assert_false(has(&case_run, SCOPE_RUN, "", "latency_s.p99"));
    assert_false(has(&case_run, SCOPE_RUN, "", "usd_per_model_month"));
    assert_true(has(&case_run, SCOPE_RUN, "", "wait_s.p99"));
    assert_int_equal(case_run.results.latency_count, 0);
    scenario_run_clear(&case_run);
}

/* Two GPUs for three replicas; a service whose replica fits nowhere misses its slo, though none of
 * its requests has left. */
static void replicas_without_a_slot(void **state) {
    (void)state;
    struct scenario_run case_run;
    run(&case_run, "horizon: 5s",
        "p: {gpu: A100-SXM4-40GB, nodes: 1, gpus_per_node: 2, price: {per_gpu_hour: 3600}}",
        "  w: {kind: service, arrivals: {renewal: 2s}, service_time: 1s, replicas: 3}\n"
        "  v: {kind: service, arrivals: {renewal: 2s}, service_time: 1s, memory: 60GB, slo: 9s}\n");
    assert_close(of_workload(&case_run, "w", "replicas"), 3);
    assert_close(of_workload(&case_run, "w", "replicas_waiting"), 1);
    assert_close(of_workload(&case_run, "v", "replicas_waiting"), 1);
    assert_close(of_run(&case_run, "replicas_waiting"), 2);
    assert_close(of_workload(&case_run, "v", "queued"), 2);
    assert_true(isnan(of_workload(&case_run, "v", "slo_attainment")));
    assert_true(isnan(of_workload(&case_run, "v", "latency_s.mean")));
    assert_true(isnan(of_workload(&case_run, "v", "usd_per_1k_requests")));
    assert_close(of_workload(&case_run, "v", "slo_missed"), 1);
    assert_close(of_run(&case_run, "slo_missed"), 1);
    scenario_run_clear(&case_run);
}

/* Ten requests of which one is late: 90 % is below the 99 % that an slo asks for. One a second, of
 * 0.5 s each, but the model loads until 1.6, so the first takes 1.1 s. Of that, 0.6 s are loading
 * and 0.5 s service. */
static void one_late_request_in_ten(void **state) {
    (void)state;
    struct scenario_run case_run;
    run(&case_run, "horizon: 20s", ONE_GPU,
        "  w: {kind: service, arrivals: {renewal: 1s}, limit: 10, service_time: 500ms,\n"
        "      load_time: 1600ms, slo: 700ms}\n");
    assert_close(of_run(&case_run, "slo_attainment"), 0.9);
    assert_close(of_run(&case_run, "slo_missed"), 1);
    assert_close(of_run(&case_run, "latency_s.p90"), 0.6); /* 2 starts at 2.1 */
    assert_close(of_run(&case_run, "latency_s.p99"), 1.1);
    assert_close(of_run(&case_run, "latency_s.part.loading"), 0.6);
    assert_close(of_run(&case_run, "latency_s.part.queueing"), 0);
    assert_close(of_run(&case_run, "latency_s.part.service"), 0.5);
    scenario_run_clear(&case_run);
}

/* Pool m under MPS: two jobs, of 10 and 20 s alone, each at half speed while both run: the first
 * has [1, 21) and the other [1, 31). Two tenants take two each for 20 s, one takes one for 10 s:
 * (2 x 2 x 20 + 10) / (2 x 20 + 10) = 1.8. Pool x: a gang of two GPUs for 10 s, one tenant that
 * takes itself. All together (90 + 10) / (50 + 10). */
static void what_a_crash_takes_down(void **state) {
    (void)state;
    struct scenario_run case_run;
    run(&case_run, "horizon: 40s",
        "m: {gpu: A100-SXM4-40GB, nodes: 1, gpus_per_node: 1, sharing: {mode: mps, clients: 4}}, "
        "x: {gpu: A100-SXM4-40GB, nodes: 1, gpus_per_node: 2}",
        "  a: {kind: jobs, pools: [m], arrivals: {renewal: 1s}, duration: 10s, limit: 1}\n"
        "  b: {kind: jobs, pools: [m], arrivals: {renewal: 1s}, duration: 20s, limit: 1}\n"
        "  g: {kind: jobs, pools: [x], gpus: 2, arrivals: {renewal: 1s}, duration: 10s, limit: "
        "1}\n");
    assert_close(results_metric(&case_run.results, SCOPE_POOL, "m", "crash_takes"), 1.8);
    assert_close(results_metric(&case_run.results, SCOPE_POOL, "x", "crash_takes"), 1);
    assert_close(of_run(&case_run, "crash_takes"), 100.0 / 60);
    scenario_run_clear(&case_run);
    /* From 16 s on: two for 5 s, one for 10 s, and the gang is gone. */
    run(&case_run, "horizon: 40s\nwarmup: 16s",
        "m: {gpu: A100-SXM4-40GB, nodes: 1, gpus_per_node: 1, sharing: {mode: mps, clients: 4}}, "
        "x: {gpu: A100-SXM4-40GB, nodes: 1, gpus_per_node: 2}",
        "  a: {kind: jobs, pools: [m], arrivals: {renewal: 1s}, duration: 10s, limit: 1}\n"
        "  b: {kind: jobs, pools: [m], arrivals: {renewal: 1s}, duration: 20s, limit: 1}\n"
        "  g: {kind: jobs, pools: [x], gpus: 2, arrivals: {renewal: 1s}, duration: 10s, limit: "
        "1}\n");
    assert_close(of_run(&case_run, "crash_takes"), 30.0 / 20);
    assert_true(isnan(results_metric(&case_run.results, SCOPE_POOL, "x", "crash_takes")));
    scenario_run_clear(&case_run);
}

/* Three services on one GPU in every mode: only under MPS does a crash take others along, on a
 * shared MIG instance those of the instance (two on one, one on the other: (2 x 2 + 1) / 3). */
static void crashes_by_mode(void **state) {
    (void)state;
    static const struct {
        const char *sharing;
        double takes;
    } modes[] = {
        {"{mode: mps}", 3},
        {"{mode: timeslice, replicas: 3}", 1},
        {"{mode: mig, layout: [2g.10gb, 2g.10gb, 2g.10gb]}", 1},
        {"{mode: mig, layout: [{profile: 3g.20gb, count: 2, sharing: {mode: mps, clients: 2}}]}",
         5.0 / 3},
    };
    for (size_t i = 0; i < sizeof modes / sizeof modes[0]; i++) {
        char pool[256];
        snprintf(pool, sizeof pool,
                 "p: {gpu: A100-SXM4-40GB, nodes: 1, gpus_per_node: 1, sharing: %s}",
                 modes[i].sharing);
        struct scenario_run case_run;
        run(&case_run, "horizon: 20s", pool,
            "  w: {kind: service, count: 3, arrivals: {renewal: 2s}, service_time: 100ms}\n");
        assert_close(of_run(&case_run, "replicas_waiting"), 0);
        assert_close(of_run(&case_run, "crash_takes"), modes[i].takes);
        assert_close(of_run(&case_run, "services"), 3);
        scenario_run_clear(&case_run);
    }
}

/* 2^53 ns are 104 days: beyond them a double no longer tells every nanosecond apart, and books that
 * are kept in doubles may be apart by the rounding. A request a day and a nanosecond, the last of
 * which 400 d hold comes on day 399; each takes 2 s, and else the replica is idle, for an
 * odd number of nanoseconds at a time. */
static void a_replica_for_longer_than_doubles_count_ns(void **state) {
    (void)state;
    struct scenario_run case_run;
    run(&case_run, "horizon: 400d", ONE_GPU,
        "  s: {kind: service, arrivals: {renewal: 86400000000001ns}, "
        "service_time: 2s}\n");
    assert_close(of_workload(&case_run, "s", "completed"), 399);
    assert_close(of_run(&case_run, "useful_gpu_hours") * 3600, 399 * 2);
    assert_close(of_run(&case_run, "gpu_hours"), 400 * 24);
    assert_close(of_run(&case_run, "usd_total"), 400 * 86400.0);
    scenario_run_clear(&case_run);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_requests),
        cmocka_unit_test(the_histogram_of_latencies),
        cmocka_unit_test(latencies_are_on_a_grid),
        cmocka_unit_test(whatever_becomes_of_requests),
        cmocka_unit_test(both_kinds_in_a_run),
        cmocka_unit_test(jobs_alone),
        cmocka_unit_test(replicas_without_a_slot),
        cmocka_unit_test(a_replica_for_longer_than_doubles_count_ns),
        cmocka_unit_test(one_late_request_in_ten),
        cmocka_unit_test(what_a_crash_takes_down),
        cmocka_unit_test(crashes_by_mode),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
