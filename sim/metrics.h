/* The figures of a run: one row per figure, with its unit, the scopes it is given for and how it is
 * computed. A new figure is one row. */
#ifndef SIM_METRICS_H
#define SIM_METRICS_H

#include "scenarios/choice.h"
#include "sim/cluster/pool.h"
#include "sim/kernel/batch_series.h"
#include "sim/scheduling/job_figures.h"
#include "sim/simulation.h"
#include "sim/stability.h"

/* What one subject (the run, a pool, a workload) is measured by. What does not apply is NULL or 0.
 */
struct measured {
    const struct job_figures *jobs; /* the run's, a workload's */
    struct pool_measure use;        /* the run's, a pool's: over the measured time */
    int64_t gpus;                   /* likewise */
    double memory_byte_ns;          /* likewise: memory that was there x measured time */
    double measured_ns;
    double gpu_hours; /* used by it, or in it */
    double makespan_s;
    double warmup_s;
    const struct cost *cost;
    const struct batch_series *waits;  /* its jobs', in order of start */
    const struct stability *stability; /* of its queue: the run's, a workload's */
};

struct metric_row {
    struct choice choice;
    const char *unit;
    unsigned scopes; /* bits 1 << enum scope */
    double (*value)(const struct measured *measured, const struct metric_row *row);
    size_t histogram; /* rows over a histogram: its offset in struct job_figures, */
    double scale;     /* what one unit of it is in `unit`, */
    double quantile;  /* and which quantile; below 0: the mean */
};

extern const struct metric_row metric_rows[];
extern const size_t metric_row_count;

const struct metric_row *metric_find(const char *name); /* NULL: unknown */

/* Appends all figures of one subject. The results own the array, which has room. */
void metrics_append(struct results *results, enum scope scope, const char *subject,
                    const struct measured *measured);

#endif
