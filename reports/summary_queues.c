#include <stdlib.h>

#include "reports/number.h"
#include "reports/summary_internal.h"
#include "reports/text.h"

static const struct {
    const char *header;
    const char *metric;
    enum number_kind kind;
} columns[] = {
    {"completed", "completed", NUMBER_COUNT},
    {"unfinished", "unfinished", NUMBER_COUNT},
    {"wait mean", "wait_s.mean", NUMBER_DURATION},
    {"p50", "wait_s.p50", NUMBER_DURATION},
    {"p95", "wait_s.p95", NUMBER_DURATION},
    {"GPU-hours used", "gpu_hours", NUMBER_PLAIN},
    {"cost per month", "usd_per_month", NUMBER_MONEY},
};
enum { COLUMNS = sizeof(columns) / sizeof(columns[0]) };

/* Of more, those that used the most. */
enum { MOST_QUEUES = 20 };

struct queue_row {
    const char *name;
    double gpu_hours;
    size_t place;
};

static int compare_use(const void *a, const void *b) {
    const struct queue_row *left = a;
    const struct queue_row *right = b;
    if (left->gpu_hours != right->gpu_hours) {
        return left->gpu_hours > right->gpu_hours ? -1 : 1;
    }
    return (left->place > right->place) - (left->place < right->place);
}

/* Those to show, `*shown` of `*count`; belongs to the set's arena. */
static const struct queue_row *list_queues(const struct page *page, const struct result_case *of,
                                           size_t *shown, size_t *count) {
    const char **names = result_subjects(page->set, of, SCOPE_QUEUE, count);
    struct queue_row *rows = arena_allocate(&page->set->arena, *count, sizeof(rows[0]));
    for (size_t i = 0; i < *count; i++) {
        rows[i] = (struct queue_row){
            names[i], result_figure(page->set, of, SCOPE_QUEUE, names[i], "gpu_hours").mean, i};
    }
    *shown = *count;
    if (*count > MOST_QUEUES) {
        qsort(rows, *count, sizeof(rows[0]), compare_use);
        *shown = MOST_QUEUES;
    }
    return rows;
}

static void add_row(struct table *table, const struct page *page, const struct result_case *of,
                    const char *queue) {
    table_add_row(table);
    page_add_labels(table, page, of);
    table_add_text(table, queue);
    for (size_t i = 0; i < COLUMNS; i++) {
        struct figure value = result_figure(page->set, of, SCOPE_QUEUE, queue, columns[i].metric);
        page_add_figure(table, page, columns[i].kind, value, of->currency);
    }
}

void page_print_queues(const struct page *page) {
    if (!page_has_several(page, SCOPE_QUEUE)) {
        return;
    }
    struct table *table = page_table(page);
    size_t left_out = 0;
    table_add_column(table, "queue", "queue", TABLE_LEFT, TABLE_FOR_ALL);
    for (size_t i = 0; i < COLUMNS; i++) {
        table_add_column(table, columns[i].header, columns[i].metric, TABLE_RIGHT, TABLE_FOR_ALL);
    }
    for (size_t i = 0; i < page->count; i++) {
        size_t shown = 0;
        size_t count = 0;
        const struct queue_row *rows = list_queues(page, &page->cases[i], &shown, &count);
        for (size_t q = 0; q < shown; q++) {
            add_row(table, page, &page->cases[i], rows[q].name);
        }
        left_out = count - shown > left_out ? count - shown : left_out;
    }
    table_hide_if_all(table, "unfinished", 0);
    page_print_table(page, table);
    if (left_out > 0) {
        text_print_wrapped(page->out,
                           "Of the queues, those that used the most GPU-hours; the others are in "
                           "the database, too.",
                           0, TABLE_WIDTH);
    }
}
