/* What the sections of a report know of each other. */
#ifndef REPORTS_REPORT_INTERNAL_H
#define REPORTS_REPORT_INTERNAL_H

#include "reports/html.h"
#include "reports/number.h"
#include "reports/plot.h"
#include "reports/report.h"
#include "reports/result_set.h"
#include "reports/sweep_point.h"
#include "reports/table.h"

/* One scenario of the report: its cases, which differ by variant and point. */
struct report {
    FILE *out;
    struct result_set *set;
    const struct report_options *options;
    struct plotter *plotter;
    int *plot_number; /* of the plot drawn last */
    const char *name;
    const char *description; /* of the first case's text; "": none */
    const struct result_case *cases;
    size_t case_count;
    /* Of each case, what the scenario's text says; NULL where it cannot be read again here. */
    struct scenario **scenarios;
    struct sweep_columns sweep; /* of the cases' points; none outside of sweeps */
    bool variants;              /* there are several, or no points to tell cases apart */
    struct error *error;        /* the first thing that went wrong while drawing */
    bool failed;
};

/* What a case is called beside the others: its variant, its point, or both. It belongs to
 * the set's arena. */
const char *report_label(const struct report *report, const struct result_case *of);

/* The columns that tell cases apart in a table: the variant, and what a sweep varied; and their
 * cells. */
void report_add_label_columns(const struct report *report, struct table *table);
void report_add_labels(const struct report *report, struct table *table,
                       const struct result_case *of);

bool report_has_objectives(const struct report *report);

/* A statement of which the first four parameters are the batch, scenario, variant and point of the
 * case; NULL after keeping the error. */
sqlite3_stmt *report_prepare(const struct report *report, const struct result_case *of,
                             const char *sql);
bool report_next(const struct report *report, sqlite3_stmt *statement);

/* A table of the page; a click on a header sorts it. caption: what it shows. */
void report_table(const struct report *report, const struct table *table, const char *caption);

/* What names (count of them) mean in a plot: lines of the series, or areas of the colours. */
struct report_legend {
    const char *const *names;
    const size_t *series;       /* NULL: areas */
    const char *const *colours; /* of areas */
    size_t count;
};
/* Draws a plot and prints it with its legend and caption; label is for those who do not see it. */
void report_figure(struct report *report, struct plot *plot, const struct report_legend *legend,
                   const char *label, const char *caption);

/* The colour of a category of GPU time, and how people read its name (in the set's arena). */
const char *report_category_colour(const char *category);
const char *report_category_name(const struct report *report, const char *category);

/* Sections, in the order of the page. */
void report_verdict(struct report *report);
void report_costs(struct report *report);
void report_sensitivity(struct report *report);
void report_breakdown(struct report *report);
void report_distributions(struct report *report);
void report_gpu_time(struct report *report);
void report_timelines(struct report *report);
void report_load(struct report *report);
void report_layouts(struct report *report);
void report_assumptions(struct report *report);
void report_origin(struct report *report);

#endif
