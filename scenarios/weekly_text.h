/* How days and hours of the week are written. */
#ifndef SCENARIOS_WEEKLY_TEXT_H
#define SCENARIOS_WEEKLY_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sim/kernel/weekly_calendar.h"

/* "mon", "Friday", or a range such as "mon-fri" or "sat-mon", to bits (struct weekly_span). */
bool weekly_days_parse(const char *text, uint32_t *days);
/* "21:00-06:00" (of every day), "sat 00:00-24:00" or "mon-fri 09:00-17:30". What ends before it
 * begins ends on the next day. */
bool weekly_span_parse(const char *text, struct weekly_span *span);

/* A time of the week as one would write it: "Friday 20:00". Returns buffer. */
enum { WEEKLY_TEXT = 64 };
const char *weekly_position_format(int64_t position, char buffer[WEEKLY_TEXT]);
/* A span as one would write it, to the minute: "mon-fri, sun 09:00-21:00". Returns buffer. */
const char *weekly_span_format(const struct weekly_span *span, char buffer[WEEKLY_TEXT]);

#endif
