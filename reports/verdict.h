/* Which cases answer a scenario's question: those that meet all objectives, and the best of them.
 */
#ifndef REPORTS_VERDICT_H
#define REPORTS_VERDICT_H

#include "reports/result_set.h"

/* The cases of one scenario, which differ by variant and point. */
struct case_set {
    struct result_set *set;
    const struct result_case *cases;
    size_t count;
};

/* What a case is called beside the others: its variant, its point, or both. It belongs to the set's
 * arena. */
const char *case_label(const struct case_set *cases, const struct result_case *of);

/* Whether a case meets all objectives, of which there must be one, and all its queues are stable.
 */
bool case_meets_all(const struct case_set *cases, const struct result_case *of);
bool cases_have_objectives(const struct case_set *cases);
size_t cases_count_meeting(const struct case_set *cases);

/* The lowest mean of a figure of the run, among the cases that meet all objectives or all that are
 * stable; NaN: there is none. */
struct lowest {
    const char *metric;
    const char *per; /* of a price: "a month" */
    double value;
    bool meeting;
};
struct lowest cases_lowest(const struct case_set *cases, const char *metric, bool meeting);
/* The same of what makes a case cheap: its price a month; per model where variants host different
 * numbers of them for it. */
struct lowest cases_cheapest(const struct case_set *cases, bool meeting);

/* Whether the case is one of those that have it. */
bool case_has_lowest(const struct case_set *cases, const struct result_case *of,
                     const struct lowest *lowest);

#endif
