/* Jobs that ask for shares of GPUs under MPS, at equal load per GPU on 100 and on 10,000 GPUs, of 3
 * and of 30 different shares: what `fragmentation` costs beside `best_fit`. Prints nanoseconds of
 * CPU per job and the growth over the small cluster; the rounds of both sizes take turns, and each
 * figure is the best of its rounds.
 *
 *     bench_fragmentation [JOBS [ROUNDS]] */
#include <stdio.h>
#include <stdlib.h>

#include "cli/language.h"
#include "tests/bench/timed_run.h"

enum { SIZES = 2, SETS = 3, TEXT_SIZE = 8192 };

static const char scenario_path[] = BENCH_SOURCE_DIR "/fragmentation.yaml";
static const int gpu_counts[SIZES] = {100, 10000};
static const int class_counts[] = {3, 30};
static const char *const placements[] = {"best_fit", "fragmentation"};

/* A workload for each share: from 0 to 1, as far from both as from each other, so half a GPU on
 * average. At 1.7 jobs an hour and GPU, 85 % of all SMs are asked for. */
static void write_workloads(char text[TEXT_SIZE], int gpus, int classes, long jobs) {
    int length = snprintf(text, TEXT_SIZE, "workloads={");
    for (int i = 1; i <= classes; i++) {
        double share = i / (classes + 1.0);
        length +=
            snprintf(text + length, (size_t)(TEXT_SIZE - length),
                     "%sjobs-%d: {kind: jobs, gpus: %.4f, saturation: %.4f, limit: %ld, "
                     "arrivals: {poisson: %.6f/h}, duration: {exponential: {mean: 1h}}}",
                     i > 1 ? ", " : "", i, share, share, jobs / classes, 1.7 * gpus / classes);
    }
    snprintf(text + length, (size_t)(TEXT_SIZE - length), "}");
}

static struct scenario *resolve(const struct scenario_file *file, int gpus, int classes, long jobs,
                                const char *placement) {
    char texts[SETS][TEXT_SIZE];
    const char *sets[SETS];
    snprintf(texts[0], TEXT_SIZE, "cluster.pools.gpus.nodes=%d", gpus / 4);
    snprintf(texts[1], TEXT_SIZE, "scheduler.placement=%s", placement);
    write_workloads(texts[2], gpus, classes, jobs);
    for (size_t i = 0; i < SETS; i++) {
        sets[i] = texts[i];
    }
    struct error_list errors = {0};
    struct scenario *scenario = scenario_file_resolve(file, sets, SETS, NULL, &errors);
    if (scenario == NULL) {
        fail(errors.items[0].message);
    }
    return scenario;
}

static void bench(const struct scenario_file *file, const char *placement, int classes, long jobs,
                  int rounds) {
    double best[SIZES] = {0};
    double allocated[SIZES] = {0};
    for (int round = 0; round < rounds; round++) {
        for (int i = 0; i < SIZES; i++) {
            struct scenario *scenario = resolve(file, gpu_counts[i], classes, jobs, placement);
            struct results results;
            double took = time_run(scenario, &results);
            allocated[i] = results_metric(&results, SCOPE_RUN, "", "utilization.allocated");
            results_clear(&results);
            best[i] = round == 0 || took < best[i] ? took : best[i];
            scenario_destroy(scenario);
        }
    }
    for (int i = 0; i < SIZES; i++) {
        printf("%-13s %2d shares %6d GPUs  %6.0f ns/job  x %.2f  utilization %.3f\n", placement,
               classes, gpu_counts[i], best[i] / (double)jobs * 1e9, best[i] / best[0],
               allocated[i]);
    }
}

int main(int argc, char **argv) {
    long jobs = argc > 1 ? atol(argv[1]) : 300000;
    int rounds = argc > 2 ? atoi(argv[2]) : 3;
    struct language language;
    language_create(&language);
    struct error_list errors = {0};
    struct scenario_file *file = scenario_file_open(scenario_path, &language.context, &errors);
    if (file == NULL) {
        fail(errors.items[0].message);
    }
    for (size_t i = 0; i < sizeof class_counts / sizeof class_counts[0]; i++) {
        for (size_t k = 0; k < sizeof placements / sizeof placements[0]; k++) {
            bench(file, placements[k], class_counts[i], jobs, rounds);
        }
    }
    scenario_file_close(file);
    language_destroy(&language);
    return 0;
}
