#include "plan/moments.h"

#include <stdlib.h>
#include <string.h>

#include "sim/kernel/memory.h"
#include "sim/scheduling/job_figures.h"

/* Buckets of 1.6 %, which answer with their means: a thousandth part of the memory of the finest,
 * for figures that are compared with each other. */
enum { PRECISION = 7 };

/* Of the horizon: utilization of an hour is no mean of many values. */
enum { PARTS_OF_GPU_TIME = 24 };

/* Each is a multiple of the one before. */
#define MINUTE (60 * NANOSECONDS_PER_SECOND)
static const sim_time widths[] = {NANOSECONDS_PER_SECOND,
                                  10 * NANOSECONDS_PER_SECOND,
                                  MINUTE,
                                  5 * MINUTE,
                                  10 * MINUTE,
                                  30 * MINUTE,
                                  60 * MINUTE,
                                  180 * MINUTE,
                                  360 * MINUTE,
                                  720 * MINUTE,
                                  NANOSECONDS_PER_DAY,
                                  NANOSECONDS_PER_WEEK,
                                  52 * NANOSECONDS_PER_WEEK};
enum { WIDTHS = sizeof widths / sizeof widths[0] };

/* --- Which figures there are. --- */

enum figure { OF_WAIT, OF_JCT, OF_SLOWDOWN, OF_WAITED, OF_QUEUE, OF_LATENCY, OF_SLO, OF_GPUS };

static const struct {
    const char *name;
    enum figure figure;
    bool distribution; /* the metric has a part more: mean, p99 */
} figure_rows[] = {
    {"wait_s", OF_WAIT, true},
    {"jct_s", OF_JCT, true},
    {"slowdown", OF_SLOWDOWN, true},
    {"waited", OF_WAITED, false},
    {"queue_s", OF_QUEUE, true},
    {"latency_s", OF_LATENCY, true},
    {"slo_attainment", OF_SLO, false},
    {"utilization.allocated", OF_GPUS, false},
    {"utilization.busy", OF_GPUS, false},
    {"utilization.goodput", OF_GPUS, false},
};

static bool is_statistic(const char *text) {
    static const char *const names[] = {".mean", ".p50", ".p90", ".p95", ".p99", ".max"};
    bool is = false;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        is = is || strcmp(text, names[i]) == 0;
    }
    return is;
}

/* The figure of a metric; -1: it has no moments. */
static int figure_of(const char *metric) {
    for (size_t i = 0; i < sizeof figure_rows / sizeof figure_rows[0]; i++) {
        size_t length = strlen(figure_rows[i].name);
        const char *rest = metric + length;
        if (strncmp(metric, figure_rows[i].name, length) == 0 &&
            (figure_rows[i].distribution ? is_statistic(rest) : *rest == '\0')) {
            return (int)figure_rows[i].figure;
        }
    }
    return -1;
}

bool plan_objective_has_moments(const struct objective *objective) {
    return figure_of(objective->metric) >= 0;
}

bool plan_moments_are_shares(const struct plan_moments *moments) {
    return moments->figure == OF_WAITED || moments->figure == OF_SLO || moments->figure == OF_GPUS;
}

bool plan_moments_are_of_gpus(const struct plan_moments *moments) {
    return moments->figure == OF_GPUS;
}

/* --- Gathering. --- */

void moment_part_create(struct moment_part *part) {
    *part = (struct moment_part){.weight = 0};
    histogram_initialize(&part->values, PRECISION);
}

void plan_moments_create(struct plan_moments *moments, const struct scenario *scenario,
                         const struct objective *objective) {
    *moments = (struct plan_moments){.scenario = scenario,
                                     .objective = objective,
                                     .row = metric_find(objective->metric),
                                     .figure = figure_of(objective->metric),
                                     .parts = memory_zero(MOMENT_PARTS, sizeof *moments->parts)};
    sim_time parts = moments->figure == OF_GPUS ? PARTS_OF_GPU_TIME : MOMENT_PARTS;
    while (moments->width + 1 < WIDTHS && scenario->horizon != SIM_TIME_NEVER &&
           scenario->horizon > parts * widths[moments->width]) {
        moments->width++;
    }
    for (size_t i = 0; i < MOMENT_PARTS; i++) {
        moment_part_create(&moments->parts[i]);
    }
}

void plan_moments_destroy(struct plan_moments *moments) {
    for (size_t i = 0; i < MOMENT_PARTS; i++) {
        histogram_terminate(&moments->parts[i].values);
    }
    free(moments->parts);
}

void moment_part_add(struct moment_part *to, const struct moment_part *from) {
    histogram_merge(&to->values, &from->values);
    to->sum += from->sum;
    to->weight += from->weight;
}

sim_time plan_moments_width(const struct plan_moments *moments) {
    return widths[moments->width];
}

bool plan_moments_widen(struct plan_moments *moments) {
    if (moments->width + 1 == WIDTHS) {
        return false;
    }
    size_t factor = (size_t)(widths[moments->width + 1] / widths[moments->width]);
    for (size_t i = 1; i < MOMENT_PARTS; i++) {
        struct moment_part *part = &moments->parts[i];
        if (i / factor != i) {
            moment_part_add(&moments->parts[i / factor], part);
            histogram_terminate(&part->values);
            moment_part_create(part);
        }
    }
    moments->width++;
    return true;
}

static struct moment_part *part_at(struct plan_moments *moments, sim_time time) {
    while (time / widths[moments->width] >= MOMENT_PARTS && plan_moments_widen(moments)) {
    }
    sim_time part = time / widths[moments->width];
    return &moments->parts[part < MOMENT_PARTS ? part : MOMENT_PARTS - 1];
}

static void add_value(struct plan_moments *moments, sim_time time, double value) {
    struct moment_part *part = part_at(moments, time);
    histogram_add(&part->values, (uint64_t)value);
    part->weight++;
}

static void add_share(struct plan_moments *moments, sim_time time, double share, double weight) {
    struct moment_part *part = part_at(moments, time);
    part->sum += share * weight;
    part->weight += weight;
}

static bool is_subject(const struct plan_moments *moments, enum scope scope, const char *name) {
    const struct objective *objective = moments->objective;
    return objective->scope == scope && name != NULL &&
           (name == objective->subject || strcmp(name, objective->subject) == 0);
}

static bool is_measured(const struct plan_moments *moments, sim_time arrival) {
    return arrival >= moments->scenario->warmup; /* WARMUP_AUTO is below all times */
}

static bool add_job(void *context, const struct job_record *job, struct error *error) {
    struct plan_moments *moments = context;
    (void)error;
    bool counts = moments->objective->scope == SCOPE_RUN ||
                  is_subject(moments, SCOPE_WORKLOAD, job->workload) ||
                  is_subject(moments, SCOPE_QUEUE, job->queue) ||
                  is_subject(moments, SCOPE_USER, job->user);
    bool started = job->start != SIM_TIME_NEVER;
    if (!counts || !started || !is_measured(moments, job->submit)) {
        return true;
    }
    if (moments->figure == OF_WAIT) {
        add_value(moments, job->submit, (double)(job->start - job->submit));
    } else if (moments->figure == OF_WAITED) {
        add_share(moments, job->submit, job->start > job->submit, 1);
    } else if (job->state == JOB_COMPLETED && moments->figure == OF_JCT) {
        add_value(moments, job->submit, (double)(job->end - job->submit));
    } else if (job->state == JOB_COMPLETED && moments->figure == OF_SLOWDOWN) {
        sim_time run = job->run > SLOWDOWN_SHORTEST ? job->run : SLOWDOWN_SHORTEST;
        add_value(moments, job->submit,
                  (double)(job->end - job->submit) / (double)run * SLOWDOWN_UNIT + 0.5);
    }
    return true;
}

static sim_time slo_of(struct plan_moments *moments, const char *workload) {
    const struct scenario *scenario = moments->scenario;
    for (size_t i = 0; i < scenario->workload_count; i++) {
        size_t at = (moments->workload + i) % scenario->workload_count;
        if (strcmp(scenario->workloads[at].name, workload) == 0) {
            moments->workload = at;
            return scenario->workloads[at].service.slo;
        }
    }
    return SIM_TIME_NEVER;
}

static void add_kept(struct plan_moments *moments, const struct request_record *request) {
    sim_time slo = slo_of(moments, request->workload);
    bool left = request->state != REQUEST_QUEUED && request->state != REQUEST_RUNNING;
    if (slo != SIM_TIME_NEVER && left) {
        bool kept = request->state == REQUEST_COMPLETED && request->end - request->arrival <= slo;
        add_share(moments, request->arrival, kept, 1);
    }
}

static bool add_request(void *context, const struct request_record *request, struct error *error) {
    struct plan_moments *moments = context;
    (void)error;
    bool counts = moments->objective->scope == SCOPE_RUN ||
                  is_subject(moments, SCOPE_WORKLOAD, request->workload);
    if (!counts || !is_measured(moments, request->arrival)) {
        return true;
    }
    bool started = request->start != SIM_TIME_NEVER;
    if (moments->figure == OF_SLO) {
        add_kept(moments, request);
    } else if (moments->figure == OF_LATENCY && request->state == REQUEST_COMPLETED) {
        add_value(moments, request->arrival, (double)(request->end - request->arrival));
    } else if (moments->figure == OF_QUEUE && started) {
        add_value(moments, request->arrival, (double)(request->start - request->arrival));
    } else if (moments->figure == OF_WAITED && started) {
        add_share(moments, request->arrival, request->start > request->arrival, 1);
    }
    return true;
}

static double gpus_of(const struct scenario *scenario, const char *name) {
    double gpus = 0;
    for (size_t i = 0; i < scenario->pool_count; i++) {
        const struct pool_spec *pool = &scenario->pools[i];
        gpus +=
            strcmp(pool->name, name) == 0 ? (double)pool_node_count(pool) * pool->gpus_per_node : 0;
    }
    return gpus;
}

static bool add_interval(void *context, const struct timeline_record *row, struct error *error) {
    struct plan_moments *moments = context;
    (void)error;
    bool counts =
        moments->objective->scope == SCOPE_RUN || is_subject(moments, SCOPE_POOL, row->pool);
    if (counts && is_measured(moments, row->time)) {
        const char *which = strchr(moments->objective->metric, '.') + 1;
        double share = strcmp(which, "allocated") == 0 ? row->allocated
                       : strcmp(which, "busy") == 0    ? row->busy
                                                       : row->shares[GPU_USEFUL];
        add_share(moments, row->time, share, gpus_of(moments->scenario, row->pool));
    }
    return true;
}

static bool is_of_jobs(const struct plan_moments *moments) {
    bool any = false;
    for (size_t i = 0; i < moments->scenario->workload_count; i++) {
        const struct workload_spec *workload = &moments->scenario->workloads[i];
        bool counts = moments->objective->scope != SCOPE_WORKLOAD ||
                      is_subject(moments, SCOPE_WORKLOAD, workload->name);
        any = any || (counts && workload->kind.index == WORKLOAD_JOBS);
    }
    return any;
}

struct record_spec plan_moments_record(const struct plan_moments *moments) {
    int figure = moments->figure;
    bool jobs = figure == OF_WAIT || figure == OF_JCT || figure == OF_SLOWDOWN ||
                (figure == OF_WAITED && is_of_jobs(moments));
    bool gpus = figure == OF_GPUS;
    return (struct record_spec){
        .jobs = jobs, .requests = !jobs && !gpus, .timeline = gpus ? widths[moments->width] : 0};
}

struct recorder plan_moments_recorder(struct plan_moments *moments) {
    return (struct recorder){
        .context = moments, .job = add_job, .request = add_request, .timeline = add_interval};
}
