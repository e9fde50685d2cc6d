/* What holds at which time of the week: pure functions over spans of days and times of day, for
 * calendars of layouts and capacity, windows and maintenance.
 *
 *     struct weekly_calendar calendar = {spans, count, weekly_position(scenario->start)};
 *     int32_t entry = weekly_calendar_at(&calendar, now);         the span that holds; -1: none
 *     sim_time next = weekly_calendar_next_change(&calendar, now); when that changes
 *     sim_time open = weekly_calendar_next_open(&calendar, now);   from when on any holds
 *
 * Spans are half open, [from, to). Each query costs O(spans). Scenarios read them as
 * field_week_span and field_week_days (scenarios/schema_week.c). */
#ifndef SIM_KERNEL_WEEKLY_CALENDAR_H
#define SIM_KERNEL_WEEKLY_CALENDAR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sim/kernel/sim_time.h"

enum weekday { MONDAY, TUESDAY, WEDNESDAY, THURSDAY, FRIDAY, SATURDAY, SUNDAY, WEEKDAY_COUNT };
enum { EVERY_WEEKDAY = (1 << WEEKDAY_COUNT) - 1 };

#define NANOSECONDS_PER_DAY (86400 * NANOSECONDS_PER_SECOND)
#define NANOSECONDS_PER_WEEK (WEEKDAY_COUNT * NANOSECONDS_PER_DAY)

/* The same hours on some days of every week. All zeros: never. */
struct weekly_span {
    uint32_t days; /* bit d: it begins on weekday d */
    int64_t from;  /* ns since midnight, below a day */
    int64_t to;    /* ns since midnight, up to a day; not after `from`: on the next day */
};

struct weekly_calendar {
    const struct weekly_span *spans; /* borrowed */
    size_t count;
    int64_t at_zero; /* the time of the week at t = 0 */
};

/* A wall clock, ns since 1970-01-01T00:00:00, as ns since Monday 00:00 of its week. */
int64_t weekly_position(int64_t wall_ns);
/* The time of the week at a moment of the calendar's run. */
int64_t weekly_calendar_position(const struct weekly_calendar *calendar, sim_time time);

bool weekly_span_holds(const struct weekly_span *span, int64_t position);

/* The span that holds at that time, the first of several; -1: none does. */
int32_t weekly_calendar_at(const struct weekly_calendar *calendar, sim_time time);
/* The first moment after `time` at which another span holds, or none instead of one;
 * SIM_TIME_NEVER: always the same does. */
sim_time weekly_calendar_next_change(const struct weekly_calendar *calendar, sim_time time);
/* The first moment from `time` on at which any span holds, or at which none does; may be `time`
 * itself; SIM_TIME_NEVER: there is none. */
sim_time weekly_calendar_next_open(const struct weekly_calendar *calendar, sim_time time);
sim_time weekly_calendar_next_closed(const struct weekly_calendar *calendar, sim_time time);

/* Whether two spans ever hold at the same time, and from which time of the week on. */
bool weekly_spans_overlap(const struct weekly_span *a, const struct weekly_span *b,
                          int64_t *position);

#endif
