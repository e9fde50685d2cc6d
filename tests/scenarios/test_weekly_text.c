/* Days and hours of the week, as they are written. */
#include "scenarios/weekly_text.h"
#include "tests/support/unit.h"

#define HOUR (3600 * NANOSECONDS_PER_SECOND)

static void expect_days(const char *text, uint32_t days) {
    uint32_t read = 0;
    if (!weekly_days_parse(text, &read)) {
        fail_msg("refused: %s", text);
    }
    assert_int_equal(read, days);
}

static void test_days(void **state) {
    (void)state;
    expect_days("mon", 1);
    expect_days("Sunday", 1 << SUNDAY);
    expect_days("mon-fri", 0x1f);
    expect_days("sat-sun", 0x60);
    expect_days("sat-MON", 0x61);
    expect_days("tue-mon", EVERY_WEEKDAY);
    uint32_t days;
    static const char *const bad[] = {"",         "mo",      "mondays", "mon-",
                                      "-mon",     "1-5",     "mon fri", "mon--fri",
                                      "mon-fri-", "weekday", "mon,",    "daily"};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        assert_false(weekly_days_parse(bad[i], &days));
    }
}

static void expect_span(const char *text, uint32_t days, int64_t from, int64_t to) {
    struct weekly_span span = {0};
    if (!weekly_span_parse(text, &span)) {
        fail_msg("refused: %s", text);
    }
    assert_int_equal(span.days, days);
    assert_true(span.from == from);
    assert_true(span.to == to);
}

static void test_spans(void **state) {
    (void)state;
    expect_span("21:00-06:00", EVERY_WEEKDAY, 21 * HOUR, 6 * HOUR);
    expect_span("sat 00:00-24:00", 1 << SATURDAY, 0, 24 * HOUR);
    expect_span("mon-fri 09:00-17:30", 0x1f, 9 * HOUR, 17 * HOUR + HOUR / 2);
    expect_span("06:13:03.5-07:00", EVERY_WEEKDAY, INT64_C(22383500000000), 7 * HOUR);
    expect_span("fri 22:00-00:00", 1 << FRIDAY, 22 * HOUR, 0);
    static const char *const bad[] = {"",
                                      "21:00",
                                      "21:00-",
                                      "21-06",
                                      "21:00-21:00",
                                      "24:00-06:00",
                                      "00:00-24:01",
                                      "sat",
                                      "sat  00:00-24:00",
                                      "sat 00:00 - 24:00",
                                      "sat,sun 00:00-24:00",
                                      "21:00-06:00 sat"};
    struct weekly_span span;
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        if (weekly_span_parse(bad[i], &span)) {
            fail_msg("accepted: %s", bad[i]);
        }
    }
}

static void test_times_of_the_week_for_people(void **state) {
    (void)state;
    char text[WEEKLY_TEXT];
    assert_string_equal(weekly_position_format(0, text), "Monday 00:00");
    assert_string_equal(weekly_position_format(FRIDAY * NANOSECONDS_PER_DAY + 20 * HOUR, text),
                        "Friday 20:00");
    assert_string_equal(weekly_position_format(NANOSECONDS_PER_WEEK - 1, text), "Sunday 23:59");
    const struct weekly_span spans[] = {
        {EVERY_WEEKDAY, 21 * HOUR, 6 * HOUR}, {0x1f, 9 * HOUR, 24 * HOUR}, {0x4b, 0, HOUR / 2}};
    assert_string_equal(weekly_span_format(&spans[0], text), "21:00-06:00");
    assert_string_equal(weekly_span_format(&spans[1], text), "mon-fri 09:00-24:00");
    assert_string_equal(weekly_span_format(&spans[2], text), "mon-tue, thu, sun 00:00-00:30");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_days),
        cmocka_unit_test(test_spans),
        cmocka_unit_test(test_times_of_the_week_for_people),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
