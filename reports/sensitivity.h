/* What each parameter of a sweep does to a figure: its mean at each value of the parameter, over
 * all points that have that value (the main effect of a factorial design). */
#ifndef REPORTS_SENSITIVITY_H
#define REPORTS_SENSITIVITY_H

#include "reports/verdict.h"

/* A figure of a case. */
struct judged_figure {
    enum scope scope;
    const char *subject;
    const char *name;
};

struct effect {
    const char *parameter; /* as people read its path; "variant" where there are several */
    const char *least_at;  /* the value with the lowest mean, and with the highest */
    const char *most_at;
    double least;
    double most;
    size_t values; /* that it has; at least 2 */
};

struct sensitivity {
    struct effect *effects; /* largest first; in the set's arena */
    size_t count;
    double mean;  /* over all cases that have the figure */
    size_t cases; /* how many they are */
};

/* Cases of which no parameter has two values give no effects. */
struct sensitivity sensitivity_of(const struct case_set *cases, struct judged_figure figure);

#endif
