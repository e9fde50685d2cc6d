#include "reports/model_table.h"

#include <math.h>

#include "reports/costliest.h"

#define FIGURE(HEADER, KEY, METRIC, KIND, BETTER)                                                  \
    {                                                                                              \
        .header = HEADER, .key = KEY, .metric = METRIC, .kind = KIND, .better = BETTER,            \
        .idle = (double)NAN                                                                        \
    }

const struct headline model_figures[MODEL_FIGURE_COUNT] = {
    FIGURE("completed", "completed", "completed", NUMBER_COUNT, MORE_IS_BETTER),
    FIGURE("GPU-hours held", "gpu_hours", "gpu_hours", NUMBER_COUNT, LESS_IS_BETTER),
    FIGURE("wait p95", "wait_p95_s", "wait_s.p95", NUMBER_DURATION, LESS_IS_BETTER),
    FIGURE("latency p99", "latency_p99_s", "latency_s.p99", NUMBER_DURATION, LESS_IS_BETTER),
    FIGURE("SLO kept", "slo_attainment", "slo_attainment", NUMBER_SHARE, MORE_IS_BETTER),
    [MODEL_PRICE] =
        FIGURE("cost per month", "usd_per_month", "usd_per_month", NUMBER_MONEY, LESS_IS_BETTER),
    FIGURE("per 1k requests", "usd_per_1k_requests", "usd_per_1k_requests", NUMBER_MONEY,
           LESS_IS_BETTER),
    FIGURE("per 1M tokens", "usd_per_million_tokens", "usd_per_million_tokens", NUMBER_MONEY,
           LESS_IS_BETTER),
};

/* Nobody reads more. */
enum { MOST_MODELS = 20 };

const char **model_table_subjects(struct result_set *set, const struct result_case *of,
                                  size_t *shown, size_t *count) {
    return costliest_subjects(set, of, SCOPE_MODEL, MOST_MODELS, shown, count);
}

bool model_table_has_several(struct result_set *set, const struct result_case *of) {
    size_t count = 0;
    result_subjects(set, of, SCOPE_MODEL, &count);
    return count > 1;
}

void model_table_add_columns(struct table *table) {
    for (size_t i = 0; i < MODEL_FIGURE_COUNT; i++) {
        table_add_column(table, model_figures[i].header, model_figures[i].key, TABLE_RIGHT,
                         TABLE_FOR_ALL);
    }
}

void model_table_add_cells(struct table *table, struct result_set *set,
                           const struct result_case *of, const char *model, bool intervals) {
    for (size_t i = 0; i < MODEL_FIGURE_COUNT; i++) {
        const struct headline *shown = &model_figures[i];
        struct figure figure = result_figure(set, of, SCOPE_MODEL, model, shown->metric);
        if (intervals) {
            headline_add_figure(table, shown->kind, figure, of->currency);
        } else {
            headline_add_mean(table, shown->kind, figure.mean, of->currency);
        }
    }
}

void model_table_trim(struct table *table) {
    for (size_t i = 0; i < MODEL_FIGURE_COUNT; i++) {
        table_hide_if_all(table, model_figures[i].key, NAN);
    }
}
