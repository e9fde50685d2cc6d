/* Replicas whose memory runs out, in whole runs read by the real reader: when they die, with which
 * requests, and how they come back. By hand, on V100 of 32 GiB. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "tests/support/scenario_run.h"
#include "tests/support/unit.h"

#define GPU "gpu: V100-SXM2-32GB, nodes: 1, gpus_per_node: 1"

static void run_of(struct scenario_run *run, const char *horizon, const char *pool,
                   const char *workloads) {
    char text[4096];
    snprintf(text, sizeof text,
             "headroom: 1\n"
             "name: memory\n"
             "horizon: %s\n"
             "cluster: {pools: {p: {%s}}}\n"
             "record: {jobs: true, requests: true}\n"
             "workloads:\n"
             "%s",
             horizon, pool, workloads);
    scenario_run_text(run, "/tmp", text, NULL, 0);
}

static sim_time moment(double seconds) {
    return seconds < 0 ? SIM_TIME_NEVER : sim_time_from_seconds(seconds);
}

static void expect_request(const struct scenario_run *run, const char *workload, int64_t seq,
                           enum request_state state, double start_s, double end_s) {
    const struct request_row *row = recording_request(&run->recording, workload, seq);
    if (row->state != state || row->start != moment(start_s) || row->end != moment(end_s)) {
        fail_msg("request %lld of %s: %s, %.9f to %.9f", (long long)seq, workload,
                 request_state_names[row->state], sim_time_to_seconds(row->start),
                 sim_time_to_seconds(row->end));
    }
}

static void assert_near(double actual, double expected) {
    if (!(fabs(actual - expected) <= 1e-12 * fmax(1, fabs(expected)))) {
        fail_msg("%.17g is not %.17g", actual, expected);
    }
}

static double of_run(const struct scenario_run *run, const char *name) {
    return results_metric(&run->results, SCOPE_RUN, "", name);
}

/* 2 GiB + 30 GiB/h are 32 GiB after an hour: the replica, up after 100 s, dies at 3,600 with
 * request 3 (3,000 to 3,700) and is up again at 3,700, with its memory small again. */
static void a_replica_restarts(void **state) {
    (void)state;
    static const char *const pools[] = {GPU, GPU ", sharing: {mode: mps}",
                                        GPU
                                        ", sharing: {mode: timeslice, replicas: 2, switch: 0s}"};
    for (size_t i = 0; i < 3; i++) {
        struct scenario_run run;
        run_of(&run, "7300s", pools[i],
               "  w: {kind: service, arrivals: {renewal: 1000s}, service_time: 700s,"
               " load_time: 100s, memory: {start: 2GiB, growth: 30GiB/h}}\n");
        expect_request(&run, "w", 1, REQUEST_COMPLETED, 1000, 1700);
        expect_request(&run, "w", 2, REQUEST_COMPLETED, 2000, 2700);
        expect_request(&run, "w", 3, REQUEST_FAILED, 3000, 3600);
        expect_request(&run, "w", 4, REQUEST_COMPLETED, 4000, 4700);
        expect_request(&run, "w", 5, REQUEST_COMPLETED, 5000, 5700);
        expect_request(&run, "w", 6, REQUEST_COMPLETED, 6000, 6700);
        expect_request(&run, "w", 7, REQUEST_FAILED, 7000, 7200);
        assert_int_equal(run.results.overflows, 2);
        assert_int_equal(run.results.given_up, 0);
        assert_non_null(strstr(run.results.first_overflow, "replica 0 of service w"));
        /* 1700 - 1000 - 700 etc. computed, 200 s loaded up to 7,200 and 100 s up to the end. */
        assert_near(of_run(&run, "utilization.allocated"), 1);
        assert_near(of_run(&run, "utilization.busy"), (5 * 700 + 600 + 200) / 7300.0);
        /* Every hour 2 x 1 + 30 / 2 GiB h; then 100 s at 2 GiB and more. */
        double rest = 2 * 100 / 3600.0 + 30 * (100 / 3600.0) * (100 / 3600.0) / 2;
        assert_near(of_run(&run, "utilization.memory"), (2 * 17 + rest) / (32 * 7300 / 3600.0));
        scenario_run_clear(&run);
    }
}

/* A GPU that is full from the start and grows dies at once: at 0, 10, 30, 70, ... 81,910 s, the
 * 14th time for good, so that the run ends though a request waits. */
static void a_replica_that_starts_in_vain(void **state) {
    (void)state;
    static const char *const pools[] = {GPU, GPU ", sharing: {mode: mps}"};
    for (size_t i = 0; i < 4; i++) {
        struct scenario_run run;
        run_of(&run, i < 2 ? "end_of_work" : "100000s", pools[i % 2],
               "  w: {kind: service, arrivals: {renewal: 7s}, service_time: 1s, limit: 1,"
               " memory: {start: 32GiB, growth: 1GiB/h}}\n");
        assert_int_equal(run.results.overflows, 14);
        assert_int_equal(run.results.given_up, 1);
        assert_non_null(
            strstr(run.results.first_given_up, "replica 0 of service w, killed 14 times"));
        assert_int_equal(run.results.end, moment(i < 2 ? 81910 : 100000));
        expect_request(&run, "w", 1, REQUEST_QUEUED, -1, -1);
        assert_near(of_run(&run, "utilization.allocated"), 0);
        scenario_run_clear(&run);
    }
}

/* Two replicas on one GPU, each with a queue of its own, die together at 3,600 s, as each holds 2
 * GiB + 14 GiB/h x t: what waits with one does not start on the other in the moment of its death.
 */
static void replicas_die_together(void **state) {
    (void)state;
    struct scenario_run run;
    run_of(&run, "3700s", GPU ", sharing: {mode: mps, clients: 2, oom: gpu}",
           "  w: {kind: service, arrivals: {renewal: 1195s}, service_time: 2000s, replicas: 2,"
           " load_time: 50s, dispatch: round_robin, saturation: 50%,"
           " memory: {start: 2GiB, growth: 14GiB/h}}\n");
    /* 1: 1195 to 3195 on replica 0; 2: from 2390 on replica 1; 3: from 3585 on replica 0. */
    expect_request(&run, "w", 1, REQUEST_COMPLETED, 1195, 3195);
    expect_request(&run, "w", 2, REQUEST_FAILED, 2390, 3600);
    expect_request(&run, "w", 3, REQUEST_FAILED, 3585, 3600);
    assert_int_equal(run.results.overflows, 1);
    scenario_run_clear(&run);
    /* Of 1 to 6, replica 0 runs 1 and has 3 and 5 waiting; replica 1 runs 2 and has 4 and 6. 1 ends
     * in time, so 3 has started when replica 0 dies. 4 to 6 wait for 3,650. */
    run_of(&run, "3700s", GPU ", sharing: {mode: mps, clients: 2, oom: gpu}",
           "  w: {kind: service, arrivals: {renewal: 100s}, limit: 6, service_time: 3500s,"
           " replicas: 2, load_time: 50s, dispatch: round_robin, saturation: 50%,"
           " memory: {start: 2GiB, growth: 14GiB/h}}\n");
    expect_request(&run, "w", 1, REQUEST_COMPLETED, 100, 3600);
    expect_request(&run, "w", 2, REQUEST_FAILED, 200, 3600);
    expect_request(&run, "w", 3, REQUEST_FAILED, 3600, 3600);
    expect_request(&run, "w", 4, REQUEST_RUNNING, 3650, -1);
    expect_request(&run, "w", 5, REQUEST_RUNNING, 3650, -1);
    expect_request(&run, "w", 6, REQUEST_QUEUED, -1, -1);
    scenario_run_clear(&run);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_replica_restarts),
        cmocka_unit_test(a_replica_that_starts_in_vain),
        cmocka_unit_test(replicas_die_together),
    };
    return cmocka_run_group_tests_name("simulation memory, replicas", tests, NULL, NULL);
}
