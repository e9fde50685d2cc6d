/* Bars of eight heights: a value of height h is at least h/8 and less than (h+1)/8 of the greatest.
 */
#include "tests/reports/fixture.h"

#include "reports/sparkline.h"

static void shares_become_eighths(void **state) {
    (void)state;
    static const double values[] = {0, 0.124, 0.125, 0.3, 0.5, 0.624, 0.75, 0.874, 0.875, 1};
    char *line = sparkline(values, LENGTH(values), 1);
    assert_string_equal(line, "▁▁▂▃▅▅▇▇██");
    free(line);
}

static void the_greatest_is_the_full_height(void **state) {
    (void)state;
    static const double values[] = {0, 10, 20, 40};
    char *line = sparkline(values, LENGTH(values), 40);
    assert_string_equal(line, "▁▃▅█");
    free(line);
}

static void what_is_not_there_is_blank_and_what_is_beyond_is_cut(void **state) {
    (void)state;
    static const double values[] = {NAN, 2, -1, NAN};
    char *line = sparkline(values, LENGTH(values), 1);
    assert_string_equal(line, " █▁ ");
    free(line);
}

static void nothing_but_zeros_lies_flat(void **state) {
    (void)state;
    static const double values[] = {0, NAN, 0};
    char *line = sparkline(values, LENGTH(values), 0);
    assert_string_equal(line, "▁ ▁");
    free(line);
    line = sparkline(values, 0, 1);
    assert_string_equal(line, "");
    free(line);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shares_become_eighths),
        cmocka_unit_test(the_greatest_is_the_full_height),
        cmocka_unit_test(what_is_not_there_is_blank_and_what_is_beyond_is_cut),
        cmocka_unit_test(nothing_but_zeros_lies_flat),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
