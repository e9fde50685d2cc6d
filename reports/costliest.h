/* The subjects of a scope that cost the most, where there are more than anybody reads. */
#ifndef REPORTS_COSTLIEST_H
#define REPORTS_COSTLIEST_H

#include "reports/result_set.h"

/* `*shown` of `*count`: all in their order, or the costliest `most`, dearest first. They belong to
 * the set's arena. */
const char **costliest_subjects(struct result_set *set, const struct result_case *of,
                                enum scope scope, size_t most, size_t *shown, size_t *count);

#endif
