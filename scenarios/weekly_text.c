#include "scenarios/weekly_text.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "scenarios/quantity.h"

static const char *const day_names[WEEKDAY_COUNT] = {"Monday", "Tuesday",  "Wednesday", "Thursday",
                                                     "Friday", "Saturday", "Sunday"};

enum { SHORT_NAME = 3 };

/* A weekday by its name or the first three letters of it, in any case; -1: none. */
static int find_day(const char *text, size_t length) {
    for (int day = 0; day < WEEKDAY_COUNT; day++) {
        bool whole = length == SHORT_NAME || length == strlen(day_names[day]);
        if (whole && strncasecmp(text, day_names[day], length) == 0) {
            return day;
        }
    }
    return -1;
}

/* The same for a text that need not end there. */
static bool parse_days(const char *text, size_t length, uint32_t *days) {
    const char *dash = memchr(text, '-', length);
    size_t first_length = dash == NULL ? length : (size_t)(dash - text);
    int first = find_day(text, first_length);
    int last = dash == NULL ? first : find_day(dash + 1, length - first_length - 1);
    if (first < 0 || last < 0) {
        return false;
    }
    *days = UINT32_C(1) << last;
    for (int day = first; day != last; day = (day + 1) % WEEKDAY_COUNT) {
        *days |= UINT32_C(1) << day;
    }
    return true;
}

bool weekly_days_parse(const char *text, uint32_t *days) {
    return parse_days(text, strlen(text), days);
}

/* A time of day in a text that goes on; 24:00 is the end of a day. */
static bool parse_time(const char *text, size_t length, int64_t *ns) {
    char time[32];
    if (length >= sizeof(time)) {
        return false;
    }
    memcpy(time, text, length);
    time[length] = '\0';
    if (strcmp(time, "24:00") == 0) {
        *ns = NANOSECONDS_PER_DAY;
        return true;
    }
    return time_of_day_parse(time, ns);
}

bool weekly_span_parse(const char *text, struct weekly_span *span) {
    struct weekly_span read = {.days = EVERY_WEEKDAY};
    const char *hours = strrchr(text, ' ');
    if (hours != NULL && !parse_days(text, (size_t)(hours - text), &read.days)) {
        return false;
    }
    hours = hours == NULL ? text : hours + 1;
    const char *dash = strchr(hours, '-');
    if (dash == NULL || !parse_time(hours, (size_t)(dash - hours), &read.from) ||
        !parse_time(dash + 1, strlen(dash + 1), &read.to) || read.from == NANOSECONDS_PER_DAY ||
        read.from == read.to) {
        return false;
    }
    *span = read;
    return true;
}

static void append(char buffer[WEEKLY_TEXT], const char *format, ...) {
    size_t used = strlen(buffer);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(buffer + used, WEEKLY_TEXT - used, format, arguments);
    va_end(arguments);
}

static void append_day(char buffer[WEEKLY_TEXT], const char *before, int day) {
    append(buffer, "%s%c%.2s", before, tolower((unsigned char)day_names[day][0]),
           &day_names[day][1]);
}

/* Days in a row as a range; none for every day. */
static void append_days(char buffer[WEEKLY_TEXT], uint32_t days) {
    for (int day = 0; day < WEEKDAY_COUNT && days != EVERY_WEEKDAY; day++) {
        int last = day;
        if ((days >> day & 1) == 0) {
            continue;
        }
        while (last + 1 < WEEKDAY_COUNT && (days >> (last + 1) & 1) != 0) {
            last++;
        }
        append_day(buffer, buffer[0] == '\0' ? "" : ", ", day);
        if (last > day) {
            append_day(buffer, "-", last);
        }
        day = last;
    }
    append(buffer, "%s", buffer[0] == '\0' ? "" : " ");
}

static int minutes_of(int64_t ns) {
    return (int)(ns / (60 * NANOSECONDS_PER_SECOND));
}

const char *weekly_span_format(const struct weekly_span *span, char buffer[WEEKLY_TEXT]) {
    buffer[0] = '\0';
    append_days(buffer, span->days);
    append(buffer, "%02d:%02d-%02d:%02d", minutes_of(span->from) / 60, minutes_of(span->from) % 60,
           minutes_of(span->to) / 60, minutes_of(span->to) % 60);
    return buffer;
}

const char *weekly_position_format(int64_t position, char buffer[WEEKLY_TEXT]) {
    int minutes = minutes_of(position % NANOSECONDS_PER_DAY);
    snprintf(buffer, WEEKLY_TEXT, "%s %02d:%02d", day_names[position / NANOSECONDS_PER_DAY],
             minutes / 60, minutes % 60);
    return buffer;
}
