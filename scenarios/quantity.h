/* Text to numbers: decimals, quantities with units, calendar times. Exact where the text is: "0.1s"
 * is 100,000,000 ns. Shared by the scenario reader and the trace readers. */
#ifndef SCENARIOS_QUANTITY_H
#define SCENARIOS_QUANTITY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* All functions return false when the text is no such thing, leaving *value alone; advice is for
 * the caller to give. Texts are zero-terminated; blanks around them are not accepted. */

/* A decimal number ("12", "-0.5", "1e3"; no nan, inf or hexadecimal). */
bool decimal_parse(const char *text, double *value);
bool integer_parse(const char *text, int64_t *value);

/* A decimal number of units of `scale` each, rounded half away from zero to a whole number of base
 * units: decimal_parse_scaled("0.1", 1000000000, &ns). False beyond +-2^62. */
bool decimal_parse_scaled(const char *text, int64_t scale, int64_t *value);

/* The kinds of quantity and their units. A bare number is refused except for 0. */
enum quantity_kind {
    QUANTITY_DURATION,  /* ns us ms s m h d, to nanoseconds */
    QUANTITY_BYTES,     /* B kB MB GB TB, KiB MiB GiB TiB, to bytes */
    QUANTITY_RATE,      /* /s /m /h /d (also /min), to events per second */
    QUANTITY_BANDWIDTH, /* bytes /s /m /h /d (also /min), to bytes per second */
    QUANTITY_SHARE,     /* 40% or 0.4, to a share of 1 */
    QUANTITY_POWER,     /* W kW, to watts */
};

/* One sentence on how such a quantity is written, for errors: "a duration such as 30s, 15m or 2h".
 */
const char *quantity_advice(enum quantity_kind kind);
/* How it is written as a regular expression (ECMA or POSIX extended); the bare 0 aside. Returns
 * buffer. */
const char *quantity_pattern(enum quantity_kind kind, char *buffer, size_t size);
bool duration_parse(const char *text, int64_t *ns); /* not negative, at most SIM_TIME_LONGEST */
bool bytes_parse(const char *text, int64_t *bytes);
bool rate_parse(const char *text, double *per_second);
bool bandwidth_parse(const char *text, double *bytes_per_second);
bool share_parse(const char *text, double *share);
bool power_parse(const char *text, double *watts);
/* The nanoseconds of one unit named alone: "ms". */
bool time_unit_parse(const char *text, int64_t *ns);

/* A duration or a rate as one would write it: "50d", "1ms", "12/h". They return the buffer. */
enum { DURATION_TEXT = 32, RATE_TEXT = 32 };
const char *duration_format(int64_t ns, char buffer[DURATION_TEXT]);
const char *rate_format(double per_second, char buffer[RATE_TEXT]);

/* "2017-10-09", "2017-10-09 06:13:03.5" or with T; a zone ("Z", "+02:00") is allowed only if
 * has_zone is not NULL, and then told and applied. To ns since 1970-01-01T00:00:00, proleptic
 * Gregorian, no leap seconds; fractions to the nanosecond. Impossible dates are refused. */
bool timestamp_parse(const char *text, int64_t *ns, bool *has_zone);
/* "14:00", "06:13:03.5": nanoseconds since midnight, below 24 hours. */
bool time_of_day_parse(const char *text, int64_t *ns);

#endif
