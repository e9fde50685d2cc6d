/* Pools with an autoscaler, in whole runs through the real reader, by hand to the nanosecond. An
 * A100 costs 1 a second. */
#include <math.h>

#include "sim/kernel/stream.h"
#include "tests/support/pool_run.h"
#include "tests/support/unit.h"

#define TO_THE_END "horizon: end_of_work"
#define POOL(nodes, per_node, autoscale)                                                           \
    "nodes: " #nodes ", gpus_per_node: " #per_node ", autoscale: {" autoscale "}"
#define JOB(name, submit, gpus, duration, more)                                                    \
    "  " name ": {kind: jobs, limit: 1, arrivals: {renewal: " submit "}, gpus: " #gpus             \
    ", duration: " duration more "}\n"

static void expect_near(double value, double expected, double apart) {
    if (!(fabs(value - expected) <= apart)) {
        fail_msg("%.12g instead of %.12g", value, expected);
    }
}

static sim_time moment(double seconds) {
    return sim_time_from_seconds(seconds);
}

static void expect_times(const struct scenario_run *run, const char *name, sim_time start,
                         sim_time end) {
    const struct job_row *row = recording_job(&run->recording, name, "1");
    assert_string_equal(job_state_names[row->state], job_state_names[JOB_COMPLETED]);
    assert_int_equal(row->start, start);
    assert_int_equal(row->end, end);
}

static void expect(const struct scenario_run *run, const char *name, double start_s, double end_s) {
    expect_times(run, name, moment(start_s), moment(end_s));
}

static double of_run(const struct scenario_run *run, const char *metric) {
    return results_metric(&run->results, SCOPE_RUN, "", metric);
}

static double gpu_seconds(const struct scenario_run *run, enum gpu_category category) {
    double sum = 0;
    for (size_t i = 0; i < run->results.gpu_hours_count; i++) {
        const struct gpu_hours *entry = &run->results.gpu_hours[i];
        sum += entry->category == category ? entry->hours * 3600 : 0;
    }
    return sum;
}

/* All GPU-seconds that there were, which are paid for alike. */
static void expect_use(const struct scenario_run *run, double useful, double down, double idle) {
    expect_near(gpu_seconds(run, GPU_USEFUL), useful, 1e-6);
    expect_near(gpu_seconds(run, GPU_DOWN), down, 1e-6);
    expect_near(gpu_seconds(run, GPU_IDLE), idle, 1e-6);
    expect_near(of_run(run, "usd_total"), useful + down + idle, 1e-6);
}

/* b waits at 20 for two nodes, which are up at 80 and left at 110. They go at 210; the one that is
 * always up does not, though it is idle from 210 on. It is there for 400 s, the others for 190. */
static void nodes_come_and_go(void **state) {
    (void)state;
    struct scenario_run run;
    pool_run(&run, "horizon: 400s", POOL(4, 2, "least: 1, provision_time: 60s, idle_time: 100s"),
             JOB("a", "10s", 2, "200s", "") JOB("b", "20s", 4, "30s", ""));
    expect(&run, "a", 10, 210);
    expect(&run, "b", 80, 110);
    expect_use(&run, 400 + 120, 4 * 60, 2 * (10 + 190) + 4 * 100);
    expect_near(of_run(&run, "usd_total"), 2 * 400 + 4 * 190, 1e-6);
    expect_near(of_run(&run, "gpus_present"), 1560.0 / 400, 1e-9);
    expect_near(of_run(&run, "availability"), 1 - 240.0 / 1560, 1e-9);
    expect_near(of_run(&run, "nodes_ordered"), 2, 0);
    scenario_run_clear(&run);
}

/* Left at 80, the node would go at 180, when b takes it. Left again at 190, it goes at 290, so that
 * c, 1 ns later, waits for another. */
static void a_start_comes_before_a_node_goes(void **state) {
    (void)state;
    struct scenario_run run;
    pool_run(&run, TO_THE_END, POOL(1, 1, "provision_time: 50s, idle_time: 100s"),
             JOB("a", "10s", 1, "20s", "") JOB("b", "180s", 1, "10s", "")
                 JOB("c", "290000000001ns", 1, "10s", ""));
    expect(&run, "a", 60, 80);
    expect(&run, "b", 180, 190);
    expect_times(&run, "c", moment(340) + 1, moment(350) + 1);
    expect_use(&run, 40, 100, 200);
    expect_near(of_run(&run, "nodes_ordered"), 2, 0);
    scenario_run_clear(&run);
}

/* Two jobs at once need four nodes, of which three are ordered. The third is idle from 70 on, but
 * stays at 160, as b waits for it. At 170 b has two, and the time of the one left begins anew: it
 * goes at 260. What asks for four is turned away. */
static void at_most_so_many(void **state) {
    (void)state;
    struct scenario_run run;
    pool_run(&run, "horizon: 300s", POOL(5, 2, "most: 3, provision_time: 60s, idle_time: 90s"),
             JOB("a", "10s", 4, "100s", "") JOB("b", "10s", 4, "50s", "")
                 JOB("c", "15s", 8, "1s", ""));
    expect(&run, "a", 70, 170);
    expect(&run, "b", 170, 220);
    assert_int_equal(recording_job(&run.recording, "c", "1")->state, JOB_REJECTED);
    expect_use(&run, 400 + 200, 6 * 60, 2 * 100 + 2 * 90 + 4 * 80);
    expect_near(of_run(&run, "usd_total"), 4 * 290 + 2 * 250, 1e-6);
    expect_near(of_run(&run, "nodes_ordered"), 3, 0);
    scenario_run_clear(&run);
}

/* The two GPUs left of a's node are no use to b, so a node is ordered at 20, but are enough for c,
 * which only has to wait behind b. For d, at 40, there is nothing left, so that another node is up
 * at 100; e finds room there. */
static void what_is_free_counts_for_whom_it_fits(void **state) {
    (void)state;
    struct scenario_run run;
    pool_run(&run, TO_THE_END "\nscheduler: {backfill: none}",
             POOL(4, 4, "least: 1, provision_time: 60s, idle_time: 1000s"),
             JOB("a", "10s", 2, "500s", "") JOB("b", "20s", 4, "100s", "")
                 JOB("c", "30s", 2, "200s", "") JOB("d", "40s", 1, "10s", "")
                     JOB("e", "50s", 3, "10s", ""));
    expect(&run, "a", 10, 510);
    expect(&run, "b", 80, 180);
    expect(&run, "c", 80, 280);
    expect(&run, "d", 100, 110);
    expect(&run, "e", 100, 110);
    expect_near(of_run(&run, "nodes_ordered"), 2, 0);
    scenario_run_clear(&run);
}

/* With span `whole_nodes` 3 GPUs take two nodes of two. */
static void whole_nodes_count_whole(void **state) {
    (void)state;
    struct scenario_run run;
    pool_run(&run, TO_THE_END, POOL(4, 2, "provision_time: 60s, idle_time: 1000s"),
             JOB("a", "10s", 3, "10s", ", span: whole_nodes")
                 JOB("b", "10s", 3, "10s", ", span: whole_nodes"));
    expect(&run, "a", 70, 80);
    expect(&run, "b", 70, 80);
    expect_near(of_run(&run, "nodes_ordered"), 4, 0);
    scenario_run_clear(&run);
}

/* b may not start beside a, whatever nodes there are. */
static void nothing_is_ordered_beyond_a_limit(void **state) {
    (void)state;
    struct scenario_run run;
    pool_run(&run, TO_THE_END "\nscheduler: {queues: {q: {limit: 2}}}",
             POOL(3, 2, "least: 1, provision_time: 60s, idle_time: 100s"),
             JOB("a", "10s", 2, "100s", ", queue: q") JOB("b", "20s", 2, "10s", ", queue: q"));
    expect(&run, "b", 110, 120);
    expect_near(of_run(&run, "nodes_ordered"), 0, 0);
    scenario_run_clear(&run);
}

/* Each node takes a time of its own, drawn in the order in which they are ordered. */
static void nodes_take_their_own_times(void **state) {
    (void)state;
    struct scenario_run run;
    struct stream stream;
    stream_initialize(&stream, 1, 0, "autoscaler of pool p");
    double first = 10e9 + 90e9 * stream_uniform(&stream);
    double second = 10e9 + 90e9 * stream_uniform(&stream);
    pool_run(&run, TO_THE_END,
             POOL(2, 1, "provision_time: {uniform: [10s, 100s]}, idle_time: 1000s"),
             JOB("a", "10s", 2, "10s", ""));
    const struct job_row *row = recording_job(&run.recording, "a", "1");
    expect_near((double)row->start, 10e9 + fmax(first, second), 1);
    expect_near(gpu_seconds(&run, GPU_DOWN), (first + second) * 1e-9, 1e-6);
    scenario_run_clear(&run);
}

/* The replica has a node ordered at 0, which serves what came at 30 from 60 on. */
static void replicas_are_waited_for_too(void **state) {
    (void)state;
    struct scenario_run run;
    pool_run(&run, TO_THE_END, POOL(2, 1, "provision_time: 60s, idle_time: 10s"),
             "  s: {kind: service, arrivals: {renewal: 30s}, limit: 2, service_time: 20s}\n");
    assert_int_equal(recording_request(&run.recording, "s", 1)->start, moment(60));
    assert_int_equal(recording_request(&run.recording, "s", 2)->end, moment(100));
    expect_near(of_run(&run, "nodes_ordered"), 1, 0);
    scenario_run_clear(&run);
}

/* The replica keeps one node for good; a, which needs both, leaves nothing to wait for. */
static void a_run_ends_when_no_node_can_come(void **state) {
    (void)state;
    struct scenario_run run;
    pool_run(&run, TO_THE_END, POOL(2, 1, "provision_time: 60s, idle_time: 10s"),
             "  s: {kind: service, arrivals: {renewal: 30s}, limit: 1, service_time: 20s}\n" //
             JOB("a", "70s", 2, "10s", ""));
    assert_int_equal(recording_job(&run.recording, "a", "1")->state, JOB_QUEUED);
    expect_near(of_run(&run, "nodes_ordered"), 2, 0);
    scenario_run_clear(&run);
}

/* Nodes at once, and gone at once: none is ever idle. */
static void no_time_at_all(void **state) {
    (void)state;
    struct scenario_run run;
    pool_run(&run, TO_THE_END, POOL(3, 1, "provision_time: 0s, idle_time: 0s"),
             JOB("a", "10s", 2, "10s", "") JOB("b", "15s", 1, "10s", "")
                 JOB("c", "20s", 1, "10s", ""));
    expect(&run, "a", 10, 20);
    expect(&run, "b", 15, 25);
    expect(&run, "c", 20, 30);
    expect_use(&run, 40, 0, 0);
    expect_near(of_run(&run, "nodes_ordered"), 3, 0);
    scenario_run_clear(&run);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nodes_come_and_go),
        cmocka_unit_test(a_start_comes_before_a_node_goes),
        cmocka_unit_test(at_most_so_many),
        cmocka_unit_test(what_is_free_counts_for_whom_it_fits),
        cmocka_unit_test(whole_nodes_count_whole),
        cmocka_unit_test(nothing_is_ordered_beyond_a_limit),
        cmocka_unit_test(nodes_take_their_own_times),
        cmocka_unit_test(replicas_are_waited_for_too),
        cmocka_unit_test(a_run_ends_when_no_node_can_come),
        cmocka_unit_test(no_time_at_all),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
