#include <math.h>
#include <string.h>

#include "reports/headline.h"
#include "reports/number.h"
#include "reports/subject_group.h"
#include "reports/summary_internal.h"
#include "reports/text.h"
#include "reports/unstable.h"

struct column {
    const char *header;
    const char *metric;
    enum number_kind kind;
    enum subject_combination combination;
    enum { SHOWN_ALWAYS, SHOWN_IF_THERE, SHOWN_IF_ANY, SHOWN_IF_DOUBTFUL, SHOWN_OF_ONE_CASE } shown;
};

/* One kind of workload. */
struct kind {
    const char *mark;  /* a figure that only such workloads have */
    const char *other; /* one that those of the other kind have */
    const char *mean;  /* that with an interval within one run, */
    const char *half_width;
    const struct column *columns;
    size_t column_count;
};

static const struct column job_columns[] = {
    {"submitted", "submitted", NUMBER_COUNT, COMBINE_SUM, SHOWN_ALWAYS},
    {"completed", "completed", NUMBER_COUNT, COMBINE_SUM, SHOWN_ALWAYS},
    {"unfinished", "unfinished", NUMBER_COUNT, COMBINE_SUM, SHOWN_ALWAYS},
    {"timed out", "timed_out", NUMBER_COUNT, COMBINE_SUM, SHOWN_IF_ANY},
    {"rejected", "rejected", NUMBER_COUNT, COMBINE_SUM, SHOWN_IF_ANY},
    {"wait mean", "wait_s.mean", NUMBER_DURATION, COMBINE_MEAN, SHOWN_ALWAYS},
    {"p50", "wait_s.p50", NUMBER_DURATION, COMBINE_LARGEST, SHOWN_ALWAYS},
    {"p95", "wait_s.p95", NUMBER_DURATION, COMBINE_LARGEST, SHOWN_ALWAYS},
    {"p99", "wait_s.p99", NUMBER_DURATION, COMBINE_LARGEST, SHOWN_ALWAYS},
    {"max", "wait_s.max", NUMBER_DURATION, COMBINE_LARGEST, SHOWN_ALWAYS},
};

static const struct column service_columns[] = {
    {"submitted", "submitted", NUMBER_COUNT, COMBINE_SUM, SHOWN_ALWAYS},
    {"completed", "completed", NUMBER_COUNT, COMBINE_SUM, SHOWN_ALWAYS},
    {"per s", "throughput_per_s", NUMBER_PLAIN, COMBINE_SUM, SHOWN_OF_ONE_CASE},
    {"unfinished", "unfinished", NUMBER_COUNT, COMBINE_SUM, SHOWN_IF_DOUBTFUL},
    {"timed out", "timed_out", NUMBER_COUNT, COMBINE_SUM, SHOWN_IF_ANY},
    {"rejected", "rejected", NUMBER_COUNT, COMBINE_SUM, SHOWN_IF_ANY},
    {"failed", "failed", NUMBER_COUNT, COMBINE_SUM, SHOWN_IF_ANY},
    {"latency mean", "latency_s.mean", NUMBER_DURATION, COMBINE_MEAN, SHOWN_ALWAYS},
    {"p50", "latency_s.p50", NUMBER_DURATION, COMBINE_LARGEST, SHOWN_ALWAYS},
    {"p95", "latency_s.p95", NUMBER_DURATION, COMBINE_LARGEST, SHOWN_ALWAYS},
    {"p99", "latency_s.p99", NUMBER_DURATION, COMBINE_LARGEST, SHOWN_ALWAYS},
    {"max", "latency_s.max", NUMBER_DURATION, COMBINE_LARGEST, SHOWN_ALWAYS},
    {"SLO kept", "slo_attainment", NUMBER_SHARE, COMBINE_SMALLEST, SHOWN_IF_THERE},
    {"no slot", "replicas_waiting", NUMBER_COUNT, COMBINE_SUM, SHOWN_IF_ANY},
};

enum {
    JOB_COLUMNS = sizeof(job_columns) / sizeof(job_columns[0]),
    SERVICE_COLUMNS = sizeof(service_columns) / sizeof(service_columns[0]),
};

static const struct kind jobs = {.mark = "wait_s.mean",
                                 .other = "latency_s.mean",
                                 .mean = "wait_s.mean",
                                 .half_width = "wait_s.mean_half_width",
                                 .columns = job_columns,
                                 .column_count = JOB_COLUMNS};
/* Of latencies there is no interval within one run. */
static const struct kind services = {.mark = "latency_s.mean",
                                     .other = "wait_s.mean",
                                     .mean = "",
                                     .half_width = "",
                                     .columns = service_columns,
                                     .column_count = SERVICE_COLUMNS};

static bool shows_column(const struct page *page, const struct column *column) {
    bool shown = column->shown == SHOWN_ALWAYS;
    if (column->shown == SHOWN_OF_ONE_CASE) {
        return page->count == 1; /* else it is in the table of the cases, and this one too wide */
    }
    for (size_t i = 0; i < page->count && !shown; i++) {
        const struct result_case *of = &page->cases[i];
        double value = result_figure(page->set, of, SCOPE_RUN, "", column->metric).mean;
        shown = column->shown == SHOWN_IF_THERE ? !isnan(value)
                : column->shown == SHOWN_IF_DOUBTFUL
                    ? headline_has_unfinished((struct headline_case){page->set, of})
                    : value > 0;
    }
    return shown;
}

/* Of one run of jobs, the mean wait has an interval by batch means. */
static struct figure figure_in(const struct page *page, const struct result_case *of,
                               const struct kind *kind, const struct subject_group *group,
                               const struct column *column) {
    struct figure value =
        subject_group_figure(page->set, of, group, column->metric, column->combination);
    if (of->run_count == 1 && group->count == 1 && strcmp(column->metric, kind->mean) == 0) {
        value.half_width =
            result_figure(page->set, of, group->scope, group->subjects[0], kind->half_width).mean;
    }
    return value;
}

static const char *mark_of(const struct page *page, const struct result_case *of,
                           const struct subject_group *group, const char *metric) {
    const char *mark = "";
    for (size_t i = 0; i < group->count && mark[0] == '\0'; i++) {
        mark = unstable_mark(page->set, of, group->scope, group->subjects[i], metric);
    }
    return mark;
}

static void add_row(struct table *table, const struct page *page, const struct result_case *of,
                    const struct kind *kind, const struct subject_group *group) {
    table_add_row(table);
    page_add_labels(table, page, of);
    table_add_text(table, group->shown);
    double submitted = 0;
    for (size_t i = 0; i < kind->column_count; i++) {
        const struct column *column = &kind->columns[i];
        if (!shows_column(page, column)) {
            continue;
        }
        struct figure value = figure_in(page, of, kind, group, column);
        page_add_figure(table, page, column->kind, value, of->currency);
        table_mark(table, isnan(value.mean) ? "" : mark_of(page, of, group, column->metric));
        submitted = i == 0 ? value.mean : submitted;
        if (strcmp(column->metric, "unfinished") == 0 &&
            value.mean > UNFINISHED_FLAGGED * submitted) {
            table_paint(table, TABLE_YELLOW);
        }
    }
}

/* Those of each case, then all of them together if there are several and no other table has that;
 * of a run with both kinds the figures of all are those of both. */
static void add_rows(struct table *table, const struct page *page, const struct kind *kind,
                     bool folded) {
    static const char *const whole_run[] = {""};
    for (size_t i = 0; i < page->count; i++) {
        const struct result_case *of = &page->cases[i];
        size_t count = 0;
        const struct subject_group *groups =
            subject_groups(page->set, of, kind->mark, folded, &count);
        for (size_t g = 0; g < count; g++) {
            add_row(table, page, of, kind, &groups[g]);
        }
        bool several = count > 1 || (count == 1 && groups[0].count > 1);
        if (several && page->count == 1 &&
            !result_has_figure(page->set, of, SCOPE_RUN, "", kind->other)) {
            const struct subject_group all = {SCOPE_RUN, whole_run, 1, "all"};
            add_row(table, page, of, kind, &all);
        }
    }
}

static bool folds(const struct page *page, const struct kind *kind) {
    bool folded = false;
    for (size_t i = 0; i < page->count && !folded; i++) {
        folded =
            subject_largest_family(page->set, &page->cases[i], kind->mark) > SUBJECT_MOST_LISTED;
    }
    return folded;
}

static bool any_has(const struct page *page, const char *metric) {
    bool has = false;
    for (size_t i = 0; i < page->count && !has; i++) {
        has = result_has_figure(page->set, &page->cases[i], SCOPE_RUN, "", metric);
    }
    return has;
}

/* Of more cases, tables of more rows are no summary. */
enum { FEW_CASES = 6, MOST_ROWS = 40 };

static bool is_too_long(const struct page *page, const struct kind *kind, bool folded) {
    size_t rows = 0;
    for (size_t i = 0; i < page->count; i++) {
        size_t count = 0;
        subject_groups(page->set, &page->cases[i], kind->mark, folded, &count);
        rows += count;
    }
    return page->count > FEW_CASES && rows > MOST_ROWS;
}

/* Where no job waits, one column says so. */
static void hide_waits_of_none(struct table *table, const struct kind *kind) {
    static const char *const waits[] = {"wait_s.p50", "wait_s.p95", "wait_s.p99"};
    if (kind == &jobs && table_hide_if_all(table, "wait_s.max", 0)) {
        for (size_t i = 0; i < sizeof(waits) / sizeof(waits[0]); i++) {
            table_hide(table, waits[i]);
        }
    }
}

static void print_kind(const struct page *page, const struct kind *kind, const char *header) {
    bool folded = folds(page, kind);
    if (is_too_long(page, kind, folded)) {
        return;
    }
    struct table *table = page_table(page);
    table_add_column(table, header, header, TABLE_LEFT, TABLE_FOR_ALL);
    for (size_t i = 0; i < kind->column_count; i++) {
        if (shows_column(page, &kind->columns[i])) {
            table_add_column(table, kind->columns[i].header, kind->columns[i].metric, TABLE_RIGHT,
                             TABLE_FOR_ALL);
        }
    }
    add_rows(table, page, kind, folded);
    hide_waits_of_none(table, kind);
    page_print_table(page, table);
    if (folded) {
        text_print_wrapped(
            page->out,
            "(n): n services or workloads of one `count`; counts are their sums, the "
            "mean is over all of them, the other figures are those of the worst.",
            0, TABLE_WIDTH);
    }
}

void page_print_workloads(const struct page *page) {
    if (page->count > 1 && !page_has_several(page, SCOPE_WORKLOAD)) {
        return;
    }
    bool any_services = any_has(page, services.mark);
    if (any_has(page, jobs.mark)) {
        print_kind(page, &jobs, any_services ? "jobs" : "workload");
    }
    if (any_services) {
        print_kind(page, &services, "service");
    }
}
