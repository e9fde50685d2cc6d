/* Axes have round numbers of their unit, few enough to read, from the first within the range on. */
#include "reports/report_axis.h"

#include <stdlib.h>
#include <string.h>

#include "tests/support/unit.h"

static void expect_tics(enum number_kind kind, struct axis_range range, const char *currency,
                        const char *expected) {
    char *text = NULL;
    size_t size = 0;
    FILE *script = open_memstream(&text, &size);
    assert_non_null(script);
    axis_print_tics(script, 'x', kind, range, 5, currency);
    fclose(script);
    assert_string_equal(text, expected);
    free(text);
}

/* The smallest round step of which five fit: half a second in 1.7, 20 minutes in 90, a day in
 * three.
 */
static void durations(void **state) {
    (void)state;
    expect_tics(NUMBER_DURATION, (struct axis_range){0, 1.7}, NULL,
                "set xtics ('0 s' 0, '500 ms' 0.5, '1.0 s' 1, '1.5 s' 1.5)\n");
    expect_tics(NUMBER_DURATION, (struct axis_range){0, 5400}, NULL,
                "set xtics ('0 s' 0, '20m' 1200, '40m' 2400, '1h' 3600, '1h 20m' 4800)\n");
    expect_tics(NUMBER_DURATION, (struct axis_range){-10, 3 * 86400}, NULL,
                "set xtics ('0 s' 0, '1d' 86400, '2d' 172800, '3d' 259200)\n");
}

/* 1, 2 or 5 of a power of ten. */
static void money_and_shares(void **state) {
    (void)state;
    expect_tics(NUMBER_MONEY, (struct axis_range){3100, 11400}, "USD",
                "set xtics ('$4,000' 4000, '$6,000' 6000, '$8,000' 8000, '$10,000' 10000)\n");
    expect_tics(NUMBER_PLAIN, (struct axis_range){0, 0.5}, NULL,
                "set xtics ('0.0' 0, '0.1' 0.1, '0.2' 0.2, '0.3' 0.3, '0.4' 0.4, '0.5' 0.5)\n");
    /* A percent sign is one of a format. */
    expect_tics(NUMBER_SHARE, (struct axis_range){0.4, 1}, NULL,
                "set xtics ('40.0 %%' 0.4, '60.0 %%' 0.6, '80.0 %%' 0.8, '100.0 %%' 1)\n");
}

static void logarithmic_durations(void **state) {
    (void)state;
    char *text = NULL;
    size_t size = 0;
    FILE *script = open_memstream(&text, &size);
    assert_non_null(script);
    axis_print_log_tics(script, 'y', (struct axis_range){0.9, 3700}, 4);
    fclose(script);
    /* A quarter of log10(3700 / 0.9) is 0.9: the next of a step is at least 8 times as long. */
    assert_string_equal(text, "set ytics ('1 s' 1, '10 s' 10, '2m' 120, '20m' 1200)\n");
    free(text);
}

static void time_units(void **state) {
    (void)state;
    assert_string_equal(axis_time_unit(3 * 86400).name, "days");
    assert_string_equal(axis_time_unit(2 * 86400).name, "hours");
    assert_string_equal(axis_time_unit(200).name, "minutes");
    assert_string_equal(axis_time_unit(179).name, "seconds");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(durations),
        cmocka_unit_test(money_and_shares),
        cmocka_unit_test(logarithmic_durations),
        cmocka_unit_test(time_units),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
