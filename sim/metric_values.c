#include "sim/metric_values.h"

double value_useful_hours(const struct measured *measured, const struct metric_row *row) {
    (void)row;
    return measured->use.category[GPU_USEFUL] / 3.6e12;
}

double value_usd_total(const struct measured *measured, const struct metric_row *row) {
    (void)row;
    return measured->cost->usd + measured->cost->usd_idle_share + measured->cost->usd_energy;
}

double value_usd_energy(const struct measured *measured, const struct metric_row *row) {
    (void)row;
    return measured->cost->usd_energy;
}

double value_usd_per_1k_requests(const struct measured *measured, const struct metric_row *row) {
    (void)row;
    return metric_ratio(1000 * measured->serving.usd, (double)measured->requests->completed);
}

static double per_month(const struct measured *measured, double usd) {
    return usd / (measured->measured_ns / 3.6e12) * HOURS_PER_MONTH;
}

double value_monthly_part(const struct measured *measured, const struct metric_row *row) {
    return per_month(measured, *(const double *)((const char *)measured->cost + row->field));
}

double value_monthly_usage(const struct measured *measured, const struct metric_row *row) {
    (void)row;
    return per_month(measured, measured->cost->usd - measured->cost->usd_reserved);
}

double value_usd_per_useful_gpu_hour(const struct measured *measured,
                                     const struct metric_row *row) {
    return metric_ratio(value_usd_total(measured, row), value_useful_hours(measured, row));
}

double value_tokens(const struct measured *measured, const struct metric_row *row) {
    return (double)measured->requests->tokens[row->field];
}

double value_usd_per_million_tokens(const struct measured *measured, const struct metric_row *row) {
    (void)row;
    return metric_ratio(1e6 * measured->serving.usd_of_tokens,
                        (double)service_figures_tokens(measured->requests));
}

double value_usd_per_million_output_tokens(const struct measured *measured,
                                           const struct metric_row *row) {
    (void)row;
    return metric_ratio(1e6 * measured->serving.usd_of_tokens,
                        (double)measured->requests->tokens[TOKENS_MADE]);
}

double value_usd_per_model_month(const struct measured *measured, const struct metric_row *row) {
    (void)row;
    return metric_ratio(measured->serving.usd_per_month, (double)measured->serving.services);
}

double value_usd_per_month(const struct measured *measured, const struct metric_row *row) {
    (void)row;
    return measured->cost->usd_per_month;
}
