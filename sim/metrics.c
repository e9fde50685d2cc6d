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
    return (double)*(const int64_t *)((const char *)measured + row->field);
}

static double number_of(const struct measured *measured, const struct metric_row *row) {
    return *(const double *)((const char *)measured + row->field);
}

static double unfinished(const struct measured *measured, const struct metric_row *row) {
    (void)row;
    return (double)(measured->counts.running + measured->counts.queued);
}

static double from_histogram(const struct histogram *histogram, const struct metric_row *row) {
    if (histogram->count == 0) {
        return NAN;
    }
    double value = row->quantile < 0 ? histogram_mean(histogram)
                                     : histogram_quantile(histogram, row->quantile);
    return value * row->scale;
}

static double of_jobs(const struct measured *measured, const struct metric_row *row) {
    return from_histogram((const struct histogram *)((const char *)measured->jobs + row->field),
                          row);
}

static double of_requests(const struct measured *measured, const struct metric_row *row) {
    return from_histogram((const struct histogram *)((const char *)measured->requests + row->field),
                          row);
}

static double latency_part(const struct measured *measured, const struct metric_row *row) {
    return measured->serving.latency_parts[row->field] * 1e-9;
}

static double slo_attainment(const struct measured *measured, const struct metric_row *row) {
    (void)row;
    return service_figures_slo_attainment(measured->requests);
}

static double slo_missed(const struct measured *measured, const struct metric_row *row) {
    (void)row;
    return measured->serving.with_slo > 0 ? (double)measured->serving.slo_missed : NAN;
}

/* x / 0 has no value. */
static double ratio(double dividend, double divisor) {
    return divisor > 0 ? dividend / divisor : NAN;
}

static double throughput(const struct measured *measured, const struct metric_row *row) {
    (void)row;
    return ratio((double)measured->counts.completed, measured->measured_ns / 1e9);
}

static double share_of_gpus(const struct measured *measured, double gpu_ns) {
    return gpu_ns / ((double)measured->gpus * measured->measured_ns);
}

static double allocated(const struct measured *measured, const struct metric_row *row) {
    (void)row;
    return share_of_gpus(measured, measured->use.held);
}

static double useful(const struct measured *measured, const struct metric_row *row) {
    (void)row;
    return share_of_gpus(measured, measured->use.category[GPU_USEFUL]);
}

static double sms(const struct measured *measured, const struct metric_row *row) {
    (void)row;
    return share_of_gpus(measured, measured->use.sm_time);
}

static double memory(const struct measured *measured, const struct metric_row *row) {
    (void)row;
    return measured->use.memory / measured->memory_byte_ns;
}

static double memory_wasted(const struct measured *measured, const struct metric_row *row) {
    (void)row;
    return measured->use.memory_wasted / measured->measured_ns / (1024.0 * 1024.0 * 1024.0);
}

static double crash_takes(const struct measured *measured, const struct metric_row *row) {
    (void)row;
    return ratio(measured->use.crash_time, measured->use.tenant_time);
}

/* A mean without a limit has no interval either. */
static double wait_half_width(const struct measured *measured, const struct metric_row *row) {
    (void)row;
    double half_width = NAN;
    if (measured->waits != NULL && !measured->stability->unstable) {
        batch_means_interval(measured->waits, 0.95, &half_width);
    }
    return half_width * 1e-9;
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

static double usd_per_1k_requests(const struct measured *measured, const struct metric_row *row) {
    (void)row;
    return ratio(1000 * measured->serving.usd, (double)measured->requests->completed);
}

static double usd_per_model_month(const struct measured *measured, const struct metric_row *row) {
    (void)row;
    return ratio(measured->serving.usd_per_month, (double)measured->serving.services);
}

static double usd_per_month(const struct measured *measured, const struct metric_row *row) {
    (void)row;
    return measured->cost->usd_per_month;
}

#define ROW(NAME, SUMMARY, UNIT, SCOPES, OF, FUNCTION, FIELD, SCALE, Q)                            \
    { {.name = NAME, .summary = SUMMARY}, UNIT, SCOPES, OF, FUNCTION, FIELD, SCALE, Q }
#define COUNT(NAME, SUMMARY, SCOPES, OF, MEMBER)                                                   \
    ROW(NAME, SUMMARY, "count", SCOPES, OF, count_of, offsetof(struct measured, MEMBER), 1, 0)
#define ITEMS(NAME, SUMMARY) COUNT(#NAME, SUMMARY, RUN | WORKLOAD, OF_ANY, counts.NAME)
#define NUMBER(NAME, SUMMARY, UNIT, SCOPES, OF, MEMBER)                                            \
    ROW(NAME, SUMMARY, UNIT, SCOPES, OF, number_of, offsetof(struct measured, MEMBER), 1, 0)
#define PLAIN(NAME, SUMMARY, UNIT, SCOPES, OF, FUNCTION)                                           \
    ROW(NAME, SUMMARY, UNIT, SCOPES, OF, FUNCTION, 0, 1, 0)
#define PART(NAME, SUMMARY, PART)                                                                  \
    ROW("latency_s.part." NAME, "of the slowest requests (from the 99th percentile on): " SUMMARY, \
        "s", RUN | WORKLOAD, OF_REQUESTS, latency_part, PART, 1, 0)
#define DISTRIBUTION(NAME, WHAT, UNIT, OF, FUNCTION, FIELD, SCALE)                                 \
    ROW(NAME ".mean", WHAT ", mean", UNIT, RUN | WORKLOAD, OF, FUNCTION, FIELD, SCALE, -1),        \
        ROW(NAME ".p50", WHAT ", median", UNIT, RUN | WORKLOAD, OF, FUNCTION, FIELD, SCALE, 0.5),  \
        ROW(NAME ".p90", WHAT ", 90th percentile", UNIT, RUN | WORKLOAD, OF, FUNCTION, FIELD,      \
            SCALE, 0.9),                                                                           \
        ROW(NAME ".p95", WHAT ", 95th percentile", UNIT, RUN | WORKLOAD, OF, FUNCTION, FIELD,      \
            SCALE, 0.95),                                                                          \
        ROW(NAME ".p99", WHAT ", 99th percentile", UNIT, RUN | WORKLOAD, OF, FUNCTION, FIELD,      \
            SCALE, 0.99),                                                                          \
        ROW(NAME ".max", WHAT ", longest", UNIT, RUN | WORKLOAD, OF, FUNCTION, FIELD, SCALE, 1)
#define JOBS(NAME, WHAT, UNIT, MEMBER, SCALE)                                                      \
    DISTRIBUTION(NAME, WHAT, UNIT, OF_JOBS, of_jobs, offsetof(struct job_figures, MEMBER), SCALE)
#define REQUESTS(NAME, WHAT, MEMBER)                                                               \
    DISTRIBUTION(NAME, WHAT, "s", OF_REQUESTS, of_requests,                                        \
                 offsetof(struct service_figures, MEMBER), 1e-9)

const struct metric_row metric_rows[] = {
    ITEMS(submitted, "jobs and requests submitted in the measured time"),
    ITEMS(completed, "of those: ended"),
    ITEMS(timed_out, "of those: withdrawn after their longest wait"),
    ITEMS(rejected, "of those: turned away, as nothing could ever hold them or the queue was full"),
    ITEMS(failed, "of those: lost while they ran"),
    ITEMS(running, "of those: still running when the run ended"),
    ITEMS(queued, "of those: still waiting when the run ended"),
    PLAIN("unfinished", "of those: running or waiting when the run ended", "count", RUN | WORKLOAD,
          OF_ANY, unfinished),
    ITEMS(oom_kills, "jobs and replicas killed because GPU memory ran out"),
    JOBS("wait_s", "time from submission to start, of started jobs", "s", wait, 1e-9),
    JOBS("jct_s", "time from submission to end, of completed jobs", "s", jct, 1e-9),
    JOBS("slowdown", "jct / max(run, 10 s), of completed jobs", "ratio", slowdown,
         1 / SLOWDOWN_UNIT),
    PLAIN("wait_s.mean_half_width", "half of the 95 % interval of wait_s.mean within one run", "s",
          RUN | WORKLOAD, OF_JOBS, wait_half_width),
    REQUESTS("latency_s", "time from arrival to end, of completed requests", latency),
    REQUESTS("queue_s", "time from arrival to start, of started requests", queue),
    PLAIN("queue_s.mean_half_width", "half of the 95 % interval of queue_s.mean within one run",
          "s", RUN | WORKLOAD, OF_REQUESTS, wait_half_width),
    PART("queueing", "waiting for a replica", LATENCY_QUEUEING),
    PART("loading", "waiting while no replica was up", LATENCY_LOADING),
    PART("others", "slices of other tenants", LATENCY_OTHERS),
    PART("switching", "switches between tenants", LATENCY_SWITCHING),
    PART("interference", "slower because of other tenants", LATENCY_INTERFERENCE),
    PART("batching", "slower because of others on the same replica", LATENCY_BATCHING),
    PART("service", "computing alone", LATENCY_SERVICE),
    PLAIN("slo_attainment", "share of the requests that have left, however, within their slo",
          "share", RUN | WORKLOAD, OF_REQUESTS, slo_attainment),
    NUMBER("slo_s", "the slo", "s", WORKLOAD, OF_REQUESTS, serving.slo_s),
    COUNT("services", "services", RUN, OF_REQUESTS, serving.services),
    COUNT("slo_services", "services that have an slo and had requests", RUN, OF_REQUESTS,
          serving.with_slo),
    PLAIN("slo_missed", "those of which less than 99 % of the requests kept it", "count",
          RUN | WORKLOAD, OF_REQUESTS, slo_missed),
    COUNT("replicas", "replicas asked for", RUN | WORKLOAD, OF_REQUESTS, serving.replicas),
    COUNT("replicas_waiting", "of those: hold no slot when the run ends", RUN | WORKLOAD,
          OF_REQUESTS, serving.without_slot),
    PLAIN("unstable", "1: the queue grows without limit, so waits and latencies have none either",
          "flag", RUN | WORKLOAD, OF_ANY, unstable),
    PLAIN("backlog_growth_per_h", "growth of the number of waiting jobs or requests, per hour",
          "per_h", RUN | WORKLOAD, OF_ANY, backlog_growth),
    PLAIN("throughput_per_s", "jobs and requests completed per second", "per_s", RUN | WORKLOAD,
          OF_ANY, throughput),
    NUMBER("makespan_s", "from the first submission to the last end", "s", RUN, OF_ANY, makespan_s),
    NUMBER("warmup_s", "when measuring starts", "s", RUN, OF_ANY, warmup_s),
    COUNT("gpus", "GPUs there are", RUN | POOL, OF_ANY, gpus),
    NUMBER("gpu_hours", "GPU-hours allocated", "gpu_hours", RUN | POOL | WORKLOAD, OF_ANY,
           gpu_hours),
    PLAIN("utilization.allocated", "share of GPU time allocated", "share", RUN | POOL, OF_ANY,
          allocated),
    PLAIN("utilization.busy", "share of GPU time spent computing", "share", RUN | POOL, OF_ANY,
          useful),
    PLAIN("utilization.goodput", "share of GPU time spent on work that was kept", "share",
          RUN | POOL, OF_ANY, useful),
    PLAIN("utilization.sm", "share of GPU time spent computing, weighted by the SMs in use",
          "share", RUN | POOL, OF_ANY, sms),
    PLAIN("utilization.memory", "share of GPU memory in use, over time", "share", RUN | POOL,
          OF_ANY, memory),
    PLAIN("memory_wasted_gib", "GPU memory that tenants keep from others beside what they need",
          "gib", RUN | POOL, OF_ANY, memory_wasted),
    PLAIN("crash_takes",
          "tenants that a fatal fault of one takes down, itself included, on average", "count",
          RUN | POOL, OF_ANY, crash_takes),
    NUMBER("energy_kwh", "idle power all the time, and up to the limit by the SMs in use", "kwh",
           RUN | POOL, OF_ANY, energy_kwh),
    PLAIN("usd_total", "money for the measured time, idle time included", "usd",
          RUN | POOL | WORKLOAD, OF_ANY, usd_total),
    PLAIN("usd_per_month", "the same at 730 hours a month", "usd_per_month", RUN | POOL | WORKLOAD,
          OF_ANY, usd_per_month),
    PLAIN("usd_per_model_month", "what the services cost a month, over their number",
          "usd_per_month", RUN, OF_REQUESTS, usd_per_model_month),
    PLAIN("usd_per_1k_requests", "what services cost for 1000 requests completed", "usd",
          RUN | WORKLOAD, OF_REQUESTS, usd_per_1k_requests),
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

static bool applies(const struct metric_row *row, enum scope scope,
                    const struct measured *measured) {
    bool has = row->of == OF_ANY || (row->of == OF_JOBS && measured->jobs != NULL) ||
               (row->of == OF_REQUESTS && measured->requests != NULL);
    return has && (row->scopes & (1u << scope)) != 0;
}

void metrics_append(struct results *results, enum scope scope, const char *subject,
                    const struct measured *measured) {
    for (size_t i = 0; i < metric_row_count; i++) {
        const struct metric_row *row = &metric_rows[i];
        if (applies(row, scope, measured)) {
            results->metrics[results->metric_count++] =
                (struct metric){.scope = scope,
                                .subject = subject,
                                .name = row->choice.name,
                                .value = row->value(measured, row),
                                .unit = row->unit};
        }
    }
}
