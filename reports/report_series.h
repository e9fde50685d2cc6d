/* Figures over simulated time as lines, one per case. */
#ifndef REPORTS_REPORT_SERIES_H
#define REPORTS_REPORT_SERIES_H

#include "reports/report_internal.h"

struct series_point {
    double t_s;   /* where the interval begins */
    double value; /* NaN: there is none, and the line has a gap */
};

struct series {
    const char *name;
    size_t series; /* which colour: the same for a case in all plots */
    struct series_point *points;
    size_t count;
    size_t capacity;
};

struct series_set {
    struct series *items; /* owned, with room for as many as series_most says */
    size_t count;
    enum number_kind kind; /* durations or plain numbers */
    const char *axis;      /* what they are: "99th percentile of latency" */
    double limit;          /* a line to keep below; NaN: none */
};

/* More lines could not be told apart. */
enum { SERIES_MOST = 14 };
size_t series_most(const struct report *report);

void series_add(struct series *series, double t_s, double value);
/* Draws them as kind-N, if any has a value above zero; false if not. label: what it shows, for
 * those who do not see it. */
bool series_draw(struct report *report, const struct series_set *set, const char *kind,
                 const char *label, const char *caption);
void series_clear(struct series_set *set);

#endif
