/* Pools with an autoscaler whose machines fail, are worked on, reclaimed or otherwise not to be
 * had, by hand to the nanosecond. */
#include <stdio.h>

#include "sim/cluster/fault_clock.h"
#include "tests/support/pool_run.h"
#include "tests/support/unit.h"

#define TO_THE_END "horizon: end_of_work"
#define MONDAY "start: \"2026-03-02T00:00:00\"\n"
#define JOB POOL_RUN_JOB
#define POOL(nodes, per_node, autoscale, more)                                                     \
    "nodes: " #nodes ", gpus_per_node: " #per_node ", autoscale: {" autoscale "}, " more

/* Node 0 is worked on from 100 to 300, which nobody misses before b lacks a GPU at 150: node 2 is
 * up at 180. When node 0 is back there is one too many, so that it goes. */
static void what_is_out_is_replaced_if_it_is_missed(void **state) {
    (void)state;
    struct scenario_run run;
    pool_run(&run, "horizon: 400s",
             POOL(3, 1, "least: 2, most: 2, provision_time: 30s, idle_time: 1000s",
                  "maintenance: [{at: 100s, duration: 200s, nodes: [0]}]"),
             JOB("a", "10s", "50s", "gpus: 1") JOB("b", "150s", "50s", "gpus: 2"));
    pool_run_expect(&run, "a", 10, 60);
    pool_run_expect(&run, "b", 180, 230);
    pool_run_expect_figure(&run, "nodes_ordered", 1);
    pool_run_expect_bill(&run, 50 + 2 * 50, 200 + 30, 50 + 350 + 170);
    scenario_run_clear(&run);
}

/* Nobody misses it: nothing is ordered, and it is in use again. */
static void what_is_not_missed_is_not_replaced(void **state) {
    (void)state;
    struct scenario_run run;
    pool_run(&run, "horizon: 400s",
             POOL(3, 1, "least: 2, most: 2, provision_time: 30s, idle_time: 1000s",
                  "maintenance: [{at: 100s, duration: 200s, nodes: [0, 2]}]"),
             JOB("a", "10s", "50s", "gpus: 1") JOB("b", "350s", "10s", "gpus: 2"));
    pool_run_expect(&run, "b", 350, 360);
    pool_run_expect_figure(&run, "nodes_ordered", 0);
    pool_run_expect_bill(&run, 50 + 20, 200, 800 - 70 - 200); /* node 2 is not there to work on */
    scenario_run_clear(&run);
}

/* A node works for 100 s from when it is up: from 30 it would fail at 130, but goes at 120; from
 * 220 it fails at 320, when c has had 5 s. */
static void a_clock_begins_when_a_node_is_up(void **state) {
    (void)state;
    struct scenario_run run;
    pool_run(&run, TO_THE_END,
             POOL(1, 1, "provision_time: 20s, idle_time: 30s",
                  "faults: {node: {mtbf: 100s, mttr: 50s}}"),
             JOB("a", "10s", "60s", "gpus: 1") JOB("b", "200s", "90s", "gpus: 1")
                 JOB("c", "315s", "10s", "gpus: 1"));
    pool_run_expect(&run, "a", 30, 90);
    pool_run_expect(&run, "b", 220, 310);
    pool_run_expect(&run, "c", 315, 380);
    pool_run_expect_figure(&run, "nodes_ordered", 2);
    pool_run_expect_figure(&run, "faults.node", 1);
    pool_run_expect_time(&run, GPU_USEFUL, 60 + 90 + 10);
    pool_run_expect_time(&run, GPU_REDONE, 5);
    pool_run_expect_time(&run, GPU_DOWN, 20 + 20 + 50);
    pool_run_expect_time(&run, GPU_IDLE, 30 + 5);
    scenario_run_clear(&run);
}

/* When the GPUs of the node that is up at 30 fail: the second time that each has drawn. */
static void draw_faults(const struct scenario_run *run, sim_time fails[2]) {
    struct fault_clock clock;
    const struct fault_spec *spec = &run->scenario->pools[0].outages.faults[FAULT_GPU];
    fault_clock_initialize(&clock, 2, &spec->mtbf, &spec->mttr, 0, run->scenario->seed, 0,
                           "gpu faults of pool p");
    for (int32_t gpu = 0; gpu < 2; gpu++) {
        fault_clock_stop(&clock, gpu);
        fault_clock_begin_anew(&clock, gpu, sim_time_from_seconds(30));
        fails[gpu] = clock.next[gpu];
    }
    fault_clock_terminate(&clock);
}

static void run_with_broken_gpus(struct scenario_run *run, sim_time idle_time, sim_time b) {
    char pool[512];
    char jobs[512];
    snprintf(pool, sizeof pool,
             POOL(1, 2, "provision_time: 20s, idle_time: %lldns",
                  "faults: {gpu: {mtbf: {uniform: [100s, 1000s]}, mttr: 1000000s}}"),
             (long long)idle_time);
    snprintf(jobs, sizeof jobs,
             JOB("a", "10s", "10s", "gpus: 1") JOB("b", "%lldns", "10s", "gpus: 2"), (long long)b);
    pool_run(run, TO_THE_END, pool, jobs);
}

/* The node goes while one of its GPUs is broken, for longer than the run; the one that is ordered
 * for b in its place has both. */
static void a_node_goes_with_what_is_broken(void **state) {
    (void)state;
    struct scenario_run run;
    sim_time fails[2];
    run_with_broken_gpus(&run, sim_time_from_seconds(5000), sim_time_from_seconds(41));
    draw_faults(&run, fails);
    scenario_run_clear(&run);
    sim_time goes = (fails[0] + fails[1]) / 2;
    sim_time b = goes + sim_time_from_seconds(100);
    run_with_broken_gpus(&run, goes - sim_time_from_seconds(40), b);
    pool_run_expect(&run, "a", 30, 40);
    const struct job_row *row = recording_job(&run.recording, "b", "1");
    assert_int_equal(row->start, b + sim_time_from_seconds(20));
    assert_int_equal(row->end, b + sim_time_from_seconds(30));
    pool_run_expect_figure(&run, "faults.gpu", 1);
    scenario_run_clear(&run);
}

/* Up at 30, node 0 is reclaimed at 130, when b has had 9 s; another is ordered, which is up at 150.
 * Node 0 is there again at 630. */
static void a_reclaimed_node_is_replaced_if_it_is_missed(void **state) {
    (void)state;
    struct scenario_run run;
    pool_run(&run, "horizon: 700s",
             POOL(2, 1, "provision_time: 20s, idle_time: 1000s",
                  "spot: {reclaim: 100s, back_after: 500s}"),
             JOB("a", "10s", "90s", "gpus: 1") JOB("b", "121s", "60s", "gpus: 1"));
    pool_run_expect(&run, "a", 30, 120);
    pool_run_expect(&run, "b", 121, 210);
    pool_run_expect_figure(&run, "nodes_ordered", 2);
    pool_run_expect_figure(&run, "reclaims", 2);
    pool_run_expect_time(&run, GPU_USEFUL, 90 + 60);
    pool_run_expect_time(&run, GPU_REDONE, 9);
    pool_run_expect_time(&run, GPU_DOWN, 20 + 20);
    pool_run_expect_figure(&run, "usd_total", 120 + 70 + 120);
    scenario_run_clear(&run);
}

enum { LONG_S = 100000 };

/* The first seed with which node 0 fails at least 100 s before the spare, node 2; when it does. */
static sim_time find_seed(uint64_t *seed) {
    struct distribution up = {.kind = distribution_find("uniform"), .given = {100e9, 1000e9}};
    struct distribution down;
    struct error error;
    assert_true(distribution_prepare(&up, &error));
    distribution_constant(&down, LONG_S * 1e9);
    for (*seed = 1;; ++*seed) {
        struct fault_clock clock;
        fault_clock_initialize(&clock, 3, &up, &down, 0, *seed, 0, "node faults of pool p");
        sim_time fails = clock.next[0];
        bool found = fails + sim_time_from_seconds(100) < clock.next[2];
        fault_clock_terminate(&clock);
        if (found) {
            return fails;
        }
    }
}

/* A spare takes the place of node 0 after 30 s, so that no node is ordered for a, which begins anew
 * there. */
static void a_spare_comes_before_an_order(void **state) {
    (void)state;
    struct scenario_run run;
    char head[64];
    uint64_t seed;
    sim_time fails = find_seed(&seed);
    sim_time again = fails + sim_time_from_seconds(30);
    char jobs[256];
    snprintf(head, sizeof head, "horizon: end_of_work\nseed: %llu", (unsigned long long)seed);
    snprintf(jobs, sizeof jobs, JOB("a", "%lldns", "20s", "gpus: 1"),
             (long long)(fails - sim_time_from_seconds(10)));
    pool_run(
        &run, head,
        POOL(2, 1, "least: 1, provision_time: 5s, idle_time: 1000s",
             "spares: 1, spare_time: 30s, faults: {node: {mtbf: {uniform: [100s, 1000s]}, mttr: "
             "100000s}}"),
        jobs);
    assert_int_equal(recording_job(&run.recording, "a", "1")->end,
                     again + sim_time_from_seconds(20));
    pool_run_expect_figure(&run, "nodes_ordered", 0);
    scenario_run_clear(&run);
}

/* Node 0 is there all the time, and nobody's; node 1 is the one that is up at least. The other two
 * are idle from 40 on, of which one goes. */
static void cordoned_nodes_do_not_count(void **state) {
    (void)state;
    struct scenario_run run;
    pool_run(&run, "horizon: 200s",
             POOL(3, 1, "least: 1, provision_time: 20s, idle_time: 50s", "cordoned: [0]"),
             JOB("a", "10s", "10s", "gpus: 2") JOB("b", "10s", "10s", "gpus: 3"));
    pool_run_expect(&run, "a", 30, 40);
    assert_int_equal(recording_job(&run.recording, "b", "1")->state, JOB_REJECTED);
    pool_run_expect_figure(&run, "nodes_ordered", 1);
    pool_run_expect_bill(&run, 20, 20, 440);
    scenario_run_clear(&run);
}

/* Node 0 is up, as half of it is somebody's until 100; it goes 30 s later, though nobody of the run
 * has had any of it since 15. b needs a node of its own, which goes at 110. */
static void a_node_stays_for_who_else_has_it(void **state) {
    (void)state;
    struct scenario_run run;
    pool_run(&run, "horizon: 200s",
             POOL(2, 2, "provision_time: 20s, idle_time: 30s",
                  "occupied: [{node: 0, gpus: 1, for: 100s}]"),
             JOB("a", "10s", "5s", "gpus: 1") JOB("b", "50s", "10s", "gpus: 2"));
    pool_run_expect(&run, "a", 10, 15);
    pool_run_expect(&run, "b", 70, 80);
    pool_run_expect_bill(&run, 5 + 20, 40, 100 + 2 * 30 - 5 + 2 * 30);
    scenario_run_clear(&run);
}

#define TEN_TO_HALF_PAST "capacity: [{from: \"00:10\", to: \"00:30\", nodes: 1"

/* Three nodes are in use from 70 on. From 600 to 1800 one may be: nodes 1 and 2 drain. Node 1 goes
 * with b; node 2 is kept at 1800, when one more may be ordered for d. */
static void hours_are_a_bound(void **state) {
    (void)state;
    struct scenario_run run;
    pool_run(&run, MONDAY TO_THE_END,
             POOL(3, 1, "provision_time: 60s, idle_time: 10000s", TEN_TO_HALF_PAST "}]"),
             JOB("a", "10s", "2000s", "gpus: 1") JOB("b", "10s", "1000s", "gpus: 1")
                 JOB("c", "10s", "3000s", "gpus: 1") JOB("d", "700s", "10s", "gpus: 1"));
    pool_run_expect(&run, "a", 70, 2070);
    pool_run_expect(&run, "b", 70, 1070);
    pool_run_expect(&run, "c", 70, 3070);
    pool_run_expect(&run, "d", 1860, 1870);
    pool_run_expect_figure(&run, "nodes_ordered", 4);
    pool_run_expect_bill(&run, 6010, 240, 3060 + 1060 + 1270 + 3060 - 6010 - 240);
    scenario_run_clear(&run);
}

/* Idle nodes go first, then the last ones: b on node 1 is the one that is killed, at 700. a has the
 * one node until 1070, when b begins anew. */
static void drained_nodes_are_those_that_nobody_misses(void **state) {
    (void)state;
    struct scenario_run run;
    pool_run(&run, MONDAY TO_THE_END,
             POOL(3, 1, "least: 1, provision_time: 60s, idle_time: 10000s",
                  TEN_TO_HALF_PAST ", drain: wait, drain_limit: 100s}]"),
             JOB("a", "10s", "1000s", "gpus: 1") JOB("b", "10s", "1000s", "gpus: 1")
                 JOB("c", "10s", "10s", "gpus: 1"));
    pool_run_expect(&run, "a", 10, 1010);
    pool_run_expect(&run, "b", 70, 2010);
    pool_run_expect(&run, "c", 70, 80);
    pool_run_expect_time(&run, GPU_USEFUL, 2010);
    pool_run_expect_time(&run, GPU_REDONE, 630);
    pool_run_expect_time(&run, GPU_DOWN, 120);
    pool_run_expect_time(&run, GPU_IDLE, 10 + (600 - 80));
    scenario_run_clear(&run);
}

/* Ordered for a and b, two nodes are on their way when only one may be: the one that comes second
 * goes at once, and another is ordered at 1800. */
static void what_comes_beyond_the_bound_goes(void **state) {
    (void)state;
    struct scenario_run run;
    pool_run(&run, MONDAY TO_THE_END,
             POOL(3, 1, "provision_time: 1000s, idle_time: 10000s", TEN_TO_HALF_PAST "}]"),
             JOB("a", "10s", "2000s", "gpus: 1") JOB("b", "20s", "10s", "gpus: 1"));
    pool_run_expect(&run, "a", 1010, 3010);
    pool_run_expect(&run, "b", 2800, 2810);
    pool_run_expect_figure(&run, "nodes_ordered", 3);
    pool_run_expect_bill(&run, 2010, 3000, 3010 - 2810);
    scenario_run_clear(&run);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_out_is_replaced_if_it_is_missed),
        cmocka_unit_test(what_is_not_missed_is_not_replaced),
        cmocka_unit_test(a_clock_begins_when_a_node_is_up),
        cmocka_unit_test(a_node_goes_with_what_is_broken),
        cmocka_unit_test(a_reclaimed_node_is_replaced_if_it_is_missed),
        cmocka_unit_test(a_spare_comes_before_an_order),
        cmocka_unit_test(cordoned_nodes_do_not_count),
        cmocka_unit_test(a_node_stays_for_who_else_has_it),
        cmocka_unit_test(hours_are_a_bound),
        cmocka_unit_test(drained_nodes_are_those_that_nobody_misses),
        cmocka_unit_test(what_comes_beyond_the_bound_goes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
