/* Stacked bars, one per row: how a total is made up of parts. */
#ifndef REPORTS_REPORT_BARS_H
#define REPORTS_REPORT_BARS_H

#include "reports/report_internal.h"

/* More bars than this could not be named on a page. */
enum { BARS_MOST = 40 };

struct bar_part {
    const char *name;
    const char *colour;
};

struct bars {
    const char *const *rows; /* their names */
    size_t row_count;        /* at most BARS_MOST */
    const struct bar_part *parts;
    size_t part_count;
    const double
        *values;    /* part by part, for each row; parts that are zero everywhere are not shown */
    bool as_shares; /* of the row's total; else as they are: */
    enum number_kind kind;
    const char *currency;
    const char *axis; /* what they are: "share of GPU time" */
};

/* Draws them as kind-N. label: what it shows, for those who do not see it. */
void bars_draw(struct report *report, const struct bars *bars, const char *kind, const char *label,
               const char *caption);

#endif
