/* Pools with an autoscaler whose GPUs are shared, by hand to the nanosecond. */
#include <stdio.h>

#include "tests/support/pool_run.h"
#include "tests/support/unit.h"

#define TO_THE_END "horizon: end_of_work"
#define JOB POOL_RUN_JOB
#define POOL(nodes, per_node, sharing, autoscale)                                                  \
    "nodes: " #nodes ", gpus_per_node: " #per_node ", sharing: " sharing                           \
    ", autoscale: {" autoscale "}"
#define MPS "{mode: mps, clients: 4}"
#define TEN "memory: 10GB"

/* So many workloads of one job each. */
#define JOBS(name, submit, each, duration, more)                                                   \
    JOB(name, submit, duration, "count: " #each ", " more)

static void expect_each(const struct scenario_run *run, const char *name, int count, double start_s,
                        double end_s) {
    for (int i = 1; i <= count; i++) {
        char workload[16];
        snprintf(workload, sizeof workload, "%s-%d", name, i);
        pool_run_expect(run, workload, start_s, end_s);
    }
}

/* Eight slots make a node, so that nine jobs have two ordered: three GPUs are in use from 70 to
 * 170. */
static void slots_make_nodes(void **state) {
    (void)state;
    struct scenario_run run;
    pool_run(&run, TO_THE_END, POOL(4, 2, MPS, "provision_time: 60s, idle_time: 1000s"),
             JOBS("a", "10s", 9, "100s", TEN));
    expect_each(&run, "a", 9, 70, 170);
    pool_run_expect_figure(&run, "nodes_ordered", 2);
    pool_run_expect_bill(&run, 3 * 100, 2 * 2 * 60, 100);
    scenario_run_clear(&run);
}

/* Two of 35 GB fill a GPU, whatever slots there are, so that four make a node. */
static void memory_makes_nodes(void **state) {
    (void)state;
    struct scenario_run run;
    pool_run(&run, TO_THE_END, POOL(4, 2, MPS, "provision_time: 60s, idle_time: 1000s"),
             JOBS("a", "10s", 5, "100s", "memory: 35GB"));
    expect_each(&run, "a", 5, 70, 170);
    pool_run_expect_figure(&run, "nodes_ordered", 2);
    scenario_run_clear(&run);
}

/* The same on GPUs that tenants take in turns, of which nobody computes for long. */
static void turns_make_nodes(void **state) {
    (void)state;
    struct scenario_run run;
    pool_run(&run, TO_THE_END,
             POOL(4, 2, "{mode: timeslice, replicas: 2, switch: 0s}",
                  "provision_time: 60s, idle_time: 1000s"),
             JOBS("a", "10s", 5, "0s", TEN));
    expect_each(&run, "a", 5, 70, 70);
    pool_run_expect_figure(&run, "nodes_ordered", 2);
    scenario_run_clear(&run);
}

/* A GPU has two 2g, though three instances. */
static void instances_make_nodes(void **state) {
    (void)state;
    struct scenario_run run;
    pool_run(&run, TO_THE_END,
             POOL(4, 1, "{mode: mig, layout: [3g.40gb, 2g.20gb, 2g.20gb]}",
                  "provision_time: 60s, idle_time: 1000s"),
             JOBS("a", "10s", 5, "100s", "slot: 2g.20gb"));
    expect_each(&run, "a", 5, 70, 170);
    pool_run_expect_figure(&run, "nodes_ordered", 3);
    /* Of 108 SMs, 28 for each; beside them 42 + 56 = 98 in instances. */
    double sms = 108;
    pool_run_expect_time(&run, GPU_USEFUL, 5 * 100 * 28 / sms);
    pool_run_expect_time(&run, GPU_DOWN, 3 * 60);
    pool_run_expect_time(&run, GPU_IDLE, (3 * 98 - 5 * 28) * 100 / sms);
    pool_run_expect_time(&run, GPU_STRANDED, 3 * 10 * 100 / sms);
    scenario_run_clear(&run);
}

/* Seven slots are free beside a's, which are no use to b: a node is ordered at 20. They are enough
 * for c, which only waits behind b; not so for d, of which one lacks a slot. */
static void what_is_free_counts_for_whom_it_fits(void **state) {
    (void)state;
    struct scenario_run run;
    pool_run(&run, TO_THE_END "\nscheduler: {backfill: none}",
             POOL(4, 2, MPS, "least: 1, provision_time: 60s, idle_time: 1000s"),
             JOB("a", "10s", "500s", TEN) JOB("b", "20s", "100s", "gpus: 2")
                 JOBS("c", "30s", 7, "200s", TEN) JOB("d", "40s", "10s", TEN));
    pool_run_expect(&run, "b", 80, 180);
    expect_each(&run, "c", 7, 80, 280);
    pool_run_expect(&run, "d", 100, 110);
    pool_run_expect_figure(&run, "nodes_ordered", 2);
    scenario_run_clear(&run);
}

/* Three replicas take a node and a half. */
static void replicas_are_waited_for_too(void **state) {
    (void)state;
    struct scenario_run run;
    pool_run(&run, TO_THE_END,
             POOL(4, 1, "{mode: mps, clients: 2}", "provision_time: 60s, idle_time: 10s"),
             "  s: {kind: service, arrivals: {renewal: 30s}, limit: 2, service_time: 20s,\n"
             "    replicas: 3, memory: 10GB}\n");
    assert_int_equal(recording_request(&run.recording, "s", 1)->start, sim_time_from_seconds(60));
    pool_run_expect_figure(&run, "nodes_ordered", 2);
    scenario_run_clear(&run);
}

/* The four a are on node 0, which goes 40 s after them. b keeps node 1, though it has but a slot.
 */
static void a_node_goes_when_nothing_is_on_it(void **state) {
    (void)state;
    struct scenario_run run;
    pool_run(&run, "horizon: 190s", POOL(2, 1, MPS, "provision_time: 0s, idle_time: 40s"),
             JOBS("a", "10s", 4, "20s", TEN) JOB("b", "10s", "150s", TEN));
    expect_each(&run, "a", 4, 10, 30);
    pool_run_expect(&run, "b", 10, 160);
    pool_run_expect_bill(&run, 20 + 150, 0, 40 + 30);
    scenario_run_clear(&run);
}

/* b waits from 300 on for whole GPUs, which there are none of before the calendar's next layout, so
 * that nothing is ordered before 600. The node is up at 660, and MIG off at 665. */
static void a_calendar_says_what_a_node_takes(void **state) {
    (void)state;
    struct scenario_run run;
    pool_run(&run, TO_THE_END "\nstart: \"2026-03-02T00:00:00\"",
             POOL(4, 1,
                  "{mode: mig, layout: [{profile: 1g.10gb, count: 7}], reconfigure: {mode_time: "
                  "5s},\n    calendar: [{from: \"00:10\", to: \"06:00\", mode: exclusive}]}",
                  "provision_time: 60s, idle_time: 10s"),
             JOBS("a", "10s", 8, "100s", TEN) JOB("b", "300s", "100s", "gpus: 1, slot: gpu"));
    expect_each(&run, "a", 8, 70, 170);
    pool_run_expect(&run, "b", 665, 765);
    pool_run_expect_figure(&run, "nodes_ordered", 3);
    scenario_run_clear(&run);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(slots_make_nodes),
        cmocka_unit_test(memory_makes_nodes),
        cmocka_unit_test(turns_make_nodes),
        cmocka_unit_test(instances_make_nodes),
        cmocka_unit_test(what_is_free_counts_for_whom_it_fits),
        cmocka_unit_test(replicas_are_waited_for_too),
        cmocka_unit_test(a_node_goes_when_nothing_is_on_it),
        cmocka_unit_test(a_calendar_says_what_a_node_takes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
