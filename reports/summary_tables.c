#include <math.h>
#include <string.h>

#include "reports/headline.h"
#include "reports/number.h"
#include "reports/summary_internal.h"
#include "reports/unstable.h"

static struct figure figure(const struct page *page, const struct result_case *of, enum scope scope,
                            const char *subject, const char *name) {
    return result_figure(page->set, of, scope, subject, name);
}

void page_add_figure(struct table *table, const struct page *page, enum number_kind kind,
                     struct figure value, const char *currency) {
    if (page->count == 1) {
        headline_add_figure(table, kind, value, currency);
    } else {
        headline_add_mean(table, kind, value.mean, currency);
    }
}

/* The row of all subjects together reads its figures from the run's. */
struct row_subject {
    enum scope scope;
    const char *subject;
    const char *shown;
};

bool page_has_several(const struct page *page, enum scope scope) {
    bool several = false;
    for (size_t i = 0; i < page->count && !several; i++) {
        size_t count = 0;
        result_subjects(page->set, &page->cases[i], scope, &count);
        several = count > 1;
    }
    return several;
}

/* Calls add for each row of each case: its subjects, then all of them together if there are several
 * and no other table has that. */
static void for_each_row(const struct page *page, enum scope scope, struct table *table,
                         void (*add)(struct table *, const struct page *,
                                     const struct result_case *, struct row_subject)) {
    for (size_t i = 0; i < page->count; i++) {
        const struct result_case *of = &page->cases[i];
        size_t count = 0;
        const char **subjects = result_subjects(page->set, of, scope, &count);
        for (size_t s = 0; s < count; s++) {
            add(table, page, of, (struct row_subject){scope, subjects[s], subjects[s]});
        }
        if (count > 1 && page->count == 1) {
            add(table, page, of, (struct row_subject){SCOPE_RUN, "", "all"});
        }
    }
}

static const struct {
    const char *header;
    const char *metric;
    enum number_kind kind;
} pool_columns[] = {
    {"GPUs", "gpus", NUMBER_COUNT},
    {"GPU-hours used", "gpu_hours", NUMBER_PLAIN},
    {"allocated", "utilization.allocated", NUMBER_SHARE},
    {"busy", "utilization.busy", NUMBER_SHARE},
    {"goodput", "utilization.goodput", NUMBER_SHARE},
    {"memory", "utilization.memory", NUMBER_SHARE},
    {"GiB wasted", "memory_wasted_gib", NUMBER_PLAIN},
    {"cost per month", "usd_per_month", NUMBER_MONEY},
};
enum { POOL_COLUMNS = sizeof(pool_columns) / sizeof(pool_columns[0]) };

static void add_pool(struct table *table, const struct page *page, const struct result_case *of,
                     struct row_subject row) {
    table_add_row(table);
    page_add_labels(table, page, of);
    table_add_text(table, row.shown);
    for (size_t i = 0; i < POOL_COLUMNS; i++) {
        struct figure value = figure(page, of, row.scope, row.subject, pool_columns[i].metric);
        if (pool_columns[i].kind == NUMBER_MONEY && isnan(value.mean)) {
            value = result_cost(page->set, of, row.scope, row.subject, COST_PER_MONTH);
        }
        page_add_figure(table, page, pool_columns[i].kind, value, of->currency);
    }
}

void page_print_pools(const struct page *page) {
    if (page->count > 1 && !page_has_several(page, SCOPE_POOL)) {
        return;
    }
    struct table *table = page_table(page);
    table_add_column(table, "pool", "pool", TABLE_LEFT, TABLE_FOR_ALL);
    for (size_t i = 0; i < POOL_COLUMNS; i++) {
        table_add_column(table, pool_columns[i].header, pool_columns[i].metric, TABLE_RIGHT,
                         TABLE_FOR_ALL);
    }
    for_each_row(page, SCOPE_POOL, table, add_pool);
    table_hide_if_all(table, "memory_wasted_gib", 0);
    page_print_table(page, table);
}

static double total_hours(const struct category_hours *hours, size_t count) {
    double total = 0;
    for (size_t i = 0; i < count; i++) {
        total += hours[i].hours;
    }
    return total;
}

static void print_gpu_time_line(const struct page *page) {
    size_t count = 0;
    const struct category_hours *hours = result_gpu_hours(page->set, &page->cases[0], &count);
    double total = total_hours(hours, count);
    fputc('\n', page->out);
    char line[1024] = "";
    size_t used = 0;
    for (size_t i = 0; i < count && used < sizeof(line); i++) {
        if (hours[i].hours > 0) {
            used +=
                (size_t)snprintf(line + used, sizeof(line) - used, "%s%s %s", used > 0 ? ", " : "",
                                 hours[i].category, number_share(hours[i].hours / total).text);
        }
    }
    page_print_line(page, "GPU time", "%s of %s GPU-hours", line, number_plain(total).text);
}

/* Whether some case spent time in a category; cases of one build have the same categories. */
static bool category_is_used(const struct page *page, size_t category) {
    bool used = false;
    for (size_t i = 0; i < page->count && !used; i++) {
        size_t count = 0;
        const struct category_hours *hours = result_gpu_hours(page->set, &page->cases[i], &count);
        used = category < count && hours[category].hours > 0;
    }
    return used;
}

static void print_gpu_time_table(const struct page *page) {
    size_t count = 0;
    const struct category_hours *hours = result_gpu_hours(page->set, &page->cases[0], &count);
    struct table *table = page_table(page);
    table_add_column(table, "GPU-hours", "gpu_hours", TABLE_RIGHT, TABLE_FOR_ALL);
    for (size_t c = 0; c < count; c++) {
        table_add_column(table, hours[c].category, hours[c].category, TABLE_RIGHT,
                         category_is_used(page, c) ? TABLE_FOR_ALL : TABLE_FOR_MACHINES);
    }
    for (size_t i = 0; i < page->count; i++) {
        size_t own = 0;
        const struct category_hours *of = result_gpu_hours(page->set, &page->cases[i], &own);
        double total = total_hours(of, own);
        table_add_row(table);
        page_add_labels(table, page, &page->cases[i]);
        table_add_number(table, total, number_plain(total).text);
        for (size_t c = 0; c < count && c < own; c++) {
            double share = of[c].hours / total;
            table_add_number(table, share, number_share(share).text);
        }
    }
    page_print_table(page, table);
}

void page_print_gpu_time(const struct page *page) {
    size_t count = 0;
    result_gpu_hours(page->set, &page->cases[0], &count);
    size_t used = 0;
    for (size_t c = 0; c < count; c++) {
        used += category_is_used(page, c) ? 1 : 0;
    }
    if (page->count == 1 && count > 0) {
        print_gpu_time_line(page);
    } else if (used > 2) {
        /* Useful and idle alone are what the cases' own table says. */
        print_gpu_time_table(page);
    }
}

void page_print_turnaround(const struct page *page) {
    const struct result_case *of = &page->cases[0];
    if (!result_has_figure(page->set, of, SCOPE_RUN, "", "jct_s.mean")) {
        return;
    }
    struct figure mean = figure(page, of, SCOPE_RUN, "", "jct_s.mean");
    double p95 = figure(page, of, SCOPE_RUN, "", "jct_s.p95").mean;
    double slowdown = figure(page, of, SCOPE_RUN, "", "slowdown.mean").mean;
    double slowdown_p95 = figure(page, of, SCOPE_RUN, "", "slowdown.p95").mean;
    const char *mark = unstable_mark(page->set, of, SCOPE_RUN, "", "jct_s.mean");
    page_print_line(page, "turnaround", "mean %s%s, p95 %s%s; slowdown mean %s%s, p95 %s%s",
                    number_mean(NUMBER_DURATION, mean.mean, mean.half_width, NULL).text, mark,
                    number_duration(p95).text, mark, number_plain(slowdown).text, mark,
                    number_plain(slowdown_p95).text, mark);
}

/* "; $500.00 a month for each of 9 services, $0.13 per 1,000 requests" */
static void describe_service_cost(const struct page *page, char *text, size_t size) {
    const struct result_case *of = &page->cases[0];
    double month = figure(page, of, SCOPE_RUN, "", "usd_per_model_month").mean;
    double requests = figure(page, of, SCOPE_RUN, "", "usd_per_1k_requests").mean;
    double count = figure(page, of, SCOPE_RUN, "", "services").mean;
    char shown_count[96] = "";
    text[0] = '\0';
    if (count > 1) {
        snprintf(shown_count, sizeof(shown_count), "%s ", number_count(count).text);
    }
    if (!isnan(month)) {
        snprintf(text, size, "; %s a month for %s%sservice%s, %s per 1,000 requests",
                 number_money(month, of->currency).text, count > 1 ? "each of " : "the ",
                 shown_count, count > 1 ? "s" : "", number_money(requests, of->currency).text);
    }
}

void page_print_cost(const struct page *page) {
    const struct result_case *of = &page->cases[0];
    struct figure total = figure(page, of, SCOPE_RUN, "", "usd_total");
    struct figure month = figure(page, of, SCOPE_RUN, "", "usd_per_month");
    struct figure idle = result_cost(page->set, of, SCOPE_RUN, "", COST_IDLE_SHARE);
    if (isnan(total.mean)) {
        page_print_line(page, "cost", "unknown, for want of a price");
        return;
    }
    char services[300];
    char electricity[128] = "";
    double energy = result_cost(page->set, of, SCOPE_RUN, "", COST_ENERGY).mean;
    describe_service_cost(page, services, sizeof(services));
    if (energy > 0) {
        snprintf(electricity, sizeof(electricity), " and %s for electricity",
                 number_share(energy / total.mean).text);
    }
    page_print_line(page, "cost", "%s (%s a month), %s of it for idle GPUs%s%s",
                    number_mean(NUMBER_MONEY, total.mean, total.half_width, of->currency).text,
                    number_mean(NUMBER_MONEY, month.mean, month.half_width, of->currency).text,
                    number_share(idle.mean / total.mean).text, electricity, services);
}
