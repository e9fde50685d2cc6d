/* Services: their keys, what they leave out, and what is a key of jobs only. */
#include "tests/scenarios/language_fixture.h"

FIXTURE_SETUP_TEARDOWN

#define MILLISECOND INT64_C(1000000)

/* One service `s` with these keys, which begin in line 6, column 5. */
#define SERVICE(keys)                                                                              \
    FIXTURE_HEAD FIXTURE_CLUSTER "workloads:\n"                                                    \
                                 "  s: {kind: service,\n    " keys "}\n"
#define SOURCE "arrivals: {poisson: 12/s}, service_time: 80ms"

static const struct workload_spec *accept_service(struct fixture *fixture, const char *text) {
    const struct workload_spec *workload = fixture_accept(fixture, text)->workloads;
    assert_int_equal(workload->kind.index, WORKLOAD_SERVICE);
    return workload;
}

static void test_defaults(void **state) {
    const struct workload_spec *w = accept_service(*state, SERVICE(SOURCE));
    assert_int_equal(w->job_class, CLASS_INFERENCE);
    assert_int_equal(workload_priority(w), 0);
    assert_int_equal(w->service.replicas, 1);
    assert_int_equal(w->service.concurrency, 1);
    assert_int_equal(w->service.dispatch.index, 0);
    assert_true(w->service.timeout == SIM_TIME_NEVER);
    assert_true(w->service.slo == SIM_TIME_NEVER);
    assert_false(w->service.service_time.by_tokens);
    assert_true(w->service.service_time.time.given[0] == 80e6);
    assert_true(w->service.prompt_tokens.given[0] == 0);
    assert_true(w->max_queue == INT64_MAX);
    assert_int_equal(w->limit, 0);
    assert_false(fixture_accept(*state, SERVICE(SOURCE))->record.requests);
}

static void test_all_keys(void **state) {
    const struct scenario *s = fixture_accept(
        *state,
        SERVICE(
            "model: llama-7b, trace: {file: x}, replicas: 3, concurrency: 4, dispatch: random,\n"
            "    timeout: 10s, slo: 500ms, max_queue: 100, class: finetuning, compute: 20%,\n"
            "    service_time: {lognormal: {mean: 80ms, cv: 0.6}}, prompt_tokens: 100,\n"
            "    output_tokens: {exponential: {mean: 50}}") "record: {requests: true}\n");
    const struct workload_spec *w = &s->workloads[0];
    assert_int_equal(w->service.replicas, 3);
    assert_int_equal(w->service.concurrency, 4);
    assert_int_equal(w->service.dispatch.index, 1);
    assert_true(w->service.timeout == 10000 * MILLISECOND);
    assert_true(w->service.slo == 500 * MILLISECOND);
    assert_int_equal(w->max_queue, 100);
    assert_int_equal(w->job_class, CLASS_FINETUNING);
    assert_true(w->compute == 0.2);
    assert_string_equal(w->service.service_time.time.kind->name, "lognormal");
    assert_true(w->service.prompt_tokens.given[0] == 100);
    assert_string_equal(w->service.output_tokens.kind->name, "exponential");
    assert_true(w->needs.memory.start.given[0] == 14e9);
    assert_true(s->record.requests);
}

/* A trace may bring the times itself; who reads it sees. */
static void test_a_trace_may_bring_the_service_time(void **state) {
    const struct workload_spec *w = accept_service(*state, SERVICE("trace: {file: x}"));
    assert_null(w->service.service_time.time.kind);
}

static void test_time_by_tokens(void **state) {
    const struct workload_spec *w = accept_service(
        *state, SERVICE("arrivals: {poisson: 12/s}, prompt_tokens: 500, output_tokens: {uniform: "
                        "[1, 200]},\n    service_time: {tokens: {base: 5ms, per_input_token: "
                        "200us, per_output_token: 12ms}}"));
    const struct service_time_spec *time = &w->service.service_time;
    assert_true(time->by_tokens);
    assert_true(time->base_ns == 5e6);
    assert_true(time->per_input_token_ns == 2e5);
    assert_true(time->per_output_token_ns == 12e6);
    /* Tokens that cost nothing need no number. */
    accept_service(*state, SERVICE("arrivals: {poisson: 12/s}, output_tokens: 20, service_time: "
                                   "{tokens: {per_output_token: 12ms}}"));
    accept_service(*state, SERVICE("trace: {file: x}, service_time: {tokens: {base: 1ms, "
                                   "per_input_token: 12ms}}"));
    fixture_refuse(*state,
                   SERVICE("arrivals: {poisson: 12/s}, service_time: {tokens: {per_input_token: "
                           "1ms, per_output_token: 1ms}}"),
                   "6:32: the service_time of workload s counts tokens, so it needs prompt_tokens\n"
                   "6:32: the service_time of workload s counts tokens, so it needs "
                   "output_tokens\n");
    fixture_refuse(
        *state, SERVICE("arrivals: {poisson: 12/s}, service_time: {tokens: {per_token: 3}}"),
        "6:56: unknown key \"per_token\" in workloads.s.service_time.tokens, which takes "
        "base, per_input_token, per_output_token\n");
}

static void test_a_source_and_a_time(void **state) {
    fixture_refuse(*state, SERVICE("replicas: 2"),
                   "5:6: workload s needs a trace, or arrivals for synthetic requests\n");
    fixture_refuse(*state, SERVICE("arrivals: {poisson: 12/s}"),
                   "5:6: workload s has arrivals, so it needs a service_time for its requests\n");
    fixture_refuse(*state, SERVICE("trace: {file: x}, limit: 3"),
                   "6:23: workload s replays a trace: its limit goes inside `trace`\n");
    fixture_refuse(*state,
                   "headroom: 1\nhorizon: end_of_work\n" FIXTURE_CLUSTER
                   "workloads: {s: {kind: service, " SOURCE "}}\n",
                   "4:32: the arrivals of workload s never end, and neither would the run: give it "
                   "a `limit`, or the scenario a horizon such as 7d\n");
    fixture_accept(*state, "headroom: 1\nhorizon: end_of_work\n" FIXTURE_CLUSTER
                           "workloads: {s: {kind: service, limit: 3, " SOURCE "}}\n");
}

static void test_keys_of_jobs(void **state) {
    fixture_refuse(
        *state,
        SERVICE("gpus: 2,\n    duration: 1h,\n    estimate: 1h,\n    max_wait: 1h,\n    " SOURCE),
        "6:5: workload s is a service, which has no gpus: each of its replicas takes one slot; "
        "`compute` asks for a share of a GPU\n"
        "7:5: workload s is a service, which has no duration: how long a request takes is its "
        "`service_time`\n"
        "8:5: workload s is a service, which has no estimate: its replicas run as long as the "
        "scenario\n"
        "9:5: workload s is a service, which has no max_wait: how long a request waits at most is "
        "its `timeout`\n");
}

static void test_keys_of_services(void **state) {
    fixture_refuse(
        *state,
        FIXTURE_HEAD FIXTURE_CLUSTER "workloads:\n"
                                     "  w: {kind: jobs, arrivals: {poisson: 1/h}, duration: 1h,\n"
                                     "    replicas: 2,\n    timeout: 3s,\n    service_time: 1s,\n"
                                     "    slo: 3s}\n",
        "6:5: workload w is made of jobs, which have no replicas: how many GPUs a job takes is its "
        "`gpus`, and `count` makes several such workloads\n"
        "7:5: workload w is made of jobs, which have no timeout: how long a job waits at most is "
        "its "
        "`max_wait`\n"
        "8:5: workload w is made of jobs, which have no service_time: how long a job runs is its "
        "`duration`\n"
        "9:5: workload w is made of jobs, which have no slo: objectives may speak of its jct_s or "
        "wait_s\n");
}

static void test_ranges(void **state) {
    fixture_refuse(
        *state,
        SERVICE("replicas: 0,\n    concurrency: 0,\n    slo: 0s,\n    dispatch: nearest,\n"
                "    prompt_tokens: -1,\n    " SOURCE),
        "6:15: workloads.s.replicas must be from 1 to 100000, not \"0\"\n"
        "7:18: workloads.s.concurrency must be from 1 to 100000, not \"0\"\n"
        "8:10: workloads.s.slo must be above 0s, not \"0s\"\n"
        "9:15: unknown dispatch \"nearest\": choose central or random\n"
        "10:20: workloads.s.prompt_tokens must give values from 0 to 1000000000, not "
        "-1\n");
}

/* One workload, turned loose on every mode. */
static void test_one_service_on_every_mode(void **state) {
    static const char *const modes[] = {
        "exclusive",
        "mps",
        "{mode: timeslice, replicas: 8}",
        "{mode: mig, layout: [3g.40gb, 2g.20gb, 2g.20gb]}",
        "{mode: mig, dynamic: true}",
        "{mode: mig, layout: [{profile: 1g.10gb, sharing: {mode: timeslice, replicas: 2}}]}",
    };
    for (size_t i = 0; i < sizeof(modes) / sizeof(modes[0]); i++) {
        char set[256];
        snprintf(set, sizeof(set), "cluster.pools.a.sharing=%s", modes[i]);
        const char *const sets[] = {set};
        const char *text = SERVICE("model: llama-7b, concurrency: 4, compute: 30%, " SOURCE);
        if (fixture_resolve(*state, text, sets, 1, NULL) == NULL) {
            fail_msg("%s: %s", modes[i], fixture_errors(*state));
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_defaults),
        cmocka_unit_test(test_all_keys),
        cmocka_unit_test(test_a_trace_may_bring_the_service_time),
        cmocka_unit_test(test_time_by_tokens),
        cmocka_unit_test(test_a_source_and_a_time),
        cmocka_unit_test(test_keys_of_jobs),
        cmocka_unit_test(test_keys_of_services),
        cmocka_unit_test(test_ranges),
        cmocka_unit_test(test_one_service_on_every_mode),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
