/* Invariants of outages, over many small clusters drawn at random, shared and not, under several
 * rules:
 * - nothing is on a GPU that is down, as its own clock and that of its node say;
 * - nobody gets a GPU or slot that somebody has;
 * - no more nodes are in use than the pool has without its spares;
 * - every job that is done has done its work, and the same run twice has the same events;
 * and the run itself fails if its ledger does not balance. */
#include <stdio.h>
#include <string.h>

#include "sim/cluster/fault_clock.h"
#include "tests/support/presence.h"
#include "tests/support/scenario_run.h"
#include "tests/support/unit.h"

#ifdef __SANITIZE_ADDRESS__
enum { CASES = 60 };
#else
enum { CASES = 200 };
#endif
enum { GPUS_PER_NODE = 4, MOST_NODES = 8, MOST_GPUS = GPUS_PER_NODE * MOST_NODES };

static const char *pick(struct test_random *random, const char *const *from, int32_t count) {
    return from[test_random_below(random, count)];
}

static void draw_case(uint64_t number, char *text, size_t size) {
    static const char *const sharings[] = {"exclusive", "exclusive", "{mode: mps, clients: 3}",
                                           "{mode: timeslice, replicas: 2}",
                                           "{mode: mig, layout: [3g.40gb, 2g.20gb, 2g.20gb]}"};
    static const char *const times[] = {"300s", "{exponential: {mean: 500s}}",
                                        "{uniform: [50s, 900s]}",
                                        "{weibull: {mean: 400s, cv: 0.7}}"};
    static const char *const repairs[] = {"0s", "60s", "{exponential: {mean: 90s}}"};
    static const char *const rules[] = {
        "{order: fifo, backfill: skip}", "{order: sjf, backfill: easy}",
        "{order: priority, backfill: skip, preemption: {min_runtime: 0s}}",
        "{order: priority, preemption: {min_runtime: 20s, mode: kill}}",
        "{order: srtf, backfill: skip, preemption: {victims: order, min_runtime: 0s}}"};
    static const char *const placements[] = {"first_fit", "best_fit", "worst_fit", "random",
                                             "fragmentation"};
    static const char *const checkpoints[] = {"{save_time: 4s, restore_time: 2s, interval: 30s}",
                                              "{save_time: 4s, interval: young}",
                                              "{size: 20GB, interval: 20s, overhead: 30%}"};
    struct test_random random = {number};
    const char *sharing = pick(&random, sharings, 5);
    bool whole = sharing[0] == 'e';
    int length = snprintf(
        text, size,
        "headroom: 1\n"
        "name: properties\n"
        "seed: %llu\n"
        "horizon: 3000s\n"
        "record: {jobs: true, events: true}\n"
        "scheduler: %s\n"
        "cluster:\n"
        "  pools:\n"
        "    p: {gpu: A100-SXM4-80GB, nodes: %d, gpus_per_node: 4, sharing: %s,\n"
        "      storage: {bandwidth: 4GB/s}, spares: %d, spare_time: %s,\n"
        "      maintenance: [{at: %ds, duration: 100s, drain: %s, at_most: 1}],\n"
        "      faults: {gpu: {mtbf: %s, mttr: %s}, node: {mtbf: %s, mttr: %s}}}\n"
        "workloads:\n"
        "  a: {kind: jobs, arrivals: {poisson: 2/m}, gpus: %s, duration: {exponential: {mean: "
        "80s}},\n"
        "    memory: 9GB, preemptible: true, checkpoint: %s}\n"
        "  b: {kind: jobs, class: inference, arrivals: {poisson: 2/m}, memory: 9GB,\n"
        "    duration: {exponential: {mean: 30s}}, checkpoint: %s}\n",
        (unsigned long long)number, pick(&random, rules, 5), test_random_between(&random, 1, 5),
        sharing, test_random_below(&random, 4), pick(&random, repairs, 2),
        test_random_between(&random, 0, 2000), test_random_once_in(&random, 2) ? "preempt" : "wait",
        pick(&random, times, 4), pick(&random, repairs, 3), pick(&random, times, 4),
        pick(&random, repairs, 3), whole ? "{choice: {1: 0.6, 4: 0.3, 6: 0.1}}" : "1",
        pick(&random, checkpoints, 3), pick(&random, checkpoints, 3));
    assert_true(length > 0 && (size_t)length < size);
    if (!whole) {
        return;
    }
    char *placement = strstr(text, "{order: "); /* where GPUs are whole, the rule shows */
    char rest[4096];
    strcpy(rest, placement + 1);
    sprintf(placement + 1, "placement: %s, %s", pick(&random, placements, 5), rest);
}

/* --- What the clocks say --- */

struct machines {
    struct fault_clock gpus;
    struct fault_clock nodes;
};

static void machines_initialize(struct machines *machines, const struct scenario_run *run) {
    const struct pool_spec *pool = &run->scenario->pools[0];
    const struct fault_spec *faults = pool->outages.faults;
    int32_t nodes = pool_node_count(pool);
    assert_true(nodes <= MOST_NODES);
    fault_clock_initialize(&machines->gpus, nodes * GPUS_PER_NODE, &faults[FAULT_GPU].mtbf,
                           &faults[FAULT_GPU].mttr, 0, run->scenario->seed, 0,
                           "gpu faults of pool p");
    fault_clock_initialize(&machines->nodes, nodes, &faults[FAULT_NODE].mtbf,
                           &faults[FAULT_NODE].mttr, 0, run->scenario->seed, 0,
                           "node faults of pool p");
}

static void machines_terminate(struct machines *machines) {
    fault_clock_terminate(&machines->gpus);
    fault_clock_terminate(&machines->nodes);
}

/* --- Who is where --- */

/* When an instant is over. */
static void expect_sound(const struct presence *presence, const struct machines *machines,
                         int32_t most_nodes) {
    for (int32_t node = 0; node < machines->nodes.units; node++) {
        if (machines->nodes.is_down[node]) {
            presence_expect_nobody(presence, node, -1);
        }
    }
    for (int32_t gpu = 0; gpu < machines->gpus.units; gpu++) {
        if (machines->gpus.is_down[gpu]) {
            presence_expect_nobody(presence, gpu / GPUS_PER_NODE, gpu % GPUS_PER_NODE);
        }
    }
    assert_true(presence_nodes(presence) <= most_nodes);
}

/* The machines as they are at that time; of what lies before it, nobody may be on what fails. */
static void turn_to(struct presence *presence, struct machines *machines, sim_time time,
                    int32_t most_nodes) {
    for (;;) {
        bool nodes = fault_clock_next(&machines->nodes) <= fault_clock_next(&machines->gpus);
        struct fault_clock *clock = nodes ? &machines->nodes : &machines->gpus;
        sim_time next = fault_clock_next(clock);
        if (next > time) {
            return;
        }
        fault_clock_turn(clock);
        if (next < time && fault_clock_next(&machines->nodes) > next &&
            fault_clock_next(&machines->gpus) > next) {
            expect_sound(presence, machines, most_nodes);
        }
    }
}

static void expect_invariants(const struct scenario_run *run) {
    struct presence presence = {.count = 0};
    struct machines machines;
    const struct recording *recording = &run->recording;
    int32_t most_nodes = run->scenario->pools[0].nodes;
    machines_initialize(&machines, run);
    for (size_t i = 0; i < recording->event_count; i++) {
        const struct event_row *event = &recording->events[i];
        turn_to(&presence, &machines, event->time, most_nodes);
        presence_follow(&presence, event);
        bool last = i + 1 == recording->event_count || recording->events[i + 1].time > event->time;
        if (last && event->time < run->scenario->horizon) {
            expect_sound(&presence, &machines, most_nodes);
        }
    }
    machines_terminate(&machines);
}

static void random_clusters(void **state) {
    (void)state;
    double interruptions = 0;
    for (uint64_t number = 1; number <= CASES; number++) {
        struct scenario_run run;
        char text[4096];
        draw_case(number, text, sizeof text);
        scenario_run_text(&run, "/tmp", text, NULL, 0);
        expect_invariants(&run);
        interruptions += results_metric(&run.results, SCOPE_RUN, "", "interruptions");
        for (size_t i = 0; i < run.recording.job_count; i++) {
            const struct job_row *row = &run.recording.jobs[i];
            assert_true(row->start == SIM_TIME_NEVER || row->start >= row->submit);
        }
        if (number % 10 == 0) {
            struct scenario_run again;
            scenario_run_text(&again, "/tmp", text, NULL, 0);
            presence_expect_same(&run.recording, &again.recording);
            scenario_run_clear(&again);
        }
        scenario_run_clear(&run);
    }
    assert_true(interruptions > 10 * CASES);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_clusters),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
