/* The page of a summary: the cases of one scenario, and where it is printed. */
#ifndef REPORTS_SUMMARY_INTERNAL_H
#define REPORTS_SUMMARY_INTERNAL_H

#include "reports/number.h"
#include "reports/result_set.h"
#include "reports/summary.h"
#include "reports/sweep_point.h"
#include "reports/table.h"

struct page {
    FILE *out;
    bool colour;
    struct result_set *set;
    const struct result_case *cases;
    size_t count;
    bool variants; /* there are several: tables say which */
    bool points;   /* likewise, of a sweep */
    struct sweep_columns sweep;
};

/* A table whose rows begin with the variant and point where there are several. */
struct table *page_table(const struct page *page);
void page_add_labels(struct table *table, const struct page *page, const struct result_case *of);
/* Prints the table with a blank line before it, and destroys it. */
void page_print_table(const struct page *page, struct table *table);
/* A bold word and what there is to say, wrapped beside it. */
void page_print_line(const struct page *page, const char *word, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Whether any case has more than one subject of a scope: a table for one alone repeats the line
 * that the case has already. */
bool page_has_several(const struct page *page, enum scope scope);
/* Intervals beside those of the cases themselves would bury both: with several cases, the mean. */
void page_add_figure(struct table *table, const struct page *page, enum number_kind kind,
                     struct figure value, const char *currency);

/* The answer in a line; how pools were used over time. */
void page_print_verdict(const struct page *page);
void page_print_timeline(const struct page *page);

/* Jobs and requests by workload and by model; jobs by queue; what was lost of them to others and to
 * faults; where the time of slow requests went; GPUs by pool; where GPU time and money went. */
void page_print_workloads(const struct page *page);
void page_print_models(const struct page *page);
void page_print_queues(const struct page *page);
void page_print_interruptions(const struct page *page);
void page_print_latency_parts(const struct page *page);
void page_print_pools(const struct page *page);
void page_print_gpu_time(const struct page *page);
void page_print_turnaround(const struct page *page);
void page_print_cost(const struct page *page);

#endif
