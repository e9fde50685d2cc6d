#include "sim/metrics.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

#include "sim/kernel/batch_means.h"

enum {
    RUN = 1u << SCOPE_RUN,
    POOL = 1u << SCOPE_POOL,
    WORKLOAD = 1u << SCOPE_WORKLOAD,
};

static double count_of(const struct measured *measured, const struct metric_row *row) {
    return (double)*(const int64_t *)((const char *)measured->jobs + row->histogram);
}

static double unfinished(const struct measured *measured, const struct metric_row *row) {
    (void)row;
    return (double)(measured->jobs->running + measured->jobs->queued);
}

static double from_histogram(const struct measured *measured, const struct metric_row *row) {
    const struct histogram *histogram =
        (const struct histogram *)((const char *)measured->jobs + row->histogram);
    if (histogram->count == 0) {
        return NAN;
    }
    double value = row->quantile < 0 ? histogram_mean(histogram)
                                     : histogram_quantile(histogram, row->quantile);
    return value * row->scale;
}

static double throughput(const struct measured *measured, const struct metric_row *row) {
    (void)row;
    return measured->measured_ns > 0
               ? (double)measured->jobs->completed / (measured->measured_ns / 1e9)
               : NAN;
}

static double allocated(const struct measured *measured, const struct metric_row *row) {
    (void)row;
    double idle = (double)measured->use.category[GPU_IDLE];
    return 1 - idle / ((double)measured->gpus * measured->measured_ns);
}

static double useful(const struct measured *measured, const struct metric_row *row) {
    (void)row;
    double busy = (double)measured->use.category[GPU_USEFUL];
    return busy / ((double)measured->gpus * measured->measured_ns);
}

static double memory(const struct measured *measured, const struct metric_row *row) {
    (void)row;
    return (double)measured->use.memory / measured->memory_byte_ns;
}

static double gpus(const struct measured *measured, const struct metric_row *row) {
    (void)row;
    return (double)measured->gpus;
}

static double gpu_hours(const struct measured *measured, const struct metric_row *row) {
    (void)row;
    return measured->gpu_hours;
}

static double makespan(const struct measured *measured, const struct metric_row *row) {
    (void)row;
    return measured->makespan_s;
}

/* A mean without a limit has no interval either. */
static double wait_half_width(const struct measured *measured, const struct metric_row *row) {
    (void)row;
    double half_width = NAN;
    if (!measured->stability->unstable) {
        batch_means_interval(measured->waits, 0.95, &half_width);
    }
    return half_width * 1e-9;
}

static double warmup(const struct measured *measured, const struct metric_row *row) {
    (void)row;
    return measured->warmup_s;
}

static double unstable(const struct measured *measured, const struct metric_row *row) {
    (void)row;
    return measured->stability->unstable ? 1 : 0;
}

static double backlog_growth(const struct measured *measured, const struct metric_row *row) {
    (void)row;
    return measured->stability->growth_per_h;
}

static double usd_total(const struct measured *measured, const struct metric_row *row) {
    (void)row;
    return measured->cost->usd + measured->cost->usd_idle_share;
}

static double usd_per_month(const struct measured *measured, const struct metric_row *row) {
    (void)row;
    return measured->cost->usd_per_month;
}

#define JOB_COUNT(NAME, SUMMARY)                                                                   \
    {                                                                                              \
        {.name = #NAME, .summary = SUMMARY}, "count", RUN | WORKLOAD, count_of,                    \
            offsetof(struct job_figures, NAME), 1, 0                                               \
    }
#define PLAIN(NAME, SUMMARY, UNIT, SCOPES, FUNCTION)                                               \
    { {.name = NAME, .summary = SUMMARY}, UNIT, SCOPES, FUNCTION, 0, 1, 0 }
#define QUANTILE(NAME, SUMMARY, UNIT, FIELD, SCALE, Q)                                             \
    {                                                                                              \
        {.name = NAME, .summary = SUMMARY}, UNIT, RUN | WORKLOAD, from_histogram,                  \
            offsetof(struct job_figures, FIELD), SCALE, Q                                          \
    }
#define DISTRIBUTION(NAME, WHAT, UNIT, FIELD, SCALE)                                               \
    QUANTILE(NAME ".mean", WHAT ", mean", UNIT, FIELD, SCALE, -1),                                 \
        QUANTILE(NAME ".p50", WHAT ", median", UNIT, FIELD, SCALE, 0.5),                           \
        QUANTILE(NAME ".p90", WHAT ", 90th percentile", UNIT, FIELD, SCALE, 0.9),                  \
        QUANTILE(NAME ".p95", WHAT ", 95th percentile", UNIT, FIELD, SCALE, 0.95),                 \
        QUANTILE(NAME ".p99", WHAT ", 99th percentile", UNIT, FIELD, SCALE, 0.99),                 \
        QUANTILE(NAME ".max", WHAT ", longest", UNIT, FIELD, SCALE, 1)

const struct metric_row metric_rows[] = {
    JOB_COUNT(submitted, "jobs submitted in the measured time"),
    JOB_COUNT(completed, "of those: ended"),
    JOB_COUNT(timed_out, "of those: withdrawn after their longest wait"),
    JOB_COUNT(rejected,
              "of those: turned away, as no pool could ever hold them or the queue was full"),
    JOB_COUNT(running, "of those: still running when the run ended"),
    JOB_COUNT(queued, "of those: still waiting when the run ended"),
    PLAIN("unfinished", "of those: running or waiting when the run ended", "count", RUN | WORKLOAD,
          unfinished),
    DISTRIBUTION("wait_s", "time from submission to start, of started jobs", "s", wait, 1e-9),
    DISTRIBUTION("jct_s", "time from submission to end, of completed jobs", "s", jct, 1e-9),
    DISTRIBUTION("slowdown", "jct / max(run, 10 s), of completed jobs", "ratio", slowdown,
                 1 / SLOWDOWN_UNIT),
    PLAIN("wait_s.mean_half_width", "half of the 95 % interval of wait_s.mean within one run", "s",
          RUN | WORKLOAD, wait_half_width),
    PLAIN("unstable", "1: the queue grows without limit, so waits have none either", "flag",
          RUN | WORKLOAD, unstable),
    PLAIN("backlog_growth_per_h", "growth of the number of waiting jobs, per hour", "per_h",
          RUN | WORKLOAD, backlog_growth),
    PLAIN("throughput_per_s", "jobs completed per second", "per_s", RUN | WORKLOAD, throughput),
    PLAIN("makespan_s", "from the first submission to the last end", "s", RUN, makespan),
    PLAIN("warmup_s", "when measuring starts", "s", RUN, warmup),
    PLAIN("gpus", "GPUs there are", "count", RUN | POOL, gpus),
    PLAIN("gpu_hours", "GPU-hours allocated", "gpu_hours", RUN | POOL | WORKLOAD, gpu_hours),
    PLAIN("utilization.allocated", "share of GPU time allocated", "share", RUN | POOL, allocated),
    PLAIN("utilization.busy", "share of GPU time spent computing", "share", RUN | POOL, useful),
    PLAIN("utilization.goodput", "share of GPU time spent on work that was kept", "share",
          RUN | POOL, useful),
    PLAIN("utilization.memory", "share of GPU memory in use, over time", "share", RUN | POOL,
          memory),
    PLAIN("usd_total", "money for the measured time, idle time included", "usd",
          RUN | POOL | WORKLOAD, usd_total),
    PLAIN("usd_per_month", "the same at 730 hours a month", "usd_per_month", RUN | POOL | WORKLOAD,
          usd_per_month),
};
const size_t metric_row_count = sizeof metric_rows / sizeof metric_rows[0];

const struct metric_row *metric_find(const char *name) {
    for (size_t i = 0; i < metric_row_count; i++) {
        if (strcmp(metric_rows[i].choice.name, name) == 0) {
            return &metric_rows[i];
        }
    }
    return NULL;
}

void metrics_append(struct results *results, enum scope scope, const char *subject,
                    const struct measured *measured) {
    for (size_t i = 0; i < metric_row_count; i++) {
        const struct metric_row *row = &metric_rows[i];
        if ((row->scopes & (1u << scope)) != 0) {
            results->metrics[results->metric_count++] =
                (struct metric){.scope = scope,
                                .subject = subject,
                                .name = row->choice.name,
                                .value = row->value(measured, row),
                                .unit = row->unit};
        }
    }
}
