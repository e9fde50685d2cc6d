/* Sweeps: every combination of values, in order, under names that tell them apart. */
#include "tests/scenarios/language_fixture.h"

FIXTURE_SETUP_TEARDOWN

static const char grid[] = FIXTURE_VALID "variants:\n"
                                         "  big: {cluster.pools.a.nodes: 16, seed: 7}\n"
                                         "sweep:\n"
                                         "  cluster.pools.a.nodes: [1, 2]\n"
                                         "  scheduler.order: [sjf, fifo, priority]\n";

/* A file being resolved at its points. */
struct points {
    struct scenario_file *file;
    size_t count;
    struct error_list told;
};

static struct points open_points(struct fixture *fixture, const char *text) {
    fixture_clear(fixture);
    fixture_write(fixture, text, strlen(text));
    struct points points = {
        .file = scenario_file_open(fixture->path, &fixture->context, &fixture->errors)};
    if (points.file == NULL) {
        fail_msg("refused:\n%s", fixture_errors(fixture));
    }
    points.count = scenario_file_point_count(points.file);
    return points;
}

static void close_points(struct points *points) {
    scenario_file_close(points->file);
    error_list_clear(&points->told);
}

static struct scenario *resolve(struct fixture *fixture, struct points *points, const char *set,
                                const char *variant, size_t point) {
    return scenario_file_resolve_point(points->file, &set, set != NULL, variant, point,
                                       &points->told, &fixture->errors);
}

static void expect_names(struct fixture *fixture, const char *text, const char *const *names,
                         size_t count) {
    struct points points = open_points(fixture, text);
    assert_int_equal(points.count, count);
    for (size_t i = 0; i < count; i++) {
        struct scenario *scenario = resolve(fixture, &points, NULL, NULL, i);
        if (scenario == NULL) {
            fail_msg("refused:\n%s", fixture_errors(fixture));
        }
        assert_string_equal(scenario->point, names[i]);
        scenario_destroy(scenario);
    }
    close_points(&points);
}

static void test_the_last_path_changes_fastest(void **state) {
    static const char *const names[] = {
        "cluster.pools.a.nodes=1, scheduler.order=sjf",
        "cluster.pools.a.nodes=1, scheduler.order=fifo",
        "cluster.pools.a.nodes=1, scheduler.order=priority",
        "cluster.pools.a.nodes=2, scheduler.order=sjf",
        "cluster.pools.a.nodes=2, scheduler.order=fifo",
        "cluster.pools.a.nodes=2, scheduler.order=priority",
    };
    expect_names(*state, grid, names, 6);
}

/* Point 4 of two times three is (1, 1): two nodes, fifo. */
static void test_a_point_comes_after_set_and_variant(void **state) {
    struct points points = open_points(*state, grid);
    struct scenario *scenario = resolve(*state, &points, "cluster.pools.a.nodes=9", "big", 4);
    assert_non_null(scenario);
    assert_string_equal(scenario->variant, "big");
    assert_int_equal(scenario->seed, 7);
    assert_int_equal(scenario->pools[0].nodes, 2);
    assert_int_equal(scenario->scheduler.order.index, 0);
    scenario_destroy(scenario);
    close_points(&points);
}

static void test_without_a_point_the_sweep_has_no_effect(void **state) {
    const struct scenario *swept = fixture_accept(*state, grid);
    assert_string_equal(swept->point, "");
    assert_int_equal(swept->pools[0].nodes, 2);
    char canonical[1024];
    snprintf(canonical, sizeof(canonical), "%s", swept->canonical);
    assert_string_equal(fixture_accept(*state, FIXTURE_VALID)->canonical, canonical);
}

/* So the digest of the inputs is that of the point, however it came to be. */
static void test_canonical_text_is_that_of_the_values(void **state) {
    struct points points = open_points(*state, grid);
    struct scenario *scenario = resolve(*state, &points, NULL, NULL, 3);
    assert_non_null(scenario);
    static const char *const sets[] = {"cluster.pools.a.nodes=2", "scheduler.order=sjf"};
    const struct scenario *set = fixture_resolve(*state, FIXTURE_VALID, sets, 2, NULL);
    assert_string_equal(scenario->canonical, set->canonical);
    scenario_destroy(scenario);
    close_points(&points);
}

static void test_names_are_one_line_of_yaml(void **state) {
    static const char *const names[] = {
        "cluster.pools.\"v1.5\"={gpu: A100-SXM4-80GB, nodes: 1, gpus_per_node: 8}",
        "cluster.pools.\"v1.5\"={gpu: A100-SXM4-80GB, nodes: 2, gpus_per_node: 8}",
    };
    expect_names(*state,
                 FIXTURE_VALID "sweep:\n"
                               "  cluster.pools.\"v1.5\":\n"
                               "    - {gpu: \"A100-SXM4-80GB\", nodes: 1, gpus_per_node: 8}\n"
                               "    - gpu: A100-SXM4-80GB\n"
                               "      nodes: 2\n"
                               "      gpus_per_node: 8\n",
                 names, 2);
    static const char *const texts[] = {"description=plain words", "description=\"a, b\"",
                                        "description=\"\"",        "description=\"two\\nlines\"",
                                        "description=\"a: b\"",    "description=\"x]\""};
    expect_names(*state,
                 FIXTURE_VALID "sweep: {description: [plain words, \"a, b\", \"\", "
                               "\"two\\nlines\", \"a: b\", \"x]\"]}\n",
                 texts, 6);
}

static void test_no_sweep_has_no_points(void **state) {
    static const char *const texts[] = {FIXTURE_VALID, FIXTURE_VALID "sweep:\n",
                                        FIXTURE_VALID "sweep: {}\n"};
    for (size_t i = 0; i < 3; i++) {
        struct points points = open_points(*state, texts[i]);
        assert_int_equal(points.count, 0);
        close_points(&points);
    }
}

/* What all ways to read a file find wrong: at every point of the base and of the variants. */
static void expect_problems(struct fixture *fixture, const char *text, const char *expected) {
    struct points points = open_points(fixture, text);
    size_t variants = scenario_file_variant_count(points.file);
    for (size_t v = 0; v <= variants; v++) {
        for (size_t i = 0; i < points.count; i++) {
            const char *variant = v > 0 ? scenario_file_variant(points.file, v - 1) : NULL;
            scenario_destroy(resolve(fixture, &points, NULL, variant, i));
        }
    }
    error_list_sort(&fixture->errors);
    assert_string_equal(fixture_errors(fixture), expected);
    close_points(&points);
}

static void test_bad_values_are_told_once_at_their_place(void **state) {
    expect_problems(*state,
                    FIXTURE_VALID "variants:\n"
                                  "  a: {seed: 2}\n"
                                  "  b: {seed: 3}\n"
                                  "sweep:\n"
                                  "  cluster.pools.a.nodes: [1, 0, x]\n"
                                  "  scheduler.order: [fifo, lifo]\n"
                                  "  cluster.pools.b.nodse: [1, 2]\n",
                    "9:30: cluster.pools.a.nodes must be from 1 to 10000000, not \"0\"\n"
                    "9:33: cluster.pools.a.nodes must be a whole number, not \"x\"\n"
                    "10:27: unknown order \"lifo\": did you mean \"fifo\"?\n"
                    "11:3: unknown key \"nodse\" in cluster.pools.b: did you mean \"nodes\"?\n"
                    "11:3: cluster.pools.b is not in the file, where there is a; a new one would "
                    "need the key \"gpu\", too\n");
}

/* The warm-up is fine but for the first horizon, whatever the variant. */
static void test_problems_elsewhere_name_their_point(void **state) {
    expect_problems(*state,
                    FIXTURE_VALID "warmup: 2d\n"
                                  "variants: {v: {seed: 2}, w: {warmup: 4d}}\n"
                                  "sweep: {horizon: [1d, 3d, 5d], replications: [1, 2]}\n",
                    "5:9: at horizon=1d, replications=1: the warmup must be shorter than the "
                    "horizon, or nothing is measured\n"
                    "6:38: in variant w, at horizon=1d, replications=1: the warmup must be "
                    "shorter than the horizon, or nothing is measured\n");
}

static void test_mistakes_of_the_base_name_no_point(void **state) {
    expect_problems(*state, FIXTURE_VALID "seed: x\nsweep: {replications: [1, 2]}\n",
                    "5:7: seed must be a whole number, not \"x\"\n");
}

static void test_the_form_of_a_sweep(void **state) {
    fixture_refuse(*state,
                   FIXTURE_VALID "sweep:\n"
                                 "  a..b: [1]\n"
                                 "  variants.x: [1]\n"
                                 "  sweep: [1]\n"
                                 "  seed: 3\n"
                                 "  replications: []\n"
                                 "  warmup: [1h, ~, \"1h\"]\n"
                                 "  cluster.pools.a.nodes: [1, 2]\n"
                                 "  cluster.pools.\"a\": [{nodes: 3}]\n",
                   "6:3: a path is names with dots between them; a name with a dot in it is in "
                   "quotes: workloads.\"v1.5\".memory\n"
                   "7:3: a sweep cannot change variants\n"
                   "8:3: a sweep cannot change sweep\n"
                   "9:9: seed needs a list of values such as [1, 2, 4], not \"3\"\n"
                   "10:17: replications needs a list of values such as [1, 2, 4], not an empty "
                   "one\n"
                   "11:16: a value of warmup is empty\n"
                   "11:19: warmup has the value 1h twice\n"
                   "13:3: cluster.pools.\"a\" and cluster.pools.a.nodes replace the same value: "
                   "leave one of them out\n");
    fixture_refuse(*state, FIXTURE_VALID "sweep: [3]\n",
                   "5:8: sweep must be a map of paths and lists of values such as "
                   "{cluster.pools.a.nodes: [1, 2, 4]}, not a list\n");
    fixture_refuse(*state, FIXTURE_VALID "sweep: {seed:3}\n",
                   "5:9: a blank is missing after the colon in \"seed:3\"\n");
}

static void test_others_cannot_change_the_sweep(void **state) {
    static const char *const set = "sweep={seed: [1]}";
    assert_null(fixture_resolve(*state, FIXTURE_VALID, &set, 1, NULL));
    assert_string_equal(fixture_errors(*state),
                        "--set sweep:0:0: sweep cannot be changed by a path\n");
    fixture_refuse(*state, FIXTURE_VALID "variants: {a: {sweep: {seed: [1]}}}\n",
                   "5:16: a variant cannot change sweep\n");
}

/* 101 x 100 is 100 too many; 100 x 100 is not. */
static void test_the_number_of_points_is_limited(void **state) {
    char text[4096];
    size_t used = (size_t)snprintf(text, sizeof(text), "%ssweep:\n  seed: [", FIXTURE_VALID);
    for (int i = 1; i <= 100; i++) {
        used += (size_t)snprintf(text + used, sizeof(text) - used, "%d,", i);
    }
    used += (size_t)snprintf(text + used, sizeof(text) - used, "]\n  replications: [");
    for (int i = 1; i <= 100; i++) {
        used += (size_t)snprintf(text + used, sizeof(text) - used, "%d,", i);
    }
    snprintf(text + used, sizeof(text) - used, "]\n");
    struct points points = open_points(*state, text);
    assert_int_equal(points.count, 10000);
    close_points(&points);
    snprintf(text + used, sizeof(text) - used, "101]\n");
    fixture_refuse(*state, text, "6:3: sweep has 10100 points; at most 10000 are possible\n");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_last_path_changes_fastest),
        cmocka_unit_test(test_a_point_comes_after_set_and_variant),
        cmocka_unit_test(test_without_a_point_the_sweep_has_no_effect),
        cmocka_unit_test(test_canonical_text_is_that_of_the_values),
        cmocka_unit_test(test_names_are_one_line_of_yaml),
        cmocka_unit_test(test_no_sweep_has_no_points),
        cmocka_unit_test(test_bad_values_are_told_once_at_their_place),
        cmocka_unit_test(test_problems_elsewhere_name_their_point),
        cmocka_unit_test(test_mistakes_of_the_base_name_no_point),
        cmocka_unit_test(test_the_form_of_a_sweep),
        cmocka_unit_test(test_others_cannot_change_the_sweep),
        cmocka_unit_test(test_the_number_of_points_is_limited),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
