/* Jobs that take whole nodes of shared GPUs for themselves, by hand to the nanosecond. */
#include <stdio.h>

#include "tests/support/pool_run.h"
#include "tests/support/unit.h"

#define TO_THE_END "horizon: end_of_work"
#define JOB POOL_RUN_JOB
#define WHOLE "span: whole_nodes, gpus: "

static void expect_each(const struct scenario_run *run, const char *name, int first, int last,
                        double start_s, double end_s) {
    for (int i = first; i <= last; i++) {
        char workload[16];
        snprintf(workload, sizeof workload, "%s-%d", name, i);
        pool_run_expect(run, workload, start_s, end_s);
    }
}

/* b has node 1 from 20 to 70, with an idle GPU. Beside a there are seven slots on node 0, so that
 * one c waits for b. d needs both nodes, and has them when the last c, on node 1, has left. */
static void nobody_is_beside_them(void **state) {
    (void)state;
    struct scenario_run run;
    pool_run(&run, TO_THE_END, "nodes: 2, gpus_per_node: 2, sharing: {mode: mps, clients: 4}",
             JOB("a", "10s", "100s", "memory: 10GB") JOB("b", "20s", "50s", WHOLE "1")
                 JOB("c", "30s", "60s", "count: 8, memory: 10GB")
                     JOB("d", "40s", "20s", WHOLE "3"));
    pool_run_expect(&run, "a", 10, 110);
    pool_run_expect(&run, "b", 20, 70);
    expect_each(&run, "c", 1, 7, 30, 90);
    expect_each(&run, "c", 8, 8, 70, 130);
    pool_run_expect(&run, "d", 130, 150);
    /* Useful: a and three c on GPU 0 of node 0 up to 110, four c on GPU 1; one c on node 1. */
    pool_run_expect_time(&run, GPU_USEFUL, 100 + 60 + 50 + 60 + 3 * 20);
    pool_run_expect_time(&run, GPU_HELD_IDLE, 50 + 20);
    scenario_run_clear(&run);
}

/* The same by turns: b and c wait for one another. */
static void nor_takes_turns_with_them(void **state) {
    (void)state;
    struct scenario_run run;
    pool_run(&run, TO_THE_END,
             "nodes: 1, gpus_per_node: 2, sharing: {mode: timeslice, replicas: 2, switch: 0s}",
             JOB("a", "10s", "20s", "memory: 10GB") JOB("b", "20s", "50s", WHOLE "2")
                 JOB("c", "40s", "10s", "memory: 10GB"));
    pool_run_expect(&run, "a", 10, 30);
    pool_run_expect(&run, "b", 30, 80);
    pool_run_expect(&run, "c", 80, 90);
    scenario_run_clear(&run);
}

/* MIG is off from 600 on, once it has been switched off on both GPUs. */
static void nor_has_instances(void **state) {
    (void)state;
    struct scenario_run run;
    pool_run(&run, TO_THE_END "\nstart: \"2026-03-02T00:00:00\"\nscheduler: {backfill: skip}",
             "nodes: 1, gpus_per_node: 2, sharing: {mode: mig, layout: [3g.40gb, 3g.40gb],\n"
             "    reconfigure: {mode_time: 5s},\n"
             "    calendar: [{from: \"00:10\", to: \"06:00\", mode: exclusive}]}",
             JOB("a", "590s", "30s", "slot: 3g.40gb") JOB("b", "300s", "10s", WHOLE "1")
                 JOB("c", "610s", "10s", "slot: gpu"));
    pool_run_expect(&run, "a", 590, 620);
    pool_run_expect(&run, "c", 610, 620);
    pool_run_expect(&run, "b", 625, 635);
    scenario_run_clear(&run);
}

/* An urgent job of one GPU takes the node from three others. */
static void others_make_way(void **state) {
    (void)state;
    struct scenario_run run;
    pool_run(&run,
             TO_THE_END "\nscheduler: {order: priority, preemption: {min_runtime: 0s, mode: kill}}",
             "nodes: 1, gpus_per_node: 2, sharing: {mode: mps, clients: 4}",
             JOB("a", "10s", "100s", "count: 3, memory: 10GB, priority: 50, preemptible: true")
                 JOB("b", "30s", "50s", "priority: 1, " WHOLE "1"));
    pool_run_expect(&run, "b", 30, 80);
    expect_each(&run, "a", 1, 3, 10, 180);
    pool_run_expect_time(&run, GPU_HELD_IDLE, 50);
    scenario_run_clear(&run);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nobody_is_beside_them),
        cmocka_unit_test(nor_takes_turns_with_them),
        cmocka_unit_test(nor_has_instances),
        cmocka_unit_test(others_make_way),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
