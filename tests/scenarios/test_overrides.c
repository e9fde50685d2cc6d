/* --set and variants: a value replaces the whole value at its path. */
#include "tests/scenarios/language_fixture.h"

FIXTURE_SETUP_TEARDOWN

static const char base[] =
    FIXTURE_VALID "scheduler: {order: sjf}\n"
                  "variants:\n"
                  "  big: {cluster.pools.a.nodes: 16}\n"
                  "  more: {workloads.\"w\".gpus: 8, scheduler.order: fifo}\n"
                  "  plain: {}\n"
                  "  empty:\n";

static struct scenario *set(struct fixture *fixture, const char *one, const char *two,
                            const char *variant) {
    const char *sets[] = {one, two};
    size_t count = (size_t)(one != NULL) + (two != NULL);
    struct scenario *scenario = fixture_resolve(fixture, base, sets, count, variant);
    if (scenario == NULL) {
        fail_msg("refused:\n%s", fixture_errors(fixture));
    }
    return scenario;
}

static void refuse_set(struct fixture *fixture, const char *one, const char *errors) {
    assert_null(fixture_resolve(fixture, base, &one, 1, NULL));
    assert_string_equal(fixture_errors(fixture), errors);
}

static void test_a_leaf_is_replaced(void **state) {
    assert_int_equal(set(*state, "cluster.pools.a.nodes=4", NULL, NULL)->pools[0].nodes, 4);
    assert_int_equal(set(*state, "replications=5", NULL, NULL)->replications, 5);
    assert_int_equal(set(*state, "scheduler.order=fifo", NULL, NULL)->scheduler.order.index, 0);
}

/* A new distribution takes the place of the old one, it is not merged with it. */
static void test_the_whole_value_is_replaced(void **state) {
    const struct scenario *s =
        set(*state, "workloads.w.duration={lognormal: {mean: 1h, cv: 2}}", NULL, NULL);
    assert_string_equal(s->workloads[0].duration.kind->name, "lognormal");
    s = set(*state, "workloads.w.duration={lognormal: {mean: 1h, cv: 2}}",
            "workloads.w.duration.lognormal.cv=3", NULL);
    assert_true(s->workloads[0].duration.given[1] == 3);
    s = set(*state, "workloads.w={kind: jobs, trace: {file: x.csv}}", NULL, NULL);
    assert_true(s->workloads[0].has_trace && !s->workloads[0].has_arrivals);
}

static void test_names_may_be_quoted(void **state) {
    assert_int_equal(set(*state, "cluster.pools.\"a\".nodes=4", NULL, NULL)->pools[0].nodes, 4);
    const struct scenario *s =
        set(*state, "cluster.pools.\"x.y\"={gpu: A100-SXM4-80GB, nodes: 1, gpus_per_node: 1}",
            "cluster.pools.\"x.y\".nodes=5", NULL);
    assert_string_equal(s->pools[1].name, "x.y");
    assert_int_equal(s->pools[1].nodes, 5);
    /* An equals sign in quotes belongs to the path. */
    refuse_set(
        *state, "cluster.pools.\"x=y\"=3",
        "--set cluster.pools.\"x=y\":0:0: cluster.pools must be a name of letters, digits and "
        ". _ -, at most 100 characters, beginning with a letter or a digit, not \"x=y\"\n"
        "--set cluster.pools.\"x=y\":1:1: cluster.pools.x=y must be a map with the keys gpu, "
        "nodes, gpus_per_node, cpus_per_node, memory_per_node, price, storage, sharing, layouts, "
        "interconnect, faults, spares, spare_time, maintenance, spot, cordoned, occupied, "
        "capacity, "
        "autoscale, "
        "not \"3\"\n");
}

static void test_missing_maps_are_made(void **state) {
    const struct scenario *s = set(*state, "record.timeline=60s", NULL, NULL);
    assert_true(s->record.timeline == 60 * NANOSECONDS_PER_SECOND);
    assert_true(s->record.jobs);
    s = set(*state, "workloads.w.speed.T4=0.5", NULL, NULL);
    assert_int_equal(s->workloads[0].needs.speed_count, 1);
}

static void test_sets_come_before_the_variant(void **state) {
    assert_int_equal(set(*state, "cluster.pools.a.nodes=4", NULL, "big")->pools[0].nodes, 16);
    const struct scenario *s = set(*state, "cluster.pools.a.nodes=4", NULL, "more");
    assert_int_equal(s->pools[0].nodes, 4);
    assert_int_equal(s->scheduler.order.index, 0);
    assert_true(s->workloads[0].gpus.given[0] == 8);
    assert_string_equal(s->variant, "more");
}

static void test_variants_may_be_empty(void **state) {
    assert_string_equal(set(*state, NULL, NULL, "plain")->variant, "plain");
    assert_string_equal(set(*state, NULL, NULL, "empty")->variant, "empty");
}

static void test_sets_are_in_order(void **state) {
    assert_int_equal(set(*state, "seed=4", "seed=5", NULL)->seed, 5);
}

static void test_files_stay_relative_to_the_scenario(void **state) {
    const struct fixture *fixture = *state;
    const struct scenario *s =
        set(*state, "workloads.w={kind: jobs, trace: {file: x.csv}}", NULL, NULL);
    char path[128];
    snprintf(path, sizeof(path), "%s/x.csv", fixture->folder);
    assert_string_equal(s->workloads[0].trace.file, path);
}

static void test_canonical_text_has_the_overrides(void **state) {
    assert_non_null(strstr(set(*state, "seed=4", NULL, "big")->canonical, "\"nodes\":\"16\""));
    assert_null(strstr(set(*state, "seed=4", NULL, "big")->canonical, "variants"));
    char direct[1024];
    strcpy(direct, set(*state, "cluster.pools.a.nodes=16", NULL, NULL)->canonical);
    assert_string_equal(set(*state, NULL, NULL, "big")->canonical, direct);
}

static void test_bad_values_have_their_column(void **state) {
    refuse_set(*state, "cluster.pools.a.nodes=0",
               "--set cluster.pools.a.nodes:1:1: cluster.pools.a.nodes must be from 1 to 10000000, "
               "not \"0\"\n");
    refuse_set(*state, "workloads.w.duration={uniform: [1s, x]}",
               "--set workloads.w.duration:1:16: workloads.w.duration.uniform must be a duration "
               "such as 500ms, 30s, 15m, 2h or 7d, not \"x\"\n");
    refuse_set(*state, "workloads.w.duration={uniform: [1s, 2s",
               "--set workloads.w.duration:1:11: this \"[\" is never closed\n");
    refuse_set(*state, "seed=", "--set seed:1:1: a value is missing after the =\n");
    refuse_set(*state, "seed=~", "--set seed:1:1: seed needs a value\n");
    refuse_set(*state, "name=a: b: c",
               "--set name:1:5: a second \": \" in the same line: put a value that contains \": \" "
               "in quotes\n");
}

static void test_bad_paths(void **state) {
    static const char advice[] = "a path is names with dots between them; a name with a dot in it "
                                 "is in quotes: workloads.\"v1.5\".memory\n";
    static const char *const paths[] = {"a..b",  ".a",       "a.",     "",
                                        "a.\"b", "a.\"b\"c", "a\"b\"", "\"\""};
    for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]); i++) {
        char one[64];
        char expected[256];
        snprintf(one, sizeof(one), "%s=1", paths[i]);
        /* An open quote hides the equals sign. */
        bool open = strcmp(paths[i], "a.\"b") == 0;
        snprintf(expected, sizeof(expected), "--set %s:0:0: %s", open ? one : paths[i],
                 open ? "write --set PATH=VALUE, such as --set replications=5\n" : advice);
        refuse_set(*state, one, expected);
    }
    refuse_set(*state, "seed",
               "--set seed:0:0: write --set PATH=VALUE, such as --set replications=5\n");
}

static void test_paths_that_lead_nowhere(void **state) {
    refuse_set(*state, "cluster.pools.a.gpu.x=3",
               "--set cluster.pools.a.gpu.x:0:0: the path goes through cluster.pools.a.gpu, which "
               "is \"A100-SXM4-80GB\" and has no keys\n");
    refuse_set(*state, "cluster.pools.a.nodse=3",
               "--set cluster.pools.a.nodse:0:0: unknown key \"nodse\" in cluster.pools.a: did you "
               "mean \"nodes\"?\n");
    refuse_set(*state, "cluster.pools.a10.nodes=3",
               "--set cluster.pools.a10.nodes:0:0: cluster.pools.a10 is not in the file, where "
               "there is a; a new one would need the key \"gpu\", too\n");
    refuse_set(*state, "clutser.pools.a.nodes=3",
               "--set clutser.pools.a.nodes:0:0: unknown key \"clutser\" in the scenario: did you "
               "mean \"cluster\"?\n");
    refuse_set(*state, "variants.big={}",
               "--set variants.big:0:0: variants cannot be changed by a path\n");
}

static void test_unknown_variants(void **state) {
    assert_null(fixture_resolve(*state, base, NULL, 0, "bgi"));
    assert_string_equal(fixture_errors(*state), "0:0: there is no variant \"bgi\": did you mean "
                                                "\"big\"?\n");
    assert_null(fixture_resolve(*state, base, NULL, 0, "x"));
    assert_string_equal(fixture_errors(*state),
                        "0:0: there is no variant \"x\", where there is big, more, plain, empty\n");
}

static void test_mistakes_in_variants_have_their_place(void **state) {
    static const char text[] = FIXTURE_VALID "variants:\n"
                                             "  a: {cluster.pools.a.nodes: 0}\n"
                                             "  b: {cluster.pools.a.nods: 1}\n"
                                             "  c: {horizon: end_of_work}\n";
    assert_non_null(fixture_resolve(*state, text, NULL, 0, NULL));
    assert_null(fixture_resolve(*state, text, NULL, 0, "a"));
    assert_string_equal(fixture_errors(*state),
                        "6:30: in variant a: cluster.pools.a.nodes must be from 1 to 10000000, not "
                        "\"0\"\n");
    assert_null(fixture_resolve(*state, text, NULL, 0, "b"));
    assert_string_equal(fixture_errors(*state),
                        "7:7: in variant b: unknown key \"nods\" in cluster.pools.a: did you mean "
                        "\"nodes\"?\n");
    assert_null(fixture_resolve(*state, text, NULL, 0, "c"));
    assert_string_equal(
        fixture_errors(*state),
        "4:29: in variant c: the arrivals of workload w never end, and neither would "
        "the run: give it a `limit`, or the scenario a horizon such as 7d\n");
}

/* What is wrong with the base is not said again for each variant. */
static void test_mistakes_of_the_base_are_told_once(void **state) {
    struct fixture *fixture = *state;
    static const char text[] = FIXTURE_VALID "seed: x\nvariants:\n  a: {horizon: 1d}\n  b: {}\n";
    fixture_clear(fixture);
    fixture_write(fixture, text, strlen(text));
    struct scenario_file *file =
        scenario_file_open(fixture->path, &fixture->context, &fixture->errors);
    assert_non_null(file);
    assert_int_equal(scenario_file_variant_count(file), 2);
    assert_null(scenario_file_resolve(file, NULL, 0, NULL, &fixture->errors));
    for (size_t i = 0; i < 2; i++) {
        const char *variant = scenario_file_variant(file, i);
        assert_null(scenario_file_resolve(file, NULL, 0, variant, &fixture->errors));
    }
    assert_string_equal(fixture_errors(fixture), "5:7: seed must be a whole number, not \"x\"\n");
    scenario_file_close(file);
}

static void test_the_form_of_variants(void **state) {
    fixture_refuse(
        *state,
        FIXTURE_VALID "variants:\n"
                      "  base: {}\n"
                      "  a b: {}\n"
                      "  c: 3\n"
                      "  d: {a..b: 1, variants.c: 2, seed: , nodes:4}\n"
                      "  e: [1]\n",
        "6:3: a variant cannot be called base: that is the scenario without any\n"
        "7:3: variants.\"a b\" must be a name of letters, digits and . _ -, at most 100 "
        "characters, beginning with a letter or a digit, not \"a b\"\n"
        "8:6: variants.c must be a map of paths and values such as "
        "{cluster.pools.a.nodes: 4}, not \"3\"\n"
        "9:7: a path is names with dots between them; a name with a dot in it is in "
        "quotes: workloads.\"v1.5\".memory\n"
        "9:16: a variant cannot change variants\n"
        "9:31: \"seed\" has no value; if the comma before it belongs to a value, put that "
        "value in quotes\n"
        "9:39: a blank is missing after the colon in \"nodes:4\"\n"
        "10:6: variants.e must be a map of paths and values such as "
        "{cluster.pools.a.nodes: 4}, not a list\n");
    fixture_refuse(*state, FIXTURE_VALID "variants: [a]\n",
                   "5:11: variants must be a map of named variants, not a list\n");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_leaf_is_replaced),
        cmocka_unit_test(test_the_whole_value_is_replaced),
        cmocka_unit_test(test_names_may_be_quoted),
        cmocka_unit_test(test_missing_maps_are_made),
        cmocka_unit_test(test_sets_come_before_the_variant),
        cmocka_unit_test(test_variants_may_be_empty),
        cmocka_unit_test(test_sets_are_in_order),
        cmocka_unit_test(test_files_stay_relative_to_the_scenario),
        cmocka_unit_test(test_canonical_text_has_the_overrides),
        cmocka_unit_test(test_bad_values_have_their_column),
        cmocka_unit_test(test_bad_paths),
        cmocka_unit_test(test_paths_that_lead_nowhere),
        cmocka_unit_test(test_unknown_variants),
        cmocka_unit_test(test_mistakes_in_variants_have_their_place),
        cmocka_unit_test(test_mistakes_of_the_base_are_told_once),
        cmocka_unit_test(test_the_form_of_variants),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
