/* Objectives: SCOPE.SUBJECT.METRIC, a relation, and a value in the metric's own unit. */
#include "tests/scenarios/language_fixture.h"

FIXTURE_SETUP_TEARDOWN

static const char *with(const char *objective) {
    static char text[1024];
    snprintf(text, sizeof(text), FIXTURE_VALID "objectives:\n  - %s\n", objective);
    return text;
}

static const struct objective *accept(struct fixture *fixture, const char *objective) {
    return &fixture_accept(fixture, with(objective))->objectives[0];
}

static void refuse(struct fixture *fixture, const char *objective, const char *message) {
    char expected[1024];
    snprintf(expected, sizeof(expected), "6:5: %s\n", message);
    fixture_refuse(fixture, with(objective), expected);
}

static void test_relations(void **state) {
    assert_int_equal(accept(*state, "run.completed <= 3")->relation, AT_MOST);
    assert_int_equal(accept(*state, "run.completed >= 3")->relation, AT_LEAST);
    assert_int_equal(accept(*state, "run.completed < 3")->relation, LESS);
    assert_int_equal(accept(*state, "run.completed > 3")->relation, MORE);
    assert_int_equal(accept(*state, "run.completed>=3")->relation, AT_LEAST);
    assert_true(accept(*state, "run.completed  >=  -2.5e1")->value == -25);
}

static void test_scopes_and_subjects(void **state) {
    const struct objective *o = accept(*state, "run.makespan_s < 3h");
    assert_int_equal(o->scope, SCOPE_RUN);
    assert_string_equal(o->subject, "");
    assert_string_equal(o->metric, "makespan_s");
    o = accept(*state, "pool.a.utilization.allocated >= 60%");
    assert_int_equal(o->scope, SCOPE_POOL);
    assert_string_equal(o->subject, "a");
    assert_string_equal(o->metric, "utilization.allocated");
    o = accept(*state, "'workload.\"w\".wait_s.p95 <= 30m'");
    assert_int_equal(o->scope, SCOPE_WORKLOAD);
    assert_string_equal(o->subject, "w");
    assert_string_equal(o->text, "workload.\"w\".wait_s.p95 <= 30m");
}

static void test_values_have_the_unit_of_the_metric(void **state) {
    assert_true(accept(*state, "run.wait_s.p95 <= 500ms")->value == 0.5);
    assert_true(accept(*state, "run.makespan_s <= 2d")->value == 172800);
    assert_true(accept(*state, "run.utilization.allocated >= 0.25")->value == 0.25);
    assert_true(accept(*state, "run.usd_total < 1e6")->value == 1e6);
    assert_true(accept(*state, "run.slo_attainment >= 99%")->value == 0.99);
    assert_true(accept(*state, "workload.w.latency_s.part.queueing < 20ms")->value == 0.02);
    /* Per second is no duration. */
    assert_true(accept(*state, "run.throughput_per_s > 2.5")->value == 2.5);
    refuse(
        *state, "run.wait_s.p95 <= 30",
        "wait_s.p95 is compared with a duration such as 500ms, 30s, 15m, 2h or 7d, not \"30\" (a "
        "number needs its unit)");
    refuse(*state, "run.completed > 3s", "completed is compared with a number, not \"3s\"");
    refuse(*state, "run.utilization.allocated > 60",
           "utilization.allocated is compared with a share such as 40% or 0.4, not \"60\" (at most "
           "1, or 100%)");
}

static void test_other_forms_are_refused(void **state) {
    static const char *const bad[] = {"foo",
                                      "run",
                                      "run.completed",
                                      "run.completed <=",
                                      "run.completed = 3",
                                      "run.completed == 3",
                                      "run.completed <= 3 4",
                                      "run. completed <= 3",
                                      "pool.completed <= 3",
                                      "workload.\"w.completed <= 3",
                                      "run..completed <= 3x",
                                      ".completed <= 3",
                                      "<= 3"};
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        struct fixture *fixture = *state;
        char quoted[128];
        snprintf(quoted, sizeof(quoted), "'%s'", bad[i]);
        fixture_read(fixture, with(quoted));
        assert_int_equal(fixture->errors.count, 1);
        assert_int_equal(fixture->errors.items[0].line, 6);
        assert_int_equal(fixture->errors.items[0].column, 5);
    }
    refuse(*state, "foo",
           "objectives must be a text such as workload.train.wait_s.p95 <= 30m or "
           "run.utilization.allocated >= 60%, not \"foo\"");
    refuse(*state, "[1]",
           "objectives must be a text such as workload.train.wait_s.p95 <= 30m or "
           "run.utilization.allocated >= 60%, not a list");
}

static void test_unknown_names(void **state) {
    refuse(*state, "node.a.completed > 3",
           "an objective begins with run, pool.NAME, workload.NAME, model.NAME, queue.NAME or "
           "user.NAME, "
           "not \"node\"");
    refuse(*state, "run.wait_s.p96 <= 3s",
           "unknown metric \"wait_s.p96\": did you mean "
           "\"wait_s.p95\"?");
    refuse(*state, "pool.aa.completed > 3", "there is no pool \"aa\"");
    refuse(*state, "workload.ww.completed > 3", "there is no workload \"ww\"");
    fixture_refuse(*state,
                   FIXTURE_HEAD FIXTURE_CLUSTER
                   "workloads: {chat: {kind: jobs, trace: {file: x}}}\n"
                   "objectives: [workload.chta.completed > 3]\n",
                   "5:14: there is no workload \"chta\": did you mean \"chat\"?\n");
}

static void test_subjects_of_counted_workloads(void **state) {
#define COUNTED(objective)                                                                         \
    FIXTURE_HEAD FIXTURE_CLUSTER                                                                   \
        "workloads: {chat: {kind: jobs, count: 3, arrivals: {poisson: 1/h}, duration: 1h}}\n"      \
        "objectives: [" objective "]\n"
    assert_string_equal(
        fixture_accept(*state, COUNTED("workload.chat-3.completed > 3"))->objectives[0].subject,
        "chat-3");
    fixture_refuse(*state, COUNTED("workload.chat.completed > 3"),
                   "5:14: workload chat is 3 workloads: name one of them, chat-1 to chat-3\n");
    fixture_refuse(*state, COUNTED("workload.chat-4.completed > 3"),
                   "5:14: workload chat is 3 workloads: name one of them, chat-1 to chat-3\n");
    fixture_refuse(*state, COUNTED("workload.chta.completed > 3"),
                   "5:14: workload chat is 3 workloads: name one of them, chat-1 to chat-3\n");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_relations),
        cmocka_unit_test(test_scopes_and_subjects),
        cmocka_unit_test(test_values_have_the_unit_of_the_metric),
        cmocka_unit_test(test_other_forms_are_refused),
        cmocka_unit_test(test_unknown_names),
        cmocka_unit_test(test_subjects_of_counted_workloads),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
