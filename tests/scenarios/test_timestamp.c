/* Calendar times. Seconds since 1970 are those of `date -u -d ... +%s`. */
#include <stdio.h>

#include "scenarios/quantity.h"
#include "tests/support/unit.h"

#define SECOND INT64_C(1000000000)

static void expect(const char *text, int64_t ns, bool zone) {
    int64_t value = 42;
    bool has_zone = !zone;
    if (!timestamp_parse(text, &value, &has_zone)) {
        fail_msg("refused: %s", text);
    }
    assert_true(value == ns);
    assert_int_equal(has_zone, zone);
}

static void test_known_moments(void **state) {
    (void)state;
    expect("1970-01-01", 0, false);
    expect("2017-10-09", 1507507200 * SECOND, false);
    expect("2017-10-09 06:13:03", 1507529583 * SECOND, false);
    expect("2017-10-09T06:13:03.5", 1507529583 * SECOND + SECOND / 2, false);
    expect("2017-10-09T06:13", 1507529580 * SECOND, false);
    expect("2026-03-02T00:00:00Z", 1772409600 * SECOND, true);
    expect("2000-02-29", 951782400 * SECOND, false);
    expect("2000-03-01", 951868800 * SECOND, false);
    expect("1969-12-31T23:59:59", -SECOND, false);
    expect("1900-03-01", INT64_C(-2203891200) * SECOND, false);
    expect("2262-04-11", INT64_C(9223286400) * SECOND, false);
}

static void test_fractions_go_to_the_nanosecond(void **state) {
    (void)state;
    expect("1970-01-01T00:00:00.000000001", 1, false);
    expect("1970-01-01T00:00:00.1234567894", 123456789, false);
    expect("1970-01-01T00:00:00.1234567895", 123456790, false);
}

/* The local clock is ahead of UTC by the offset. */
static void test_zones_are_applied(void **state) {
    (void)state;
    expect("1970-01-01T02:00:00+02:00", 0, true);
    expect("1970-01-01T00:00:00-0130", 5400 * SECOND, true);
    expect("1970-01-01T00:00:00.5Z", SECOND / 2, true);
    int64_t value = 42;
    assert_false(timestamp_parse("1970-01-01T02:00:00Z", &value, NULL));
    assert_int_equal(value, 42);
}

static void test_impossible_dates_are_refused(void **state) {
    (void)state;
    static const char *const bad[] = {"",
                                      "2017",
                                      "2017-1-9",
                                      "2017-02-29",
                                      "1900-02-29",
                                      "2017-13-01",
                                      "2017-00-10",
                                      "2017-04-31",
                                      "2017-10-00",
                                      "2017-10-09T",
                                      "2017-10-09 ",
                                      "2017-10-09T24:00",
                                      "2017-10-09T06:60",
                                      "2017-10-09T06:13:60",
                                      "2017-10-09T06:13:03.",
                                      "2017-10-09Z",
                                      "2017-10-09x",
                                      "17-10-09",
                                      "2017/10/09",
                                      "2017-10-09T06:13:03+25:00",
                                      "2017-10-09T06:13:03+2",
                                      "2017-10-09T6:13:03",
                                      "9999-12-31",
                                      "0001-01-01",
                                      "2262-04-12",
                                      "2017-10-09  06:13:03",
                                      " 2017-10-09"};
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        int64_t value = 42;
        bool zone;
        if (timestamp_parse(bad[i], &value, &zone)) {
            fail_msg("accepted: %s", bad[i]);
        }
        assert_int_equal(value, 42);
    }
}

/* Every day of 800 years is one day after the last, and the calendar repeats every 400. */
static void test_days_follow_each_other(void **state) {
    (void)state;
    static const int lengths[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    int64_t expected = INT64_C(-9214560000); /* 1678-01-01 */
    for (int year = 1678; year < 2262; year++) {
        bool leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
        for (int month = 1; month <= 12; month++) {
            int days = lengths[month - 1] + (leap && month == 2);
            for (int day = 1; day <= days; day++) {
                char text[48];
                int64_t value = 0;
                snprintf(text, sizeof(text), "%04d-%02d-%02d", year, month, day);
                assert_true(timestamp_parse(text, &value, NULL));
                assert_true(value == expected * SECOND);
                expected += 86400;
            }
        }
    }
}

static void test_times_of_day(void **state) {
    (void)state;
    int64_t value = 42;
    assert_true(time_of_day_parse("14:00", &value) && value == 14 * 3600 * SECOND);
    assert_true(time_of_day_parse("23:59:59.5", &value));
    assert_true(value == 86400 * SECOND - SECOND / 2);
    assert_true(time_of_day_parse("00:00", &value) && value == 0);
    assert_false(time_of_day_parse("24:00", &value));
    assert_false(time_of_day_parse("2:00", &value));
    assert_false(time_of_day_parse("14", &value));
    assert_false(time_of_day_parse("14:00Z", &value));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_known_moments),
        cmocka_unit_test(test_fractions_go_to_the_nanosecond),
        cmocka_unit_test(test_zones_are_applied),
        cmocka_unit_test(test_impossible_dates_are_refused),
        cmocka_unit_test(test_days_follow_each_other),
        cmocka_unit_test(test_times_of_day),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
