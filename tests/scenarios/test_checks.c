/* What no value shows by itself: values that do not go together. */
#include <math.h>

#include "tests/scenarios/language_fixture.h"

FIXTURE_SETUP_TEARDOWN

static void refuse_workload(struct fixture *fixture, const char *workload, const char *errors) {
    char text[2048];
    snprintf(text, sizeof(text), FIXTURE_HEAD FIXTURE_CLUSTER "workloads:\n  w: {kind: jobs, %s}\n",
             workload);
    fixture_refuse(fixture, text, errors);
}

static void accept_workload(struct fixture *fixture, const char *workload) {
    char text[2048];
    snprintf(text, sizeof(text), FIXTURE_HEAD FIXTURE_CLUSTER "workloads:\n  w: {kind: jobs, %s}\n",
             workload);
    fixture_accept(fixture, text);
}

static void test_a_workload_has_one_source(void **state) {
    refuse_workload(*state, "memory: 1GB",
                    "5:6: workload w needs a trace, or arrivals for synthetic jobs\n");
    refuse_workload(*state, "arrivals: {poisson: 1/h}, duration: 1h, trace: {file: x}",
                    "5:59: workload w has a trace and arrivals: leave one of them out\n");
    refuse_workload(*state, "arrivals: {poisson: 1/h}",
                    "5:6: workload w has arrivals, so it needs a duration for its jobs\n");
    /* A misspelt source, or an unknown kind, is one mistake. */
    refuse_workload(*state, "arrival: {poisson: 1/h}",
                    "5:19: unknown key \"arrival\" in workloads.w: did you mean \"arrivals\"?\n");
    fixture_refuse(*state, FIXTURE_HEAD FIXTURE_CLUSTER "workloads: {w: {kind: servic}}\n",
                   "4:23: unknown workload kind \"servic\": did you mean \"service\"?\n");
    fixture_refuse(*state, FIXTURE_HEAD FIXTURE_CLUSTER "workloads: {w: {kind: function}}\n",
                   "4:23: unknown workload kind \"function\": choose jobs or service\n");
}

static void test_a_trace_says_what_it_says(void **state) {
    refuse_workload(
        *state, "trace: {file: x}, gpus: 2, duration: 1h, estimate: 2h, limit: 3",
        "5:37: workload w replays a trace, which says gpus of every job itself: leave it out here\n"
        "5:46: workload w replays a trace, which says duration of every job itself: leave it out "
        "here\n"
        "5:60: workload w replays a trace, which says estimate of every job itself: leave it out "
        "here\n"
        "5:74: workload w replays a trace: its limit goes inside `trace`\n");
    accept_workload(*state, "trace: {file: x, limit: 3}, memory: 1GB, max_wait: 1h");
}

static void test_endless_work_needs_an_end(void **state) {
    fixture_refuse(*state,
                   "headroom: 1\nhorizon: end_of_work\n" FIXTURE_CLUSTER
                   "workloads: {w: {kind: jobs, arrivals: {poisson: 1/h}, duration: 1h}}\n",
                   "4:29: the arrivals of workload w never end, and neither would the run: give it "
                   "a `limit`, or the scenario a horizon such as 7d\n");
    fixture_accept(
        *state, "headroom: 1\nhorizon: end_of_work\n" FIXTURE_CLUSTER
                "workloads: {w: {kind: jobs, arrivals: {poisson: 1/h}, duration: 1h, limit: 9}}\n");
    fixture_accept(*state,
                   "headroom: 1\nhorizon: end_of_work\n" FIXTURE_CLUSTER
                   "workloads: {v: {kind: jobs, trace: {file: x}}, w: {kind: jobs, arrivals: "
                   "{poisson: 1/h}, duration: 1h, enabled: false}}\n");
}

static void test_the_window_of_a_trace(void **state) {
    accept_workload(*state, "trace: {file: x, from: 2017-10-09, to: 2017-10-10}");
    accept_workload(*state, "trace: {file: x, from: 0s, to: 3d, origin: 1d}");
    refuse_workload(
        *state, "trace: {file: x, from: 2017-10-09, to: 2017-10-09}",
        "5:58: the trace of workload w ends (to) before it begins (from): nothing would "
        "be kept\n");
    refuse_workload(*state, "trace: {file: x, from: 3d, to: 2017-10-09}",
                    "5:50: to is a time on the wall clock, but from is one on the trace's own "
                    "clock: a trace has one clock\n");
    refuse_workload(*state, "trace: {file: x, to: 2017-10-09, origin: 0s}",
                    "5:60: origin is a time on the trace's own clock, but to is one on the wall "
                    "clock: a trace has one clock\n");
    refuse_workload(*state, "trace: {file: x, origin: start}",
                    "5:44: origin: start needs the scenario's `start`\n");
    refuse_workload(
        *state, "trace: {file: x, from: soon, to: 0s}",
        "5:42: workloads.w.trace.from must be a date such as 2017-10-09, or a time such "
        "as 2017-10-09T06:00:00, or a time on the trace's own clock such as 0s or 3d, "
        "not \"soon\"\n");
}

static void test_the_warmup_ends_before_the_horizon(void **state) {
    fixture_refuse(*state, FIXTURE_VALID "warmup: 7d\n",
                   "5:9: the warmup must be shorter than the horizon, or nothing is measured\n");
    fixture_accept(*state, FIXTURE_VALID "warmup: 6d\n");
    /* No word about the warmup where the horizon is unknown. */
    fixture_refuse(*state, "headroom: 1\nhorizon: x\nwarmup: 7d\n" FIXTURE_CLUSTER FIXTURE_WORK,
                   "2:10: horizon must be a duration such as 500ms, 30s, 15m, 2h or 7d, or "
                   "end_of_work, not \"x\"\n");
    fixture_refuse(*state, "headroom: 1\nhorizon: 0s\n" FIXTURE_CLUSTER FIXTURE_WORK,
                   "2:10: horizon must be above 0s, not \"0s\"\n");
}

static void test_the_warmup_may_be_left_to_the_run(void **state) {
    assert_true(fixture_accept(*state, FIXTURE_VALID "warmup: auto\n")->warmup == WARMUP_AUTO);
}

static void test_automatic_replications_need_objectives(void **state) {
    const struct scenario *s =
        fixture_accept(*state, FIXTURE_VALID "replications: {auto: {relative: 2%}}\n"
                                             "objectives: [run.completed >= 3]\n");
    assert_int_equal(s->replications, 200);
    assert_true(s->precision == 0.02);
    assert_true(fixture_accept(*state, FIXTURE_VALID "replications: 3\n")->precision == 0);
    fixture_refuse(*state, FIXTURE_VALID "replications: {auto: {relative: 2%}}\n",
                   "5:15: replications: auto goes on until every objective is known well enough, "
                   "but there are none: add objectives, or give a number\n");
    fixture_refuse(*state,
                   FIXTURE_VALID "replications: {auto: {relative: 2%, max: 4}}\n"
                                 "objectives: [run.completed >= 3]\n",
                   "5:42: replications.auto.max must be from 5 to 100000, not \"4\"\n");
}

static void test_names_after_counting(void **state) {
    fixture_refuse(*state,
                   FIXTURE_HEAD FIXTURE_CLUSTER "workloads:\n"
                                                "  a: {kind: jobs, count: 3, trace: {file: x}}\n"
                                                "  a-3: {kind: jobs, trace: {file: x}}\n",
                   "6:3: workload a-3 has the name of one of the 3 that workload a stands for\n");
    fixture_accept(*state,
                   FIXTURE_HEAD FIXTURE_CLUSTER "workloads:\n"
                                                "  a: {kind: jobs, count: 3, trace: {file: x}}\n"
                                                "  a-4: {kind: jobs, trace: {file: x}}\n"
                                                "  a-03: {kind: jobs, trace: {file: x}}\n");
    fixture_accept(*state, FIXTURE_HEAD FIXTURE_CLUSTER
                   "workloads:\n"
                   "  a: {kind: jobs, count: 3, trace: {file: x}, enabled: false}\n"
                   "  a-3: {kind: jobs, trace: {file: x}}\n");
}

static void test_something_must_run(void **state) {
    fixture_refuse(*state,
                   FIXTURE_HEAD FIXTURE_CLUSTER
                   "workloads: {w: {kind: jobs, enabled: false, trace: {file: x}}}\n",
                   "4:1: every workload is disabled: nothing would run\n");
    fixture_refuse(*state, FIXTURE_HEAD FIXTURE_CLUSTER "workloads: {}\n",
                   "4:12: workloads needs at least one entry\n");
    char text[8192] = FIXTURE_HEAD FIXTURE_CLUSTER "workloads:\n";
    for (int i = 0; i < 11; i++) {
        char line[96];
        snprintf(line, sizeof(line), "  w%d: {kind: jobs, count: 100000, trace: {file: x}}\n", i);
        strcat(text, line);
    }
    fixture_refuse(*state, text,
                   "4:1: there are 1100000 workloads; at most 1000000 are possible\n");
}

#define TWO_POOLS                                                                                  \
    "cluster:\n  pools:\n    a: {gpu: A100-SXM4-80GB, nodes: 1, gpus_per_node: 8}\n    t: {gpu: "  \
    "T4, nodes: 1, gpus_per_node: 8}\n"

static void test_speeds_on_other_gpus(void **state) {
    fixture_refuse(*state,
                   FIXTURE_HEAD TWO_POOLS "workloads:\n  w: {kind: jobs, trace: {file: x}}\n",
                   "8:3: workload w may run on T4-16GB (pool t), where its speed is not known: add "
                   "`speed: {T4-16GB: FACTOR}`, its speed there over that on A100-SXM4-80GB, or "
                   "`speed: catalogue` for an estimate, or list the `pools` it may run in\n");
    fixture_accept(*state, FIXTURE_HEAD TWO_POOLS
                   "workloads:\n  w: {kind: jobs, trace: {file: x}, speed: {T4: 0.2}}\n");
    fixture_accept(*state, FIXTURE_HEAD TWO_POOLS
                   "workloads:\n  w: {kind: jobs, trace: {file: x}, pools: [a]}\n");
    fixture_accept(*state, FIXTURE_HEAD TWO_POOLS
                   "workloads:\n  w: {kind: jobs, trace: {file: x}, enabled: false}\n"
                   "  v: {kind: jobs, trace: {file: x}, pools: [a]}\n");
    fixture_refuse(*state,
                   FIXTURE_HEAD "reference_gpu: L4\n" TWO_POOLS
                                "workloads:\n  w: {kind: jobs, trace: {file: x}, pools: [t]}\n",
                   "9:3: workload w may run on T4-16GB (pool t), where its speed is not known: add "
                   "`speed: {T4-16GB: FACTOR}`, its speed there over that on L4-24GB, or `speed: "
                   "catalogue` for an estimate, or list the `pools` it may run in\n");
    fixture_refuse(*state,
                   FIXTURE_HEAD TWO_POOLS "workloads:\n  w: {kind: jobs, trace: {file: x}, speed: "
                                          "{T4: 0.2, t4-16gb: 0.3, A100-SXM4-80GB: 2}}\n",
                   "8:54: the speed on T4-16GB is given twice\n"
                   "8:84: A100-SXM4-80GB is the reference GPU, on which the speed is 1\n");
}

/* A pool with a mistake raises no question of speeds, references or currencies. */
static void test_a_bad_pool_is_one_mistake(void **state) {
    fixture_refuse(*state,
                   FIXTURE_HEAD "cluster: {pools: {a: {gpu: X9, nodes: 1, gpus_per_node: 8}, t: "
                                "{gpu: T4, nodes: 1, gpus_per_node: 8}}}\n"
                                "workloads: {w: {kind: jobs, trace: {file: x}, pools: [a]}}\n"
                                "objectives: [pool.a.utilization.allocated > 0.5]\n",
                   "3:28: cluster.pools.a.gpu names no known GPU: \"X9\" (`headroom catalog gpus` "
                   "lists them)\n");
    fixture_refuse(*state,
                   FIXTURE_HEAD "cluster: {pools: 3}\n"
                                "workloads: {w: {kind: jobs, trace: {file: x}, pools: [a]}}\n"
                                "objectives: [pool.a.utilization.allocated > 0.5]\n",
                   "3:18: cluster.pools must be a map, not \"3\"\n");
}

static void test_pools_of_a_workload(void **state) {
    refuse_workload(*state, "trace: {file: x}, pools: [a, b]",
                    "5:48: workloads.w.pools names no pool of the cluster: \"b\"\n");
    refuse_workload(*state, "trace: {file: x}, pools: [a, a]", "5:48: pool a is listed twice\n");
    refuse_workload(*state, "trace: {file: x}, pools: []",
                    "5:44: workloads.w.pools needs at least one item\n");
}

static void test_prices(void **state) {
    fixture_refuse(
        *state,
        FIXTURE_HEAD
        "cluster:\n  pools:\n"
        "    a: {gpu: T4, nodes: 1, gpus_per_node: 1, price: {}}\n"
        "    b: {gpu: T4, nodes: 1, gpus_per_node: 1, price: {per_gpu_hour: 1, per_gpu_month: 2}}\n"
        "    c: {gpu: T4, nodes: 1, gpus_per_node: 1, price: {per_gpu_hours: 1}}\n" FIXTURE_WORK,
        "5:53: the price of pool a needs per_gpu_hour, per_gpu_month, per_node_hour or "
        "per_node_month\n"
        "6:71: the price of pool b is given twice, as per_gpu_hour and per_gpu_month: leave one "
        "out\n"
        "7:54: unknown key \"per_gpu_hours\" in cluster.pools.c.price: did you mean "
        "\"per_gpu_hour\"?\n");
}

#define MIX(PRICE)                                                                                 \
    FIXTURE_HEAD "cluster: {pools: {a: {gpu: T4, nodes: 1, gpus_per_node: 4, price: " PRICE        \
                 "}}}\n" FIXTURE_WORK

static void test_price_mixes(void **state) {
    static const struct {
        const char *text;
        const char *problem;
    } cases[] = {
        {MIX("[{share: 60%, per_gpu_hour: 1}, {share: 50%, per_gpu_hour: 2}]"),
         "3:99: cluster.pools.a.price has shares that add up to 110 %, more than all\n"},
        {MIX("[{share: 60%, per_gpu_hour: 1}, {share: 30%, per_gpu_hour: 2}]"),
         "3:99: cluster.pools.a.price has shares that add up to 90 % only: leave out the last "
         "one's to let it take the rest\n"},
        {MIX("[{share: 1, per_gpu_hour: 1}, {per_gpu_hour: 2}]"),
         "3:97: cluster.pools.a.price has shares of 100 % before the last part, which leaves "
         "nothing for it\n"},
        {MIX("[{per_gpu_hour: 1}, {per_gpu_hour: 2}]"),
         "3:68: cluster.pools.a.price needs a share in each part but the last, which takes the "
         "rest\n"},
        {MIX("[{share: 10%, commitment: 1y}, {per_gpu_hour: 2}]"),
         "3:68: cluster.pools.a.price needs one of per_gpu_hour, per_gpu_month, per_node_hour and "
         "per_node_month in each part\n"},
        {MIX("[{share: 10%, per_gpu_hour: 1, per_node_hour: 1}, {per_gpu_hour: 2}]"),
         "3:68: cluster.pools.a.price needs one of per_gpu_hour, per_gpu_month, per_node_hour and "
         "per_node_month in each part\n"},
        {MIX("[{share: 10%, per_gpu_hour: 1, currency: EUR}, {per_gpu_hour: 2, currency: USD}]"),
         "3:114: cluster.pools.a.price is in EUR and in USD: its parts are added up, so they need "
         "one currency\n"},
        {MIX("{share: 10%, per_gpu_hour: 1}"),
         "3:67: cluster.pools.a.price has a share, which is for a list of prices: [{share: 60%, "
         "...}, ...]\n"},
        {MIX("[]"), "3:67: cluster.pools.a.price needs at least one item\n"},
        {MIX("3"), "3:67: cluster.pools.a.price must be a map with the keys share, per_gpu_hour, "
                   "per_gpu_month, per_node_hour, per_node_month, commitment, spot, currency, not "
                   "\"3\"\n"},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        fixture_refuse(*state, cases[i].text, cases[i].problem);
    }
    /* 0.6 x 1.4 + 0.25 x 0.9 + 0.15 x 8.2 / 4 = 0.84 + 0.225 + 0.3075 */
    const struct scenario *mix =
        fixture_accept(*state, MIX("[{share: 60%, commitment: 1y, per_gpu_hour: 1.4}, {share: 25%, "
                                   "spot: true, per_gpu_hour: 0.9}, {per_node_hour: 8.2}]"));
    assert_true(fabs(mix->pools[0].price.per_gpu_hour - 1.3725) < 1e-12);
    assert_string_equal(mix->pools[0].price.currency, "USD");
    /* 2920 / 730 / 4 */
    const struct scenario *node =
        fixture_accept(*state, MIX("{per_node_month: 2920, currency: EUR}"));
    assert_true(node->pools[0].price.per_gpu_hour == 1);
    assert_string_equal(node->pools[0].price.currency, "EUR");
    fixture_accept(*state, MIX("[{per_gpu_hour: 1}]"));
}

static void test_power(void **state) {
    fixture_refuse(
        *state,
        FIXTURE_HEAD "cluster:\n  power: {price_per_kwh: 0.12, pue: 1.3}\n"
                     "  pools: {a: {gpu: L4, nodes: 1, gpus_per_node: 1}}\n" FIXTURE_WORK,
        "4:10: what the electricity of pool a costs is not known, as the catalogue lacks "
        "the idle power of L4-24GB: give it in a file of your own (catalogue: FILE), or "
        "leave cluster.power out\n");
    fixture_refuse(
        *state,
        FIXTURE_HEAD "cluster:\n  power: {pue: 0.9}\n"
                     "  pools: {a: {gpu: T4, nodes: 1, gpus_per_node: 1}}\n" FIXTURE_WORK,
        "4:10: cluster.power needs the key \"price_per_kwh\" (price of a kilowatt-hour, in "
        "the currency of the pools)\n"
        "4:16: cluster.power.pue must be from 1 to 100, not \"0.9\"\n");
    fixture_accept(*state, FIXTURE_HEAD "cluster:\n  power: {price_per_kwh: 0.12}\n"
                                        "  pools: {a: {gpu: T4, nodes: 1, gpus_per_node: "
                                        "1}}\n" FIXTURE_WORK);
}

static void test_currencies(void **state) {
    static const char pool[] = "{gpu: T4, nodes: 1, gpus_per_node: 1, price: {per_gpu_hour: 1, "
                               "currency: ";
    char text[1024];
    snprintf(text, sizeof(text),
             FIXTURE_HEAD "cluster:\n  pools:\n    a: %sEUR}}\n    b: %sUSD}}\n" FIXTURE_WORK, pool,
             pool);
    fixture_refuse(*state, text,
                   "6:53: pool b costs USD, but pool a costs EUR: costs are added up, so all pools "
                   "need one currency\n");
    snprintf(text, sizeof(text),
             FIXTURE_HEAD "cluster:\n  pools:\n    a: %sEUR}}\n    b: %sEUR}}\n" FIXTURE_WORK, pool,
             pool);
    fixture_accept(*state, text);
    /* A list price is in USD; a GPU without one is in no currency. */
    snprintf(text, sizeof(text),
             FIXTURE_HEAD "reference_gpu: T4\ncluster:\n  pools:\n    a: %sEUR}}\n    b: {gpu: %s, "
                          "nodes: 1, gpus_per_node: 1}\nworkloads: {w: {kind: jobs, trace: {file: "
                          "x}, pools: [a]}}\n",
             pool, "L4");
    fixture_refuse(*state, text,
                   "7:5: pool b costs USD (its list price), but pool a costs EUR: costs are added "
                   "up, so all pools need one currency\n");
    snprintf(text, sizeof(text),
             FIXTURE_HEAD "reference_gpu: T4\ncluster:\n  pools:\n    a: %sEUR}}\n    b: {gpu: %s, "
                          "nodes: 1, gpus_per_node: 1}\nworkloads: {w: {kind: jobs, trace: {file: "
                          "x}, pools: [a]}}\n",
             pool, "A10");
    fixture_accept(*state, text);
}

/* Problems of all sorts in one file, in the order of the file. */
static void test_everything_is_told_in_one_go(void **state) {
    fixture_refuse(
        *state,
        "headroom: 2\n"
        "horizon: 3\n"
        "seed: 1\n"
        "seed: 2\n"
        "cluster:\n"
        "  pools:\n"
        "    a: {gpu: A100, nodes: 0, gpus_per_node: 65, colour: red}\n"
        "    b: {gpu: T4, nodes: 1}\n"
        "scheduler: {order: fif, backfil: easy}\n"
        "workloads:\n"
        "  w: {kind: jobs, arrivals: {poisson: 12}, duration: {lognormal: {mean: 2h}}}\n"
        "  v: {kind: jobs, trace: {format: csv}, pools: [c]}\n"
        "objectives: [run.wait_s.p95 <= 30, run.speed > 3]\n",
        "1:11: headroom must be 1, the version of the language that this program reads, not \"2\"\n"
        "2:10: horizon must be a duration such as 500ms, 30s, 15m, 2h or 7d, or end_of_work, not "
        "\"3\" (a number needs its unit)\n"
        "4:1: the key \"seed\" is already given at line 3, column 1\n"
        "7:14: cluster.pools.a.gpu: \"A100\" may be several GPUs: write A100-SXM4-40GB, "
        "A100-SXM4-80GB, A100-PCIE-40GB or A100-PCIE-80GB\n"
        "7:27: cluster.pools.a.nodes must be from 1 to 10000000, not \"0\"\n"
        "7:45: cluster.pools.a.gpus_per_node must be from 1 to 64, not \"65\"\n"
        "7:49: unknown key \"colour\" in cluster.pools.a, which takes gpu, nodes, gpus_per_node, "
        "cpus_per_node, memory_per_node, price, storage, sharing, layouts, interconnect, faults, "
        "spares, spare_time, maintenance, spot, cordoned, occupied, capacity, autoscale\n"
        "8:8: cluster.pools.b needs the key \"gpus_per_node\" (how many GPUs each node has)\n"
        "9:20: unknown order \"fif\": did you mean \"fifo\"?\n"
        "9:25: unknown key \"backfil\" in scheduler: did you mean \"backfill\"?\n"
        "11:39: workloads.w.arrivals.poisson must be a rate such as 0.5/s, 30/min or 12/h, not "
        "\"12\" (a number needs its unit)\n"
        "11:66: workloads.w.duration.lognormal needs the key \"cv\" (a number)\n"
        "12:26: workloads.v.trace needs the key \"file\" (the trace, relative to the scenario "
        "file; "
        "may be gzipped)\n"
        "12:49: workloads.v.pools names no pool of the cluster: \"c\"\n"
        "13:14: wait_s.p95 is compared with a duration such as 500ms, 30s, 15m, 2h or 7d, not "
        "\"30\" (a number needs its unit)\n"
        "13:36: unknown metric \"speed\": known are such as wait_s.p95, jct_s.mean, "
        "utilization.allocated, completed and usd_total\n");
}

static void test_floods_are_cut(void **state) {
    enum { KEYS = 5000 };
    char *text = malloc(KEYS * 16);
    size_t length = 0;
    for (int i = 0; i < KEYS; i++) {
        length += (size_t)sprintf(text + length, "zz%d: 1\n", i);
    }
    struct fixture *fixture = *state;
    assert_null(fixture_read(fixture, text));
    free(text);
    assert_int_equal(fixture->errors.count, 1001);
    assert_string_equal(fixture->errors.items[1000].message,
                        "there are more problems; these are the first 1000");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_workload_has_one_source),
        cmocka_unit_test(test_a_trace_says_what_it_says),
        cmocka_unit_test(test_endless_work_needs_an_end),
        cmocka_unit_test(test_the_window_of_a_trace),
        cmocka_unit_test(test_the_warmup_ends_before_the_horizon),
        cmocka_unit_test(test_the_warmup_may_be_left_to_the_run),
        cmocka_unit_test(test_automatic_replications_need_objectives),
        cmocka_unit_test(test_names_after_counting),
        cmocka_unit_test(test_something_must_run),
        cmocka_unit_test(test_speeds_on_other_gpus),
        cmocka_unit_test(test_a_bad_pool_is_one_mistake),
        cmocka_unit_test(test_pools_of_a_workload),
        cmocka_unit_test(test_prices),
        cmocka_unit_test(test_price_mixes),
        cmocka_unit_test(test_power),
        cmocka_unit_test(test_currencies),
        cmocka_unit_test(test_everything_is_told_in_one_go),
        cmocka_unit_test(test_floods_are_cut),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
