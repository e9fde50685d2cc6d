/* Points of a sweep, taken apart for people. */
#include "reports/sweep_point.h"

#include <stdlib.h>

#include "tests/support/unit.h"

static void expect_short(const char *point, const char *expected) {
    char *text = sweep_point_short(point);
    assert_string_equal(text, expected);
    free(text);
}

static void test_a_line_has_the_last_names(void **state) {
    (void)state;
    expect_short("", "");
    expect_short("seed=3", "seed=3");
    expect_short("cluster.pools.a100.nodes=2", "nodes=2");
    expect_short("cluster.pools.a100.nodes=2, scheduler.order=sjf", "nodes=2, order=sjf");
    expect_short("cluster.pools.\"v1.5\"=x", "\"v1.5\"=x");
    expect_short("cluster.pools.\"v1.5\".nodes=3", "nodes=3");
}

static void test_paths_that_end_alike_keep_more(void **state) {
    (void)state;
    expect_short("cluster.pools.a.nodes=1, cluster.pools.b.nodes=2, seed=1",
                 "a.nodes=1, b.nodes=2, seed=1");
    expect_short("workloads.x.memory=1GB, models.x.memory=2GB",
                 "workloads.x.memory=1GB, models.x.memory=2GB");
}

/* Neither commas nor equals signs within a value end it. */
static void test_values_stay_whole(void **state) {
    (void)state;
    expect_short("cluster.pools.a.sharing={mode: mig, layout: [1g, 2g]}, seed=1",
                 "sharing={mode: mig, layout: [1g, 2g]}, seed=1");
    expect_short("description=\"a, b=\\\"c\", seed=2", "description=\"a, b=\\\"c\", seed=2");
    expect_short("description=a=b", "description=a=b");
}

/* What a damaged database may hold is shown somehow. */
static void test_any_text_is_taken(void **state) {
    (void)state;
    static const char *const texts[] = {"=", ", ", "x", "a=[", "\"", "\\", "a=\"\\", "a.=1, .b=2"};
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        char *text = sweep_point_short(texts[i]);
        assert_non_null(text);
        free(text);
    }
}

static char *print(const struct sweep_columns *columns, const char *const *points, size_t count) {
    struct table *table = table_create();
    sweep_columns_add(columns, table);
    for (size_t i = 0; i < count; i++) {
        table_add_row(table);
        sweep_columns_add_cells(columns, table, points[i]);
    }
    char *text = NULL;
    size_t length = 0;
    FILE *out = open_memstream(&text, &length);
    assert_non_null(out);
    table_print(out, table, TABLE_MARKDOWN, 0, false);
    fclose(out);
    table_destroy(table);
    return text;
}

static void expect_columns(const char *const *points, size_t count, const char *expected) {
    struct sweep_columns columns = {0};
    for (size_t i = 0; i < count; i++) {
        sweep_columns_include(&columns, points[i]);
    }
    char *text = print(&columns, points, count);
    assert_string_equal(text, expected);
    free(text);
    sweep_columns_clear(&columns);
}

static void test_a_column_for_each_path(void **state) {
    (void)state;
    static const char *const points[] = {"", "a.nodes=1, order=fifo", "a.nodes=2, order=sjf"};
    expect_columns(points, 3,
                   "| nodes | order |\n"
                   "| :--- | :--- |\n"
                   "| - | - |\n"
                   "| 1 | fifo |\n"
                   "| 2 | sjf |\n");
}

static void test_many_paths_share_a_column(void **state) {
    (void)state;
    static const char *const points[] = {"", "a=1, b=2, c=3, d=4, x.e=5"};
    expect_columns(points, 2,
                   "| point |\n"
                   "| :--- |\n"
                   "| - |\n"
                   "| a=1, b=2, c=3, d=4, e=5 |\n");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_line_has_the_last_names),
        cmocka_unit_test(test_paths_that_end_alike_keep_more),
        cmocka_unit_test(test_values_stay_whole),
        cmocka_unit_test(test_any_text_is_taken),
        cmocka_unit_test(test_a_column_for_each_path),
        cmocka_unit_test(test_many_paths_share_a_column),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
