/* What arithmetic rules out, and what it must not. Numbers by hand, in the comments. */
#include <math.h>
#include <stdio.h>

#include "plan/erlang.h"
#include "plan/evaluate.h"
#include "plan/floor.h"
#include "tests/plan/plan_fixture.h"

/* The reason of a scenario whose parts are put in. */
static enum floor_reason reason_from(const char *head, const char *pools, const char *workloads,
                                     const char *objectives) {
    char text[4096];
    struct plan_fixture fixture;
    struct plan_floor floor;
    snprintf(text, sizeof text,
             "headroom: 1\n%shorizon: 10000s\nwarmup: 100s\ncluster: {pools: {%s}}\n"
             "workloads: {%s}\nobjectives: [%s]\n",
             head, pools, workloads, objectives);
    plan_fixture_open(&fixture, text);
    plan_floor_find(fixture.scenario, 0.05, &floor);
    plan_fixture_close(&fixture);
    return floor.reason;
}

static enum floor_reason reason_of(const char *pools, const char *workloads,
                                   const char *objectives) {
    return reason_from("", pools, workloads, objectives);
}

#define GPUS(NODES, MORE) "a: {gpu: A100-SXM4-80GB, nodes: " NODES ", gpus_per_node: 1" MORE "}"
#define JOBS(MORE) "jobs: {kind: jobs, " MORE "}"
#define CHAT(MORE) "chat: {kind: service, " MORE "}"
#define ANY "run.completed >= 0"

static void memory_that_fits_nowhere(void **state) {
    (void)state;
    static const char job[] = JOBS("arrivals: {poisson: 1/h}, duration: 1m, memory: 45GB");
    assert_int_equal(reason_of(GPUS("2", ""), job, ANY), FLOOR_NONE);
    assert_int_equal(
        reason_of(GPUS("2", ", sharing: {mode: mig, layout: [3g.40gb, 3g.40gb]}"), job, ANY),
        FLOOR_MEMORY);
    assert_int_equal(
        reason_of(GPUS("2", ", sharing: {mode: mps, clients: 4, memory_limit: 20GB}"), job, ANY),
        FLOOR_MEMORY);
    /* One of two pools holds it. */
    assert_int_equal(
        reason_of(
            GPUS("2", ", sharing: {mode: mig, layout: [3g.40gb]}") ", b: {gpu: A100-SXM4-80GB, "
                                                                   "nodes: 1, gpus_per_node: 1}",
            job, ANY),
        FLOOR_NONE);
    /* Two GPUs, and jobs of up to four. */
    assert_int_equal(reason_of(GPUS("2", ""),
                               JOBS("arrivals: {poisson: 1/h}, duration: 1m, gpus: {choice: {1: "
                                    "0.9, 4: 0.1}}"),
                               ANY),
                     FLOOR_MEMORY);
}

static void replicas_need_slots_and_memory(void **state) {
    (void)state;
    static const char three[] =
        CHAT("replicas: 3, memory: 30GB, arrivals: {poisson: 1/s}, service_time: 1ms");
    assert_int_equal(reason_of(GPUS("2", ""), three, ANY), FLOOR_SLOTS);
    assert_int_equal(reason_of(GPUS("3", ""), three, ANY), FLOOR_NONE);
    /* 90 GB on 85.9 GB, though there are eight slots. */
    assert_int_equal(reason_of(GPUS("1", ", sharing: {mode: timeslice, replicas: 8}"), three, ANY),
                     FLOOR_MEMORY);
    assert_int_equal(reason_of(GPUS("2", ", sharing: {mode: timeslice, replicas: 8}"), three, ANY),
                     FLOOR_NONE);
}

/* 2.5 GPUs' worth of work: rates of 5 per second, 500 ms each. */
static void load_beyond_capacity(void **state) {
    (void)state;
    static const char load[] = JOBS("arrivals: {poisson: 5/s}, duration: 500ms, saturation: 0.4");
    assert_int_equal(reason_of(GPUS("2", ""), load, ANY), FLOOR_LOAD);
    assert_int_equal(reason_of(GPUS("3", ""), load, ANY), FLOOR_NONE);
    /* Under MPS a GPU does 1 / 0.4 = 2.5 of them at one time: one GPU has just enough. */
    assert_int_equal(reason_of(GPUS("1", ", sharing: {mode: mps, clients: 8}"), load, ANY),
                     FLOOR_NONE);
    assert_int_equal(reason_of(GPUS("1", ", sharing: {mode: timeslice, replicas: 8}"), load, ANY),
                     FLOOR_LOAD);
    /* Three slices of 28 of 108 SMs at 28 / 108 / 0.4 = 0.648 each: 1.94 a GPU, 2.5 on two. */
    assert_int_equal(
        reason_of(GPUS("1", ", sharing: {mode: mig, layout: [2g.20gb, 2g.20gb, 2g.20gb]}"), load,
                  ANY),
        FLOOR_LOAD);
    assert_int_equal(
        reason_of(GPUS("2", ", sharing: {mode: mig, layout: [2g.20gb, 2g.20gb, 2g.20gb]}"), load,
                  ANY),
        FLOOR_NONE);
    /* Two replicas, however many GPUs. */
    assert_int_equal(reason_of(GPUS("8", ""),
                               CHAT("replicas: 2, arrivals: {poisson: 5/s}, service_time: 500ms"),
                               ANY),
                     FLOOR_LOAD);
}

/* Work that ends, gives up or is turned away never drowns a queue. */
static void loads_that_say_nothing(void **state) {
    (void)state;
    static const char *const jobs[] = {
        JOBS("arrivals: {poisson: 5/s}, duration: 500ms, limit: 100"),
        JOBS("arrivals: {poisson: 5/s}, duration: 500ms, max_wait: 1s"),
        JOBS("arrivals: {poisson: 5/s}, duration: 500ms, max_queue: 3"),
        JOBS("arrivals: {closed: {clients: 50, think: 1ms}}, duration: 500ms"),
        CHAT("arrivals: {poisson: 5/s}, service_time: 500ms, timeout: 1s")};
    for (size_t i = 0; i < sizeof jobs / sizeof jobs[0]; i++) {
        assert_int_equal(reason_of(GPUS("1", ""), jobs[i], ANY), FLOOR_NONE);
    }
}

/* By day seven instances of 10 GB, by night whole: 45 GB, two GPUs at once and three slots more fit
 * at some hour, and what such a GPU can do is not known; 90 GB and eight slots fit at none. */
static void calendars_hold_what_any_of_their_hours_holds(void **state) {
    (void)state;
    static const char cut[] =
        "a: {gpu: A100-SXM4-80GB, nodes: 2, gpus_per_node: 1, sharing: {mode: mig, layout: "
        "[3g.40gb, 3g.40gb], calendar: [{from: \"09:00\", to: \"21:00\", layout: [{profile: "
        "1g.10gb, count: 7}]}, {from: \"21:00\", to: \"06:00\", mode: exclusive}]}}";
    static const char start[] = "start: \"2026-03-02T00:00:00\"\n";
    assert_int_equal(
        reason_from(start, cut, JOBS("arrivals: {poisson: 1/h}, duration: 1m, memory: 45GB"), ANY),
        FLOOR_NONE);
    assert_int_equal(
        reason_from(start, cut, JOBS("arrivals: {poisson: 1/h}, duration: 1m, memory: 90GB"), ANY),
        FLOOR_MEMORY);
    assert_int_equal(
        reason_from(start, cut, JOBS("arrivals: {poisson: 1/h}, duration: 1m, gpus: 2"), ANY),
        FLOOR_NONE);
    assert_int_equal(
        reason_from(start, cut, JOBS("arrivals: {poisson: 5/s}, duration: 500ms"), ANY),
        FLOOR_NONE);
    static const char service[] =
        "chat: {kind: service, replicas: %d, memory: 1GB, arrivals: {poisson: 1/s}, service_time: "
        "1ms}";
    char text[256];
    snprintf(text, sizeof text, service, 14);
    assert_int_equal(reason_from(start, cut, text, ANY), FLOOR_NONE);
    snprintf(text, sizeof text, service, 15);
    assert_int_equal(reason_from(start, cut, text, ANY), FLOOR_SLOTS);
}

/* 10,000 s are no day, so nobody knows how much of a daily mean comes in them. Work that running
 * out of memory may end early is no sure load either. */
static void loads_that_are_not_sure(void **state) {
    (void)state;
    static const char day[] = JOBS("arrivals: {diurnal: {mean: 5/s, peak: 10/s, peak_at: "
                                   "\"14:00\"}}, duration: 500ms");
    assert_int_equal(reason_of(GPUS("2", ""), day, ANY), FLOOR_NONE);
    assert_int_equal(
        reason_of(GPUS("2", ""),
                  JOBS("arrivals: {poisson: 5/s}, duration: 500ms, memory: {start: 1GB, growth: "
                       "1GB/h}"),
                  ANY),
        FLOOR_NONE);
    assert_int_equal(reason_of(GPUS("2", ""),
                               JOBS("arrivals: {poisson: 5/s}, duration: 500ms, memory: 1GB"), ANY),
                     FLOOR_LOAD);
}

/* The least c of M/M/c at load 10 (see test_queueing.c), and that the one below is ruled out. The
 * tolerance is 5 %: M/M/17 has 161 ms, M/M/13 1.12 s and 28.5 %. */
static void erlang_prunes_below_the_least(void **state) {
    (void)state;
    static const char load[] =
        JOBS("arrivals: {poisson: 10/s}, duration: {exponential: {mean: 1s}}");
    assert_int_equal(reason_of(GPUS("17", ""), load, "run.wait_s.p99 <= 100ms"), FLOOR_ERLANG);
    assert_int_equal(reason_of(GPUS("18", ""), load, "run.wait_s.p99 <= 100ms"), FLOOR_NONE);
    assert_int_equal(reason_of(GPUS("13", ""), load, "run.wait_s.p99 <= 1s"), FLOOR_ERLANG);
    assert_int_equal(reason_of(GPUS("14", ""), load, "run.wait_s.p99 <= 1s"), FLOOR_NONE);
    assert_int_equal(reason_of(GPUS("13", ""), load, "run.waited <= 20%"), FLOOR_ERLANG);
    assert_int_equal(reason_of(GPUS("14", ""), load, "run.waited <= 20%"), FLOOR_NONE);
    /* Requests, of which 13 replicas serve one each; the same queue. */
    static const char chat[] =
        CHAT("replicas: 13, arrivals: {poisson: 10/s}, service_time: {exponential: {mean: 1s}}");
    assert_int_equal(reason_of(GPUS("20", ""), chat, "run.queue_s.p99 <= 1s"), FLOOR_ERLANG);
    assert_int_equal(reason_of(GPUS("20", ""), chat, "run.queue_s.p99 <= 1200ms"), FLOOR_NONE);
}

/* Where the model is another, Erlang's figure is no bound, and a bad one prunes nothing. */
static void erlang_says_nothing_of_others(void **state) {
    (void)state;
    static const char bound[] = "run.wait_s.p99 <= 100ms";
    static const char *const jobs[] = {
        JOBS("arrivals: {poisson: 10/s}, duration: 1s"),
        JOBS("arrivals: {renewal: {exponential: {mean: 100ms}}}, duration: {exponential: {mean: "
             "1s}}"),
        JOBS("arrivals: {poisson: 10/s}, duration: {exponential: {mean: 1s}}, max_wait: 1h"),
        JOBS("arrivals: {poisson: 6/s}, duration: {exponential: {mean: 1s}}, gpus: {choice: {1: "
             "0.5, 2: 0.5}}"),
        /* 500 arrivals in all. */
        JOBS("arrivals: {poisson: 0.05/s}, duration: {exponential: {mean: 200s}}"),
        JOBS("arrivals: {poisson: 10/s}, duration: {exponential: {mean: 1s}}") ", " CHAT(
            "arrivals: {poisson: 1/h}, service_time: 1ms")};
    for (size_t i = 0; i < sizeof jobs / sizeof jobs[0]; i++) {
        assert_int_equal(reason_of(GPUS("13", ""), jobs[i], bound), FLOOR_NONE);
    }
    assert_int_equal(
        reason_of(GPUS("13", ", sharing: {mode: timeslice, replicas: 2}"),
                  JOBS("arrivals: {poisson: 10/s}, duration: {exponential: {mean: 1s}}"), bound),
        FLOOR_NONE);
}

/* sqrt(1001) - sqrt(1000) = 0.0158: it takes 4000 s to settle, 20 of those are not in 9900 s. */
static void erlang_wants_a_settled_queue(void **state) {
    (void)state;
    static const char load[] =
        JOBS("arrivals: {poisson: 1000/s}, duration: {exponential: {mean: 1s}}");
    assert_int_equal(reason_of(GPUS("1001", ""), load, "run.wait_s.p99 <= 1ms"), FLOOR_NONE);
    assert_int_equal(reason_of(GPUS("1060", ""), load, "run.wait_s.p99 <= 1us"), FLOOR_ERLANG);
}

/* Shares of the bound; at the very bound of < it is missed; at 0 the unit is 1. */
static void excess_is_relative(void **state) {
    (void)state;
    struct objective at_most = {.relation = AT_MOST, .value = 4};
    struct objective less = {.relation = LESS, .value = 4};
    struct objective at_least = {.relation = AT_LEAST, .value = 0.5};
    struct objective none = {.relation = AT_MOST, .value = 0};
    assert_true(plan_objective_excess(&at_most, 5) == 0.25);
    assert_true(plan_objective_excess(&at_most, 4) == 0);
    assert_true(plan_objective_excess(&at_most, 3) == -0.25);
    assert_true(plan_objective_excess(&less, 4) > 0);
    assert_true(plan_objective_excess(&at_least, 0.25) == 0.5);
    assert_true(plan_objective_excess(&at_least, 0.75) == -0.5);
    assert_true(plan_objective_excess(&none, 3) == 3);
    assert_true(isinf(plan_objective_excess(&at_most, NAN)));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(memory_that_fits_nowhere),
        cmocka_unit_test(replicas_need_slots_and_memory),
        cmocka_unit_test(load_beyond_capacity),
        cmocka_unit_test(loads_that_say_nothing),
        cmocka_unit_test(calendars_hold_what_any_of_their_hours_holds),
        cmocka_unit_test(loads_that_are_not_sure),
        cmocka_unit_test(erlang_prunes_below_the_least),
        cmocka_unit_test(erlang_says_nothing_of_others),
        cmocka_unit_test(erlang_wants_a_settled_queue),
        cmocka_unit_test(excess_is_relative),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
