/* Calendar times by formula: no time zone tables, no C library calendar. */
#include <string.h>

#include "scenarios/decimal.h"
#include "scenarios/quantity.h"
#include "sim/kernel/sim_time.h"

/* Exactly `count` digits at *at; moves past them. */
static bool take_digits(const char **at, int count, int *value) {
    int result = 0;
    for (int i = 0; i < count; i++) {
        char c = (*at)[i];
        if (c < '0' || c > '9') {
            return false;
        }
        result = result * 10 + (c - '0');
    }
    *at += count;
    *value = result;
    return true;
}

static bool take_character(const char **at, char wanted) {
    if (**at != wanted) {
        return false;
    }
    (*at)++;
    return true;
}

static bool is_leap_year(int year) {
    return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
}

static int days_in_month(int year, int month) {
    static const int days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    return month == 2 && is_leap_year(year) ? 29 : days[month - 1];
}

/* Days since 1970-01-01, proleptic Gregorian. Years are counted from March, so that the leap day is
 * the last of its year and days before a month are (153 m + 2) / 5 (Hinnant, chrono-compatible
 * low-level date algorithms, 2013). Years 0 to 9999. */
static int64_t days_from_date(int year, int month, int day) {
    int64_t y = month <= 2 ? year - 1 : year;
    int64_t shifted = y + 400; /* never negative; 400 years are 146097 days */
    int64_t m = (month + 9) % 12;
    int64_t leap_days = shifted / 4 - shifted / 100 + shifted / 400;
    return shifted * 365 + leap_days + (153 * m + 2) / 5 + day - 1 - 146097 - 719468;
}

static bool take_date(const char **at, int64_t *days) {
    int year;
    int month;
    int day;
    if (!take_digits(at, 4, &year) || !take_character(at, '-') || !take_digits(at, 2, &month) ||
        !take_character(at, '-') || !take_digits(at, 2, &day)) {
        return false;
    }
    if (month < 1 || month > 12 || day < 1 || day > days_in_month(year, month)) {
        return false;
    }
    *days = days_from_date(year, month, day);
    return true;
}

/* The fraction of a second after its point, to the nanosecond. */
static bool take_fraction(const char **at, int64_t *ns) {
    size_t digits = strspn(*at, "0123456789");
    const char *from = *at - 1; /* the point itself: ".5" is a decimal */
    *at += digits;
    return digits > 0 && decimal_scale(from, digits + 1, NANOSECONDS_PER_SECOND, ns);
}

/* hh:mm, hh:mm:ss or hh:mm:ss.fraction, to nanoseconds. */
static bool take_clock(const char **at, int64_t *ns) {
    int hour;
    int minute;
    int second = 0;
    int64_t fraction = 0;
    if (!take_digits(at, 2, &hour) || !take_character(at, ':') || !take_digits(at, 2, &minute)) {
        return false;
    }
    if (take_character(at, ':')) {
        if (!take_digits(at, 2, &second) ||
            (take_character(at, '.') && !take_fraction(at, &fraction))) {
            return false;
        }
    }
    if (hour > 23 || minute > 59 || second > 59) {
        return false;
    }
    *ns = (int64_t)((hour * 60 + minute) * 60 + second) * NANOSECONDS_PER_SECOND + fraction;
    return true;
}

/* Z, +02:00 or +0200: how far the local clock is ahead of UTC, in minutes. */
static bool take_zone(const char **at, int *minutes) {
    *minutes = 0;
    if (take_character(at, 'Z')) {
        return true;
    }
    int sign = **at == '-' ? -1 : 1;
    int hour;
    int minute;
    if ((!take_character(at, '+') && !take_character(at, '-')) || !take_digits(at, 2, &hour)) {
        return false;
    }
    take_character(at, ':');
    if (!take_digits(at, 2, &minute) || hour > 23 || minute > 59) {
        return false;
    }
    *minutes = sign * (hour * 60 + minute);
    return true;
}

bool timestamp_parse(const char *text, int64_t *ns, bool *has_zone) {
    const char *at = text;
    int64_t days;
    int64_t clock = 0;
    int offset = 0;
    bool zone = false;
    if (!take_date(&at, &days)) {
        return false;
    }
    if (*at != '\0') {
        if ((!take_character(&at, 'T') && !take_character(&at, ' ')) || !take_clock(&at, &clock)) {
            return false;
        }
        zone = *at != '\0';
        if (zone && (has_zone == NULL || !take_zone(&at, &offset) || *at != '\0')) {
            return false;
        }
    }
    int64_t minutes = days * 1440 - offset;
    int64_t value;
    if (__builtin_mul_overflow(minutes, 60 * NANOSECONDS_PER_SECOND, &value) ||
        __builtin_add_overflow(value, clock, &value)) {
        return false;
    }
    *ns = value;
    if (has_zone != NULL) {
        *has_zone = zone;
    }
    return true;
}

bool time_of_day_parse(const char *text, int64_t *ns) {
    int64_t value;
    if (!take_clock(&text, &value) || *text != '\0') {
        return false;
    }
    *ns = value;
    return true;
}
