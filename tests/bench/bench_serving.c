/* Requests through a service: a million Poisson arrivals of exponential service times, on exclusive
 * GPUs, on MIG instances, and on shared GPUs, each at a load of 0.6 to 0.8, with all figures on.
 * Prints nanoseconds per request for the whole run, and beside it the floor: drawing as many
 * requests from the source and doing nothing with them. Each figure is the best of its rounds,
 * which take turns.
 *
 *     bench_serving [REQUESTS [ROUNDS]] */
#include <stdio.h>
#include <stdlib.h>

#include "cli/language.h"
#include "tests/bench/timed_run.h"
#include "workloads/work_source.h"

static const char scenario_path[] = BENCH_SOURCE_DIR "/serving.yaml";

static const struct {
    int replicas;
    const char *dispatch;
    const char *extra;   /* another key of the workload and its value */
    const char *sharing; /* of GPUs; NULL: exclusive */
    int per_gpu;         /* replicas */
    double load;         /* requests a second that a replica gets, each of one second alone */
} cases[] = {
    {1, "central", "concurrency=1", NULL, 1, 0.8},
    {8, "central", "concurrency=1", NULL, 1, 0.8},
    {64, "central", "concurrency=1", NULL, 1, 0.8},
    {8, "round_robin", "concurrency=1", NULL, 1, 0.8},
    {8, "least_loaded", "concurrency=1", NULL, 1, 0.8},
    {8, "central", "timeout=5s", NULL, 1, 0.8},
    {8, "central", "concurrency=4", NULL, 1, 0.8},
    {7, "central", "saturation=0.1", "{mode: mig, layout: [{profile: 1g.10gb, count: 7}]}", 7, 0.8},
    {8, "central", "saturation=0.1", "{mode: mps, clients: 8}", 8, 0.8},
    {8, "central", "saturation=1", "{mode: mps, clients: 8}", 8, 0.1},
    {8, "central", "concurrency=1", "{mode: timeslice, replicas: 8, slice: 2ms, switch: 200us}", 8,
     0.08},
    {8, "random", "concurrency=1", "{mode: timeslice, replicas: 8, slice: 2ms, switch: 200us}", 8,
     0.08},
};
enum { CASES = sizeof cases / sizeof cases[0] };

static struct scenario *resolve(const struct scenario_file *file, size_t which, long requests) {
    char texts[7][128];
    const char *sets[7];
    int replicas = cases[which].replicas;
    snprintf(texts[0], sizeof texts[0], "cluster.pools.gpus.nodes=%d",
             ((replicas + cases[which].per_gpu - 1) / cases[which].per_gpu + 7) / 8);
    snprintf(texts[1], sizeof texts[1], "workloads.chat.replicas=%d", replicas);
    snprintf(texts[2], sizeof texts[2], "workloads.chat.arrivals={poisson: %.2f/s}",
             cases[which].load * replicas);
    snprintf(texts[3], sizeof texts[3], "workloads.chat.limit=%ld", requests);
    snprintf(texts[4], sizeof texts[4], "workloads.chat.dispatch=%s", cases[which].dispatch);
    snprintf(texts[5], sizeof texts[5], "workloads.chat.%s", cases[which].extra);
    snprintf(texts[6], sizeof texts[6], "cluster.pools.gpus.sharing=%s",
             cases[which].sharing != NULL ? cases[which].sharing : "exclusive");
    for (size_t i = 0; i < 7; i++) {
        sets[i] = texts[i];
    }
    struct error_list errors = {0};
    struct scenario *scenario = scenario_file_resolve(file, sets, 7, NULL, &errors);
    if (scenario == NULL) {
        fail(errors.items[0].message);
    }
    return scenario;
}

static double time_source(const struct scenario *scenario) {
    double began = seconds_now();
    struct work_source *source =
        work_source_synthetic(&scenario->workloads[0], 0, scenario->seed, 0);
    struct arrival arrival;
    while (work_source_next(source, &arrival)) {
    }
    work_source_destroy(source);
    return seconds_now() - began;
}

int main(int argc, char **argv) {
    long requests = argc > 1 ? atol(argv[1]) : 1000000;
    int rounds = argc > 2 ? atoi(argv[2]) : 5;
    struct language language;
    language_create(&language);
    struct error_list errors = {0};
    struct scenario_file *file = scenario_file_open(scenario_path, &language.context, &errors);
    if (file == NULL) {
        fail(errors.items[0].message);
    }
    double best[CASES] = {0};
    double floor = 0;
    for (int round = 0; round < rounds; round++) {
        for (size_t i = 0; i < CASES; i++) {
            struct scenario *scenario = resolve(file, i, requests);
            struct results results;
            double took = time_run(scenario, &results);
            results_clear(&results);
            best[i] = round == 0 || took < best[i] ? took : best[i];
            double drawn = time_source(scenario);
            floor = floor == 0 || drawn < floor ? drawn : floor;
            scenario_destroy(scenario);
        }
    }
    for (size_t i = 0; i < CASES; i++) {
        printf("%3d replicas  %-12s  %-14s  %5.0f ns/request  (drawing them: %.0f ns)  %s\n",
               cases[i].replicas, cases[i].dispatch, cases[i].extra,
               best[i] / (double)requests * 1e9, floor / (double)requests * 1e9,
               cases[i].sharing != NULL ? cases[i].sharing : "exclusive");
    }
    scenario_file_close(file);
    language_destroy(&language);
    return 0;
}
