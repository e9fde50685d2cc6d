/* Queues that grow without limit: their waits, and what follows from waits, are marked wherever
 * they are shown, and named below. */
#ifndef REPORTS_UNSTABLE_H
#define REPORTS_UNSTABLE_H

#include "reports/result_set.h"
#include "reports/summary_internal.h"
#include "reports/table.h"

/* In how many runs of the case the queue of the subject ("" in scope run) is unstable. */
size_t unstable_runs(struct result_set *set, const struct result_case *of, enum scope scope,
                     const char *subject);

/* "*" for a figure of waits (wait_s, jct_s, slowdown, latency_s, queue_s) of an unstable queue,
 * else "". */
const char *unstable_mark(struct result_set *set, const struct result_case *of, enum scope scope,
                          const char *subject, const char *metric);

/* What the mark means. */
extern const char unstable_legend[];

/* One line for each unstable queue of the page. */
void unstable_print_lines(const struct page *page);

#endif
