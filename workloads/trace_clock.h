/* The clock that a trace's submit times are read on: a count from the trace's own zero, or
 * wall-clock time. All rows of a file use the same. */
#ifndef WORKLOADS_TRACE_CLOCK_H
#define WORKLOADS_TRACE_CLOCK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "scenarios/scenario.h"

enum clock_kind {
    CLOCK_UNKNOWN, /* no row was read yet */
    CLOCK_COUNT,   /* nanoseconds since the trace's zero */
    CLOCK_NAIVE,   /* since 1970-01-01T00:00:00 of a wall clock without a zone */
    CLOCK_ZONED,   /* since 1970-01-01T00:00:00Z: every row names its zone */
};

/* What a format admits. */
enum clock_rule {
    CLOCK_RULE_ANY,       /* a count or a timestamp, as the first row has it */
    CLOCK_RULE_NAIVE,     /* timestamps without a zone */
    CLOCK_RULE_TIMESTAMP, /* timestamps with or without, as the first row has it */
};

struct trace_clock {
    enum clock_rule rule;
    int64_t unit; /* nanoseconds per unit of a count */
    enum clock_kind kind;
};

/* Reads a submit time; the first one that can be read settles the kind. NULL, or what is wrong. */
const char *trace_clock_read(struct trace_clock *clock, const char *text, int64_t *ns);

/* Whether a moment of a scenario (not first, start or none) is one on this clock. */
bool trace_clock_has(const struct trace_clock *clock, const struct trace_moment *moment);
/* How moments on this clock are written and what they are, for errors. */
const char *trace_clock_advice(const struct trace_clock *clock);

/* "3600.5s" or "2017-10-09T06:13:03.5"; returns buffer. */
enum { TRACE_CLOCK_TEXT = 64 };
const char *trace_clock_format(const struct trace_clock *clock, int64_t ns,
                               char buffer[TRACE_CLOCK_TEXT]);

#endif
