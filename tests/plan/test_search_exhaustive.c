/* The search against trying everything, on random small problems that are simulated: what it finds
 * costs no more than the cheapest candidate that holds its objective clearly in all replications of
 * an exhaustive study, and holds it there itself, but for the indifference zone. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "plan/evaluate.h"
#include "plan/floor.h"
#include "plan/rank.h"
#include "plan/search.h"
#include "sim/kernel/memory.h"
#include "tests/plan/plan_fixture.h"

enum { GROUPS = 3, NODES = 5, CANDIDATES = GROUPS * NODES, MOST = 12, PROBLEMS = 24 };

struct study {
    struct plan_fixture fixtures[CANDIDATES];
    struct plan_case cases[CANDIDATES];
    struct trace *traces[4];
    struct plan_runner runner;
    bool ruled_out[CANDIDATES];
};

/* Three ways to share the GPUs of so many nodes; load, times and the bound are drawn. */
static void open_study(struct study *study, uint64_t seed) {
    static const char *const ways[GROUPS] = {"exclusive", "{mode: timeslice, replicas: 3}",
                                             "{mode: mig, layout: [2g.20gb, 2g.20gb, 2g.20gb]}"};
    struct test_random random = {.state = seed};
    double load = test_random_between(&random, 5, 25) / 10.0;
    double saturation = test_random_between(&random, 2, 9) / 10.0;
    int32_t bound = test_random_between(&random, 1, 60);
    bool mean = test_random_once_in(&random, 2);
    const char *time =
        test_random_once_in(&random, 2) ? "{exponential: {mean: 60s}}" : "{uniform: [10s, 110s]}";
    *study = (struct study){.runner = {.cases = study->cases,
                                       .case_count = CANDIDATES,
                                       .objective_count = 1,
                                       .minimize = "usd_per_month",
                                       .threads = 1}};
    for (size_t i = 0; i < CANDIDATES; i++) {
        char text[1024];
        snprintf(text, sizeof text,
                 "headroom: 1\nhorizon: 4h\nwarmup: 20m\nseed: %llu\n"
                 "cluster: {pools: {a: {gpu: A100-SXM4-80GB, nodes: %zu, gpus_per_node: 1, "
                 "sharing: %s, price: {per_gpu_hour: 2}}}}\n"
                 "workloads: {jobs: {kind: jobs, saturation: %.1f, arrivals: {renewal: "
                 "{exponential: {mean: %.6fs}}}, duration: %s}}\n"
                 "objectives: [run.wait_s.%s <= %d%s]\n",
                 (unsigned long long)seed, i % NODES + 1, ways[i / NODES], saturation, 60 / load,
                 time, mean ? "mean" : "p95", bound, mean ? "s" : "0s");
        plan_fixture_open(&study->fixtures[i], text);
        const struct scenario *scenario = study->fixtures[i].scenario;
        struct plan_floor floor;
        plan_floor_find(scenario, 0.05, &floor);
        study->ruled_out[i] = floor.reason != FLOOR_NONE;
        study->cases[i] = (struct plan_case){.scenario = scenario, .traces = study->traces};
    }
}

static void close_study(struct study *study) {
    plan_runner_clear(&study->runner);
    for (size_t i = 0; i < CANDIDATES; i++) {
        plan_fixture_close(&study->fixtures[i]);
    }
}

static void build(struct plan_problem *problem, const struct study *study, bool prune) {
    plan_problem_create(problem, CANDIDATES, GROUPS);
    problem->rule =
        (struct plan_rule){.confidence = 0.9, .tolerance = 0.05, .least = 5, .most = MOST};
    for (size_t i = 0; i < CANDIDATES; i++) {
        struct plan_group *group = &problem->groups[i / NODES];
        struct plan_candidate *candidate = &problem->candidates[i];
        if (group->members == NULL) {
            group->members = memory_zero(NODES, sizeof *group->members);
        }
        group->members[group->count++] = i;
        candidate->group = i / NODES;
        candidate->position = i % NODES;
        candidate->known_cost = (double)(i % NODES) + 1;
        candidate->verdict = prune && study->ruled_out[i] ? PLAN_PRUNED : PLAN_OPEN;
    }
}

/* The share of the replications whose excess is at most so much. */
static double share_within(const struct plan_candidate *candidate, double excess) {
    double within = 0;
    for (size_t i = 0; i < candidate->count; i++) {
        within += candidate->samples[i].excess <= excess;
    }
    return within / (double)candidate->count;
}

static void try_problem(uint64_t seed, size_t *found, size_t *saved) {
    struct study *study = memory_zero(1, sizeof *study);
    struct plan_problem quick;
    struct plan_problem every;
    size_t order[GROUPS];
    open_study(study, seed);
    struct plan_evaluator evaluator = plan_runner_evaluator(&study->runner);
    build(&quick, study, true);
    assert_true(plan_search(&quick, &evaluator));
    size_t ranked = plan_rank(&quick, 1, order);
    size_t runs = study->runner.runs;

    build(&every, study, false);
    size_t all[CANDIDATES];
    size_t upto[CANDIDATES];
    for (size_t i = 0; i < CANDIDATES; i++) {
        all[i] = i;
        upto[i] = study->ruled_out[i] ? 4 : MOST;
    }
    assert_true(plan_replicate(&every, &evaluator, all, upto, CANDIDATES));
    double least = INFINITY;
    for (size_t i = 0; i < CANDIDATES; i++) {
        bool clear = share_within(&every.candidates[i], -0.05) == 1;
        least = clear ? fmin(least, every.candidates[i].known_cost) : least;
        /* The floor has not taken anything that would do. */
        if (study->ruled_out[i] && share_within(&every.candidates[i], 0) >= 0.9) {
            fail_msg("seed %d: candidate %zu is ruled out, and would do", (int)seed, i);
        }
    }
    double cost = ranked > 0 ? every.candidates[order[0]].known_cost : INFINITY;
    if (cost > least) {
        fail_msg("seed %d: found one of %g, and one of %g would do", (int)seed, cost, least);
    }
    if (ranked > 0 && share_within(&every.candidates[order[0]], 0.05) < 0.8) {
        fail_msg("seed %d: what was found for %g holds in %g", (int)seed, cost,
                 share_within(&every.candidates[order[0]], 0.05));
    }
    *found += ranked > 0;
    *saved += runs < CANDIDATES * MOST / 2;
    plan_problem_clear(&quick);
    plan_problem_clear(&every);
    close_study(study);
    free(study);
}

static void as_good_as_trying_everything(void **state) {
    (void)state;
    size_t found = 0;
    size_t saved = 0;
    for (uint64_t seed = 1; seed <= PROBLEMS; seed++) {
        try_problem(seed, &found, &saved);
    }
    /* Most problems have an answer, and it takes less than half of the runs. */
    assert_in_range(found, PROBLEMS * 3 / 4, PROBLEMS);
    assert_in_range(saved, PROBLEMS * 3 / 4, PROBLEMS);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(as_good_as_trying_everything),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
