#include "sim/kernel/weekly_calendar.h"

static int64_t modulo(int64_t value, int64_t divisor) {
    int64_t rest = value % divisor;
    return rest < 0 ? rest + divisor : rest;
}

int64_t weekly_position(int64_t wall_ns) {
    const int64_t thursday = THURSDAY * NANOSECONDS_PER_DAY; /* 1970-01-01 was one */
    return modulo(modulo(wall_ns, NANOSECONDS_PER_WEEK) + thursday, NANOSECONDS_PER_WEEK);
}

int64_t weekly_calendar_position(const struct weekly_calendar *calendar, sim_time time) {
    return modulo(calendar->at_zero + modulo(time, NANOSECONDS_PER_WEEK), NANOSECONDS_PER_WEEK);
}

static bool begins_on(const struct weekly_span *span, int64_t day) {
    return (span->days >> modulo(day, WEEKDAY_COUNT) & 1) != 0;
}

static bool wraps(const struct weekly_span *span) {
    return span->to <= span->from;
}

bool weekly_span_holds(const struct weekly_span *span, int64_t position) {
    int64_t day = position / NANOSECONDS_PER_DAY;
    int64_t time = position % NANOSECONDS_PER_DAY;
    if (!wraps(span)) {
        return begins_on(span, day) && span->from <= time && time < span->to;
    }
    return (begins_on(span, day) && span->from <= time) ||
           (begins_on(span, day - 1) && time < span->to);
}

static int32_t holding(const struct weekly_calendar *calendar, int64_t position) {
    size_t i = 0;
    while (i < calendar->count && !weekly_span_holds(&calendar->spans[i], position)) {
        i++;
    }
    return i < calendar->count ? (int32_t)i : -1;
}

int32_t weekly_calendar_at(const struct weekly_calendar *calendar, sim_time time) {
    return holding(calendar, weekly_calendar_position(calendar, time));
}

/* How long it is from a time of the week to the next at which any span begins or ends: above 0, up
 * to a week. */
static int64_t to_next_edge(const struct weekly_calendar *calendar, int64_t position) {
    int64_t least = NANOSECONDS_PER_WEEK;
    for (size_t i = 0; i < calendar->count; i++) {
        const struct weekly_span *span = &calendar->spans[i];
        for (int day = 0; day < WEEKDAY_COUNT; day++) {
            int64_t begin = day * NANOSECONDS_PER_DAY + span->from;
            int64_t end = (day + wraps(span)) * NANOSECONDS_PER_DAY + span->to;
            int64_t to_begin = modulo(begin - position - 1, NANOSECONDS_PER_WEEK) + 1;
            int64_t to_end = modulo(end - position - 1, NANOSECONDS_PER_WEEK) + 1;
            int64_t nearer = to_begin < to_end ? to_begin : to_end;
            least = begins_on(span, day) && nearer < least ? nearer : least;
        }
    }
    return least;
}

/* The first moment after `time` at which what holds is another in the eyes of `differs`. */
static sim_time next_where(const struct weekly_calendar *calendar, sim_time time,
                           bool (*differs)(int32_t before, int32_t after)) {
    int64_t position = weekly_calendar_position(calendar, time);
    int32_t before = holding(calendar, position);
    for (int64_t ahead = 0; ahead < NANOSECONDS_PER_WEEK;) {
        int64_t at = modulo(position + ahead, NANOSECONDS_PER_WEEK);
        ahead += to_next_edge(calendar, at);
        if (differs(before, holding(calendar, modulo(position + ahead, NANOSECONDS_PER_WEEK)))) {
            return sim_time_add(time, ahead);
        }
    }
    return SIM_TIME_NEVER;
}

static bool is_another(int32_t before, int32_t after) {
    return before != after;
}

static bool opens_or_closes(int32_t before, int32_t after) {
    return (before < 0) != (after < 0);
}

sim_time weekly_calendar_next_change(const struct weekly_calendar *calendar, sim_time time) {
    return next_where(calendar, time, is_another);
}

sim_time weekly_calendar_next_open(const struct weekly_calendar *calendar, sim_time time) {
    bool open = weekly_calendar_at(calendar, time) >= 0;
    return open ? time : next_where(calendar, time, opens_or_closes);
}

sim_time weekly_calendar_next_closed(const struct weekly_calendar *calendar, sim_time time) {
    bool open = weekly_calendar_at(calendar, time) >= 0;
    return open ? next_where(calendar, time, opens_or_closes) : time;
}

bool weekly_spans_overlap(const struct weekly_span *a, const struct weekly_span *b,
                          int64_t *position) {
    const struct weekly_span *spans[] = {a, b};
    /* Where two overlap, one of them begins while the other holds. */
    for (int i = 0; i < 2; i++) {
        for (int day = 0; day < WEEKDAY_COUNT; day++) {
            int64_t begin = day * NANOSECONDS_PER_DAY + spans[i]->from;
            if (begins_on(spans[i], day) && weekly_span_holds(spans[1 - i], begin)) {
                *position = begin;
                return true;
            }
        }
    }
    return false;
}
