/* Services as a report draws them: all that one `count` has made together. */
#ifndef REPORTS_REPORT_FAMILIES_H
#define REPORTS_REPORT_FAMILIES_H

#include "reports/report_internal.h"
#include "reports/subject_group.h"

/* More services than this fill pages; the tables have them all. */
enum { FAMILIES_MOST = 6 };

/* The names of the families of all cases, in the set's arena, and how many there are. */
size_t families_list(const struct report *report, const char *names[FAMILIES_MOST]);
/* The services of a case whose family has this name; NULL: none. */
const struct subject_group *families_find(const struct report *report, const struct result_case *of,
                                          const char *name);
/* The slo of the first of them, in seconds; NaN: none. */
double families_slo(const struct report *report, const struct result_case *of,
                    const struct subject_group *group);
/* Their names as a JSON array, for a query that takes them by json_each; in the set's arena. */
const char *families_json(const struct report *report, const struct subject_group *group);

#endif
