/* The text of a plan, in parts. */
#ifndef CLI_PLAN_PAGE_H
#define CLI_PLAN_PAGE_H

#include "cli/plan_report.h"

struct plan_page {
    FILE *out;
    const struct plan_study *study;
    bool colour;
    bool *on_front; /* by candidate */
};

void plan_page_title(const struct plan_page *page, const char *title);
/* A line of a list, which goes on below its text. */
__attribute__((format(printf, 2, 3))) void plan_page_item(const struct plan_page *page,
                                                          const char *format, ...);

/* What was simulated: all of it, or what matters and some of the front. */
void plan_page_table(const struct plan_page *page);
/* What binds, and when; the runners-up; what would change the answer. Something must meet the
 * objectives. */
void plan_page_answer(const struct plan_page *page);
/* Where nothing does: when the nearest misses most. */
void plan_page_nearest(const struct plan_page *page);

#endif
