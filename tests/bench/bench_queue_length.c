/* What an event costs with 100 to 100,000 jobs waiting, as nothing else differs: the same jobs run,
 * and the same are preempted. Each figure is the best of its rounds, which the lengths take in
 * turns, and is of the events after all wait.
 *
 *     bench_queue_length [ROUNDS] */
#include <stdio.h>
#include <stdlib.h>

#include "tests/bench/preemption_rule.h"

enum { LENGTHS = 4 };

static const char scenario_path[] = BENCH_SOURCE_DIR "/queue_length.yaml";

static const struct preemption_rule rules[] = {{"priority", "none", "least_progress_lost"},
                                               {"priority", "skip", "least_progress_lost"},
                                               {"fifo", "skip", "least_progress_lost"},
                                               {"las", "skip", "least_progress_lost"},
                                               {"las", "skip", "order"}};

static const long lengths[LENGTHS] = {100, 1000, 10000, 100000};

/* How long the queue has to be at least, lest jobs of it that run shorten it too much. */
static const struct {
    const char *variant;
    int shortest;
    const char *horizon;
} queues[] = {{"large", 0, "100h"}, {"shapes", 0, "100h"}, {"same", 2, "50h"}};

/* Of a run, or between two of them. */
struct measurement {
    double seconds;
    double events;
    double preemptions;
};

static struct measurement measure(const struct scenario_file *file, size_t rule, size_t queue,
                                  long length, const char *horizon) {
    char more[2][96];
    snprintf(more[0], sizeof more[0], "workloads.crowd.limit=%ld", length);
    snprintf(more[1], sizeof more[1], "horizon=%s", horizon);
    struct scenario *scenario = resolve_rule(file, &rules[rule], queues[queue].variant, more, 2);
    struct results results;
    double took = time_run(scenario, &results);
    struct measurement measured = {took, (double)results.events,
                                   results_metric(&results, SCOPE_RUN, "", "preemptions")};
    results_clear(&results);
    scenario_destroy(scenario);
    return measured;
}

static void keep_best(struct measurement *best, struct measurement measured, int round) {
    *best = round == 0 || measured.seconds < best->seconds ? measured : *best;
}

/* What happens after the first minute, by whose end all wait. */
static struct measurement rest_of(const struct measurement *all, const struct measurement *begin) {
    return (struct measurement){all->seconds - begin->seconds, all->events - begin->events,
                                all->preemptions - begin->preemptions};
}

static void bench(const struct scenario_file *file, size_t rule, size_t queue, int rounds) {
    struct measurement begin[LENGTHS] = {{0}};
    struct measurement all[LENGTHS] = {{0}};
    double shortest = 0;
    for (int round = 0; round < rounds; round++) {
        for (int i = queues[queue].shortest; i < LENGTHS; i++) {
            keep_best(&begin[i], measure(file, rule, queue, lengths[i], "1m"), round);
            keep_best(&all[i], measure(file, rule, queue, lengths[i], queues[queue].horizon),
                      round);
        }
    }
    for (int i = queues[queue].shortest; i < LENGTHS; i++) {
        struct measurement rest = rest_of(&all[i], &begin[i]);
        double each = rest.seconds / rest.events * 1e9;
        shortest = i == queues[queue].shortest ? each : shortest;
        printf("%-8s %-4s %-19s %-6s %6ld waiting  %6.0f ns/event  %5.2f of the shortest  %.4f "
               "preemptions/event\n",
               rules[rule].order, rules[rule].backfill, rules[rule].victims, queues[queue].variant,
               lengths[i], each, each / shortest, rest.preemptions / rest.events);
    }
}

int main(int argc, char **argv) {
    int rounds = argc > 1 ? atoi(argv[1]) : 3;
    struct language language;
    struct scenario_file *file = open_scenario(scenario_path, &language);
    for (size_t rule = 0; rule < sizeof rules / sizeof rules[0]; rule++) {
        for (size_t queue = 0; queue < sizeof queues / sizeof queues[0]; queue++) {
            bench(file, rule, queue, rounds);
        }
    }
    scenario_file_close(file);
    language_destroy(&language);
    return 0;
}
