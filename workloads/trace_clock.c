#include "workloads/trace_clock.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

#include "scenarios/quantity.h"
#include "sim/kernel/sim_time.h"

static const char *const kind_names[] = {
    [CLOCK_UNKNOWN] = "",
    [CLOCK_COUNT] = "not a number, as the rows before it have",
    [CLOCK_NAIVE] = "not a timestamp without a zone, as the rows before it have",
    [CLOCK_ZONED] = "not a timestamp with a zone, as the rows before it have",
};

/* Any kind that the rule admits; CLOCK_UNKNOWN if the text is none. */
static enum clock_kind read_any(const struct trace_clock *clock, const char *text, int64_t *ns) {
    if (clock->rule == CLOCK_RULE_NAIVE) {
        return timestamp_parse(text, ns, NULL) ? CLOCK_NAIVE : CLOCK_UNKNOWN;
    }
    if (clock->rule == CLOCK_RULE_ANY && decimal_parse_scaled(text, clock->unit, ns)) {
        return CLOCK_COUNT;
    }
    bool zoned = false;
    if (!timestamp_parse(text, ns, &zoned)) {
        return CLOCK_UNKNOWN;
    }
    return zoned ? CLOCK_ZONED : CLOCK_NAIVE;
}

const char *trace_clock_read(struct trace_clock *clock, const char *text, int64_t *ns) {
    enum clock_kind kind = read_any(clock, text, ns);
    if (kind == CLOCK_UNKNOWN) {
        return clock->rule == CLOCK_RULE_ANY ? "neither a number nor a timestamp"
                                             : "not a timestamp such as 2017-10-09 06:13:03";
    }
    if (clock->kind == CLOCK_UNKNOWN) {
        clock->kind = kind;
    }
    return kind == clock->kind ? NULL : kind_names[clock->kind];
}

bool trace_clock_has(const struct trace_clock *clock, const struct trace_moment *moment) {
    return clock->kind == CLOCK_COUNT ? moment->kind == MOMENT_CLOCK : moment->kind == MOMENT_WALL;
}

const char *trace_clock_advice(const struct trace_clock *clock) {
    return clock->kind == CLOCK_COUNT
               ? "the trace counts from its own zero: write a time since then, such as 0s or 2h"
               : "the trace has timestamps: write one, such as 2017-10-09T00:00:00";
}

/* ".5" for half a second, nothing for none. */
static void format_fraction(int64_t ns, char buffer[16]) {
    snprintf(buffer, 16, ".%09d", (int)ns);
    size_t length = strlen(buffer);
    while (buffer[length - 1] == '0') {
        length--;
    }
    buffer[length > 1 ? length : 0] = '\0';
}

const char *trace_clock_format(const struct trace_clock *clock, int64_t ns,
                               char buffer[TRACE_CLOCK_TEXT]) {
    char fraction[16];
    if (clock->kind == CLOCK_COUNT) {
        uint64_t size = ns < 0 ? -(uint64_t)ns : (uint64_t)ns;
        format_fraction((int64_t)(size % (uint64_t)NANOSECONDS_PER_SECOND), fraction);
        snprintf(buffer, TRACE_CLOCK_TEXT, "%s%llu%ss", ns < 0 ? "-" : "",
                 (unsigned long long)(size / (uint64_t)NANOSECONDS_PER_SECOND), fraction);
        return buffer;
    }
    time_t seconds = ns / NANOSECONDS_PER_SECOND;
    int64_t rest = ns % NANOSECONDS_PER_SECOND;
    if (rest < 0) {
        seconds--;
        rest += NANOSECONDS_PER_SECOND;
    }
    struct tm calendar;
    gmtime_r(&seconds, &calendar);
    size_t length = strftime(buffer, TRACE_CLOCK_TEXT, "%Y-%m-%dT%H:%M:%S", &calendar);
    format_fraction(rest, fraction);
    snprintf(buffer + length, TRACE_CLOCK_TEXT - length, "%s%s", fraction,
             clock->kind == CLOCK_ZONED ? "Z" : "");
    return buffer;
}
