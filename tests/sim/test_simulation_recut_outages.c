/* GPUs that MIG cuts on demand and that fail, are worked on or ordered, by hand to the nanosecond.
 * Re-cuts take 10 s unless it says otherwise; of 108 SMs, 14 are in a 1g, 28 in a 2g, 42 in a 3g.
 */
#include "tests/support/pool_run.h"
#include "tests/support/unit.h"

#define TO_THE_END "horizon: end_of_work"
#define JOB POOL_RUN_JOB
#define POOL(nodes, sharing, more)                                                                 \
    "nodes: " #nodes ", gpus_per_node: 1, sharing: {mode: mig, dynamic: true, reconfigure: "       \
    "{time: 10s}" sharing "}, " more
#define WORK(from, lasts, drain)                                                                   \
    "maintenance: [{at: " from ", duration: " lasts ", drain: " drain "}]"

static const double SMS = 108;

static void expect_sms(const struct scenario_run *run, enum gpu_category category, double sm_s) {
    pool_run_expect_time(run, category, sm_s / SMS);
}

/* a loses the 80 s since 20, and has its instance cut a second time at 150, as the GPU is uncut
 * then. Idle: 98 in [0, 10), 56 but for a's 3g is of use to a further 3g alone: 42 in [10, 20), 14
 * in [20, 60) beside b's 2g, 42 in [60, 100), and 42 in [150, 360). */
static void a_gpu_forgets_how_it_was_cut(void **state) {
    (void)state;
    struct scenario_run run;
    pool_run(&run, TO_THE_END, POOL(1, "", WORK("100s", "50s", "kill")),
             JOB("a", "10s", "200s", "slot: 3g.40gb") JOB("b", "20s", "30s", "slot: 2g.20gb"));
    pool_run_expect(&run, "a", 20, 360);
    pool_run_expect(&run, "b", 30, 60);
    expect_sms(&run, GPU_USEFUL, 42 * 200 + 28 * 30);
    expect_sms(&run, GPU_REDONE, 42 * 80);
    expect_sms(&run, GPU_RECONFIGURING, 42 * 10 + 28 * 10 + 42 * 10);
    expect_sms(&run, GPU_DOWN, SMS * 50);
    expect_sms(&run, GPU_IDLE, 98 * 10 + 42 * 10 + 14 * 40 + 42 * 40 + 42 * 210);
    pool_run_expect_figure(&run, "interruptions", 1);
    pool_run_expect_figure(&run, "usd_total", 360);
    scenario_run_clear(&run);
}

/* At 15 the cut for a is half done, and for nothing: it is begun again when the GPU is back. */
static void a_cut_is_given_up(void **state) {
    (void)state;
    struct scenario_run run;
    pool_run(&run, TO_THE_END, POOL(1, "", WORK("15s", "50s", "kill")),
             JOB("a", "10s", "100s", "slot: 3g.40gb"));
    pool_run_expect(&run, "a", 75, 175);
    expect_sms(&run, GPU_RECONFIGURING, 42 * (5 + 10));
    expect_sms(&run, GPU_DOWN, SMS * 50);
    pool_run_expect_figure(&run, "interruptions", 0);
    scenario_run_clear(&run);
}

/* Where all may stay, who waits for an instance may, too. */
static void a_cut_goes_on_while_a_node_drains(void **state) {
    (void)state;
    struct scenario_run run;
    pool_run(&run, "horizon: 300s", POOL(1, "", WORK("15s", "50s", "wait")),
             JOB("a", "10s", "100s", "slot: 3g.40gb") JOB("b", "20s", "10s", "slot: 3g.40gb"));
    pool_run_expect(&run, "a", 20, 120);
    pool_run_expect(&run, "b", 180, 190);
    expect_sms(&run, GPU_DOWN, SMS * 50);
    scenario_run_clear(&run);
}

/* Places that an instance may begin at fail at 100 and are repaired at 150, where one is there.
 * That of a is, and stays, broken: a is cut another at 100. b gets the first when it is repaired,
 * without a cut. */
static void a_broken_instance_stays(void **state) {
    (void)state;
    struct scenario_run run;
    pool_run(&run, TO_THE_END, POOL(1, "", "faults: {instance: {mtbf: 100s, mttr: 50s}}"),
             JOB("a", "10s", "90s", "slot: 3g.40gb") JOB("b", "105s", "40s", "slot: 3g.40gb"));
    pool_run_expect(&run, "a", 20, 200);
    pool_run_expect(&run, "b", 150, 190);
    expect_sms(&run, GPU_USEFUL, 42 * 90 + 42 * 40);
    expect_sms(&run, GPU_REDONE, 42 * 80);
    expect_sms(&run, GPU_RECONFIGURING, 42 * 10 + 42 * 10);
    expect_sms(&run, GPU_DOWN, 42 * 50);
    pool_run_expect_figure(&run, "faults.instance", 1);
    scenario_run_clear(&run);
}

/* After the work a GPU is as at the start, so that b finds its 3g. */
static void the_layout_comes_back(void **state) {
    (void)state;
    struct scenario_run run;
    pool_run(&run, TO_THE_END, POOL(1, ", layout: [3g.40gb, 3g.40gb]", WORK("60s", "40s", "wait")),
             JOB("a", "10s", "30s", "slot: gpu") JOB("b", "120s", "10s", "slot: 3g.40gb"));
    pool_run_expect(&run, "a", 20, 50);
    pool_run_expect(&run, "b", 120, 130);
    expect_sms(&run, GPU_RECONFIGURING, 98 * 10);
    expect_sms(&run, GPU_DOWN, SMS * 40);
    scenario_run_clear(&run);
}

/* An instance that was not to give way before 1050 is gone all the same. */
static void a_hysteresis_ends_with_the_instance(void **state) {
    (void)state;
    struct scenario_run run;
    pool_run(&run, "horizon: 2000s", POOL(1, ", hysteresis: 1000s", WORK("60s", "40s", "wait")),
             JOB("a", "10s", "30s", "slot: 3g.40gb") JOB("b", "120s", "10s", "slot: gpu"));
    pool_run_expect(&run, "a", 20, 50);
    pool_run_expect(&run, "b", 130, 140);
    expect_sms(&run, GPU_IDLE, 98 * 10 + 42 * 40 + 84 * 10 + 98 * 20 + 98 * 1860);
    scenario_run_clear(&run);
}

/* A replica's cut is given up, too. */
static void a_replica_waits_again(void **state) {
    (void)state;
    struct scenario_run run;
    pool_run(&run, TO_THE_END, POOL(1, "", WORK("5s", "20s", "kill")),
             "  s: {kind: service, arrivals: {renewal: 30s}, limit: 1, service_time: 2s,\n"
             "    slot: 1g.10gb, saturation: 0.000001}\n");
    assert_int_equal(recording_request(&run.recording, "s", 1)->start, sim_time_from_seconds(35));
    expect_sms(&run, GPU_RECONFIGURING, 14 * (5 + 10));
    scenario_run_clear(&run);
}

/* Seven 1g make a node, so that eight jobs have two ordered; a node goes uncut, and comes so. */
static void nodes_are_ordered_for_instances(void **state) {
    (void)state;
    struct scenario_run run;
    pool_run(&run, TO_THE_END, POOL(4, "", "autoscale: {provision_time: 60s, idle_time: 10s}"),
             JOB("a", "10s", "100s", "count: 8, memory: 5GB") JOB("b", "300s", "10s", "slot: gpu"));
    for (int i = 1; i <= 8; i++) {
        char name[] = "a-0";
        name[2] = (char)('0' + i);
        pool_run_expect(&run, name, 80, 180);
    }
    pool_run_expect(&run, "b", 370, 380);
    pool_run_expect_figure(&run, "nodes_ordered", 3);
    expect_sms(&run, GPU_DOWN, 3 * 60 * SMS);
    pool_run_expect_figure(&run, "usd_total", 2 * (190 - 10) + 80);
    scenario_run_clear(&run);
}

/* Each node has CPUs for one of them, though its GPU has room for more. c finds an instance on node
 * 0, where CPUs are free again first, and d has one cut on node 1. */
static void hosts_limit_instances(void **state) {
    (void)state;
    struct scenario_run run;
    pool_run(&run, TO_THE_END, POOL(2, "", "cpus_per_node: 4"),
             JOB("a", "10s", "100s", "slot: 2g.20gb, cpus: 3")
                 JOB("b", "10s", "150s", "slot: 2g.20gb, cpus: 3")
                     JOB("c", "30s", "100s", "slot: 2g.20gb, cpus: 2")
                         JOB("d", "30s", "10s", "slot: 3g.40gb, cpus: 4"));
    pool_run_expect(&run, "a", 20, 120);
    pool_run_expect(&run, "b", 20, 170);
    pool_run_expect(&run, "c", 120, 220);
    pool_run_expect(&run, "d", 180, 190);
    scenario_run_clear(&run);
}

/* By the clock: from 600 on two halves, of which the CPUs let one be used. */
static void hosts_limit_what_a_calendar_cuts(void **state) {
    (void)state;
    struct scenario_run run;
    pool_run(
        &run, TO_THE_END "\nstart: \"2026-03-02T00:00:00\"",
        "nodes: 1, gpus_per_node: 1, cpus_per_node: 4, sharing: {mode: mig, layout: [7g.80gb],\n"
        "    reconfigure: {time: 10s}, calendar: [{from: \"00:10\", to: \"06:00\", layout: "
        "[3g.40gb, 3g.40gb]}]}",
        JOB("a", "590s", "5s", "slot: 7g.80gb, cpus: 4")
            JOB("b", "600s", "50s", "slot: 3g.40gb, cpus: 3")
                JOB("c", "601s", "50s", "slot: 3g.40gb, cpus: 2")
                    JOB("d", "602s", "10s", "slot: 3g.40gb, cpus: 1"));
    pool_run_expect(&run, "a", 590, 595);
    pool_run_expect(&run, "b", 610, 660);
    pool_run_expect(&run, "c", 660, 710);
    pool_run_expect(&run, "d", 660, 670);
    scenario_run_clear(&run);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_gpu_forgets_how_it_was_cut),
        cmocka_unit_test(a_cut_is_given_up),
        cmocka_unit_test(a_cut_goes_on_while_a_node_drains),
        cmocka_unit_test(a_broken_instance_stays),
        cmocka_unit_test(the_layout_comes_back),
        cmocka_unit_test(a_hysteresis_ends_with_the_instance),
        cmocka_unit_test(a_replica_waits_again),
        cmocka_unit_test(nodes_are_ordered_for_instances),
        cmocka_unit_test(hosts_limit_instances),
        cmocka_unit_test(hosts_limit_what_a_calendar_cuts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
