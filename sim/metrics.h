/* The figures of a run: one row per figure, with its unit, the scopes it is given for and how it is
 * computed. A new figure is one row. */
#ifndef SIM_METRICS_H
#define SIM_METRICS_H

#include "scenarios/choice.h"
#include "sim/measured.h"

/* Whose figure a row is. */
enum metric_of {
    OF_ANY,
    OF_JOBS,     /* of the run if it has jobs, of workloads of kind jobs */
    OF_REQUESTS, /* of the run if it has services, of services */
    OF_TOKENS,   /* likewise, where completed requests have any */
    OF_OUTAGES,  /* where machines fail, or are out of use for another reason */
    OF_AUTOSCALER
};

struct metric_row {
    struct choice choice;
    const char *unit;
    unsigned scopes; /* bits 1 << enum scope */
    enum metric_of of;
    double (*value)(const struct measured *measured, const struct metric_row *row);
    size_t field;    /* what it reads: its offset, or the row of a table */
    double scale;    /* rows over a histogram: what one unit of it is in `unit`, */
    double quantile; /* and which quantile; below 0: the mean */
};

extern const struct metric_row metric_rows[];
extern const size_t metric_row_count;

const struct metric_row *metric_find(const char *name); /* NULL: unknown */

/* Appends all figures that one subject has. The results own the array, which has room. */
void metrics_append(struct results *results, enum scope scope, const char *subject,
                    const struct measured *measured);

#endif
