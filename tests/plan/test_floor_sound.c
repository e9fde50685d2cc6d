/* The floor against simulation, over random small problems: what it rules out does not work when it
 * is simulated. Load beyond capacity is simulated with a quarter more, as a queue that is only just
 * overloaded takes longer than a test to show it. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "plan/evaluate.h"
#include "plan/floor.h"
#include "tests/plan/plan_fixture.h"

enum { PROBLEMS = 900, REPLICATIONS = 2, TEXT = 4096 };

struct problem {
    char text[TEXT];
    size_t used;
};

__attribute__((format(printf, 2, 3))) static void add(struct problem *problem, const char *format,
                                                      ...) {
    va_list arguments;
    va_start(arguments, format);
    problem->used +=
        (size_t)vsnprintf(problem->text + problem->used, TEXT - problem->used, format, arguments);
    va_end(arguments);
    assert_true(problem->used < TEXT);
}

static const char *pick(struct test_random *random, const char *const *texts, int32_t count) {
    return texts[test_random_below(random, count)];
}
#define PICK(RANDOM, ...)                                                                          \
    pick(RANDOM, (const char *const[]){__VA_ARGS__},                                               \
         (int32_t)(sizeof((const char *const[]){__VA_ARGS__}) / sizeof(char *)))

static void add_pool(struct problem *problem, struct test_random *random, const char *name) {
    const char *sharing = PICK(
        random, "exclusive", "exclusive", "{mode: mps, clients: 4}",
        "{mode: mps, clients: 3, memory_limit: 20GB}", "{mode: timeslice, replicas: 3}",
        "{mode: mig, layout: [3g.40gb, 2g.20gb, 1g.10gb]}",
        "{mode: mig, layout: [{profile: 3g.40gb, count: 2, sharing: {mode: mps, clients: 2}}]}",
        "{mode: mig, dynamic: true}",
        "{mode: mig, layout: [{profile: 1g.10gb, count: 7}], calendar: [{from: \"02:00\", to: "
        "\"00:30\", mode: exclusive}]}",
        "{mode: mig, layout: [1g.10gb], calendar: [{from: \"01:00\", to: \"23:30\", layout: "
        "[{profile: 3g.40gb, count: 2, sharing: {mode: timeslice, replicas: 4}}]}]}",
        "{mode: mig, layout: [3g.40gb, 3g.40gb], calendar: [{from: \"01:00\", to: \"01:30\", "
        "layout: [7g.80gb]}]}");
    bool whole = strcmp(sharing, "exclusive") == 0;
    add(problem, "    %s:\n      gpu: A100-SXM4-80GB\n      nodes: %d\n      gpus_per_node: %d\n",
        name, test_random_between(random, 1, 3), test_random_between(random, 1, 2));
    add(problem, "      sharing: %s\n", sharing);
    if (strstr(sharing, "dynamic") == NULL) {
        const char *outage =
            PICK(random, "", "", "", "spares: 2",
                 "faults: {node: {mtbf: {exponential: {mean: 2h}}, mttr: 5m}}\n      spares: 1",
                 "capacity: [{from: \"03:00\", to: \"01:00\", nodes: 1}]", "cordoned: [0]",
                 "occupied: [{node: 0, gpus: 1, for: 1h}]",
                 "spot: {reclaim: {exponential: {mean: 3h}}, back_after: 10m}");
        add(problem, "      %s\n",
            whole && test_random_once_in(random, 6) ? "autoscale: {least: 0, provision_time: 1m}"
                                                    : outage);
    }
}

static void add_demands(struct problem *problem, struct test_random *random) {
    if (test_random_once_in(random, 2)) {
        add(problem, ", memory: %s", PICK(random, "5GB", "15GB", "18GB", "30GB", "50GB", "90GB"));
    }
    if (test_random_once_in(random, 3)) {
        add(problem, ", saturation: %s", PICK(random, "0.3", "0.5", "1"));
    }
}

/* About 400 jobs of a minute or so. */
static void add_jobs(struct problem *problem, struct test_random *random, double load,
                     const char *name, bool gangs) {
    size_t begun = problem->used;
    double work = test_random_between(random, 30, 90);
    double rate = load * test_random_between(random, 2, 80) / 10.0 / work;
    if (test_random_once_in(random, 6)) {
        add(problem,
            "  %s: {kind: jobs, arrivals: {diurnal: {mean: %.6f/s, peak: %.6f/s, peak_at: "
            "\"14:00\"}}, duration: %.0fs",
            name, rate, 1.9 * rate, work);
    } else {
        add(problem, "  %s: {kind: jobs, arrivals: %s{%s: %.6f%s}%s, duration: %s", name, "",
            "poisson", rate, "/s", "",
            PICK(random, "{exponential: {mean: 60s}}", "60s", "{uniform: [1s, 2m]}"));
    }
    if (gangs) {
        add(problem, ", gpus: %s", PICK(random, "2", "4", "{choice: {1: 0.9, 3: 0.1}}", "1"));
    }
    add_demands(problem, random);
    /* Of jobs that are turned away anyway nobody can tell which nothing could hold. */
    bool all_fit = !gangs && strstr(problem->text + begun, "memory") == NULL;
    add(problem, "%s}\n",
        PICK(random, "", "", "", ", max_wait: 10m", all_fit ? ", max_queue: 20" : "",
             ", window: [\"00:00-12:00\"]", ", pools: [p]"));
}

static void add_service(struct problem *problem, struct test_random *random, double load) {
    double rate = load * test_random_between(random, 1, 40) / 100.0;
    add(problem,
        "  chat: {kind: service, replicas: %d, concurrency: %d, arrivals: {poisson: %.6f/s}, "
        "service_time: %s",
        test_random_between(random, 1, 8), test_random_between(random, 1, 3), rate,
        PICK(random, "{exponential: {mean: 10s}}", "5s", "{lognormal: {mean: 10s, cv: 1}}"));
    add_demands(problem, random);
    add(problem, "%s}\n", PICK(random, "", "", ", timeout: 5m", ", max_queue: 10", ", pools: [p]"));
}

static void make(struct problem *problem, uint64_t seed, double load) {
    struct test_random random = {.state = seed};
    problem->used = 0;
    add(problem, "headroom: 1\nstart: 2026-03-02T00:00:00Z\nhorizon: %s\nseed: %d\n",
        PICK(&random, "4h", "8h", "26h"), test_random_between(&random, 1, 1000));
    add(problem, "scheduler: {backfill: %s, order: %s}\ncluster:\n  pools:\n",
        PICK(&random, "none", "skip"), PICK(&random, "fifo", "priority"));
    add_pool(problem, &random, "p");
    bool two = test_random_once_in(&random, 3);
    if (two) {
        add_pool(problem, &random, "q");
    }
    add(problem, "workloads:\n");
    int kinds = test_random_between(&random, 1, 3);
    if (kinds & 1) {
        bool gangs = test_random_once_in(&random, 3);
        add_jobs(problem, &random, load, "jobs", gangs);
    }
    if (kinds & 2) {
        add_service(problem, &random, load);
    }
    add(problem, "objectives: [run.completed >= 1]\n");
}

/* NULL where the text is no sound scenario, such as gangs on slots: that is not the floor's. */
static bool open_problem(struct plan_fixture *fixture, const struct problem *problem) {
    struct error_list errors = {0};
    language_create(&fixture->language);
    fixture->scenario = NULL;
    fixture->file = scenario_file_open_text("plan.yaml", problem->text, problem->used,
                                            &fixture->language.context, &errors);
    if (fixture->file != NULL) {
        fixture->scenario = scenario_file_resolve(fixture->file, NULL, 0, NULL, &errors);
    }
    bool sound = fixture->scenario != NULL;
    error_list_clear(&errors);
    if (!sound) {
        scenario_file_close(fixture->file);
        language_destroy(&fixture->language);
    }
    return sound;
}

/* Whether all replications did what they should: no flaw, and not much left undone. */
static bool works(const struct scenario *scenario) {
    struct trace *traces[8] = {NULL};
    struct plan_case only = {.scenario = scenario, .traces = traces};
    struct plan_runner runner = {.cases = &only,
                                 .case_count = 1,
                                 .objective_count = 1,
                                 .minimize = "unfinished",
                                 .threads = 1};
    struct plan_evaluator evaluator = plan_runner_evaluator(&runner);
    struct plan_run runs[REPLICATIONS] = {{0, 0}, {0, 1}};
    struct plan_sample samples[REPLICATIONS];
    bool done = evaluator.simulate(evaluator.context, runs, REPLICATIONS, samples);
    bool work = true;
    for (size_t r = 0; done && r < REPLICATIONS; r++) {
        double completed = samples[r].main;
        work = work && only.flaws[r] == PLAN_SOUND &&
               samples[r].cost < 0.08 * (completed + samples[r].cost);
    }
    plan_runner_clear(&runner);
    if (!done) {
        fail_msg("%s", runner.error.message);
    }
    return work;
}

static void what_is_ruled_out_does_not_work(void **state) {
    (void)state;
    size_t ruled_out[FLOOR_REASON_COUNT] = {0};
    size_t working = 0;
    for (uint64_t seed = 1; seed <= PROBLEMS; seed++) {
        struct problem problem;
        struct plan_fixture fixture;
        struct plan_floor floor;
        make(&problem, seed, 1);
        if (!open_problem(&fixture, &problem)) {
            continue;
        }
        plan_floor_find(fixture.scenario, 0.05, &floor);
        ruled_out[floor.reason]++;
        if (floor.reason == FLOOR_LOAD || floor.reason == FLOOR_ERLANG) {
            plan_fixture_close(&fixture);
            make(&problem, seed, 1.25);
            assert_true(open_problem(&fixture, &problem));
        }
        if (floor.reason != FLOOR_NONE && works(fixture.scenario)) {
            fail_msg("%s: %s, but works:\n%s", floor_reason_names[floor.reason], floor.text,
                     problem.text);
        }
        if (floor.reason == FLOOR_NONE && seed % 10 == 0) {
            working += works(fixture.scenario);
        }
        plan_fixture_close(&fixture);
    }
    /* The test tests something: each rule was used, and not everything fails anyway. */
    assert_true(ruled_out[FLOOR_MEMORY] > 20 && ruled_out[FLOOR_SLOTS] > 20);
    assert_true(ruled_out[FLOOR_LOAD] > 20 && ruled_out[FLOOR_NONE] > 100 && working > 5);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_ruled_out_does_not_work),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
