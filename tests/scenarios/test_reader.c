/* Files as they come: missing, huge, named oddly, from a pipe; and what a file gives away before it
 * is resolved. */
#include "tests/scenarios/language_fixture.h"

FIXTURE_SETUP_TEARDOWN

static void expect_unreadable(struct fixture *fixture, const char *path, const char *message) {
    error_list_clear(&fixture->errors);
    assert_null(scenario_file_open(path, &fixture->context, &fixture->errors));
    assert_int_equal(fixture->errors.count, 1);
    assert_string_equal(fixture->errors.items[0].file, path);
    assert_int_equal(fixture->errors.items[0].line, 0);
    assert_string_equal(fixture->errors.items[0].message, message);
}

static void test_files_that_cannot_be_read(void **state) {
    expect_unreadable(*state, "/nowhere/s.yaml", "cannot open the file: No such file or directory");
    expect_unreadable(*state, "/tmp", "cannot read the file: Is a directory");
    struct fixture *fixture = *state;
    fixture_write(fixture, "", 0);
    expect_unreadable(fixture, fixture->path,
                      "there is nothing in the file: a scenario begins with headroom: 1");
}

static void test_huge_files_are_refused(void **state) {
    struct fixture *fixture = *state;
    fixture_write(fixture, "", 0);
    assert_int_equal(truncate(fixture->path, (64 << 20) + 1), 0);
    expect_unreadable(fixture, fixture->path,
                      "the file is too large for a scenario (more than 64 MiB)");
}

static void test_text_and_variants(void **state) {
    struct fixture *fixture = *state;
    static const char text[] = FIXTURE_VALID "variants:\n  b: {}\n  a:\n";
    fixture_write(fixture, text, strlen(text));
    struct scenario_file *file =
        scenario_file_open(fixture->path, &fixture->context, &fixture->errors);
    assert_non_null(file);
    assert_string_equal(scenario_file_text(file), text);
    assert_int_equal(scenario_file_variant_count(file), 2);
    assert_string_equal(scenario_file_variant(file, 0), "b");
    assert_string_equal(scenario_file_variant(file, 1), "a");
    scenario_file_close(file);
    fixture_write(fixture, FIXTURE_VALID, strlen(FIXTURE_VALID));
    file = scenario_file_open(fixture->path, &fixture->context, &fixture->errors);
    assert_int_equal(scenario_file_variant_count(file), 0);
    scenario_file_close(file);
}

/* One file, resolved twice in different ways: neither sees the other. */
static void test_a_file_is_not_changed_by_resolving_it(void **state) {
    struct fixture *fixture = *state;
    fixture_write(fixture, FIXTURE_VALID, strlen(FIXTURE_VALID));
    struct scenario_file *file =
        scenario_file_open(fixture->path, &fixture->context, &fixture->errors);
    const char *set = "cluster.pools.a.nodes=9";
    struct scenario *first = scenario_file_resolve(file, &set, 1, NULL, &fixture->errors);
    struct scenario *second = scenario_file_resolve(file, NULL, 0, NULL, &fixture->errors);
    scenario_file_close(file);
    assert_int_equal(first->pools[0].nodes, 9);
    assert_int_equal(second->pools[0].nodes, 2);
    assert_string_not_equal(first->canonical, second->canonical);
    scenario_destroy(first);
    scenario_destroy(second);
}

static void test_the_name_comes_from_the_file(void **state) {
    struct fixture *fixture = *state;
    static const struct {
        const char *file;
        const char *name;
    } cases[] = {{"day-night.yaml", "day-night"},  {"v1.2.yaml", "v1.2"},
                 {"no_extension", "no_extension"}, {"my scenario (1).yml", "my-scenario--1-"},
                 {".hidden", "xhidden"},           {"-x.yaml", "xx"}};
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        char path[128];
        snprintf(path, sizeof(path), "%s/%s", fixture->folder, cases[i].file);
        fixture_write(fixture, FIXTURE_VALID, strlen(FIXTURE_VALID));
        assert_int_equal(rename(fixture->path, path), 0);
        struct scenario_file *file = scenario_file_open(path, &fixture->context, &fixture->errors);
        struct scenario *scenario = scenario_file_resolve(file, NULL, 0, NULL, &fixture->errors);
        assert_string_equal(scenario->name, cases[i].name);
        scenario_destroy(scenario);
        scenario_file_close(file);
        unlink(path);
    }
}

static void test_stdin_is_a_dash(void **state) {
    struct fixture *fixture = *state;
    static const char text[] = FIXTURE_VALID "seed: x\n";
    fixture_clear(fixture);
    fixture_write(fixture, text, strlen(text));
    assert_non_null(freopen(fixture->path, "rb", stdin));
    struct scenario_file *file = scenario_file_open("-", &fixture->context, &fixture->errors);
    assert_non_null(file);
    assert_null(scenario_file_resolve(file, NULL, 0, NULL, &fixture->errors));
    scenario_file_close(file);
    assert_string_equal(fixture->errors.items[0].file, "<stdin>");
    assert_int_equal(fixture->errors.items[0].line, 5);
}

static void test_the_root_is_a_map(void **state) {
    struct fixture *fixture = *state;
    fixture_read(fixture, "- a\n");
    assert_int_equal(fixture->errors.count, 1);
    assert_non_null(strstr(fixture->errors.items[0].message,
                           "the scenario must be a map with the keys headroom, name,"));
    fixture_read(fixture, "headroom\n");
    assert_int_equal(fixture->errors.count, 1);
    fixture_read(fixture, "---\n");
    assert_int_equal(fixture->errors.count, 1);
    assert_string_equal(fixture->errors.items[0].message, "the scenario needs a value");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_files_that_cannot_be_read),
        cmocka_unit_test(test_huge_files_are_refused),
        cmocka_unit_test(test_text_and_variants),
        cmocka_unit_test(test_a_file_is_not_changed_by_resolving_it),
        cmocka_unit_test(test_the_name_comes_from_the_file),
        cmocka_unit_test(test_stdin_is_a_dash),
        cmocka_unit_test(test_the_root_is_a_map),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
