#include "reports/headline.h"

#include "reports/unstable.h"

const struct headline headlines[HEADLINE_COUNT] = {
    {"wait mean", "wait_mean_s", "wait_mean_s_half_width", "wait_s.mean", NUMBER_DURATION,
     LESS_IS_BETTER, false},
    {"wait p50", "wait_p50_s", "wait_p50_s_half_width", "wait_s.p50", NUMBER_DURATION,
     LESS_IS_BETTER, false},
    {"wait p95", "wait_p95_s", "wait_p95_s_half_width", "wait_s.p95", NUMBER_DURATION,
     LESS_IS_BETTER, false},
    {"wait p99", "wait_p99_s", "wait_p99_s_half_width", "wait_s.p99", NUMBER_DURATION,
     LESS_IS_BETTER, false},
    {"GPUs allocated", "allocated", "allocated_half_width", "utilization.allocated", NUMBER_SHARE,
     MORE_IS_BETTER, false},
    {"goodput", "goodput", "goodput_half_width", "utilization.goodput", NUMBER_SHARE,
     MORE_IS_BETTER, false},
    {"completed", "completed", "completed_half_width", "completed", NUMBER_COUNT, MORE_IS_BETTER,
     false},
    {"unfinished", "unfinished", "unfinished_half_width", "unfinished", NUMBER_COUNT,
     LESS_IS_BETTER, true},
    {"timed out", "timed_out", "timed_out_half_width", "timed_out", NUMBER_COUNT, LESS_IS_BETTER,
     true},
    {"rejected", "rejected", "rejected_half_width", "rejected", NUMBER_COUNT, LESS_IS_BETTER, true},
    {"cost per month", "usd_per_month", "usd_per_month_half_width", "usd_per_month", NUMBER_MONEY,
     LESS_IS_BETTER, false},
};

void headline_add_columns(struct table *table) {
    for (size_t i = 0; i < HEADLINE_COUNT; i++) {
        const struct headline *headline = &headlines[i];
        table_add_column(table, headline->header, headline->key, TABLE_RIGHT, TABLE_FOR_ALL);
        table_add_column(table, "", headline->key_half_width, TABLE_RIGHT, TABLE_FOR_MACHINES);
    }
}

void headline_add_figure(struct table *table, enum number_kind kind, struct figure figure,
                         const char *currency) {
    double step = number_step(figure.half_width);
    table_add_number(table, figure.mean, number_format(kind, figure.mean, step, currency).text);
    table_add_line(table, number_half_width(kind, figure.half_width, currency).text);
}

void headline_add_mean(struct table *table, enum number_kind kind, double mean,
                       const char *currency) {
    table_add_number(table, mean, number_format(kind, mean, 0, currency).text);
}

void headline_add_cells(struct table *table, struct result_set *set, const struct result_case *of) {
    for (size_t i = 0; i < HEADLINE_COUNT; i++) {
        struct figure figure = result_figure(set, of, SCOPE_RUN, "", headlines[i].metric);
        headline_add_figure(table, headlines[i].kind, figure, of->currency);
        table_mark(table, unstable_mark(set, of, SCOPE_RUN, "", headlines[i].metric));
        table_add_number(table, figure.half_width, NULL);
    }
}

void headline_trim(struct table *table) {
    table_hide_if_idle(table, "goodput", "allocated");
    for (size_t i = 0; i < HEADLINE_COUNT; i++) {
        if (headlines[i].idle_at_zero) {
            table_hide_if_idle(table, headlines[i].key, NULL);
        }
    }
}
