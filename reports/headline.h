/* The figures by which cases are shown beside each other: what `run` prints of several variants and
 * `compare` of anything. */
#ifndef REPORTS_HEADLINE_H
#define REPORTS_HEADLINE_H

#include "reports/number.h"
#include "reports/result_set.h"
#include "reports/table.h"

enum headline_better { LESS_IS_BETTER, MORE_IS_BETTER };

struct headline {
    const char *header;
    const char *key; /* for machines */
    const char *key_half_width;
    const char *metric; /* in scope run */
    enum number_kind kind;
    enum headline_better better;
    bool idle_at_zero; /* tells people nothing where it is zero everywhere */
};

enum { HEADLINE_COUNT = 11 };
extern const struct headline headlines[HEADLINE_COUNT];

/* One column each for people, and two (mean and half width) for machines. */
void headline_add_columns(struct table *table);
void headline_add_cells(struct table *table, struct result_set *set, const struct result_case *of);

/* Once all rows are there: hides from people what tells them nothing, goodput where no work was
 * lost and unfinished, timed out or rejected jobs where there are none. */
void headline_trim(struct table *table);

/* A mean over a second line with its interval; or the mean alone, in its usual digits. */
void headline_add_figure(struct table *table, enum number_kind kind, struct figure figure,
                         const char *currency);
void headline_add_mean(struct table *table, enum number_kind kind, double mean,
                       const char *currency);

#endif
