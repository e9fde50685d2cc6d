/* Distributions as a scenario writes them, by the rows of sim/kernel/distribution.h. */
#include "tests/scenarios/language_fixture.h"

FIXTURE_SETUP_TEARDOWN

/* A scenario with one workload of these keys. */
static const char *with(const char *keys) {
    static char text[2048];
    snprintf(text, sizeof(text),
             FIXTURE_HEAD FIXTURE_CLUSTER
             "workloads:\n  w:\n    kind: jobs\n    arrivals: {poisson: 1/h}\n    %s\n",
             keys);
    return text;
}

static const struct distribution *duration(struct fixture *fixture, const char *value) {
    char keys[512];
    snprintf(keys, sizeof(keys), "duration: %s", value);
    return &fixture_accept(fixture, with(keys))->workloads[0].duration;
}

static const struct distribution *gpus(struct fixture *fixture, const char *value) {
    char keys[512];
    snprintf(keys, sizeof(keys), "duration: 1h\n    gpus: %s", value);
    return &fixture_accept(fixture, with(keys))->workloads[0].gpus;
}

/* The value begins at line 8, column 15. */
static void refuse_duration(struct fixture *fixture, const char *value, const char *errors) {
    char keys[512];
    snprintf(keys, sizeof(keys), "duration: %s", value);
    fixture_refuse(fixture, with(keys), errors);
}

/* The value begins at line 9, column 11. */
static void refuse_gpus(struct fixture *fixture, const char *value, const char *errors) {
    char keys[512];
    snprintf(keys, sizeof(keys), "duration: 1h\n    gpus: %s", value);
    fixture_refuse(fixture, with(keys), errors);
}

static void test_constants(void **state) {
    const struct distribution *d = duration(*state, "90m");
    assert_string_equal(d->kind->name, "constant");
    assert_true(d->given[0] == 90 * 60e9);
    assert_true(duration(*state, "{constant: 2h}")->given[0] == 7200e9);
    assert_true(duration(*state, "{constant: [2h]}")->given[0] == 7200e9);
    assert_true(duration(*state, "0")->given[0] == 0);
    assert_true(gpus(*state, "8")->given[0] == 8);
}

static void test_named_parameters(void **state) {
    const struct distribution *d = duration(*state, "{lognormal: {mean: 2h, cv: 2}}");
    assert_string_equal(d->kind->name, "lognormal");
    assert_true(d->given[0] == 7200e9 && d->given[1] == 2);
    d = duration(*state, "{erlang: {k: 3, mean: 80ms}}");
    assert_true(d->given[0] == 3 && d->given[1] == 80e6);
    assert_true(distribution_mean(d) == 80e6);
    assert_string_equal(duration(*state, "{pareto: {mean: 1h, shape: 1.5}}")->kind->name, "pareto");
}

/* Each row of the kernel can be written, in its own style. */
static void test_every_kind_can_be_written(void **state) {
    for (size_t i = 0; i < distribution_kind_count; i++) {
        const struct distribution_kind *kind = &distribution_kinds[i];
        char value[256];
        int length = snprintf(value, sizeof(value), "{%s: ", kind->name);
        char *rest = value + length;
        size_t room = sizeof(value) - (size_t)length;
        if (kind->style == STYLE_WEIGHTS) {
            snprintf(rest, room, "{1s: 0.5, 2s: 50%%}}");
        } else if (kind->style == STYLE_COLUMN) {
            continue; /* below */
        } else {
            bool named = kind->style == STYLE_NAMED;
            strcat(value, named ? "{" : "[");
            for (size_t k = 0; k < DISTRIBUTION_PARAMETERS; k++) {
                if (kind->parameters[k].unit == PARAMETER_NONE) {
                    break;
                }
                strcat(value, k > 0 ? ", " : "");
                if (named) {
                    strcat(value, kind->parameters[k].name);
                    strcat(value, ": ");
                }
                strcat(value, kind->parameters[k].unit == PARAMETER_IN_KIND ? "3s" : "2");
            }
            strcat(value, named ? "}}" : "]}");
        }
        assert_ptr_equal(duration(*state, value)->kind, kind);
    }
}

static void test_weights(void **state) {
    const struct distribution *d = gpus(*state, "{choice: {1: 0.7, 4: 20%, 8: 0.1}}");
    assert_int_equal(d->value_count, 3);
    assert_true(d->values[1] == 4 && d->weights[1] == 0.2);
    d = duration(*state, "{choice: {1h: 0.5, 30m: 0.5}}");
    assert_true(d->values[1] == 1800e9);
}

static void write_file(const struct fixture *fixture, const char *name, const char *text) {
    char path[128];
    snprintf(path, sizeof(path), "%s/%s", fixture->folder, name);
    FILE *stream = fopen(path, "wb");
    assert_non_null(stream);
    fputs(text, stream);
    fclose(stream);
}

static void remove_file(const struct fixture *fixture, const char *name) {
    char path[128];
    snprintf(path, sizeof(path), "%s/%s", fixture->folder, name);
    unlink(path);
}

static void test_columns_of_files(void **state) {
    const struct fixture *fixture = *state;
    write_file(fixture, "d.csv",
               "id,duration_s,wait_ms,mixed,n\n1,90,1500,\"2m\",4\n2,0.1,3,1h,2\n");
    const struct distribution *d =
        duration(*state, "{empirical: {file: d.csv, column: duration_s}}");
    assert_int_equal(d->value_count, 2);
    assert_true(d->values[0] == 90e9 && d->values[1] == 1e8);
    d = duration(*state, "{empirical: {file: d.csv, column: wait_ms}}");
    assert_true(d->values[0] == 1.5e9 && d->values[1] == 3e6);
    d = duration(*state, "{empirical: {file: d.csv, column: mixed}}");
    assert_true(d->values[0] == 120e9 && d->values[1] == 3600e9);
    d = gpus(*state, "{empirical: {file: d.csv, column: n}}");
    assert_true(d->values[0] == 4 && d->values[1] == 2);
    /* The file is part of what the results depend on. */
    assert_non_null(strstr(fixture->scenario->canonical, "\"files\":{\"d.csv\":\""));
    remove_file(fixture, "d.csv");
}

static void test_bad_files(void **state) {
    const struct fixture *fixture = *state;
    char expected[512];
    snprintf(expected, sizeof(expected),
             "8:34: workloads.w.duration.empirical: cannot open %s/no.csv: No such file or "
             "directory\n",
             fixture->folder);
    refuse_duration(*state, "{empirical: {file: no.csv, column: x}}", expected);
    write_file(fixture, "d.csv", "a,b\n1,x\n,\n");
    snprintf(expected, sizeof(expected),
             "8:34: workloads.w.duration.empirical: %s/d.csv, row 1: there is no column \"c\"\n",
             fixture->folder);
    refuse_duration(*state, "{empirical: {file: d.csv, column: c}}", expected);
    snprintf(expected, sizeof(expected),
             "8:34: workloads.w.duration.empirical: %s/d.csv, row 2: cannot use the value \"x\"\n",
             fixture->folder);
    refuse_duration(*state, "{empirical: {file: d.csv, column: b}}", expected);
    snprintf(expected, sizeof(expected),
             "8:34: workloads.w.duration.empirical: %s/d.csv, row 3: cannot use the value \"\"\n",
             fixture->folder);
    refuse_duration(*state, "{empirical: {file: d.csv, column: a}}", expected);
    write_file(fixture, "d.csv", "a,b\n1,2\n3\n");
    snprintf(expected, sizeof(expected),
             "8:34: workloads.w.duration.empirical: %s/d.csv, row 3: there is no value for \"b\"\n",
             fixture->folder);
    refuse_duration(*state, "{empirical: {file: d.csv, column: b}}", expected);
    write_file(fixture, "d.csv", "a,b\n");
    snprintf(expected, sizeof(expected),
             "8:34: workloads.w.duration.empirical: %s/d.csv has no rows below its header\n",
             fixture->folder);
    refuse_duration(*state, "{empirical: {file: d.csv, column: b}}", expected);
    remove_file(fixture, "d.csv");
}

static void test_wrong_forms(void **state) {
    refuse_duration(*state, "3",
                    "8:15: workloads.w.duration must be a duration such as 500ms, 30s, 15m, 2h or "
                    "7d, not \"3\" (a number needs its unit)\n");
    refuse_duration(*state, "[1h, 2h]",
                    "8:15: workloads.w.duration must be a duration such as 500ms, 30s, 15m, 2h or "
                    "7d, or one distribution such as {exponential: {mean: 2h}}, not a list\n");
    refuse_duration(*state, "{}",
                    "8:15: workloads.w.duration must be a duration such as 500ms, 30s, 15m, 2h or "
                    "7d, or one distribution such as {exponential: {mean: 2h}}, not a map\n");
    refuse_duration(*state, "{exponental: {mean: 2h}}",
                    "8:16: unknown distribution \"exponental\": did you mean \"exponential\"?\n");
    refuse_duration(*state, "{normal: {mean: 2h}}",
                    "8:16: unknown distribution \"normal\": there are constant, uniform, "
                    "exponential, lognormal, gamma, weibull, hyperexponential, erlang, pareto, "
                    "choice, empirical\n");
    refuse_duration(*state, "{exponential: 2h}",
                    "8:29: workloads.w.duration.exponential must be a map with the key mean, not "
                    "\"2h\"\n");
    refuse_duration(*state, "{exponential: }",
                    "8:29: workloads.w.duration.exponential needs a value\n");
    refuse_duration(*state, "{exponential: {mean: 2, cv: 1}}",
                    "8:36: workloads.w.duration.exponential.mean must be a duration such as 500ms, "
                    "30s, 15m, 2h or 7d, not \"2\" (a number needs its unit)\n"
                    "8:39: unknown key \"cv\" in workloads.w.duration.exponential, which takes "
                    "mean\n");
    refuse_duration(*state, "{uniform: [1s]}",
                    "8:25: workloads.w.duration.uniform must be a list [low, high], not a list of "
                    "1\n");
    refuse_duration(*state, "{choice: [1s]}",
                    "8:24: workloads.w.duration.choice must be a map of values and weights such as "
                    "{1: 0.7, 4: 0.3}, not a list\n");
    refuse_duration(*state, "{choice: {1: 0.5, 2s: x}}",
                    "8:25: workloads.w.duration.choice must be a duration such as 500ms, 30s, 15m, "
                    "2h or 7d, not \"1\" (a number needs its unit)\n"
                    "8:37: workloads.w.duration.choice.2s must be a share such as 40% or 0.4, not "
                    "\"x\"\n");
    refuse_duration(*state, "{erlang: {k: 1.5, mean: 3s}}",
                    "8:28: workloads.w.duration.erlang.k must be a whole number, not \"1.5\"\n");
}

/* What the kernel says about parameters is told with the place. */
static void test_parameters_out_of_range(void **state) {
    struct fixture *fixture = *state;
    fixture_read(fixture, with("duration: {choice: {1s: 0.5, 2s: 0.4}}"));
    assert_int_equal(fixture->errors.count, 1);
    assert_int_equal(fixture->errors.items[0].line, 8);
    assert_int_equal(fixture->errors.items[0].column, 15);
    assert_non_null(strstr(fixture->errors.items[0].message, "workloads.w.duration: the weights"));
    fixture_read(fixture, with("duration: {exponential: {mean: 0s}}"));
    assert_int_equal(fixture->errors.count, 1);
    fixture_read(fixture, with("duration: {uniform: [2h, 1h]}"));
    assert_int_equal(fixture->errors.count, 1);
}

static void test_counts_are_whole_and_positive(void **state) {
    refuse_gpus(*state, "0",
                "9:11: workloads.w.gpus must give whole numbers from 1 to 640000000, not 0\n");
    refuse_gpus(*state, "1.5",
                "9:11: workloads.w.gpus must give whole numbers from 1 to 640000000, not 1.5\n");
    refuse_gpus(*state, "-1",
                "9:11: workloads.w.gpus must give whole numbers from 1 to 640000000, not -1\n");
    refuse_gpus(*state, "1e300",
                "9:11: workloads.w.gpus must give whole numbers from 1 to 640000000, not 1e+300\n");
    refuse_gpus(*state, "{choice: {1: 0.5, 2.5: 0.5}}",
                "9:11: workloads.w.gpus must give whole numbers from 1 to 640000000, not 2.5\n");
    refuse_gpus(*state, "{uniform: [1, 8]}",
                "9:11: workloads.w.gpus must give whole numbers, which uniform does not: use "
                "{choice: {1: 0.5, 2: 0.5}} or {empirical: ...}\n");
    refuse_gpus(*state, "{exponential: {mean: 2}}",
                "9:11: workloads.w.gpus must give whole numbers, which exponential does not: use "
                "{choice: {1: 0.5, 2: 0.5}} or {empirical: ...}\n");
}

static void test_durations_are_not_negative(void **state) {
    refuse_duration(*state, "{uniform: [-1s, 3s]}",
                    "8:26: workloads.w.duration.uniform must be a duration such as 500ms, 30s, "
                    "15m, 2h or 7d, not \"-1s\" (it cannot be negative)\n");
    const struct fixture *fixture = *state;
    write_file(fixture, "d.csv", "a\n1\n-3\n");
    fixture_read(*state, with("duration: {empirical: {file: d.csv, column: a}}"));
    assert_string_equal(fixture_errors(fixture),
                        "8:15: workloads.w.duration must give values from 0s to 3155760000s, not "
                        "-3s\n");
    remove_file(fixture, "d.csv");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_constants),
        cmocka_unit_test(test_named_parameters),
        cmocka_unit_test(test_every_kind_can_be_written),
        cmocka_unit_test(test_weights),
        cmocka_unit_test(test_columns_of_files),
        cmocka_unit_test(test_bad_files),
        cmocka_unit_test(test_wrong_forms),
        cmocka_unit_test(test_parameters_out_of_range),
        cmocka_unit_test(test_counts_are_whole_and_positive),
        cmocka_unit_test(test_durations_are_not_negative),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
