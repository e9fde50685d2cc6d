/* The catalogue's CSV reader: cells, quotes, numbers and what is left empty. */
#include "models/csv_rows.h"
#include "tests/support/unit.h"

static const char *const columns[] = {"name", "count", "share"};

static void test_cells_and_numbers(void **state) {
    (void)state;
    struct arena arena = {0};
    struct csv_rows rows = csv_rows_parse(&arena,
                                          "name,count,share\n"
                                          "a,7,0.5\n"
                                          "\"b, \"\"quoted\"\"\",,\n"
                                          "c,-2,1e3",
                                          columns, 3);
    assert_int_equal(rows.count, 3);
    assert_string_equal(csv_rows_text(&rows, 0, 0), "a");
    assert_string_equal(csv_rows_text(&rows, 1, 0), "b, \"quoted\"");
    assert_string_equal(csv_rows_text(&rows, 1, 1), "");
    assert_int_equal(csv_rows_integer(&rows, 0, 1, -1), 7);
    assert_int_equal(csv_rows_integer(&rows, 1, 1, -1), -1);
    assert_int_equal(csv_rows_integer(&rows, 2, 1, -1), -2);
    assert_true(csv_rows_number(&rows, 0, 2, 9) == 0.5);
    assert_true(csv_rows_number(&rows, 1, 2, 9) == 9);
    assert_true(csv_rows_number(&rows, 2, 2, 9) == 1000);
    arena_clear(&arena);
}

static void test_a_header_alone_has_no_rows(void **state) {
    (void)state;
    struct arena arena = {0};
    assert_int_equal(csv_rows_parse(&arena, "name,count,share\n", columns, 3).count, 0);
    assert_int_equal(csv_rows_parse(&arena, "name,count,share", columns, 3).count, 0);
    arena_clear(&arena);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cells_and_numbers),
        cmocka_unit_test(test_a_header_alone_has_no_rows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
