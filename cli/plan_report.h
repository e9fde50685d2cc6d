/* What `headroom plan` prints of a study. */
#ifndef CLI_PLAN_REPORT_H
#define CLI_PLAN_REPORT_H

#include <jansson.h>
#include <stdio.h>

#include "cli/plan_study.h"

/* For people, in at most 100 columns. */
void plan_report_print(FILE *out, const struct plan_study *study, bool colour);
/* The same as one object; documented in docs/results.md. */
json_t *plan_report_json(const struct plan_study *study);

/* --- What both tell. --- */

/* Over the replications of a candidate; NaN where one has no value. */
struct plan_figure {
    double mean;
    double half_width; /* NaN: unknown */
    double excess;     /* mean, as a share of the bound */
};
struct plan_figure plan_figure_of(const struct plan_study *study, size_t candidate,
                                  size_t objective);
/* Whether all replications of a candidate came to the same, as where nothing is random. */
bool plan_alike(const struct plan_study *study, size_t candidate);
/* The objective that is missed most, or held least, on average. */
size_t plan_binding(const struct plan_study *study, size_t candidate);
/* The flaw that most replications have; PLAN_SOUND if fewer than half have any. */
enum plan_flaw plan_main_flaw(const struct plan_study *study, size_t candidate);
/* The share of a candidate's jobs and requests that had not ended when the run did, on average;
 * NaN: none were submitted. */
double plan_unfinished(const struct plan_study *study, size_t candidate);
extern const char *const plan_flaw_texts[PLAN_FLAW_COUNT];
extern const char *const plan_verdict_names[];
/* Of those that miss, the one that comes closest; PLAN_NONE: none was simulated. */
size_t plan_nearest(const struct plan_study *study);
/* The best, or else the nearest; PLAN_NONE: none was simulated. */
size_t plan_answer(const struct plan_study *study);
/* "from 3d 4h to 3d 5h of the run, Thursday 04:00 to Thursday 05:00", of study->worst. Free it. */
char *plan_when_text(const struct plan_study *study);
/* What the plan comes to, in a sentence or two. Free it. */
char *plan_statement(const struct plan_study *study);
/* "nodes=18". Free it. */
char *plan_short_name(const struct plan_study *study, size_t candidate);
/* A figure with its interval, and a bound, as people read them. */
struct number plan_number(const struct plan_study *study, size_t objective,
                          struct plan_figure figure);
const char *plan_currency(const struct plan_study *study);
/* "$27,000 per month". Free it. */
char *plan_cost_text(const struct plan_study *study, double cost);

#endif
