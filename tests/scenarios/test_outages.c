/* Faults, spares, maintenance and the like: what is read, and what is refused. */
#include <math.h>

#include "tests/scenarios/language_fixture.h"

FIXTURE_SETUP_TEARDOWN

#define MINUTE (60 * NANOSECONDS_PER_SECOND)
#define HOUR (60 * MINUTE)

/* A pool of two nodes with further keys, in line 6 from column 5 on; two GPUs on each. */
#define POOL_WITH(head, keys, work)                                                                \
    FIXTURE_HEAD head "cluster:\n  pools:\n    p: {gpu: A100-SXM4-80GB, nodes: 2, gpus_per_node: " \
                      "2,\n    " keys "}\n" work
#define POOL(keys) POOL_WITH("", keys, FIXTURE_WORK)
#define ON_MONDAY "start: \"2026-03-02T00:00:00\"\n"
#define FAULTS "faults: {node: {mtbf: 100h, mttr: 1h}}"
#define SAVING(checkpoint)                                                                         \
    "workloads: {w: {kind: jobs, arrivals: {poisson: 12/h}, duration: 2h,\n  checkpoint: "         \
    "{" checkpoint "}}}\n"

static const struct outage_spec *accept(struct fixture *fixture, const char *text) {
    return &fixture_accept(fixture, text)->pools[0].outages;
}

static void test_nothing_by_default(void **state) {
    const struct outage_spec *spec = accept(*state, FIXTURE_VALID);
    assert_false(outage_spec_given(spec));
    assert_false(outage_spec_interrupts(spec));
    assert_int_equal(pool_node_count(&fixture_accept(*state, FIXTURE_VALID)->pools[0]), 2);
}

static void test_faults(void **state) {
    const struct outage_spec *spec =
        accept(*state, POOL("faults: {gpu: {mtbf: {exponential: {mean: 1000h}}, mttr: 30m},\n"
                            "      node: {mtbf: 400h, mttr: {lognormal: {mean: 2h, cv: 1}}}},\n"
                            "    spares: 1, spare_time: 5m"));
    assert_true(spec->faults[FAULT_GPU].given && spec->faults[FAULT_NODE].given);
    assert_false(spec->faults[FAULT_MPS].given || spec->faults[FAULT_INSTANCE].given);
    assert_true(distribution_mean(&spec->faults[FAULT_GPU].mtbf) == 1000 * (double)HOUR);
    assert_int_equal(spec->spares, 1);
    assert_true(spec->spare_time == 5 * MINUTE);
    assert_true(outage_spec_interrupts(spec));
    assert_int_equal(pool_node_count(&((struct fixture *)*state)->scenario->pools[0]), 3);
    /* 4 GPUs and 2 nodes: 4 / 1000 + 2 / 400 = 9 / 1000 in an hour. */
    const double counts[FAULT_KIND_COUNT] = {[FAULT_GPU] = 4, [FAULT_NODE] = 2};
    double mean = outage_spec_mean_between(spec, counts) / (double)HOUR;
    assert_true(fabs(mean - 1000.0 / 9) < 1e-9);
}

static void test_plans(void **state) {
    const struct outage_spec *spec =
        accept(*state, POOL_WITH(ON_MONDAY,
                                 "maintenance: [{at: 12h, duration: 1h}, {days: sun, from: "
                                 "\"02:00\", to: \"04:00\", nodes: [1], drain: preempt, "
                                 "drain_limit: 10m, at_most: 1}],\n"
                                 "    spot: {reclaim: 8h, back_after: 10m}, cordoned: [1],\n"
                                 "    occupied: [{node: 0, gpus: 1, for: 2h}],\n"
                                 "    capacity: [{from: \"20:00\", to: \"06:00\", nodes: 1}]",
                                 FIXTURE_WORK));
    assert_int_equal(spec->maintenance_count, 2);
    const struct maintenance_spec *once = &spec->maintenance[0];
    assert_true(once->at == 12 * HOUR && once->duration == HOUR && once->node_count == 0);
    assert_int_equal(once->drain, DRAIN_WAIT);
    assert_int_equal(once->at_most, INT32_MAX);
    const struct maintenance_spec *weekly = &spec->maintenance[1];
    assert_true(weekly->at == SIM_TIME_NEVER && weekly->duration == SIM_TIME_NEVER);
    assert_true(weekly->span.days == 1u << SUNDAY && weekly->span.from == 2 * HOUR);
    assert_int_equal(weekly->nodes[0], 1);
    assert_true(weekly->drain == DRAIN_PREEMPT && weekly->drain_limit == 10 * MINUTE);
    assert_true(spec->spot.given && spec->spot.notice == 0);
    assert_int_equal(spec->cordoned[0], 1);
    assert_true(spec->occupied[0].gpus == 1 && spec->occupied[0].until == 2 * HOUR);
    assert_true(spec->capacity[0].nodes == 1 && spec->capacity[0].span.to == 6 * HOUR);
}

static void test_what_a_pool_has_not(void **state) {
    fixture_refuse(*state, POOL("faults: {mps: {mtbf: 1h, mttr: 1m}}"),
                   "6:19: there are faults of MPS servers, but pool p has none: leave them out, or "
                   "share its GPUs by mps\n");
    fixture_refuse(*state, POOL("faults: {instance: {mtbf: 1h, mttr: 1m}}"),
                   "6:24: there are faults of MIG instances, but pool p has none: leave them out, "
                   "or give its GPUs a layout\n");
    fixture_refuse(*state, POOL("spares: 1"),
                   "6:5: pool p has spares, which take the place of nodes that fail, but its nodes "
                   "never do: add `faults: {node: {mtbf: ..., mttr: ...}}`\n");
    fixture_refuse(*state, POOL("faults: {gpu: {mtbf: 1h}}"),
                   "6:19: cluster.pools.p.faults.gpu needs the key \"mttr\" (how long a repair "
                   "takes, during which it cannot be used)\n");
    fixture_refuse(*state, POOL("cordoned: [0, 0, 2]"),
                   "6:19: node 0 is cordoned already: name it once\n"
                   "6:22: pool p has nodes 0 to 1, and no node 2\n");
    fixture_refuse(*state, POOL("occupied: [{node: 1, gpus: 1}, {node: 1, gpus: 2}]"),
                   "6:36: 3 GPUs of node 1 are occupied, but each node of pool p has 2\n");
    accept(*state, POOL(FAULTS ", sharing: {mode: mig, layout: [3g.40gb]}"));
    accept(*state, POOL(FAULTS ", spares: 1, spot: {reclaim: 8h, back_after: 10m}, cordoned: [1],\n"
                               "    maintenance: [{at: 1h, duration: 1h}],\n"
                               "    sharing: {mode: mig, dynamic: true}"));
    accept(*state, POOL("faults: {instance: {mtbf: 1h, mttr: 1m}}, sharing: {mode: mig, dynamic: "
                        "true}"));
}

static void test_plans_without_a_time(void **state) {
    fixture_refuse(*state, POOL("maintenance: [{at: 1h}]"),
                   "6:19: this maintenance is at one time, so it needs a duration: `duration: "
                   "2h`\n");
    fixture_refuse(*state, POOL("maintenance: [{at: 1h, duration: 1h, from: \"02:00\"}]"),
                   "6:42: this maintenance is at one time, so there is no `from`: leave it or `at` "
                   "out\n");
    fixture_refuse(*state, POOL("maintenance: [{drain: kill}]"),
                   "6:19: this maintenance needs a time: `at: 12h`, or days and hours such as "
                   "`days: sun, from: \"02:00\", to: \"06:00\"`\n");
    fixture_refuse(*state, POOL("maintenance: [{days: sun}]"),
                   "6:19: weekly maintenance goes by the wall clock: say what that is at t = 0, "
                   "such as `start: \"2026-03-02T00:00:00\"`, a Monday, or give `at`\n");
    fixture_refuse(*state, POOL("maintenance: [{at: 1h, duration: 1h, nodes: [2]}]"),
                   "6:50: pool p has nodes 0 to 1, and no node 2\n");
    fixture_refuse(*state, POOL("capacity: [{days: sun, nodes: 2}]"),
                   "6:16: pool p has 2 nodes, and at these hours it is to have fewer: give the "
                   "most that it ever has as its nodes\n");
    fixture_refuse(*state, POOL("capacity: [{days: sun, nodes: 1}]"),
                   "6:16: hours of the week go by the wall clock: say what that is at t = 0, such "
                   "as `start: \"2026-03-02T00:00:00\"`, a Monday\n");
}

static void test_autoscale(void **state) {
    const struct autoscale_spec *spec =
        &accept(*state, POOL("autoscale: {provision_time: 5m}"))->autoscale;
    assert_true(spec->given && spec->least == 0 && spec->most == INT32_MAX);
    assert_true(distribution_mean(&spec->provision_time) == 5 * (double)MINUTE);
    assert_true(spec->idle_time == 10 * MINUTE);
    spec = &accept(*state, POOL("autoscale: {least: 1, most: 2, provision_time: 5m, idle_time: "
                                "1h}"))
                ->autoscale;
    assert_true(spec->least == 1 && spec->most == 2 && spec->idle_time == HOUR);
    fixture_refuse(*state, POOL("autoscale: {least: 1}"),
                   "6:16: cluster.pools.p.autoscale needs the key \"provision_time\" (how long it "
                   "takes from the order of a node until it is up)\n");
    fixture_refuse(*state, POOL("autoscale: {most: 3, provision_time: 5m}"),
                   "6:16: at most 3 nodes are to be up, but pool p has 2: give the most that it "
                   "ever has as its nodes\n");
    fixture_refuse(*state, POOL("autoscale: {least: 2, most: 1, provision_time: 5m}"),
                   "6:16: at least 2 nodes of pool p are to be up, but at most 1\n");
    accept(*state, POOL("cordoned: [0], autoscale: {least: 1, provision_time: 5m}"));
    fixture_refuse(*state, POOL("cordoned: [0], autoscale: {least: 2, provision_time: 5m}"),
                   "6:31: at least 2 nodes of pool p are to be up, but 1 of its 2 are not "
                   "cordoned\n");
    fixture_refuse(
        *state,
        POOL_WITH(ON_MONDAY,
                  "autoscale: {least: 2, provision_time: 5m}, capacity: [{days: sun, nodes: 1}]",
                  FIXTURE_WORK),
        "7:59: at these hours at most 1 nodes of pool p are to be up, but its autoscaler has at "
        "least 2: lower `least`, or allow more\n");
    accept(*state, POOL("autoscale: {provision_time: 5m}, sharing: mps"));
}

static void test_intervals(void **state) {
    accept(*state, POOL_WITH("", FAULTS, SAVING("save_time: 1m, interval: young")));
    fixture_refuse(
        *state, POOL_WITH("", "price: {per_gpu_hour: 1}", SAVING("save_time: 1m, interval: young")),
        "8:31: interval: young goes by the fault rate, but pool p has no faults: add "
        "`faults: {gpu: {mtbf: ..., mttr: ...}}` there, or give an interval such as "
        "30m\n");
    fixture_refuse(*state, POOL_WITH("", FAULTS, SAVING("interval: daly")),
                   "8:16: interval: daly weighs faults against what a save costs, and the saves of "
                   "workload w cost nothing: give a size, parameters or a save_time\n");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_nothing_by_default, setup, teardown),
        cmocka_unit_test_setup_teardown(test_faults, setup, teardown),
        cmocka_unit_test_setup_teardown(test_plans, setup, teardown),
        cmocka_unit_test_setup_teardown(test_what_a_pool_has_not, setup, teardown),
        cmocka_unit_test_setup_teardown(test_plans_without_a_time, setup, teardown),
        cmocka_unit_test_setup_teardown(test_autoscale, setup, teardown),
        cmocka_unit_test_setup_teardown(test_intervals, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
