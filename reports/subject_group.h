/* The workloads of a case as lines of a table: one each, or one for all that `count: N` has made of
 * one (chat-1, chat-2, ...), with their figures combined. */
#ifndef REPORTS_SUBJECT_GROUP_H
#define REPORTS_SUBJECT_GROUP_H

#include "reports/result_set.h"

struct subject_group {
    enum scope scope;
    const char *const *subjects;
    size_t count;
    const char *shown; /* "chat (17)" */
};

/* How the figures of several subjects become one. */
enum subject_combination {
    COMBINE_SUM,
    COMBINE_MEAN,     /* weighted by the number of items */
    COMBINE_LARGEST,  /* the worst of durations */
    COMBINE_SMALLEST, /* the worst of shares that are kept */
};

/* Longer families take one line. */
enum { SUBJECT_MOST_LISTED = 4 };

/* The subjects of a case that have a figure named `having`, in their order. folded: families of
 * several make one group. Everything belongs to the set's arena. */
struct subject_group *subject_groups(struct result_set *set, const struct result_case *of,
                                     const char *having, bool folded, size_t *count);
/* The number of members of the largest family. */
size_t subject_largest_family(struct result_set *set, const struct result_case *of,
                              const char *having);

/* Over the case's replications. */
struct figure subject_group_figure(struct result_set *set, const struct result_case *of,
                                   const struct subject_group *group, const char *metric,
                                   enum subject_combination combination);

#endif
