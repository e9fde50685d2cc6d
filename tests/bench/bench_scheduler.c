/* Jobs through the scheduler: a million synthetic jobs at equal load per GPU on clusters of 1,000,
 * 10,000 and 100,000 GPUs, by placement and backfill. Prints nanoseconds per job and the growth
 * over the smallest cluster; the rounds of all sizes take turns, and each figure is the best of its
 * rounds, so that a noisy machine disturbs them alike.
 *
 *     bench_scheduler [JOBS [ROUNDS]] */
#include <stdio.h>
#include <stdlib.h>

#include "cli/language.h"
#include "tests/bench/timed_run.h"

enum { SIZES = 3, MOST_SETS = 6 };

static const char scenario_path[] = BENCH_SOURCE_DIR "/scheduler.yaml";
static const int node_counts[SIZES] = {125, 1250, 12500};

static const struct {
    const char *placement;
    const char *backfill;
} rules[] = {
    {"best_fit", "none"}, {"first_fit", "none"}, {"best_fit", "skip"}, {"best_fit", "easy"}};

/* The scenario on so many nodes; arrivals grow with them, so that the load per GPU is the same. */
static struct scenario *resolve(const struct scenario_file *file, int nodes, long jobs,
                                const char *placement, const char *backfill) {
    char texts[MOST_SETS][96];
    const char *sets[MOST_SETS];
    snprintf(texts[0], sizeof texts[0], "cluster.pools.gpus.nodes=%d", nodes);
    snprintf(texts[1], sizeof texts[1], "workloads.jobs.arrivals={poisson: %d/h}", nodes * 3);
    snprintf(texts[2], sizeof texts[2], "workloads.jobs.limit=%ld", jobs);
    snprintf(texts[3], sizeof texts[3], "scheduler.placement=%s", placement);
    snprintf(texts[4], sizeof texts[4], "scheduler.backfill=%s", backfill);
    for (size_t i = 0; i < 5; i++) {
        sets[i] = texts[i];
    }
    struct error_list errors = {0};
    struct scenario *scenario = scenario_file_resolve(file, sets, 5, NULL, &errors);
    if (scenario == NULL) {
        fail(errors.items[0].message);
    }
    return scenario;
}

static void bench(const struct scenario_file *file, size_t rule, long jobs, int rounds) {
    double best[SIZES] = {0};
    double utilization[SIZES] = {0};
    for (int round = 0; round < rounds; round++) {
        for (int i = 0; i < SIZES; i++) {
            struct scenario *scenario =
                resolve(file, node_counts[i], jobs, rules[rule].placement, rules[rule].backfill);
            struct results results;
            double took = time_run(scenario, &results);
            utilization[i] = results_metric(&results, SCOPE_RUN, "", "utilization.allocated");
            results_clear(&results);
            best[i] = round == 0 || took < best[i] ? took : best[i];
            scenario_destroy(scenario);
        }
    }
    for (int i = 0; i < SIZES; i++) {
        printf("%-10s %-5s %7d GPUs  %6.0f ns/job  x %.2f  utilization %.3f\n",
               rules[rule].placement, rules[rule].backfill, node_counts[i] * 8,
               best[i] / (double)jobs * 1e9, best[i] / best[0], utilization[i]);
    }
}

int main(int argc, char **argv) {
    long jobs = argc > 1 ? atol(argv[1]) : 1000000;
    int rounds = argc > 2 ? atoi(argv[2]) : 5;
    struct language language;
    language_create(&language);
    struct error_list errors = {0};
    struct scenario_file *file = scenario_file_open(scenario_path, &language.context, &errors);
    if (file == NULL) {
        fail(errors.items[0].message);
    }
    for (size_t rule = 0; rule < sizeof rules / sizeof rules[0]; rule++) {
        bench(file, rule, jobs, rounds);
    }
    scenario_file_close(file);
    language_destroy(&language);
    return 0;
}
