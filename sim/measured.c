#include "sim/measured.h"

#include <math.h>
#include <string.h>

#include "sim/outage_events.h"
#include "sim/service_events.h"

static const double NS_PER_HOUR = 3.6e12;

struct gpu_use gpu_use_of(const struct pool *pool, const struct pool_measure *measure) {
    double units = (double)pool->units_per_gpu;
    struct gpu_use use = {.absent = (double)measure->category[GPU_ABSENT] / units,
                          .held = (double)pool_measure_held(measure) / units,
                          .sm_time = measure->sm_time / units,
                          .memory = (double)measure->memory,
                          .memory_wasted = (double)measure->memory_wasted,
                          .tenant_time = (double)measure->tenants,
                          .crash_time = (double)measure->crash_takes};
    for (int c = 0; c < GPU_CATEGORY_COUNT; c++) {
        use.category[c] = (double)measure->category[c] / units;
    }
    return use;
}

static void add_use(struct gpu_use *total, const struct gpu_use *part) {
    total->absent += part->absent;
    total->held += part->held;
    total->sm_time += part->sm_time;
    total->memory += part->memory;
    total->memory_wasted += part->memory_wasted;
    total->tenant_time += part->tenant_time;
    total->crash_time += part->crash_time;
    for (int c = 0; c < GPU_CATEGORY_COUNT; c++) {
        total->category[c] += part->category[c];
    }
}

/* Idle power all the time, and what lies between it and the limit in proportion to the SMs in use.
 */
static double energy_kwh(const struct gpu_model *gpu, const struct gpu_use *use, int64_t gpus,
                         double measured_ns) {
    double watt_hours =
        (gpu->idle_watts * (double)gpus * measured_ns - gpu->idle_watts * use->absent +
         (gpu->limit_watts - gpu->idle_watts) * use->sm_time) /
        NS_PER_HOUR;
    return watt_hours / 1000;
}

static void count_jobs(struct item_counts *counts, const struct job_figures *jobs) {
    counts->submitted += jobs->submitted;
    counts->completed += jobs->completed;
    counts->timed_out += jobs->timed_out;
    counts->rejected += jobs->rejected;
    counts->failed += jobs->failed;
    counts->running += jobs->running;
    counts->queued += jobs->queued;
    counts->killed_at_estimate += jobs->killed_at_estimate;
    counts->oom_kills += jobs->oom_kills;
}

static void count_requests(struct item_counts *counts, const struct service_figures *requests) {
    counts->submitted += requests->submitted;
    counts->completed += requests->completed;
    counts->timed_out += requests->timed_out;
    counts->rejected += requests->rejected;
    counts->failed += requests->failed;
    counts->running += requests->running;
    counts->queued += requests->queued;
    counts->oom_kills += requests->oom_kills;
}

/* Also if all its requests are waiting still. */
static bool misses_slo(const struct service_figures *requests) {
    return !(service_figures_slo_attainment(requests) >= SLO_KEPT);
}

static struct serving serving_of(const struct run_service *service, const struct cost *cost) {
    const struct service_figures *requests = &service->figures;
    bool has_slo = requests->slo != SIM_TIME_NEVER;
    struct serving serving = {
        .services = 1,
        .with_slo = has_slo && requests->submitted > 0,
        .slo_s = has_slo ? sim_time_to_seconds(requests->slo) : (double)NAN,
        .replicas = service->service.replica_count,
        .usd = cost->usd + cost->usd_idle_share + cost->usd_energy,
        .usd_per_month = cost->usd_per_month,
    };
    bool has_tokens = service_figures_tokens(requests) > 0;
    serving.usd_of_tokens = has_tokens ? serving.usd : 0;
    serving.slo_missed = serving.with_slo > 0 && misses_slo(requests);
    for (int32_t i = 0; i < service->service.replica_count; i++) {
        serving.without_slot += service->service.replicas[i].state == REPLICA_WAITING;
    }
    latency_parts_above(&requests->parts, &requests->latency, 0.99, serving.latency_parts);
    return serving;
}

static const struct cost *workload_cost(const struct run_state *run,
                                        const struct run_summary *summary, size_t workload) {
    return &summary->costs[1 + run->scenario->pool_count + workload];
}

enum { ALL_MODELS = -1 };

/* Of all services, or of those of one model; requests: theirs, merged. */
static struct serving serving_of_several(const struct run_state *run,
                                         const struct run_summary *summary, int32_t model,
                                         const struct service_figures *requests) {
    struct serving all = {.slo_s = NAN};
    for (size_t w = 0; w < run->scenario->workload_count; w++) {
        bool meant = model == ALL_MODELS || summary->models.of_workload[w] == model;
        if (meant && run->services[w] != NULL) {
            struct serving part = serving_of(run->services[w], workload_cost(run, summary, w));
            all.services += part.services;
            all.with_slo += part.with_slo;
            all.slo_missed += part.slo_missed;
            all.replicas += part.replicas;
            all.without_slot += part.without_slot;
            all.usd += part.usd;
            all.usd_of_tokens += part.usd_of_tokens;
            all.usd_per_month += part.usd_per_month;
        }
    }
    latency_parts_above(&requests->parts, &requests->latency, 0.99, all.latency_parts);
    return all;
}

void measured_initialize(struct run_summary *summary, const struct run_state *run) {
    model_list_initialize(&summary->models, run);
    job_figures_initialize(&summary->jobs);
    service_figures_initialize(&summary->requests, SIM_TIME_NEVER);
    for (size_t w = 0; w < run->scenario->workload_count; w++) {
        if (run->services[w] != NULL) {
            summary->any_services = true;
            service_figures_merge(&summary->requests, &run->services[w]->figures);
        } else {
            summary->any_jobs = true;
            job_figures_merge(&summary->jobs, &run->figures[w]);
        }
    }
}

void measured_terminate(struct run_summary *summary) {
    model_list_terminate(&summary->models);
    job_figures_terminate(&summary->jobs);
    service_figures_terminate(&summary->requests);
}

static struct outage_counts outages_of(const struct run_state *run, size_t pool) {
    struct outage_counts counts = {.any = false};
    const struct pool_outages *of = run->outages == NULL ? NULL : &run->outages->pools[pool];
    if (of != NULL && of->pool != NULL) {
        counts.any = true;
        counts.reclaims = of->reclaims;
        counts.scaled = of->scale != NULL;
        counts.orders = of->orders;
        memcpy(counts.faults, of->faults, sizeof counts.faults);
    }
    return counts;
}

static void add_outages(struct outage_counts *total, const struct outage_counts *part) {
    total->any |= part->any;
    total->reclaims += part->reclaims;
    total->scaled |= part->scaled;
    total->orders += part->orders;
    for (int kind = 0; kind < FAULT_KIND_COUNT; kind++) {
        total->faults[kind] += part->faults[kind];
    }
}

double measured_energy_kwh(const struct run_state *run, const struct run_summary *summary,
                           size_t i) {
    const struct gpu_model *gpu = &run->scenario->catalogue->gpus[run->scenario->pools[i].gpu];
    return energy_kwh(gpu, &summary->pools[i], run->pools[i].gpus, summary->measured_ns);
}

struct measured measured_pool(const struct run_state *run, const struct run_summary *summary,
                              size_t i) {
    const struct pool *pool = &run->pools[i];
    const struct gpu_use *use = &summary->pools[i];
    return (struct measured){
        .use = *use,
        .gpus = pool->gpus,
        .energy_kwh = measured_energy_kwh(run, summary, i),
        .outages = outages_of(run, i),
        .memory_byte_ns = (double)pool->gpus * (double)pool->gpu_memory * summary->measured_ns -
                          (double)pool->gpu_memory * use->absent,
        .measured_ns = summary->measured_ns,
        .gpu_hours = use->held / NS_PER_HOUR,
        .cost = &summary->costs[1 + i],
    };
}

static double gpu_hours_held(const struct run_state *run, const gpu_time *held_by, size_t subject) {
    size_t pools = run->scenario->pool_count;
    double hours = 0;
    for (size_t i = 0; i < pools; i++) {
        hours += gpu_time_to_hours(held_by[subject * pools + i]) / run->pools[i].units_per_gpu;
    }
    return hours;
}

struct measured measured_workload(struct run_state *run, const struct run_summary *summary,
                                  size_t w) {
    const struct run_service *service = run->services[w];
    struct measured measured = {.measured_ns = summary->measured_ns,
                                .waits = &run->waits[w],
                                .stability = &summary->queues[w],
                                .cost = workload_cost(run, summary, w)};
    if (service != NULL) {
        measured.requests = &service->figures;
        measured.serving = serving_of(service, measured.cost);
        count_requests(&measured.counts, measured.requests);
    } else {
        measured.jobs = &run->figures[w];
        count_jobs(&measured.counts, measured.jobs);
    }
    measured.gpu_hours = gpu_hours_held(run, summary->held_by.workloads, w);
    return measured;
}

struct measured measured_model(const struct run_state *run, const struct run_summary *summary,
                               size_t model) {
    const struct model_figures *figures = &summary->models.models[model];
    size_t before = 1 + run->scenario->pool_count + run->scenario->workload_count;
    struct measured measured = {.measured_ns = summary->measured_ns,
                                .jobs = figures->jobs,
                                .requests = figures->requests,
                                .gpu_hours = gpu_hours_held(run, summary->held_by.models, model),
                                .cost = &summary->costs[before + model]};
    if (figures->jobs != NULL) {
        count_jobs(&measured.counts, figures->jobs);
    }
    if (figures->requests != NULL) {
        count_requests(&measured.counts, figures->requests);
        measured.serving = serving_of_several(run, summary, (int32_t)model, figures->requests);
    }
    return measured;
}

static struct measured measured_owner(const struct run_state *run,
                                      const struct run_summary *summary,
                                      const struct job_figures *jobs, const gpu_time *held_by,
                                      size_t subject, size_t cost) {
    struct measured measured = {.measured_ns = summary->measured_ns,
                                .jobs = jobs,
                                .gpu_hours = gpu_hours_held(run, held_by, subject),
                                .cost = &summary->costs[cost]};
    count_jobs(&measured.counts, jobs);
    return measured;
}

struct measured measured_queue(const struct run_state *run, const struct run_summary *summary,
                               size_t queue) {
    size_t before =
        1 + run->scenario->pool_count + run->scenario->workload_count + summary->models.count;
    return measured_owner(run, summary, &run->owner_figures.queues[queue], summary->held_by.queues,
                          queue, before + queue);
}

struct measured measured_user(const struct run_state *run, const struct run_summary *summary,
                              size_t user) {
    size_t before = 1 + run->scenario->pool_count + run->scenario->workload_count +
                    summary->models.count + run->owner_figures.queue_count;
    return measured_owner(run, summary, &run->owner_figures.users[user], summary->held_by.users,
                          user, before + user);
}

struct measured measured_run(const struct run_state *run, const struct run_summary *summary) {
    size_t workloads = run->scenario->workload_count;
    bool two_kinds = summary->any_jobs && summary->any_services;
    struct measured measured = {
        .measured_ns = summary->measured_ns,
        .warmup_s = sim_time_to_seconds(run->measured_since),
        .makespan_s =
            run->last_end < 0 ? NAN : sim_time_to_seconds(run->last_end - run->first_submit),
        .waits = two_kinds ? NULL : &run->waits[workloads],
        .stability = &summary->queues[workloads],
        .cost = summary->costs};
    if (summary->any_services) {
        measured.requests = &summary->requests;
        measured.serving = serving_of_several(run, summary, ALL_MODELS, &summary->requests);
    }
    if (summary->any_jobs || !summary->any_services) {
        measured.jobs = &summary->jobs;
    }
    count_jobs(&measured.counts, &summary->jobs);
    count_requests(&measured.counts, &summary->requests);
    for (size_t i = 0; i < run->scenario->pool_count; i++) {
        struct measured pool = measured_pool(run, summary, i);
        measured.gpus += pool.gpus;
        measured.energy_kwh += pool.energy_kwh;
        measured.memory_byte_ns += pool.memory_byte_ns;
        measured.gpu_hours += pool.gpu_hours;
        add_use(&measured.use, &pool.use);
        add_outages(&measured.outages, &pool.outages);
    }
    return measured;
}
