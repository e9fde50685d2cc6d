/* The figures by which cases are shown beside each other: what `run` prints of several variants and
 * `compare` of anything. */
#ifndef REPORTS_HEADLINE_H
#define REPORTS_HEADLINE_H

#include "reports/number.h"
#include "reports/result_set.h"
#include "reports/table.h"

enum headline_better { LESS_IS_BETTER, MORE_IS_BETTER };

/* How a figure is also shown beside the baseline's, in the same table. */
enum headline_relation {
    RELATED_NOT,
    RELATED_AS_RATIO, /* x2.3 */
    RELATED_AS_CHANGE /* -76.7 % */
};

struct headline {
    const char *header;
    const char *key; /* for machines */
    const char *key_half_width;
    const char *metric; /* in scope run */
    enum number_kind kind;
    enum headline_better better;
    const char *like;   /* tells people nothing where it is what this metric is everywhere, */
    double idle;        /* or this number; NULL and NaN: it always does */
    const char *out_of; /* metric: shown as "3 of 17"; NULL: by itself */
    enum headline_relation relation;
    const char *related_header;
    const char *key_related;
    bool of_services; /* people see it only where there are services */
    bool compared;    /* people see it only where cases are compared to a baseline */
};

enum { HEADLINE_COUNT = 31 };
extern const struct headline headlines[HEADLINE_COUNT];

/* One column each for people, and two (mean and half width) for machines. With `related`, also what
 * they are beside the baseline's, and those that only comparisons show. */
void headline_add_columns(struct table *table, bool related);
/* Of a case; baseline: that it is compared to, NULL: none or itself. */
struct headline_case {
    struct result_set *set;
    const struct result_case *of;
};
void headline_add_cells(struct table *table, struct headline_case row, bool related,
                        const struct headline_case *baseline);

/* What the cases of a table have between them; of none: zeros. */
struct headline_traits {
    bool unfinished; /* unfinished items worth a column */
    bool services;
};
void headline_learn(struct headline_traits *traits, struct headline_case row);

/* Once all rows are there: hides from people what tells them nothing, such as figures that no case
 * has, goodput where no work was lost, or timed out jobs where there are none. */
void headline_trim(struct table *table, bool related, struct headline_traits traits);
/* Whether the figure tells people something of one case. */
bool headline_tells(const struct headline *headline, struct headline_case row);
/* Whether there are in this case: any job, or more than 1 % where there are requests, some of which
 * are always under way. */
bool headline_has_unfinished(struct headline_case row);
/* More unfinished items than this share make the other figures doubtful. */
static const double UNFINISHED_FLAGGED = 0.01;

/* The figure of a row over that of its baseline, or the share by which it differs; NaN: none. */
double headline_related(const struct headline *headline, double value, double baseline);

/* A mean over a second line with its interval; or the mean alone, in its usual digits. */
void headline_add_figure(struct table *table, enum number_kind kind, struct figure figure,
                         const char *currency);
void headline_add_mean(struct table *table, enum number_kind kind, double mean,
                       const char *currency);

#endif
