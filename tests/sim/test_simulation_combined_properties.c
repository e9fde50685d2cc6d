/* Invariants of autoscalers, faults, spares, maintenance, reclaims, nodes that are not to be had
 * and limited hosts, several at a time, over many small clusters drawn at random, shared in every
 * way:
 * - nobody gets a GPU, slot or unit of MIG that somebody has, and nobody is on a cordoned node or
 *   beside a job that has its nodes for itself, nor beyond the CPUs of a node;
 * - no more nodes are in use than the pool has, or than its autoscaler may have up;
 * - every job ends in exactly one state, and the same run twice has the same events;
 * and the run itself fails if its ledger does not balance. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/presence.h"
#include "tests/support/scenario_run.h"
#include "tests/support/unit.h"

#ifdef __SANITIZE_ADDRESS__
enum { CASES = 60 };
#else
enum { CASES = 250 };
#endif
enum { TEXT = 6000 };

static const char *pick(struct test_random *random, const char *const *from, int32_t count) {
    return from[test_random_below(random, count)];
}

/* How GPUs are shared. */
enum sharing { WHOLE, SHARES, TURNS, INSTANCES, BY_CLOCK, ON_DEMAND, ON_DEMAND_SHARED, WAYS };
static const char *const sharings[WAYS] = {
    "exclusive",
    "{mode: mps, clients: 3}",
    "{mode: timeslice, replicas: 2}",
    "{mode: mig, layout: [3g.40gb, 2g.20gb, 2g.20gb]}",
    "{mode: mig, layout: [3g.40gb, 3g.40gb], reconfigure: {mode_time: 7s, drain: preempt},\n"
    "      calendar: [{from: \"00:15\", to: \"00:35\", mode: exclusive}]}",
    "{mode: mig, dynamic: true, layout: [3g.40gb], reconfigure: {time: {uniform: [1s, 20s]}}}",
    "{mode: mig, dynamic: true, hysteresis: 30s, layout: [{profile: 2g.20gb, sharing: {mode: "
    "mps,\n      clients: 2}}], reconfigure: {time: 9s}}",
};

static bool is_cut(enum sharing sharing) {
    return sharing >= INSTANCES;
}

/* Adds a part to a text, one time in so many. */
static void add(struct test_random *random, int32_t once_in, char *text, const char *part) {
    if (test_random_once_in(random, once_in)) {
        assert_true(strlen(text) + strlen(part) < TEXT);
        strcat(text, part);
    }
}

static void draw_outages(struct test_random *random, enum sharing sharing, char *text) {
    bool spares = test_random_once_in(random, 3);
    add(random, 1, text, "faults: {gpu: {mtbf: {uniform: [200s, 2000s]}, mttr: 60s}");
    add(random, is_cut(sharing) ? 2 : INT32_MAX, text,
        ", instance: {mtbf: {exponential: {mean: 300s}}, mttr: 45s}");
    add(random, sharing == SHARES || sharing == ON_DEMAND_SHARED ? 2 : INT32_MAX, text,
        ", mps: {mtbf: 500s, mttr: 20s}");
    add(random, spares ? 1 : 2, text, ", node: {mtbf: {exponential: {mean: 900s}}, mttr: 100s}");
    add(random, 1, text, "},\n      ");
    add(random, spares ? 1 : INT32_MAX, text, "spares: 1, spare_time: 15s, ");
    add(random, 3, text,
        "spot: {reclaim: {exponential: {mean: 700s}}, notice: 10s, back_after: "
        "{uniform: [20s, 400s]}}, ");
    add(random, 3, text,
        "maintenance: [{at: 500s, duration: 100s, drain: preempt, drain_limit: "
        "30s, at_most: 1}], ");
    add(random, 3, text, "cordoned: [1], ");
    add(random, 3, text,
        "occupied: [{node: 0, gpus: 1, for: 800s}, {node: 2, gpus: 2, for: 90s}], ");
    add(random, 3, text,
        "capacity: [{from: \"00:20\", to: \"00:30\", nodes: 2, drain: kill}, "
        "{from: \"00:05\", to: \"00:25\", nodes: 3, drain: wait, drain_limit: "
        "50s}], ");
    add(random, 3, text, "cpus_per_node: 4, ");
}

static void draw_autoscaler(struct test_random *random, char *text, int32_t *most) {
    char scaler[128];
    *most = test_random_between(random, 1, 4);
    snprintf(scaler, sizeof scaler,
             "autoscale: {least: %d, most: %d, provision_time: {uniform: [0s, 90s]}, idle_time: "
             "%ds}, ",
             *most > 1 ? test_random_below(random, 2) : 0, *most, test_random_below(random, 100));
    strcat(text, scaler);
}

/* Returns how many nodes may be in use; INT32_MAX: all. */
static int32_t draw_case(uint64_t number, char *text) {
    static const char *const rules[] = {
        "{order: fifo, backfill: skip}", "{order: fifo}", "{order: fifo, backfill: easy}",
        "{order: priority, backfill: skip, preemption: {min_runtime: 0s}}",
        "{order: priority, preemption: {min_runtime: 20s, mode: kill}}"};
    static const char *const placements[] = {"first_fit", "best_fit", "worst_fit", "random"};
    struct test_random random = {number};
    enum sharing sharing = (enum sharing)(number % WAYS);
    char pool[TEXT] = "";
    int32_t most = INT32_MAX;
    draw_outages(&random, sharing, pool);
    if (test_random_once_in(&random, 2)) {
        draw_autoscaler(&random, pool, &most);
    }
    bool hosts = strstr(pool, "cpus_per_node") != NULL; /* which preemption does not go with */
    const char *gpus = sharing == WHOLE ? "{choice: {1: 0.7, 2: 0.2, 4: 0.1}}" : "1";
    bool gangs = !is_cut(sharing) || sharing == BY_CLOCK;
    int length = snprintf(
        text, TEXT,
        "headroom: 1\n"
        "name: combined\n"
        "seed: %llu\n"
        "start: \"2026-03-02T00:00:00\"\n"
        "horizon: 2400s\n"
        "record: {jobs: true, events: true}\n"
        "scheduler: {placement: %s, %s\n"
        "cluster:\n"
        "  pools:\n"
        "    p: {gpu: A100-SXM4-80GB, nodes: 4, gpus_per_node: 2, sharing: %s,\n"
        "      %s}\n"
        "workloads:\n"
        "  a: {kind: jobs, arrivals: {poisson: 3/m}, gpus: %s, memory: 9GB, preemptible: true,\n"
        "    duration: {exponential: {mean: 60s}}, checkpoint: {save_time: 4s, interval: 30s}, "
        "cpus: 1}\n"
        "  b: {kind: jobs, class: inference, arrivals: {poisson: 3/m}, memory: 15GB, cpus: 2,\n"
        "    duration: {exponential: {mean: 20s}}}\n"
        "%s"
        "  s: {kind: service, arrivals: {poisson: 0.2/s}, service_time: 1s, memory: 4GB, replicas: "
        "2}\n",
        (unsigned long long)number, pick(&random, placements, 4),
        pick(&random, rules, hosts ? 2 : 5) + 1, sharings[sharing], pool, gpus,
        gangs ? "  w: {kind: jobs, arrivals: {poisson: 0.3/m}, span: whole_nodes,\n"
                "    gpus: {choice: {1: 0.6, 3: 0.4}}, duration: 30s}\n"
              : "");
    assert_true(length > 0 && length < TEXT);
    return most;
}

/* A job that has whole nodes is there with nobody else. */
static void expect_alone(const struct presence *presence) {
    for (size_t i = 0; i < presence->count; i++) {
        const struct event_row *whole = presence->here[i];
        for (size_t k = 0; whole->workload[0] == 'w' && k < presence->count; k++) {
            const struct event_row *other = presence->here[k];
            bool same = other->workload[0] == 'w' && strcmp(other->id, whole->id) == 0;
            assert_true(same || other->node != whole->node);
        }
    }
}

/* Each GPU of a takes one CPU of four, each of b two. */
static void expect_cpus(const struct presence *presence) {
    int32_t cpus[64] = {0};
    for (size_t i = 0; i < presence->count; i++) {
        const struct event_row *row = presence->here[i];
        cpus[row->node] += row->workload[0] == 'a' ? 1 : row->workload[0] == 'b' ? 2 : 0;
        assert_true(cpus[row->node] <= 4);
    }
}

static void expect_invariants(const struct scenario_run *run, int32_t most) {
    const struct recording *recording = &run->recording;
    const struct pool_spec *pool = &run->scenario->pools[0];
    struct presence presence = {.count = 0};
    for (size_t i = 0; i < recording->event_count; i++) {
        const struct event_row *event = &recording->events[i];
        presence_follow(&presence, event);
        bool last = i + 1 == recording->event_count || recording->events[i + 1].time > event->time;
        if (!last || event->time >= run->scenario->horizon) {
            continue;
        }
        expect_alone(&presence);
        if (pool->cpus_per_node > 0) {
            expect_cpus(&presence);
        }
        assert_true(presence_nodes(&presence) <= pool->nodes);
        for (size_t k = 0; k < pool->outages.cordoned_count; k++) {
            presence_expect_nobody(&presence, pool->outages.cordoned[k], -1);
        }
        /* What others have is up beside it, and what comes back goes only when it is left. */
        bool bound = pool->outages.occupied_count == 0 && !pool->outages.spot.given &&
                     pool->outages.maintenance_count == 0 &&
                     !pool->outages.faults[FAULT_NODE].given;
        assert_true(!bound || presence_nodes(&presence) <= most);
    }
}

static int compare_jobs(const void *left, const void *right) {
    const struct job_row *a = left;
    const struct job_row *b = right;
    int workloads = strcmp(a->workload, b->workload);
    return workloads != 0 ? workloads : strcmp(a->id, b->id);
}

static void expect_one_state_each(struct scenario_run *run) {
    struct recording *recording = &run->recording;
    qsort(recording->jobs, recording->job_count, sizeof recording->jobs[0], compare_jobs);
    for (size_t i = 0; i < recording->job_count; i++) {
        const struct job_row *row = &recording->jobs[i];
        assert_true(i == 0 || compare_jobs(row - 1, row) != 0);
        assert_true(row->start == SIM_TIME_NEVER || row->start >= row->submit);
        assert_true(row->state != JOB_COMPLETED || row->end >= row->start);
    }
}

static void random_combinations(void **state) {
    (void)state;
    double interruptions = 0;
    double orders = 0;
    for (uint64_t number = 1; number <= CASES; number++) {
        struct scenario_run run;
        char text[TEXT];
        int32_t most = draw_case(number, text);
        scenario_run_text(&run, "/tmp", text, NULL, 0);
        expect_invariants(&run, most);
        interruptions += results_metric(&run.results, SCOPE_RUN, "", "interruptions");
        orders +=
            most < INT32_MAX ? results_metric(&run.results, SCOPE_RUN, "", "nodes_ordered") : 0;
        if (number % 10 == 0) {
            struct scenario_run again;
            scenario_run_text(&again, "/tmp", text, NULL, 0);
            presence_expect_same(&run.recording, &again.recording);
            scenario_run_clear(&again);
        }
        expect_one_state_each(&run);
        scenario_run_clear(&run);
    }
    assert_true(interruptions > 10 * CASES);
    assert_true(orders > 2 * CASES);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_combinations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
