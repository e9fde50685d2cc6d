#include "reports/headline.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "reports/unstable.h"

#define FIGURE(HEADER, KEY, METRIC, KIND, BETTER)                                                  \
    .header = HEADER, .key = KEY, .key_half_width = KEY "_half_width", .metric = METRIC,           \
    .kind = KIND, .better = BETTER
#define WHERE_IDLE(VALUE) .idle = VALUE
#define NEVER_IDLE WHERE_IDLE(NAN)
#define RELATED(RELATION, HEADER, KEY)                                                             \
    .relation = RELATION, .related_header = HEADER, .key_related = KEY

const struct headline headlines[HEADLINE_COUNT] = {
    {FIGURE("wait mean", "wait_mean_s", "wait_s.mean", NUMBER_DURATION, LESS_IS_BETTER),
     NEVER_IDLE},
    {FIGURE("wait p50", "wait_p50_s", "wait_s.p50", NUMBER_DURATION, LESS_IS_BETTER),
     .like = "wait_s.mean", NEVER_IDLE},
    {FIGURE("wait p95", "wait_p95_s", "wait_s.p95", NUMBER_DURATION, LESS_IS_BETTER),
     .like = "wait_s.mean", NEVER_IDLE},
    {FIGURE("wait p99", "wait_p99_s", "wait_s.p99", NUMBER_DURATION, LESS_IS_BETTER),
     .like = "wait_s.mean", NEVER_IDLE},
    {FIGURE("GPUs allocated", "allocated", "utilization.allocated", NUMBER_SHARE, MORE_IS_BETTER),
     NEVER_IDLE},
    {FIGURE("GPUs busy", "busy", "utilization.busy", NUMBER_SHARE, MORE_IS_BETTER),
     .like = "utilization.allocated", NEVER_IDLE},
    {FIGURE("goodput", "goodput", "utilization.goodput", NUMBER_SHARE, MORE_IS_BETTER),
     .like = "utilization.busy", NEVER_IDLE},
    {FIGURE("latency p50", "latency_p50_s", "latency_s.p50", NUMBER_DURATION, LESS_IS_BETTER),
     NEVER_IDLE},
    {FIGURE("latency p99", "latency_p99_s", "latency_s.p99", NUMBER_DURATION, LESS_IS_BETTER),
     NEVER_IDLE, RELATED(RELATED_AS_RATIO, "p99 to baseline", "latency_p99_ratio")},
    {FIGURE("SLO kept", "slo_attainment", "slo_attainment", NUMBER_SHARE, MORE_IS_BETTER),
     NEVER_IDLE},
    {FIGURE("SLO missed", "slo_missed", "slo_missed", NUMBER_COUNT, LESS_IS_BETTER), NEVER_IDLE,
     .out_of = "slo_services"},
    {FIGURE("completed", "completed", "completed", NUMBER_COUNT, MORE_IS_BETTER), NEVER_IDLE},
    {FIGURE("completed per s", "throughput_per_s", "throughput_per_s", NUMBER_PLAIN,
            MORE_IS_BETTER),
     NEVER_IDLE, .of_services = true},
    {FIGURE("unfinished", "unfinished", "unfinished", NUMBER_COUNT, LESS_IS_BETTER), WHERE_IDLE(0)},
    {FIGURE("timed out", "timed_out", "timed_out", NUMBER_COUNT, LESS_IS_BETTER), WHERE_IDLE(0)},
    {FIGURE("rejected", "rejected", "rejected", NUMBER_COUNT, LESS_IS_BETTER), WHERE_IDLE(0)},
    {FIGURE("failed", "failed", "failed", NUMBER_COUNT, LESS_IS_BETTER), WHERE_IDLE(0)},
    {FIGURE("preemptions", "preemptions", "preemptions", NUMBER_COUNT, LESS_IS_BETTER),
     WHERE_IDLE(0), .compared = true},
    {FIGURE("GPU-hours held", "gpu_hours", "gpu_hours", NUMBER_COUNT, LESS_IS_BETTER), NEVER_IDLE,
     .compared = true},
    {FIGURE("useful GPU-hours", "useful_gpu_hours", "useful_gpu_hours", NUMBER_COUNT,
            MORE_IS_BETTER),
     .like = "gpu_hours", NEVER_IDLE, .compared = true},
    {FIGURE("lost GPU-hours", "lost_gpu_hours", "lost_gpu_hours", NUMBER_COUNT, LESS_IS_BETTER),
     WHERE_IDLE(0), .compared = true},
    {FIGURE("cost per month", "usd_per_month", "usd_per_month", NUMBER_MONEY, LESS_IS_BETTER),
     NEVER_IDLE},
    {FIGURE("for use", "usd_per_month_usage", "usd_per_month.usage", NUMBER_MONEY, LESS_IS_BETTER),
     .like = "usd_per_month", NEVER_IDLE, .compared = true},
    {FIGURE("reserved", "usd_per_month_reservation", "usd_per_month.reservation", NUMBER_MONEY,
            LESS_IS_BETTER),
     WHERE_IDLE(0), .compared = true},
    {FIGURE("idle share", "usd_per_month_idle_share", "usd_per_month.idle_share", NUMBER_MONEY,
            LESS_IS_BETTER),
     WHERE_IDLE(0), .compared = true},
    {FIGURE("electricity", "usd_per_month_energy", "usd_per_month.energy", NUMBER_MONEY,
            LESS_IS_BETTER),
     WHERE_IDLE(0), .compared = true},
    {FIGURE("per model-month", "usd_per_model_month", "usd_per_model_month", NUMBER_MONEY,
            LESS_IS_BETTER),
     NEVER_IDLE, RELATED(RELATED_AS_CHANGE, "to baseline", "usd_per_model_month_change")},
    {FIGURE("per 1k requests", "usd_per_1k_requests", "usd_per_1k_requests", NUMBER_MONEY,
            LESS_IS_BETTER),
     NEVER_IDLE},
    {FIGURE("per 1M tokens", "usd_per_million_tokens", "usd_per_million_tokens", NUMBER_MONEY,
            LESS_IS_BETTER),
     NEVER_IDLE},
    {FIGURE("per useful GPU-hour", "usd_per_useful_gpu_hour", "usd_per_useful_gpu_hour",
            NUMBER_MONEY, LESS_IS_BETTER),
     NEVER_IDLE, .compared = true},
    {FIGURE("crash takes", "crash_takes", "crash_takes", NUMBER_PLAIN, LESS_IS_BETTER),
     WHERE_IDLE(1)},
};

void headline_add_columns(struct table *table, bool related) {
    for (size_t i = 0; i < HEADLINE_COUNT; i++) {
        const struct headline *headline = &headlines[i];
        table_add_column(table, headline->header, headline->key, TABLE_RIGHT,
                         headline->compared && !related ? TABLE_FOR_MACHINES : TABLE_FOR_ALL);
        table_add_column(table, "", headline->key_half_width, TABLE_RIGHT, TABLE_FOR_MACHINES);
        if (related && headline->relation != RELATED_NOT) {
            table_add_column(table, headline->related_header, headline->key_related, TABLE_RIGHT,
                             TABLE_FOR_ALL);
        }
    }
}

void headline_add_figure(struct table *table, enum number_kind kind, struct figure figure,
                         const char *currency) {
    double step = number_mean_step(kind, figure.half_width, currency);
    table_add_number(table, figure.mean, number_format(kind, figure.mean, step, currency).text);
    table_add_line(table, number_half_width(kind, figure.half_width, currency).text);
}

void headline_add_mean(struct table *table, enum number_kind kind, double mean,
                       const char *currency) {
    table_add_number(table, mean, number_format(kind, mean, 0, currency).text);
}

double headline_related(const struct headline *headline, double value, double baseline) {
    double ratio = value / baseline;
    if (!isfinite(ratio)) {
        return NAN;
    }
    return headline->relation == RELATED_AS_RATIO ? ratio : ratio - 1;
}

/* "x2.3", "-76.7 %" */
static void add_related(struct table *table, const struct headline *headline, double value,
                        const struct headline_case *baseline) {
    double other = NAN;
    if (baseline != NULL) {
        other = result_figure(baseline->set, baseline->of, SCOPE_RUN, "", headline->metric).mean;
    }
    double related = headline_related(headline, value, other);
    char text[96] = "-";
    if (!isnan(related) && headline->relation == RELATED_AS_RATIO) {
        snprintf(text, sizeof(text), "x%s", number_plain(related).text);
    } else if (!isnan(related)) {
        snprintf(text, sizeof(text), "%s", number_difference(NUMBER_SHARE, related, 0, NULL).text);
    }
    table_add_number(table, related, text);
}

/* "3 of 17" */
static void add_out_of(struct table *table, const struct headline *headline,
                       struct headline_case row, struct figure figure) {
    struct figure all = result_figure(row.set, row.of, SCOPE_RUN, "", headline->out_of);
    char text[200] = "-";
    if (!isnan(figure.mean)) {
        snprintf(text, sizeof(text), "%s of %s", number_count(figure.mean).text,
                 number_count(all.mean).text);
    }
    table_add_number(table, figure.mean, text);
    table_add_line(table, number_half_width(headline->kind, figure.half_width, NULL).text);
}

void headline_add_cells(struct table *table, struct headline_case row, bool related,
                        const struct headline_case *baseline) {
    for (size_t i = 0; i < HEADLINE_COUNT; i++) {
        const struct headline *headline = &headlines[i];
        struct figure figure = result_figure(row.set, row.of, SCOPE_RUN, "", headline->metric);
        const char *mark = isnan(figure.mean)
                               ? ""
                               : unstable_mark(row.set, row.of, SCOPE_RUN, "", headline->metric);
        if (headline->out_of != NULL) {
            add_out_of(table, headline, row, figure);
        } else {
            headline_add_figure(table, headline->kind, figure, row.of->currency);
        }
        table_mark(table, mark);
        table_add_number(table, figure.half_width, NULL);
        if (related && headline->relation != RELATED_NOT) {
            add_related(table, headline, figure.mean, baseline);
            table_mark(table, mark);
        }
    }
}

static bool has_services(struct headline_case row) {
    return result_has_figure(row.set, row.of, SCOPE_RUN, "", "latency_s.mean");
}

bool headline_has_unfinished(struct headline_case row) {
    double unfinished = result_figure(row.set, row.of, SCOPE_RUN, "", "unfinished").mean;
    double submitted = result_figure(row.set, row.of, SCOPE_RUN, "", "submitted").mean;
    return unfinished > (has_services(row) ? UNFINISHED_FLAGGED * submitted : 0);
}

void headline_learn(struct headline_traits *traits, struct headline_case row) {
    traits->unfinished = traits->unfinished || headline_has_unfinished(row);
    traits->services = traits->services || has_services(row);
}

bool headline_tells(const struct headline *headline, struct headline_case row) {
    double value = result_figure(row.set, row.of, SCOPE_RUN, "", headline->metric).mean;
    double like = NAN;
    if (headline->like != NULL) {
        like = result_figure(row.set, row.of, SCOPE_RUN, "", headline->like).mean;
    }
    bool idle = isnan(value) || value == headline->idle || fabs(value - like) < 1e-9 ||
                (headline->of_services && !has_services(row));
    bool few = strcmp(headline->metric, "unfinished") == 0 && !headline_has_unfinished(row);
    return !idle && !few;
}

static const char *key_of(const char *metric) {
    size_t i = 0;
    while (strcmp(headlines[i].metric, metric) != 0) {
        i++;
    }
    return headlines[i].key;
}

void headline_trim(struct table *table, bool related, struct headline_traits traits) {
    for (size_t i = 0; i < HEADLINE_COUNT; i++) {
        const struct headline *headline = &headlines[i];
        if (headline->like != NULL) {
            table_hide_if_like(table, headline->key, key_of(headline->like));
        }
        table_hide_if_all(table, headline->key, headline->idle);
        if (headline->of_services && !traits.services) {
            table_hide(table, headline->key);
        }
        if (related && headline->relation != RELATED_NOT) {
            table_hide_if_all(table, headline->key_related, NAN);
        }
    }
    if (!traits.unfinished) {
        table_hide(table, "unfinished");
    }
    /* That jobs beside services never wait is said in the table of the jobs. */
    if (traits.services) {
        table_hide_if_all(table, "wait_mean_s", 0);
    }
}
