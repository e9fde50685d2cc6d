/* `compare` takes the newest results, says what it leaves out, and judges differences by pairs. */
#include "tests/reports/fixture.h"

#include <jansson.h>

#include "reports/compare.h"

/* What compare printed: its results and its messages. Both are freed by output_clear. */
struct output {
    char *out;
    char *messages;
    bool done;
    struct error error;
};

static struct output compare(const char *const *paths, size_t count,
                             const struct compare_options *options) {
    struct output output = {0};
    size_t size = 0;
    FILE *out = open_memstream(&output.out, &size);
    FILE *messages = open_memstream(&output.messages, &size);
    output.done = compare_print(out, messages, paths, count, options, &output.error);
    fclose(out);
    fclose(messages);
    return output;
}

static void output_clear(struct output *output) {
    free(output->out);
    free(output->messages);
}

/* A run whose mean wait is this and nothing else is known. */
static void store_wait(struct bench *bench, const char *variant, const char *point,
                       uint64_t replication, double wait_s) {
    struct metric metric = {SCOPE_RUN, "", "wait_s.mean", wait_s, "s"};
    struct run_identity identity = identify(bench, variant, replication);
    identity.point = point;
    store_run(bench, &identity, &metric, 1);
}

static json_t *compare_json(const char *path, const char *baseline, json_t **root) {
    struct compare_options options = {.format = TABLE_JSON, .baseline = baseline};
    struct output output = compare(&path, 1, &options);
    must(output.done, &output.error);
    *root = json_loads(output.out, 0, NULL);
    output_clear(&output);
    assert_int_equal(json_integer_value(json_object_get(*root, "headroom")), 1);
    assert_string_equal(json_string_value(json_object_get(*root, "format")), "compare");
    return json_object_get(*root, "rows");
}

static double member(json_t *row, const char *name) {
    json_t *value = json_object_get(row, name);
    return json_is_number(value) ? json_number_value(value) : NAN;
}

/* By hand, t(2) = 4.302653: base 100, 120, 140 has mean 120 and half width t x 20 / sqrt 3
 * = 49.683. mig is 90, 108, 135: differences -10, -12, -5, mean -9, variance 13, half width t x
 * sqrt(13/3) = 8.957, so significant although the intervals of both overlap widely. mps is 90, 108,
 * 136: differences -10, -12, -4, mean -26/3, variance 52/3, half width t x sqrt(52/9) = 10.342:
 * not. */
static void differences_are_paired_by_replication(void **state) {
    (void)state;
    struct bench bench = bench_open("a.db");
    static const double base[] = {100, 120, 140};
    static const double mig[] = {90, 108, 135};
    static const double mps[] = {90, 108, 136};
    for (uint64_t i = 0; i < 3; i++) {
        store_wait(&bench, "base", "", i, base[i]);
        /* Stored in another order: what counts is the number. */
        store_wait(&bench, "mig", "", 2 - i, mig[2 - i]);
        store_wait(&bench, "mps", "", i, mps[i]);
    }
    store_close(bench.store);
    json_t *root = NULL;
    json_t *rows = compare_json("a.db", NULL, &root);
    json_t *row = json_array_get(rows, 0);
    assert_string_equal(json_string_value(json_object_get(row, "variant")), "base");
    assert_true(json_is_null(json_object_get(row, "baseline")));
    assert_near(member(row, "wait_mean_s"), 120, 1e-9);
    assert_near(member(row, "wait_mean_s_half_width"), 4.302653 * 20 / sqrt(3), 1e-4);
    assert_true(isnan(member(row, "wait_mean_s_difference")));
    row = json_array_get(rows, 1);
    assert_string_equal(json_string_value(json_object_get(row, "baseline")), "base");
    assert_near(member(row, "wait_mean_s_difference"), -9, 1e-9);
    assert_near(member(row, "wait_mean_s_difference_half_width"), 4.302653 * sqrt(13.0 / 3), 1e-4);
    assert_int_equal(member(row, "wait_mean_s_significant"), 1);
    row = json_array_get(rows, 2);
    assert_near(member(row, "wait_mean_s_difference"), -26.0 / 3, 1e-9);
    assert_near(member(row, "wait_mean_s_difference_half_width"), 4.302653 * sqrt(52.0 / 9), 1e-4);
    assert_int_equal(member(row, "wait_mean_s_significant"), 0);
    json_decref(root);

    struct compare_options options = {.format = TABLE_TEXT};
    const char *path = "a.db";
    struct output output = compare(&path, 1, &options);
    must(output.done, &output.error);
    assert_string_equal(output.messages, "");
    assert_non_null(strstr(output.out, "Difference to base:\n"));
    assert_non_null(strstr(output.out, "wait mean  -9.0 s ± 9.0 s (-7.5 %)  no significant "
                                       "difference\n"));
    output_clear(&output);
}

static char *text_of_a(void) {
    struct compare_options options = {.format = TABLE_TEXT};
    const char *path = "a.db";
    struct output output = compare(&path, 1, &options);
    must(output.done, &output.error);
    free(output.messages);
    return output.out;
}

/* What is equal in every replication, but for rounding, is called so and not insignificant: in the
 * table where another case differs, else in a line below. 1200 s is twelve times 100 s. */
static void equal_figures_are_called_equal(void **state) {
    (void)state;
    struct bench bench = bench_open("a.db");
    for (uint64_t i = 0; i < 2; i++) {
        store_wait(&bench, "base", "", i, 100 + (double)i);
        store_wait(&bench, "mig", "", i, (100 + (double)i) * (1 + 1e-13));
    }
    char *text = text_of_a();
    assert_non_null(strstr(text, "Difference to base:\nEqual: wait mean.\n"));
    free(text);
    for (uint64_t i = 0; i < 2; i++) {
        store_wait(&bench, "mps", "", i, (100 + (double)i) * 12);
    }
    text = text_of_a();
    assert_non_null(strstr(text, "wait mean  equal  +18m"));
    assert_non_null(strstr(text, "(x12.0)\n"));
    assert_null(strstr(text, "Equal:"));
    assert_null(strstr(text, "no significant difference"));
    free(text);
    store_close(bench.store);
}

/* Of money, less than half a per mille says nothing: 0.04 % and 0.06 % of 5000 dollars. */
static void parts_of_a_cent_are_not_told(void **state) {
    (void)state;
    struct bench bench = bench_open("a.db");
    static const char *const variants[] = {"base", "mig", "mps"};
    static const double dollars[] = {5000, 5002, 5003};
    for (size_t i = 0; i < LENGTH(variants); i++) {
        struct metric metric = {SCOPE_RUN, "", "usd_per_month", dollars[i], "usd_per_month"};
        struct run_identity identity = identify(&bench, variants[i], 0);
        store_run(&bench, &identity, &metric, 1);
    }
    char *text = text_of_a();
    assert_non_null(strstr(text, "cost per month  0.0 %  +$3.00 (+0.1 %)\n"));
    free(text);
    store_close(bench.store);
}

static void another_baseline_can_be_named(void **state) {
    (void)state;
    struct bench bench = bench_open("a.db");
    store_wait(&bench, "base", "", 0, 100);
    store_wait(&bench, "mig", "", 0, 50);
    store_close(bench.store);
    json_t *root = NULL;
    json_t *row = json_array_get(compare_json("a.db", "mig", &root), 0);
    assert_near(member(row, "wait_mean_s_difference"), 50, 1e-9);
    assert_true(isnan(member(row, "wait_mean_s_difference_half_width")));
    assert_true(isnan(member(row, "wait_mean_s_significant")));
    json_decref(root);

    const char *path = "a.db";
    struct compare_options options = {.baseline = "mps"};
    struct output output = compare(&path, 1, &options);
    assert_false(output.done);
    assert_message(&output.error, "there is no variant 'mps' to compare to; there is base, mig");
    assert_string_equal(output.out, "");
    output_clear(&output);
    options = (struct compare_options){.by = "pool"};
    output = compare(&path, 1, &options);
    assert_false(output.done);
    assert_message(&output.error,
                   "'pool' is nothing to compare by: choose variant, point, scenario or file");
    output_clear(&output);
}

static void only_the_newest_batch_of_each_case_counts(void **state) {
    (void)state;
    struct bench bench = bench_open("a.db");
    struct error error;
    store_wait(&bench, "base", "", 0, 1);
    store_wait(&bench, "base", "", 1, 1);
    store_wait(&bench, "mig", "", 0, 2);
    must(store_new_batch(bench.store, &bench.batch, &error), &error);
    store_wait(&bench, "base", "", 0, 3);
    store_close(bench.store);
    const char *path = "a.db";
    struct compare_options options = {.format = TABLE_CSV};
    struct output output = compare(&path, 1, &options);
    must(output.done, &output.error);
    assert_string_equal(output.messages,
                        "a.db: left out 2 older runs (of batch 1): newer batches have the same "
                        "scenario, variant and point\n");
    /* mig is of batch 1 and comes first, base of batch 2. */
    const char *line = strchr(output.out, '\n') + 1;
    assert_memory_equal(line, "a.db,day-night,mig,,1,1,,2,,,,,", 31);
    line = strchr(line, '\n') + 1;
    assert_memory_equal(line, "a.db,day-night,base,,2,1,mig,3,,1,,,", 36);
    output_clear(&output);
}

/* Two files with the same variants are set beside each other file by file. */
static void files_count_where_cases_repeat(void **state) {
    (void)state;
    static const char *const paths[] = {"before.db", "after.db", "before.db"};
    for (int i = 0; i < 2; i++) {
        struct bench bench = bench_open(paths[i]);
        store_wait(&bench, "base", "", 0, 10 + i);
        store_close(bench.store);
    }
    struct compare_options options = {.format = TABLE_TEXT};
    struct output output = compare(paths, 3, &options);
    must(output.done, &output.error);
    assert_string_equal(output.messages, "before.db: given twice, read once\n");
    assert_non_null(strstr(output.out, "Difference to before.db:\n"));
    assert_non_null(strstr(output.out, "+1 s (+10.0 %)\n"));
    assert_non_null(strstr(output.out, "One run each. Of random load, `--replications` tells which "
                                       "differences are more than chance.\n"));
    output_clear(&output);
}

/* Where every case is in one file only, files are just where they come from. */
static void files_do_not_count_where_cases_differ(void **state) {
    (void)state;
    static const char *const paths[] = {"one.db", "two.db"};
    static const char *const variants[] = {"base", "mig"};
    for (int i = 0; i < 2; i++) {
        struct bench bench = bench_open(paths[i]);
        store_wait(&bench, variants[i], "", 0, 10 + i);
        store_close(bench.store);
    }
    struct compare_options options = {.format = TABLE_TEXT};
    struct output output = compare(paths, 2, &options);
    must(output.done, &output.error);
    assert_non_null(strstr(output.out, "Difference to base:\n"));
    output_clear(&output);
}

static void points_are_compared_within_a_variant_or_variants_at_a_point(void **state) {
    (void)state;
    struct bench bench = bench_open("a.db");
    store_wait(&bench, "base", "nodes=1", 0, 100);
    store_wait(&bench, "mig", "nodes=1", 0, 80);
    store_wait(&bench, "base", "nodes=2", 0, 50);
    store_wait(&bench, "mig", "nodes=2", 0, 30);
    store_close(bench.store);
    const char *path = "a.db";
    struct compare_options options = {.format = TABLE_TEXT};
    struct output output = compare(&path, 1, &options);
    must(output.done, &output.error);
    assert_non_null(strstr(output.out, "Difference to base (point nodes=1):\n"));
    assert_non_null(strstr(output.out, "-20 s (-20.0 %)\n"));
    assert_non_null(strstr(output.out, "Difference to base (point nodes=2):\n"));
    assert_non_null(strstr(output.out, "-20 s (-40.0 %)\n"));
    output_clear(&output);
    options.by = "point";
    output = compare(&path, 1, &options);
    must(output.done, &output.error);
    assert_non_null(strstr(output.out, "Difference to nodes=1 (variant base):\n"));
    assert_non_null(strstr(output.out, "-50 s (-50.0 %)\n"));
    assert_non_null(strstr(output.out, "Difference to nodes=1 (variant mig):\n"));
    output_clear(&output);
    options.by = "scenario";
    output = compare(&path, 1, &options);
    must(output.done, &output.error);
    assert_string_equal(output.messages, "no two rows differ by scenario alone, so there are no "
                                         "differences to show\n");
    output_clear(&output);
}

static void what_to_be_careful_about_is_said(void **state) {
    (void)state;
    struct bench bench = bench_open("a.db");
    struct error error;
    store_wait(&bench, "base", "", 0, 1);
    store_wait(&bench, "base", "", 1, 2);
    must(store_add_scenario(bench.store, "day-night", "edited", bench.sha256, &error), &error);
    must(store_new_batch(bench.store, &bench.batch, &error), &error);
    struct metric metric = {SCOPE_RUN, "", "wait_s.mean", 3, "s"};
    struct run_identity identity = identify(&bench, "mig", 0);
    identity.seed = 2;
    identity.currency = "EUR";
    store_run(&bench, &identity, &metric, 1);
    store_close(bench.store);
    const char *path = "a.db";
    struct compare_options options = {.format = TABLE_TEXT};
    struct output output = compare(&path, 1, &options);
    must(output.done, &output.error);
    assert_string_equal(output.messages,
                        "scenario day-night: its file was edited between the runs compared here\n"
                        "mig has 1 and base 2 replications: differences use those that both have\n"
                        "mig and base have different seeds: their pairs share no random numbers\n"
                        "mig is in EUR and base in USD: their costs cannot be compared\n");
    output_clear(&output);
}

static void a_store_without_runs_is_refused(void **state) {
    (void)state;
    store_close(bench_open("a.db").store);
    const char *path = "a.db";
    struct compare_options options = {.format = TABLE_TEXT};
    struct output output = compare(&path, 1, &options);
    assert_false(output.done);
    assert_message(&output.error, "a.db: holds no finished runs; run a scenario into it first");
    output_clear(&output);
    path = "missing.db";
    output = compare(&path, 1, &options);
    assert_false(output.done);
    assert_message(&output.error,
                   "missing.db: no such file; give a database that `headroom run` has written");
    output_clear(&output);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        IN_FOLDER(differences_are_paired_by_replication),
        IN_FOLDER(equal_figures_are_called_equal),
        IN_FOLDER(parts_of_a_cent_are_not_told),
        IN_FOLDER(another_baseline_can_be_named),
        IN_FOLDER(only_the_newest_batch_of_each_case_counts),
        IN_FOLDER(files_count_where_cases_repeat),
        IN_FOLDER(files_do_not_count_where_cases_differ),
        IN_FOLDER(points_are_compared_within_a_variant_or_variants_at_a_point),
        IN_FOLDER(what_to_be_careful_about_is_said),
        IN_FOLDER(a_store_without_runs_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
