/* The key `plan`: ranges are written out, defaults hold, and mistakes are told at their place. */
#include "scenarios/sweep.h"
#include "tests/scenarios/language_fixture.h"

FIXTURE_SETUP_TEARDOWN

static void test_ranges_are_written_out(void **state) {
    const struct scenario *scenario = fixture_accept(
        *state, FIXTURE_VALID "plan:\n"
                              "  vary:\n"
                              "    cluster.pools.a.nodes: {from: 2, to: 9, step: 3}\n"
                              "    scheduler.order: [sjf, fifo]\n");
    const struct sweep *vary = scenario->plan.vary;
    assert_true(scenario->plan.given);
    /* 2, 5 and 8, each with both orders. */
    assert_int_equal(vary->point_count, 6);
    struct arena arena = {0};
    assert_string_equal(sweep_point_name(vary, &arena, 4),
                        "cluster.pools.a.nodes=8, scheduler.order=sjf");
    assert_string_equal(sweep_value(vary, 0, 3)->text, "5");
    arena_clear(&arena);
}

static void test_defaults(void **state) {
    const struct scenario *without = fixture_accept(*state, FIXTURE_VALID);
    assert_false(without->plan.given);
    const struct plan_spec *plan =
        &fixture_accept(*state, FIXTURE_VALID "plan: {vary: {cluster.pools.a.nodes: [1]}}\n")->plan;
    assert_string_equal(plan->minimize, "usd_per_month");
    assert_true(plan->tolerance == 0.05);
    assert_true(plan->confidence == 0.95);
    assert_int_equal(plan->least, 5);
    assert_int_equal(plan->most, 60);
}

static void test_values_are_read(void **state) {
    const struct scenario *scenario =
        fixture_accept(*state, FIXTURE_VALID
                       "plan: {vary: {cluster.pools.a.nodes: [1]}, minimize: completed, "
                       "tolerance: 2%, confidence: 80%, replications: {least: 3, most: 9}}\n");
    assert_string_equal(scenario->plan.minimize, "completed");
    assert_true(scenario->plan.tolerance == 0.02);
    assert_true(scenario->plan.confidence == 0.8);
    assert_int_equal(scenario->plan.least, 3);
    assert_int_equal(scenario->plan.most, 9);
}

/* So that results with and without one are comparable. */
static void test_a_plan_is_no_input_of_a_run(void **state) {
    char canonical[1024];
    snprintf(canonical, sizeof canonical, "%s", fixture_accept(*state, FIXTURE_VALID)->canonical);
    const struct scenario *planned = fixture_accept(
        *state, FIXTURE_VALID "plan: {vary: {cluster.pools.a.nodes: {from: 1, to: 3}}}\n");
    assert_string_equal(planned->canonical, canonical);
}

static void test_mistakes(void **state) {
    fixture_refuse(*state,
                   FIXTURE_VALID "plan:\n"
                                 "  vary:\n"
                                 "    cluster.pools.a.nodes: {from: 5, to: 1}\n"
                                 "    cluster.pools.a.gpus_per_node: {from: 1}\n"
                                 "    seed: [1, 2]\n"
                                 "    variants.x: [1]\n"
                                 "  minimize: complete\n"
                                 "  confidence: 40%\n",
                   "7:28: plan.vary.\"cluster.pools.a.nodes\" goes from 5 to 1: the smaller number "
                   "comes first\n"
                   "8:36: plan.vary.\"cluster.pools.a.gpus_per_node\" needs the key \"to\" (the "
                   "last one)\n"
                   "9:5: a plan cannot change seed, by which its candidates are compared\n"
                   "11:13: plan.minimize is no figure of the run: \"complete\": did you mean "
                   "\"completed\"?\n"
                   "12:15: plan.confidence must be from 50% to 99.9%, not \"40%\"\n");
    fixture_refuse(*state, FIXTURE_VALID "plan: {vary: {variants.x: [1]}}\n",
                   "5:15: a plan cannot change variants\n");
    fixture_refuse(
        *state, FIXTURE_VALID "plan: {minimize: completed}\n",
        "5:7: plan needs the key \"vary\" (paths, and the values to try at each: a list, "
        "or {from: 1, to: 64})\n");
    fixture_refuse(*state,
                   FIXTURE_VALID "plan: {vary: {cluster.pools.a.nodes: {from: 1, to: 10001}}}\n",
                   "5:38: plan.vary.\"cluster.pools.a.nodes\" has more than 10000 numbers: give a "
                   "larger step\n");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ranges_are_written_out),
        cmocka_unit_test(test_defaults),
        cmocka_unit_test(test_values_are_read),
        cmocka_unit_test(test_a_plan_is_no_input_of_a_run),
        cmocka_unit_test(test_mistakes),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
