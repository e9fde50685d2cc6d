/* What is compared: rows from several databases, and which of them each is compared to. */
#ifndef REPORTS_COMPARE_INTERNAL_H
#define REPORTS_COMPARE_INTERNAL_H

#include "reports/compare.h"
#include "reports/headline.h"
#include "reports/result_set.h"
#include "reports/sweep_point.h"

struct compare_source {
    const char *path;
    struct store *store;
    struct result_set set;
};

struct compare_row {
    struct compare_source *source;
    const struct result_case *of;
    char *point;                        /* how people read the sweep point */
    const struct compare_row *baseline; /* itself if it is one; NULL: there is none */
    bool meets;    /* all objectives, of which there is one, and its queues are stable */
    bool cheapest; /* of those of its scenario that do */
    size_t block; /* rows of one block differ by `by` alone (and perhaps come from several files) */
};

struct comparison {
    struct compare_source *sources;
    size_t source_count;
    struct compare_row *rows; /* block by block */
    size_t row_count;
    enum compare_by by;
    /* In what rows differ, so that it must be shown. Files count only where the same scenario,
     * variant and point come from several. */
    bool differs[COMPARE_BY_COUNT];
    struct sweep_columns sweep;
};

const char *compare_label(const struct compare_row *row, enum compare_by by);
/* The same for people. */
const char *compare_words(const struct compare_row *row, enum compare_by by);

/* What a figure differs by between a row and its baseline. */
struct difference {
    struct figure
        figure;       /* of the paired differences; of the means, with count 0, if nothing pairs */
    double baseline;  /* mean of the baseline over the pairs; NaN likewise */
    bool significant; /* the interval does not cover zero */
    bool equal;       /* in every pair, but for rounding */
};

/* A figure of the run, or of another subject, in all rows. */
struct compared_figure {
    const struct headline *headline;
    enum scope scope;
    const char *subject;
};

struct difference compare_difference(const struct compare_row *row,
                                     struct compared_figure compared);
/* A cell that says it: "-16m 31s ± 1m 2s (-35.4 %)", "equal", "no significant difference". */
void compare_add_difference(struct table *table, const struct compare_row *row,
                            struct compared_figure compared);

/* Fills in which rows meet the objectives, and which are the cheapest that do. */
void compare_judge(struct comparison *comparison);
/* A line for each scenario that states objectives: which of its rows is the answer. */
void compare_print_verdict(FILE *out, const struct comparison *comparison,
                           const struct compare_options *options);
/* What models cost, where there are several. */
void compare_print_models(FILE *out, const struct comparison *comparison,
                          const struct compare_options *options);

/* The columns that say which row is which, and their cells. */
void compare_add_label_columns(struct table *table, const struct comparison *comparison);
void compare_add_labels(struct table *table, const struct comparison *comparison,
                        const struct compare_row *row);

/* The row that a row is compared to; NULL: none, or itself. */
const struct compare_row *compare_other_baseline(const struct compare_row *row);

/* Whether the queue of the run grows without limit in any replication. */
bool compare_is_unstable(const struct compare_row *row);

void compare_print_people(FILE *out, const struct comparison *comparison,
                          const struct compare_options *options);
void compare_print_machines(FILE *out, const struct comparison *comparison,
                            const struct compare_options *options);
/* What a reader should be careful about. */
void compare_warn(FILE *messages, const struct comparison *comparison);

#endif
