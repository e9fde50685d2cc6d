#include "sim/metrics.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

#include "sim/kernel/batch_means.h"
#include "sim/metric_values.h"

enum {
    RUN = 1u << SCOPE_RUN,
    POOL = 1u << SCOPE_POOL,
    WORKLOAD = 1u << SCOPE_WORKLOAD,
    MODEL = 1u << SCOPE_MODEL,
    QUEUE = 1u << SCOPE_QUEUE,
    USER = 1u << SCOPE_USER,
    WORK = RUN | WORKLOAD | MODEL | QUEUE | USER,
    SERVED = RUN | WORKLOAD | MODEL,
    PAYERS = WORK | POOL,
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

/* Starts that were not at once. */
static double waited(const struct measured *measured, const struct metric_row *row) {
    const struct histogram *waits = measured->jobs != NULL       ? &measured->jobs->wait
                                    : measured->requests != NULL ? &measured->requests->queue
                                                                 : NULL;
    (void)row;
    if (waits == NULL || waits->count == 0) {
        return NAN;
    }
    const struct histogram_bucket *at_once = waits->octaves[0]; /* whose first value is 0 */
    return 1 - (at_once != NULL ? (double)at_once->count / (double)waits->count : 0);
}

static double throughput(const struct measured *measured, const struct metric_row *row) {
    (void)row;
    return metric_ratio((double)measured->counts.completed, measured->measured_ns / 1e9);
}

/* GPU time that there was. */
static double gpu_ns_there(const struct measured *measured) {
    return (double)measured->gpus * measured->measured_ns - measured->use.absent;
}

static double share_of_gpus(const struct measured *measured, double gpu_ns) {
    return gpu_ns / gpu_ns_there(measured);
}

static double availability(const struct measured *measured, const struct metric_row *row) {
    (void)row;
    return 1 - share_of_gpus(measured, measured->use.category[GPU_DOWN]);
}

static double gpus_present(const struct measured *measured, const struct metric_row *row) {
    (void)row;
    return gpu_ns_there(measured) / measured->measured_ns;
}

static double allocated(const struct measured *measured, const struct metric_row *row) {
    (void)row;
    return share_of_gpus(measured, measured->use.held);
}

static double busy(const struct measured *measured, const struct metric_row *row) {
    (void)row;
    const double *category = measured->use.category;
    return share_of_gpus(measured, category[GPU_USEFUL] + category[GPU_REDONE]);
}

static double useful(const struct measured *measured, const struct metric_row *row) {
    (void)row;
    return share_of_gpus(measured, measured->use.category[GPU_USEFUL]);
}

/* Of jobs that can be interrupted. */
static double jobs_count(const struct measured *measured, const struct metric_row *row) {
    return (double)*(const int64_t *)((const char *)measured->jobs + row->field);
}

static double jobs_hours(const struct measured *measured, const struct metric_row *row) {
    return *(const double *)((const char *)measured->jobs + row->field) / 3.6e12;
}

static double kept_share(const struct measured *measured, const struct metric_row *row) {
    const struct job_figures *jobs = measured->jobs;
    (void)row;
    return jobs->computed > 0
               ? metric_ratio((jobs->computed - jobs->redone) / 3.6e12, measured->gpu_hours)
               : NAN;
}

static double lost(const struct measured *measured, const struct metric_row *row) {
    (void)row;
    const struct job_figures *jobs = measured->jobs;
    if (measured->gpus == 0) { /* a workload */
        return jobs == NULL ? 0 : (jobs->redone + jobs->checkpoint + jobs->restore) / 3.6e12;
    }
    const double *category = measured->use.category;
    return (category[GPU_REDONE] + category[GPU_CHECKPOINT] + category[GPU_RESTORE]) / 3.6e12;
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
    return metric_ratio(measured->use.crash_time, measured->use.tenant_time);
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

#define ROW(NAME, SUMMARY, UNIT, SCOPES, OF, FUNCTION, FIELD, SCALE, Q)                            \
    { {.name = NAME, .summary = SUMMARY}, UNIT, SCOPES, OF, FUNCTION, FIELD, SCALE, Q }
#define COUNT(NAME, SUMMARY, SCOPES, OF, MEMBER)                                                   \
    ROW(NAME, SUMMARY, "count", SCOPES, OF, count_of, offsetof(struct measured, MEMBER), 1, 0)
#define ITEMS(NAME, SUMMARY) COUNT(#NAME, SUMMARY, WORK, OF_ANY, counts.NAME)
#define NUMBER(NAME, SUMMARY, UNIT, SCOPES, OF, MEMBER)                                            \
    ROW(NAME, SUMMARY, UNIT, SCOPES, OF, number_of, offsetof(struct measured, MEMBER), 1, 0)
#define PLAIN(NAME, SUMMARY, UNIT, SCOPES, OF, FUNCTION)                                           \
    ROW(NAME, SUMMARY, UNIT, SCOPES, OF, FUNCTION, 0, 1, 0)
#define PART(NAME, SUMMARY, PART)                                                                  \
    ROW("latency_s.part." NAME, "of the slowest requests (from the 99th percentile on): " SUMMARY, \
        "s", SERVED, OF_REQUESTS, latency_part, PART, 1, 0)
#define DISTRIBUTION(NAME, WHAT, UNIT, SCOPES, OF, FUNCTION, FIELD, SCALE)                         \
    ROW(NAME ".mean", WHAT ", mean", UNIT, SCOPES, OF, FUNCTION, FIELD, SCALE, -1),                \
        ROW(NAME ".p50", WHAT ", median", UNIT, SCOPES, OF, FUNCTION, FIELD, SCALE, 0.5),          \
        ROW(NAME ".p90", WHAT ", 90th percentile", UNIT, SCOPES, OF, FUNCTION, FIELD, SCALE, 0.9), \
        ROW(NAME ".p95", WHAT ", 95th percentile", UNIT, SCOPES, OF, FUNCTION, FIELD, SCALE,       \
            0.95),                                                                                 \
        ROW(NAME ".p99", WHAT ", 99th percentile", UNIT, SCOPES, OF, FUNCTION, FIELD, SCALE,       \
            0.99),                                                                                 \
        ROW(NAME ".max", WHAT ", longest", UNIT, SCOPES, OF, FUNCTION, FIELD, SCALE, 1)
#define JOBS(NAME, WHAT, UNIT, SCOPES, MEMBER, SCALE)                                              \
    DISTRIBUTION(NAME, WHAT, UNIT, SCOPES, OF_JOBS, of_jobs, offsetof(struct job_figures, MEMBER), \
                 SCALE)
#define FAULTS(NAME, SUMMARY, KIND)                                                                \
    COUNT("faults." NAME, SUMMARY, RUN | POOL, OF_OUTAGES, outages.faults[KIND])
#define JOBS_NUMBER(NAME, SUMMARY, UNIT, FUNCTION, MEMBER)                                         \
    ROW(NAME, SUMMARY, UNIT, SERVED, OF_JOBS, FUNCTION, offsetof(struct job_figures, MEMBER), 1, 0)
#define COUNT_TOKENS(NAME, SUMMARY, KIND)                                                          \
    ROW(NAME, SUMMARY, "count", SERVED, OF_TOKENS, value_tokens, KIND, 1, 0)
#define MONTHLY(NAME, SUMMARY, SCOPES, MEMBER)                                                     \
    ROW("usd_per_month." NAME, "of that: " SUMMARY, "usd_per_month", SCOPES, OF_ANY,               \
        value_monthly_part, offsetof(struct cost, MEMBER), 1, 0)
#define REQUESTS(NAME, WHAT, MEMBER)                                                               \
    DISTRIBUTION(NAME, WHAT, "s", SERVED, OF_REQUESTS, of_requests,                                \
                 offsetof(struct service_figures, MEMBER), 1e-9)

const struct metric_row metric_rows[] = {
    ITEMS(submitted, "jobs and requests submitted in the measured time"),
    ITEMS(completed, "of those: ended"),
    ITEMS(timed_out, "of those: withdrawn after their longest wait"),
    ITEMS(rejected, "of those: turned away, as nothing could ever hold them or the queue was full"),
    ITEMS(failed, "of those: lost while they ran"),
    ITEMS(running, "of those: still running when the run ended"),
    ITEMS(queued, "of those: still waiting when the run ended"),
    PLAIN("unfinished", "of those: running or waiting when the run ended", "count", WORK, OF_ANY,
          unfinished),
    COUNT("killed_at_estimate", "jobs ended at their estimate, which are among those that failed",
          SERVED, OF_JOBS, counts.killed_at_estimate),
    COUNT("oom_kills", "jobs and replicas killed because GPU memory ran out", SERVED, OF_ANY,
          counts.oom_kills),
    JOBS("wait_s", "time from submission to start, of started jobs", "s", WORK, wait, 1e-9),
    JOBS("jct_s", "time from submission to end, of completed jobs", "s", SERVED | QUEUE, jct, 1e-9),
    JOBS("slowdown", "jct / max(run, 10 s), of completed jobs", "ratio", SERVED | QUEUE, slowdown,
         1 / SLOWDOWN_UNIT),
    PLAIN("waited", "share of started jobs that waited; of requests where there are no jobs",
          "share", SERVED, OF_ANY, waited),
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
          "share", SERVED, OF_REQUESTS, slo_attainment),
    NUMBER("slo_s", "the slo", "s", WORKLOAD, OF_REQUESTS, serving.slo_s),
    COUNT_TOKENS("prompt_tokens", "tokens of the prompts of completed requests", TOKENS_OF_PROMPT),
    COUNT_TOKENS("output_tokens", "tokens that completed requests made", TOKENS_MADE),
    COUNT("services", "services", RUN | MODEL, OF_REQUESTS, serving.services),
    COUNT("slo_services", "services that have an slo and had requests", RUN | MODEL, OF_REQUESTS,
          serving.with_slo),
    PLAIN("slo_missed", "those of which less than 99 % of the requests kept it", "count", SERVED,
          OF_REQUESTS, slo_missed),
    COUNT("replicas", "replicas asked for", SERVED, OF_REQUESTS, serving.replicas),
    COUNT("replicas_waiting", "of those: hold no slot when the run ends", SERVED, OF_REQUESTS,
          serving.without_slot),
    PLAIN("unstable", "1: the queue grows without limit, so waits and latencies have none either",
          "flag", RUN | WORKLOAD, OF_ANY, unstable),
    PLAIN("backlog_growth_per_h", "growth of the number of waiting jobs or requests, per hour",
          "per_h", RUN | WORKLOAD, OF_ANY, backlog_growth),
    PLAIN("throughput_per_s", "jobs and requests completed per second", "per_s", WORK, OF_ANY,
          throughput),
    NUMBER("makespan_s", "from the first submission to the last end", "s", RUN, OF_ANY, makespan_s),
    NUMBER("warmup_s", "when measuring starts", "s", RUN, OF_ANY, warmup_s),
    COUNT("gpus", "GPUs there are", RUN | POOL, OF_ANY, gpus),
    NUMBER("gpu_hours", "GPU-hours allocated", "gpu_hours", PAYERS, OF_ANY, gpu_hours),
    PLAIN("utilization.allocated", "share of GPU time allocated", "share", RUN | POOL, OF_ANY,
          allocated),
    PLAIN("utilization.busy", "share of GPU time spent computing", "share", RUN | POOL, OF_ANY,
          busy),
    PLAIN("utilization.goodput", "share of GPU time spent on work that was kept", "share",
          RUN | POOL, OF_ANY, useful),
    PLAIN("utilization.sm", "share of GPU time spent computing, weighted by the SMs in use",
          "share", RUN | POOL, OF_ANY, sms),
    PLAIN("useful_gpu_hours", "GPU-hours computing what was kept", "gpu_hours", RUN | POOL, OF_ANY,
          value_useful_hours),
    PLAIN("lost_gpu_hours", "GPU-hours redone, saving or restoring", "gpu_hours", SERVED | POOL,
          OF_ANY, lost),
    PLAIN("availability", "share of GPU time in which GPUs were not down", "share", RUN | POOL,
          OF_OUTAGES, availability),
    PLAIN("gpus_present", "GPUs that were there, on average", "count", RUN | POOL, OF_OUTAGES,
          gpus_present),
    FAULTS("gpu", "faults of GPUs", FAULT_GPU),
    FAULTS("instance", "faults of MIG instances", FAULT_INSTANCE),
    FAULTS("mps", "faults of MPS servers", FAULT_MPS),
    FAULTS("node", "faults of nodes", FAULT_NODE),
    COUNT("reclaims", "how often a spot node was reclaimed", RUN | POOL, OF_OUTAGES,
          outages.reclaims),
    COUNT("nodes_ordered", "nodes that an autoscaler ordered", RUN | POOL, OF_AUTOSCALER,
          outages.orders),
    JOBS_NUMBER("preemptions", "how often jobs made way for more urgent ones", "count", jobs_count,
                preemptions),
    JOBS_NUMBER("interruptions", "how often faults sent jobs back to the queue", "count",
                jobs_count, interruptions),
    JOBS_NUMBER("redone_gpu_hours", "GPU-hours of work that was lost later", "gpu_hours",
                jobs_hours, redone),
    JOBS_NUMBER("checkpoint_gpu_hours", "GPU-hours spent saving", "gpu_hours", jobs_hours,
                checkpoint),
    JOBS_NUMBER("restore_gpu_hours", "GPU-hours spent restoring", "gpu_hours", jobs_hours, restore),
    PLAIN("goodput", "share of the GPU time of jobs that can be interrupted that was work kept",
          "share", WORKLOAD, OF_JOBS, kept_share),
    PLAIN("utilization.memory", "share of GPU memory in use, over time", "share", RUN | POOL,
          OF_ANY, memory),
    PLAIN("memory_wasted_gib", "GPU memory that tenants keep from others beside what they need",
          "gib", RUN | POOL, OF_ANY, memory_wasted),
    PLAIN("crash_takes",
          "tenants that a fatal fault of one takes down, itself included, on average", "count",
          RUN | POOL, OF_ANY, crash_takes),
    NUMBER("energy_kwh", "idle power all the time, and up to the limit by the SMs in use", "kwh",
           RUN | POOL, OF_ANY, energy_kwh),
    PLAIN("usd_total", "money for the measured time, idle time and electricity included", "usd",
          PAYERS, OF_ANY, value_usd_total),
    PLAIN("usd_energy", "what of it is for electricity", "usd", PAYERS, OF_ANY, value_usd_energy),
    PLAIN("usd_per_month", "the same at 730 hours a month", "usd_per_month", PAYERS, OF_ANY,
          value_usd_per_month),
    PLAIN("usd_per_month.usage", "of that: for GPUs held and used", "usd_per_month", RUN | POOL,
          OF_ANY, value_monthly_usage),
    MONTHLY("reservation", "for GPUs held and not used", RUN | POOL, usd_reserved),
    MONTHLY("idle_share", "for GPUs that nobody held", PAYERS, usd_idle_share),
    MONTHLY("energy", "for electricity", PAYERS, usd_energy),
    PLAIN("usd_per_useful_gpu_hour", "all of it for each useful GPU-hour", "usd", RUN | POOL,
          OF_ANY, value_usd_per_useful_gpu_hour),
    PLAIN("usd_per_model_month", "what the services cost a month, over their number",
          "usd_per_month", RUN | MODEL, OF_REQUESTS, value_usd_per_model_month),
    PLAIN("usd_per_1k_requests", "what services cost for 1000 requests completed", "usd", SERVED,
          OF_REQUESTS, value_usd_per_1k_requests),
    PLAIN("usd_per_million_tokens", "what services cost for a million tokens of completed requests",
          "usd", SERVED, OF_TOKENS, value_usd_per_million_tokens),
    PLAIN("usd_per_million_output_tokens", "the same for a million tokens that were made", "usd",
          SERVED, OF_TOKENS, value_usd_per_million_output_tokens),
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
               (row->of == OF_REQUESTS && measured->requests != NULL) ||
               (row->of == OF_TOKENS && measured->requests != NULL &&
                service_figures_tokens(measured->requests) > 0) ||
               (row->of == OF_OUTAGES && measured->outages.any) ||
               (row->of == OF_AUTOSCALER && measured->outages.scaled);
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
