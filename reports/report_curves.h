/* Distributions of durations as plots: the share within each duration, on an axis that is stretched
 * towards 100 %, where tails can be read. */
#ifndef REPORTS_REPORT_CURVES_H
#define REPORTS_REPORT_CURVES_H

#include "reports/report_internal.h"

struct curve_point {
    double seconds;
    double share; /* of all that took no longer */
};

/* One case's distribution: points by seconds, at most as many as the eye can tell apart. */
struct curve {
    const char *name;
    size_t series; /* which colour: the same for a case in all plots */
    struct curve_point *points;
    size_t count;
    size_t capacity;
};

/* Adds a point unless it lies on the last one as far as the eye can tell. The last of all points
 * has to be added by force: its share is 1. */
void curve_add(struct curve *curve, double seconds, double share, bool force);

struct curves {
    struct curve *items;
    size_t count;
    double least_s;   /* where the axis begins at the latest; 0: at the first point */
    double limit_s;   /* a line to keep within; NaN: none */
    const char *axis; /* what the durations are: "latency" */
};

/* Draws them as kind-N. label: what it shows, for those who do not see it. */
void curves_draw(struct report *report, const struct curves *curves, const char *kind,
                 const char *label, const char *caption);
void curves_clear(struct curves *curves);

#endif
