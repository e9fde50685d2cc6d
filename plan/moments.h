/* An objective's figure over time, of one replication: the same figure of the jobs or requests that
 * came in each part of the time, or of the GPU time of that part. */
#ifndef PLAN_MOMENTS_H
#define PLAN_MOMENTS_H

#include "scenarios/scenario.h"
#include "sim/kernel/histogram.h"
#include "sim/metrics.h"
#include "sim/simulation.h"

enum { MOMENT_PARTS = 168 }; /* a week by the hour */

struct moment_part {
    struct histogram values; /* of distributions */
    double sum;              /* of shares: those that count, */
    double weight;           /* of so many; of distributions their number */
};

/* What one replication leaves, in at most MOMENT_PARTS parts from t = 0 on. They become wider as
 * the run goes on, so that its length need not be known. */
struct plan_moments {
    const struct scenario *scenario;
    const struct objective *objective;
    const struct metric_row *row;
    int figure;
    size_t width;           /* of a part: row of a table of lengths */
    sim_time measured_from; /* parts that begin before it are left out */
    size_t workload;        /* of the last request, as they come in rows */
    struct moment_part *parts;
};

/* Whether its figure is one of jobs, requests or GPU time, and not of the run as a whole. */
bool plan_objective_has_moments(const struct objective *objective);

/* The objective must have moments. Destroy it. */
void plan_moments_create(struct plan_moments *moments, const struct scenario *scenario,
                         const struct objective *objective);
void plan_moments_destroy(struct plan_moments *moments);

/* How a run hands them its rows, and what the scenario must record for that. */
struct recorder plan_moments_recorder(struct plan_moments *moments);
struct record_spec plan_moments_record(const struct plan_moments *moments);

/* For who compares the parts. */
bool plan_moments_are_shares(const struct plan_moments *moments);
bool plan_moments_are_of_gpus(const struct plan_moments *moments);
sim_time plan_moments_width(const struct plan_moments *moments); /* of a part */
bool plan_moments_widen(struct plan_moments *moments);           /* false: they are widest */
void moment_part_create(struct moment_part *part);
void moment_part_add(struct moment_part *to, const struct moment_part *from);

#endif
