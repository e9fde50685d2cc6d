/* Preemption: 100,000 jobs on 1,000 GPUs at 95 % load under each order; and what an event costs
 * with so many jobs waiting from the beginning. Each figure is the best of its rounds.
 *
 *     bench_preemption [ROUNDS] */
#include <stdio.h>
#include <stdlib.h>

#include "tests/bench/preemption_rule.h"

static const char scenario_path[] = BENCH_SOURCE_DIR "/preemption.yaml";

static const struct preemption_rule rules[] = {{"priority", "none", "least_progress_lost"},
                                               {"priority", "skip", "least_progress_lost"},
                                               {"priority", "easy", "least_progress_lost"},
                                               {"fifo", "skip", "least_progress_lost"},
                                               {"las", "skip", "least_progress_lost"},
                                               {"las", "skip", "order"},
                                               {"srtf", "skip", "order"}};

static const long queues[] = {100, 1000, 10000, 100000};

static struct scenario *resolve(const struct scenario_file *file, size_t rule, long waiting) {
    char more[1][96];
    snprintf(more[0], sizeof more[0], "workloads.burst.limit=%ld", waiting);
    return resolve_rule(file, &rules[rule], waiting > 0 ? "queue" : NULL, more, waiting > 0);
}

static void bench(const struct scenario_file *file, size_t rule, long waiting, int rounds) {
    double best = 0;
    double preemptions = 0;
    uint64_t events = 1;
    for (int round = 0; round < rounds; round++) {
        struct scenario *scenario = resolve(file, rule, waiting);
        struct results results;
        double took = time_run(scenario, &results);
        preemptions = results_metric(&results, SCOPE_RUN, "", "preemptions");
        events = results.events;
        results_clear(&results);
        best = round == 0 || took < best ? took : best;
        scenario_destroy(scenario);
    }
    printf("%-8s %-4s %-19s %6ld waiting  %6.2f s  %8.0f ns/event  %6.0f preemptions\n",
           rules[rule].order, rules[rule].backfill, rules[rule].victims, waiting, best,
           best / (double)events * 1e9, preemptions);
}

int main(int argc, char **argv) {
    int rounds = argc > 1 ? atoi(argv[1]) : 3;
    struct language language;
    struct scenario_file *file = open_scenario(scenario_path, &language);
    for (size_t rule = 0; rule < sizeof rules / sizeof rules[0]; rule++) {
        bench(file, rule, 0, rounds);
    }
    for (size_t rule = 0; rule < sizeof rules / sizeof rules[0]; rule++) {
        for (size_t i = 0; i < sizeof queues / sizeof queues[0]; i++) {
            bench(file, rule, queues[i], rounds);
        }
    }
    scenario_file_close(file);
    language_destroy(&language);
    return 0;
}
