/* What it cost jobs to be preempted, to be interrupted by faults, and to save. */
#include <math.h>

#include "reports/summary_internal.h"

static const struct {
    const char *header;
    const char *metric;
    enum number_kind kind;
} columns[] = {
    {"preempted", "preemptions", NUMBER_COUNT},
    {"interrupted", "interruptions", NUMBER_COUNT},
    {"GPU-h redone", "redone_gpu_hours", NUMBER_PLAIN},
    {"GPU-h saving", "checkpoint_gpu_hours", NUMBER_PLAIN},
    {"GPU-h restoring", "restore_gpu_hours", NUMBER_PLAIN},
    {"goodput", "goodput", NUMBER_SHARE},
};
enum { COLUMNS = sizeof(columns) / sizeof(columns[0]), OF_LOSSES = 5 };

static struct figure figure_at(const struct page *page, const struct result_case *of,
                               const char *workload, size_t column) {
    return result_figure(page->set, of, SCOPE_WORKLOAD, workload, columns[column].metric);
}

/* Whether anything happened to the workload; without, it has no row. */
static bool has_losses(const struct page *page, const struct result_case *of,
                       const char *workload) {
    bool any = false;
    for (size_t i = 0; i < OF_LOSSES && !any; i++) {
        any = figure_at(page, of, workload, i).mean > 0;
    }
    return any;
}

static bool add_case(struct table *table, const struct page *page, const struct result_case *of) {
    size_t count = 0;
    const char **workloads = result_subjects(page->set, of, SCOPE_WORKLOAD, &count);
    bool any = false;
    for (size_t w = 0; w < count; w++) {
        if (!has_losses(page, of, workloads[w])) {
            continue;
        }
        any = true;
        table_add_row(table);
        page_add_labels(table, page, of);
        table_add_text(table, workloads[w]);
        for (size_t i = 0; i < COLUMNS; i++) {
            struct figure value = figure_at(page, of, workloads[w], i);
            page_add_figure(table, page, columns[i].kind, value, of->currency);
        }
    }
    return any;
}

void page_print_interruptions(const struct page *page) {
    struct table *table = page_table(page);
    bool any = false;
    table_add_column(table, "workload", "workload", TABLE_LEFT, TABLE_FOR_ALL);
    for (size_t i = 0; i < COLUMNS; i++) {
        table_add_column(table, columns[i].header, columns[i].metric, TABLE_RIGHT, TABLE_FOR_ALL);
    }
    for (size_t i = 0; i < page->count; i++) {
        any |= add_case(table, page, &page->cases[i]);
    }
    for (size_t i = 0; i < COLUMNS; i++) {
        table_hide_if_all(table, columns[i].metric, 0);
    }
    if (any) {
        page_print_table(page, table);
    } else {
        table_destroy(table);
    }
}
