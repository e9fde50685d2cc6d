/* Calendars of the week against a walk through it minute by minute. */
#include "sim/kernel/weekly_calendar.h"
#include "tests/support/unit.h"

#define MINUTE (60 * NANOSECONDS_PER_SECOND)
#define HOUR (60 * MINUTE)
#define DAY NANOSECONDS_PER_DAY

static int64_t at(enum weekday day, int hour, int minute) {
    return day * DAY + hour * HOUR + minute * MINUTE;
}

/* 2026-03-02 was a Monday; days since 1970 as `date -u -d 2026-03-02 +%s` has them. */
static void test_the_time_of_the_week(void **state) {
    (void)state;
    assert_true(weekly_position(0) == at(THURSDAY, 0, 0));
    assert_true(weekly_position(INT64_C(1772409600) * NANOSECONDS_PER_SECOND) == 0);
    assert_true(weekly_position(INT64_C(1772409600) * NANOSECONDS_PER_SECOND - 1) ==
                NANOSECONDS_PER_WEEK - 1);
    assert_true(weekly_position(-1) == at(THURSDAY, 0, 0) - 1);
    assert_true(weekly_position(INT64_MAX) >= 0 && weekly_position(INT64_MIN) >= 0);
}

/* 09-21 and the night after it, from a Monday at noon. */
static void test_day_and_night_meet_to_the_nanosecond(void **state) {
    (void)state;
    const struct weekly_span spans[] = {{EVERY_WEEKDAY, 9 * HOUR, 21 * HOUR},
                                        {EVERY_WEEKDAY, 21 * HOUR, 6 * HOUR}};
    const struct weekly_calendar calendar = {spans, 2, at(MONDAY, 12, 0)};
    assert_int_equal(weekly_calendar_at(&calendar, 0), 0);
    assert_true(weekly_calendar_next_change(&calendar, 0) == 9 * HOUR);
    assert_int_equal(weekly_calendar_at(&calendar, 9 * HOUR - 1), 0);
    assert_int_equal(weekly_calendar_at(&calendar, 9 * HOUR), 1);
    assert_true(weekly_calendar_next_change(&calendar, 9 * HOUR) == 18 * HOUR);
    assert_int_equal(weekly_calendar_at(&calendar, 18 * HOUR), -1);
    assert_true(weekly_calendar_next_open(&calendar, 18 * HOUR) == 21 * HOUR);
    assert_true(weekly_calendar_next_open(&calendar, 0) == 0);
    /* Day and night follow each other without a gap. */
    assert_true(weekly_calendar_next_closed(&calendar, 0) == 18 * HOUR);
    assert_true(weekly_calendar_next_closed(&calendar, 19 * HOUR) == 19 * HOUR);
}

/* What begins on Sunday evening ends on Monday, in the next week. */
static void test_nights_go_over_the_end_of_the_week(void **state) {
    (void)state;
    const struct weekly_span night = {1 << SUNDAY, 22 * HOUR, 4 * HOUR};
    const struct weekly_calendar calendar = {&night, 1, 0};
    assert_int_equal(weekly_calendar_at(&calendar, 0), 0);
    assert_true(weekly_calendar_next_change(&calendar, 0) == 4 * HOUR);
    assert_true(weekly_calendar_next_change(&calendar, 4 * HOUR) == at(SUNDAY, 22, 0));
    assert_int_equal(weekly_calendar_at(&calendar, at(SUNDAY, 3, 0)), -1);
}

static void test_what_always_holds_never_changes(void **state) {
    (void)state;
    const struct weekly_span always = {EVERY_WEEKDAY, 0, DAY};
    struct weekly_calendar calendar = {&always, 1, at(FRIDAY, 1, 2)};
    assert_int_equal(weekly_calendar_at(&calendar, 123), 0);
    assert_true(weekly_calendar_next_change(&calendar, 123) == SIM_TIME_NEVER);
    assert_true(weekly_calendar_next_closed(&calendar, 123) == SIM_TIME_NEVER);
    calendar.count = 0;
    assert_int_equal(weekly_calendar_at(&calendar, 123), -1);
    assert_true(weekly_calendar_next_change(&calendar, 123) == SIM_TIME_NEVER);
    assert_true(weekly_calendar_next_open(&calendar, 123) == SIM_TIME_NEVER);
}

static void test_overlaps(void **state) {
    (void)state;
    const struct weekly_span day = {0x1f, 9 * HOUR, 21 * HOUR};
    const struct weekly_span night = {EVERY_WEEKDAY, 21 * HOUR, 9 * HOUR};
    const struct weekly_span late = {1 << FRIDAY, 20 * HOUR, 22 * HOUR};
    const struct weekly_span saturday = {1 << SATURDAY, 8 * HOUR, 12 * HOUR};
    int64_t position = -1;
    assert_false(weekly_spans_overlap(&day, &night, &position));
    assert_true(weekly_spans_overlap(&late, &day, &position));
    assert_true(position == at(FRIDAY, 20, 0));
    assert_true(weekly_spans_overlap(&night, &saturday, &position));
    assert_true(position == at(SATURDAY, 8, 0));
    assert_false(weekly_spans_overlap(&day, &saturday, &position));
}

enum { SPANS = 3, MINUTES = 7 * 1440 };

static struct weekly_span random_span(struct test_random *random) {
    struct weekly_span span = {(uint32_t)test_random_below(random, 128),
                               test_random_below(random, 24) * HOUR,
                               test_random_between(random, 1, 24) * HOUR};
    span.to = span.to == span.from ? DAY : span.to;
    return span;
}

/* Writes a span's number into each minute that it covers, day by day. */
static void cover(const struct weekly_span *span, int number, int entry[MINUTES]) {
    int from = (int)(span->from / MINUTE);
    int to = (int)(span->to / MINUTE);
    int length = to > from ? to - from : to - from + 1440;
    for (int day = 0; day < WEEKDAY_COUNT; day++) {
        for (int k = 0; (span->days >> day & 1) != 0 && k < length; k++) {
            entry[(day * 1440 + from + k) % MINUTES] = number;
        }
    }
}

static void test_random_calendars_minute_by_minute(void **state) {
    (void)state;
    struct test_random random = {1};
    static int entry[MINUTES];
    for (int trial = 0; trial < 20; trial++) {
        struct weekly_span spans[SPANS];
        for (int i = 0; i < SPANS; i++) {
            spans[i] = random_span(&random);
        }
        for (int minute = 0; minute < MINUTES; minute++) {
            entry[minute] = -1;
        }
        for (int i = SPANS - 1; i >= 0; i--) {
            cover(&spans[i], i, entry);
        }
        int zero = test_random_below(&random, MINUTES);
        const struct weekly_calendar calendar = {spans, SPANS, zero * MINUTE};
        for (int minute = 0; minute < MINUTES; minute += 30) {
            int here = (zero + minute) % MINUTES;
            assert_int_equal(weekly_calendar_at(&calendar, minute * MINUTE), entry[here]);
            int ahead = 1;
            while (ahead <= MINUTES && entry[(here + ahead) % MINUTES] == entry[here]) {
                ahead++;
            }
            sim_time next = ahead > MINUTES ? SIM_TIME_NEVER : (minute + ahead) * MINUTE;
            assert_true(weekly_calendar_next_change(&calendar, minute * MINUTE) == next);
            ahead = 0;
            while (ahead <= MINUTES && entry[(here + ahead) % MINUTES] < 0) {
                ahead++;
            }
            next = ahead > MINUTES ? SIM_TIME_NEVER : (minute + ahead) * MINUTE;
            assert_true(weekly_calendar_next_open(&calendar, minute * MINUTE) == next);
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_time_of_the_week),
        cmocka_unit_test(test_day_and_night_meet_to_the_nanosecond),
        cmocka_unit_test(test_nights_go_over_the_end_of_the_week),
        cmocka_unit_test(test_what_always_holds_never_changes),
        cmocka_unit_test(test_overlaps),
        cmocka_unit_test(test_random_calendars_minute_by_minute),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
