/* What a scenario file says ends up in struct scenario, in base units, with its places. */
#include "tests/scenarios/language_fixture.h"

FIXTURE_SETUP_TEARDOWN

#define SECOND NANOSECONDS_PER_SECOND

static const char full[] =
    "headroom: 1\n"
    "name: day-night\n"
    "description: Eight A100s.\n"
    "seed: 7\n"
    "start: \"2026-03-02T00:00:00Z\"\n"
    "horizon: 7d\n"
    "warmup: 12h\n"
    "replications: 10\n"
    "reference_gpu: H100-NVL\n"
    "cluster:\n"
    "  pools:\n"
    "    a100:\n"
    "      gpu: a100-sxm4-80gb\n"
    "      nodes: 3\n"
    "      gpus_per_node: 8\n"
    "      price: {per_gpu_hour: 2.05}\n"
    "      sharing: {mode: mps, clients: 7}\n"
    "    t4: {gpu: T4, nodes: 10000000, gpus_per_node: 64, price: {per_gpu_month: 146}}\n"
    "scheduler: {order: sjf, backfill: easy, placement: best_fit}\n"
    "workloads:\n"
    "  train:\n"
    "    kind: jobs\n"
    "    trace:\n"
    "      file: data/philly.csv\n"
    "      format: philly\n"
    "      from: 2017-10-09\n"
    "      to: 2017-10-23T06:00:00\n"
    "      limit: 1000\n"
    "      time_scale: 0.5\n"
    "      time_unit: ms\n"
    "      columns: {gpus: num_gpu, submit_s: t}\n"
    "      on_error: skip\n"
    "      origin: start\n"
    "    memory: 40GB\n"
    "    max_wait: 2h\n"
    "    max_queue: 20\n"
    "    class: finetuning\n"
    "    pools: [t4, a100]\n"
    "    speed: {A100-SXM4-80GB: 0.8, T4: 0.2}\n"
    "  chat:\n"
    "    kind: jobs\n"
    "    arrivals: {renewal: {exponential: {mean: 30s}}}\n"
    "    limit: 500\n"
    "    duration: {lognormal: {mean: 2h, cv: 2}}\n"
    "    estimate: 3h\n"
    "    gpus: {choice: {1: 0.5, 8: 0.5}}\n"
    "    pools: [a100]\n"
    "    speed: {A100-SXM4-80GB: 1}\n"
    "objectives:\n"
    "  - workload.train.wait_s.p95 <= 30m\n"
    "  - pool.\"a100\".utilization.allocated >= 60%\n"
    "record: {jobs: false, timeline: 60s}\n";

static void test_the_frame(void **state) {
    const struct scenario *s = fixture_accept(*state, full);
    assert_string_equal(s->name, "day-night");
    assert_string_equal(s->description, "Eight A100s.");
    assert_string_equal(s->variant, "base");
    assert_int_equal(s->seed, 7);
    assert_true(s->has_start);
    assert_true(s->start == 1772409600 * SECOND);
    assert_false(s->end_of_work);
    assert_true(s->horizon == 7 * 86400 * SECOND);
    assert_true(s->warmup == 43200 * SECOND);
    assert_int_equal(s->replications, 10);
    assert_false(s->record.jobs);
    assert_true(s->record.timeline == 60 * SECOND);
    assert_int_equal(s->scheduler.order.index, 1);
    assert_int_equal(s->scheduler.backfill.index, 1);
    assert_int_equal(s->scheduler.placement.index, 1);
}

static void test_pools(void **state) {
    const struct fixture *fixture = *state;
    const struct scenario *s = fixture_accept(*state, full);
    const struct gpu_model *gpus = fixture->catalogue->gpus;
    assert_int_equal(s->pool_count, 2);
    const struct pool_spec *pool = &s->pools[0];
    assert_string_equal(pool->name, "a100");
    assert_string_equal(pool->place.file, fixture->path);
    assert_int_equal(pool->place.line, 12);
    assert_int_equal(pool->place.column, 5);
    assert_string_equal(gpus[pool->gpu].name, "A100-SXM4-80GB");
    assert_int_equal(pool->nodes, 3);
    assert_int_equal(pool->gpus_per_node, 8);
    assert_true(pool->price.given);
    assert_true(pool->price.per_gpu_hour == 2.05);
    assert_string_equal(pool->price.currency, "USD");
    assert_int_equal(pool->sharing.index, SHARING_MPS);
    assert_int_equal(((const struct sharing_spec *)pool->sharing.options)->clients, 7);
    pool = &s->pools[1];
    assert_int_equal(pool->nodes, 10000000);
    assert_int_equal(pool->gpus_per_node, 64);
    assert_true(pool->price.per_gpu_hour == 146.0 / 730);
    assert_string_equal(gpus[s->reference_gpu].name, "H100-NVL-94GB");
}

static void test_a_trace(void **state) {
    const struct fixture *fixture = *state;
    const struct scenario *s = fixture_accept(*state, full);
    assert_int_equal(s->workload_count, 2);
    const struct workload_spec *w = &s->workloads[0];
    char path[128];
    snprintf(path, sizeof(path), "%s/data/philly.csv", fixture->folder);
    assert_string_equal(w->name, "train");
    assert_int_equal(w->place.line, 21);
    assert_true(w->has_trace && !w->has_arrivals);
    assert_string_equal(w->trace.file, path);
    assert_int_equal(w->trace.place.line, 24);
    assert_int_equal(w->trace.place.column, 13);
    assert_int_equal(w->trace.format.index, 1);
    assert_int_equal(w->trace.from.kind, MOMENT_WALL);
    assert_true(w->trace.from.ns == 1507507200 * SECOND);
    assert_true(w->trace.to.ns == (1507507200 + 14 * 86400 + 6 * 3600) * SECOND);
    assert_int_equal(w->trace.limit, 1000);
    assert_true(w->trace.time_scale == 0.5);
    assert_int_equal(w->trace.time_unit, 1000000);
    assert_int_equal(w->trace.column_count, 2);
    assert_string_equal(w->trace.columns[0].ours, "gpus");
    assert_string_equal(w->trace.columns[0].theirs, "num_gpu");
    assert_int_equal(w->trace.on_error, ON_ERROR_SKIP);
    assert_int_equal(w->trace.origin.kind, MOMENT_START);
    assert_true(w->needs.memory.start.given[0] == 40e9);
    assert_true(w->max_wait == 7200 * SECOND);
    assert_int_equal(w->max_queue, 20);
    assert_int_equal(w->job_class, CLASS_FINETUNING);
    assert_int_equal(workload_priority(w), 50);
    assert_int_equal(w->pool_count, 2);
    assert_int_equal(w->pools[0], 1);
    assert_int_equal(w->pools[1], 0);
    assert_int_equal(w->needs.speed_count, 2);
    assert_int_equal(w->needs.speeds[1].gpu, s->pools[1].gpu);
    assert_true(w->needs.speeds[1].factor == 0.2);
}

static void test_synthetic_jobs(void **state) {
    const struct workload_spec *w = &fixture_accept(*state, full)->workloads[1];
    assert_true(w->has_arrivals && !w->has_trace && w->has_estimate);
    assert_int_equal(w->arrivals.index, 1);
    const struct distribution *gap = w->arrivals.options;
    assert_string_equal(gap->kind->name, "exponential");
    assert_true(gap->given[0] == 30e9);
    assert_int_equal(w->limit, 500);
    assert_string_equal(w->duration.kind->name, "lognormal");
    assert_true(w->estimate.given[0] == 3 * 3600e9);
    assert_int_equal(w->gpus.value_count, 2);
}

static void test_objectives_of_the_file(void **state) {
    const struct scenario *s = fixture_accept(*state, full);
    assert_int_equal(s->objective_count, 2);
    const struct objective *o = &s->objectives[0];
    assert_string_equal(o->text, "workload.train.wait_s.p95 <= 30m");
    assert_int_equal(o->scope, SCOPE_WORKLOAD);
    assert_string_equal(o->subject, "train");
    assert_string_equal(o->metric, "wait_s.p95");
    assert_int_equal(o->relation, AT_MOST);
    assert_true(o->value == 1800);
    assert_int_equal(o->place.line, 50);
    assert_int_equal(o->place.column, 5);
    o = &s->objectives[1];
    assert_int_equal(o->scope, SCOPE_POOL);
    assert_string_equal(o->subject, "a100");
    assert_int_equal(o->relation, AT_LEAST);
    assert_true(o->value == 0.6);
}

static void test_defaults(void **state) {
    const struct scenario *s = fixture_accept(*state, FIXTURE_VALID);
    assert_string_equal(s->name, "s");
    assert_string_equal(s->description, "");
    assert_int_equal(s->seed, 1);
    assert_int_equal(s->replications, 1);
    assert_false(s->has_start);
    assert_true(s->warmup == 0);
    assert_true(s->record.jobs);
    assert_true(s->record.timeline == 0);
    assert_int_equal(s->scheduler.order.index, 0);
    assert_int_equal(s->reference_gpu, s->pools[0].gpu);
    assert_int_equal(s->pools[0].sharing.index, 0);
    assert_false(s->pools[0].price.given);
    const struct workload_spec *w = &s->workloads[0];
    assert_true(w->enabled);
    assert_int_equal(w->limit, 0);
    assert_true(w->needs.memory.start.given[0] == 0);
    assert_true(w->max_wait == SIM_TIME_NEVER);
    assert_true(w->max_queue == INT64_MAX);
    assert_int_equal(w->job_class, CLASS_TRAINING);
    assert_int_equal(workload_priority(w), 100);
    assert_true(w->gpus.given[0] == 1);
    assert_false(w->has_estimate);
    assert_int_equal(w->pool_count, 0);
}

static void test_end_of_work(void **state) {
    const struct scenario *s =
        fixture_accept(*state, "headroom: 1\nhorizon: end_of_work\n" FIXTURE_CLUSTER
                               "workloads: {w: {kind: jobs, trace: {file: t.csv}}}\n");
    assert_true(s->end_of_work);
    assert_true(s->horizon == SIM_TIME_NEVER);
    const struct trace_spec *trace = &s->workloads[0].trace;
    assert_int_equal(trace->format.index, 0);
    assert_int_equal(trace->origin.kind, MOMENT_FIRST);
    assert_int_equal(trace->from.kind, MOMENT_NONE);
    assert_int_equal(trace->on_error, ON_ERROR_FAIL);
    assert_true(trace->time_scale == 1);
    assert_int_equal(trace->limit, 0);
    assert_int_equal(trace->time_unit, 0);
}

static void test_json_is_accepted(void **state) {
    const struct scenario *s = fixture_accept(
        *state, "{\"headroom\": 1, \"horizon\": \"7d\", \"cluster\": {\"pools\": {\"a\": {\"gpu\": "
                "\"T4\", \"nodes\": 2, \"gpus_per_node\": 8}}}, \"workloads\": {\"w\": {\"kind\": "
                "\"jobs\", \"arrivals\": {\"poisson\": \"12/h\"}, \"duration\": \"2h\"}}}");
    assert_int_equal(s->pools[0].nodes, 2);
}

static void test_counts_make_independent_workloads(void **state) {
    const struct scenario *s =
        fixture_accept(*state, FIXTURE_HEAD FIXTURE_CLUSTER
                       "workloads:\n"
                       "  a: {kind: jobs, count: 3, arrivals: {poisson: 1/h}, duration: {gamma: "
                       "{mean: 1h, cv: 2}}}\n"
                       "  b: {kind: jobs, enabled: false, arrivals: {poisson: 1/h}, duration: 1h}\n"
                       "  c: {kind: jobs, arrivals: {poisson: 1/h}, duration: 1h}\n"
                       "objectives: [workload.a-2.completed >= 1, workload.b.completed >= 1, "
                       "workload.c.completed >= 1]\n");
    assert_int_equal(s->workload_count, 4);
    assert_string_equal(s->workloads[0].name, "a-1");
    assert_string_equal(s->workloads[2].name, "a-3");
    assert_string_equal(s->workloads[3].name, "c");
    assert_int_equal(s->workloads[1].place.line, 5);
    assert_int_equal(s->workloads[1].count, 1);
    /* What is said about a workload that is left out is left out. */
    assert_int_equal(s->objective_count, 2);
    assert_string_equal(s->objectives[1].subject, "c");
}

static void test_canonical_text_is_the_resolved_tree(void **state) {
    struct fixture *fixture = *state;
    fixture_accept(fixture, FIXTURE_VALID "variants: {x: {horizon: 3d}}\n");
    assert_string_equal(
        fixture->scenario->canonical,
        "{\"cluster\":{\"pools\":{\"a\":{\"gpu\":\"A100-SXM4-80GB\",\"gpus_per_node\":\"8\","
        "\"nodes\":\"2\"}}},\"headroom\":\"1\",\"horizon\":\"7d\",\"workloads\":{\"w\":{"
        "\"arrivals\":{\"poisson\":\"12/h\"},\"duration\":\"2h\",\"kind\":\"jobs\"}}}");
    char before[1024];
    strcpy(before, fixture->scenario->canonical);
    /* Neither layout nor the order of keys matters. */
    fixture_accept(fixture,
                   "# comment\n" FIXTURE_WORK FIXTURE_CLUSTER "horizon:   '7d'\nheadroom: 1\n");
    assert_string_equal(fixture->scenario->canonical, before);
}

/* Everything belongs to the scenario: it outlives its file. */
static void test_a_scenario_outlives_its_file(void **state) {
    struct fixture *fixture = *state;
    const struct scenario *s = fixture_accept(fixture, full); /* the file is closed by now */
    assert_string_equal(s->file, fixture->path);
    assert_string_equal(s->workloads[0].place.file, fixture->path);
    assert_string_equal(s->objectives[1].place.file, fixture->path);
    assert_string_equal(s->workloads[0].trace.columns[1].theirs, "t");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_frame),
        cmocka_unit_test(test_pools),
        cmocka_unit_test(test_a_trace),
        cmocka_unit_test(test_synthetic_jobs),
        cmocka_unit_test(test_objectives_of_the_file),
        cmocka_unit_test(test_defaults),
        cmocka_unit_test(test_end_of_work),
        cmocka_unit_test(test_json_is_accepted),
        cmocka_unit_test(test_counts_make_independent_workloads),
        cmocka_unit_test(test_canonical_text_is_the_resolved_tree),
        cmocka_unit_test(test_a_scenario_outlives_its_file),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
