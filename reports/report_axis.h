/* Axes of plots in the units that people read: round durations, money, shares. */
#ifndef REPORTS_REPORT_AXIS_H
#define REPORTS_REPORT_AXIS_H

#include <stdio.h>

#include "reports/number.h"

struct axis_range {
    double from;
    double to;
};

/* "set xtics (...)" with about `most` round numbers of a kind within a range: of a linear axis, or
 * of durations on a logarithmic one. axis: 'x' or 'y'; currency of money, else NULL. */
void axis_print_tics(FILE *script, char axis, enum number_kind kind, struct axis_range range,
                     int most, const char *currency);
void axis_print_log_tics(FILE *script, char axis, struct axis_range range, int most);

/* The unit in which simulated time is shown, and how many seconds it has. */
struct axis_time_unit {
    const char *name;
    double seconds;
};
struct axis_time_unit axis_time_unit(double seconds);

#endif
