#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "scenarios/quantity.h"
#include "sim/kernel/memory.h"
#include "sim/metrics.h"
#include "sim/run_state.h"

static const double HOURS_PER_MONTH = 730;

/* What run_summarize works with: each pool over the measured time, and the money. */
struct summary {
    struct pool_measure *pools; /* by pool */
    gpu_time *pool_accounts;    /* by pool: what all workloads used of it */
    struct stability *queues;   /* by workload, then the run's */
    double *prices;             /* by pool: money per GPU-hour; NaN: unknown */
    double measured_ns;
};

static double price_of(const struct run_state *run, size_t pool) {
    const struct pool_spec *spec = &run->scenario->pools[pool];
    return spec->price.given ? spec->price.per_gpu_hour
                             : run->request->catalogue->gpus[spec->gpu].price_usd_per_gpu_hour;
}

static bool summary_initialize(struct run_state *run, struct summary *summary) {
    size_t pools = run->scenario->pool_count;
    summary->pools = memory_zero(pools, sizeof *summary->pools);
    summary->pool_accounts = memory_zero(pools, sizeof *summary->pool_accounts);
    summary->prices = memory_zero(pools, sizeof *summary->prices);
    summary->measured_ns = (double)(run->now - run->measured_since);
    summary->queues = stability_judge(run);
    bool balances = true;
    for (size_t i = 0; i < pools; i++) {
        struct pool_measure now = pool_measure_at(&run->pools[i], run->now);
        summary->pools[i] = pool_measure_between(&run->measured_from[i], &now);
        summary->prices[i] = price_of(run, i);
        for (size_t w = 0; w < run->scenario->workload_count; w++) {
            summary->pool_accounts[i] += *run_account(run, (int32_t)w, (int32_t)i);
        }
        /* Two books kept apart: the pool's categories, and what each job used from start to end. */
        balances = balances && ledger_balances(&run->pools[i].ledger) &&
                   summary->pool_accounts[i] == summary->pools[i].category[GPU_USEFUL];
    }
    return balances;
}

static void summary_terminate(struct summary *summary) {
    free(summary->pools);
    free(summary->pool_accounts);
    free(summary->prices);
    free(summary->queues);
}

static void finish_cost(const struct summary *summary, struct cost *cost) {
    double hours = gpu_time_to_hours((gpu_time)summary->measured_ns);
    cost->usd_per_month = (cost->usd + cost->usd_idle_share) / hours * HOURS_PER_MONTH;
}

/* A pool's bill: what was used, and what stood idle. */
static struct cost pool_cost(const struct run_state *run, const struct summary *summary, size_t i) {
    struct cost cost = {.scope = SCOPE_POOL, .subject = run->scenario->pools[i].name};
    cost.usd = gpu_time_to_hours(summary->pools[i].category[GPU_USEFUL]) * summary->prices[i];
    cost.usd_idle_share =
        gpu_time_to_hours(summary->pools[i].category[GPU_IDLE]) * summary->prices[i];
    finish_cost(summary, &cost);
    return cost;
}

/* A workload pays for what it used of each pool, and for idle time there in that proportion. */
static struct cost workload_cost(struct run_state *run, const struct summary *summary, size_t w) {
    struct cost cost = {.scope = SCOPE_WORKLOAD, .subject = run->scenario->workloads[w].name};
    for (size_t i = 0; i < run->scenario->pool_count; i++) {
        gpu_time used = *run_account(run, (int32_t)w, (int32_t)i);
        if (used > 0) {
            double part = (double)used / (double)summary->pool_accounts[i];
            cost.usd += gpu_time_to_hours(used) * summary->prices[i];
            cost.usd_idle_share +=
                gpu_time_to_hours(summary->pools[i].category[GPU_IDLE]) * summary->prices[i] * part;
        }
    }
    finish_cost(summary, &cost);
    return cost;
}

static struct cost run_cost(const struct run_state *run, const struct summary *summary) {
    struct cost cost = {.scope = SCOPE_RUN, .subject = ""};
    for (size_t i = 0; i < run->scenario->pool_count; i++) {
        struct cost part = pool_cost(run, summary, i);
        cost.usd += part.usd;
        cost.usd_idle_share += part.usd_idle_share;
    }
    finish_cost(summary, &cost);
    return cost;
}

static struct measured measure_pool(const struct run_state *run, const struct summary *summary,
                                    size_t i, const struct cost *cost) {
    const struct pool *pool = &run->pools[i];
    return (struct measured){
        .use = summary->pools[i],
        .gpus = pool->gpus,
        .memory_byte_ns = (double)pool->gpus * (double)pool->gpu_memory * summary->measured_ns,
        .measured_ns = summary->measured_ns,
        .gpu_hours = gpu_time_to_hours(summary->pools[i].category[GPU_USEFUL]),
        .cost = cost,
    };
}

static struct measured measure_workload(struct run_state *run, const struct summary *summary,
                                        size_t w, const struct cost *cost) {
    gpu_time used = 0;
    for (size_t i = 0; i < run->scenario->pool_count; i++) {
        used += *run_account(run, (int32_t)w, (int32_t)i);
    }
    return (struct measured){.jobs = &run->figures[w],
                             .measured_ns = summary->measured_ns,
                             .gpu_hours = gpu_time_to_hours(used),
                             .waits = &run->waits[w],
                             .stability = &summary->queues[w],
                             .cost = cost};
}

static struct measured measure_run(const struct run_state *run, const struct summary *summary,
                                   const struct job_figures *jobs, const struct cost *cost) {
    struct measured measured = {
        .jobs = jobs,
        .measured_ns = summary->measured_ns,
        .warmup_s = sim_time_to_seconds(run->measured_since),
        .makespan_s =
            run->last_end < 0 ? NAN : sim_time_to_seconds(run->last_end - run->first_submit),
        .waits = &run->waits[run->scenario->workload_count],
        .stability = &summary->queues[run->scenario->workload_count],
        .cost = cost};
    gpu_time used = 0;
    for (size_t i = 0; i < run->scenario->pool_count; i++) {
        struct measured pool = measure_pool(run, summary, i, NULL);
        measured.gpus += pool.gpus;
        measured.memory_byte_ns += pool.memory_byte_ns;
        measured.use.memory += pool.use.memory;
        for (int c = 0; c < GPU_CATEGORY_COUNT; c++) {
            measured.use.category[c] += pool.use.category[c];
        }
        used += pool.use.category[GPU_USEFUL];
    }
    measured.gpu_hours = gpu_time_to_hours(used);
    return measured;
}

static void append_cost(struct results *results, struct cost cost) {
    results->costs[results->cost_count++] = cost;
}

static void list_costs(struct run_state *run, const struct summary *summary) {
    const struct scenario *scenario = run->scenario;
    struct results *results = run->results;
    results->costs =
        memory_zero(1 + scenario->pool_count + scenario->workload_count, sizeof *results->costs);
    append_cost(results, run_cost(run, summary));
    for (size_t i = 0; i < scenario->pool_count; i++) {
        append_cost(results, pool_cost(run, summary, i));
    }
    for (size_t w = 0; w < scenario->workload_count; w++) {
        append_cost(results, workload_cost(run, summary, w));
    }
}

static void list_metrics(struct run_state *run, const struct summary *summary) {
    const struct scenario *scenario = run->scenario;
    struct results *results = run->results;
    const struct cost *cost = results->costs;
    size_t subjects = 1 + scenario->pool_count + scenario->workload_count;
    results->metrics = memory_zero(subjects * metric_row_count, sizeof *results->metrics);

    struct job_figures all;
    job_figures_initialize(&all);
    for (size_t w = 0; w < scenario->workload_count; w++) {
        job_figures_merge(&all, &run->figures[w]);
    }
    struct measured measured = measure_run(run, summary, &all, cost++);
    metrics_append(results, SCOPE_RUN, "", &measured);
    job_figures_terminate(&all);
    for (size_t i = 0; i < scenario->pool_count; i++) {
        measured = measure_pool(run, summary, i, cost++);
        metrics_append(results, SCOPE_POOL, scenario->pools[i].name, &measured);
    }
    for (size_t w = 0; w < scenario->workload_count; w++) {
        measured = measure_workload(run, summary, w, cost++);
        metrics_append(results, SCOPE_WORKLOAD, scenario->workloads[w].name, &measured);
    }
}

static void list_gpu_hours(struct run_state *run, const struct summary *summary) {
    struct results *results = run->results;
    size_t pools = run->scenario->pool_count;
    results->gpu_hours = memory_zero(pools * GPU_CATEGORY_COUNT, sizeof *results->gpu_hours);
    for (size_t i = 0; i < pools; i++) {
        for (int c = 0; c < GPU_CATEGORY_COUNT; c++) {
            results->gpu_hours[results->gpu_hours_count++] =
                (struct gpu_hours){.pool = run->scenario->pools[i].name,
                                   .category = (enum gpu_category)c,
                                   .hours = gpu_time_to_hours(summary->pools[i].category[c])};
        }
    }
}

bool run_summarize(struct run_state *run) {
    if (run->warmup > 0 && run->now <= run->warmup) {
        char ended[DURATION_TEXT];
        char warmup[DURATION_TEXT];
        error_set(run->error, run->scenario->file, 0, 0,
                  "nothing to measure: the run ended %s after the start, within the warm-up of %s; "
                  "shorten the warm-up or lengthen the run",
                  duration_format(run->now, ended), duration_format(run->warmup, warmup));
        return false;
    }
    struct summary summary;
    bool balances = summary_initialize(run, &summary);
    if (balances) {
        run->results->end = run->now;
        run->results->measured_since = run->measured_since;
        run->results->events = run->events_done;
        list_costs(run, &summary);
        list_metrics(run, &summary);
        list_gpu_hours(run, &summary);
    } else {
        error_set(run->error, run->scenario->file, 0, 0,
                  "internal error: the GPU-time ledger does not balance; no result is kept, please "
                  "report this scenario");
    }
    summary_terminate(&summary);
    return balances;
}

double results_metric(const struct results *results, enum scope scope, const char *subject,
                      const char *name) {
    for (size_t i = 0; i < results->metric_count; i++) {
        const struct metric *metric = &results->metrics[i];
        if (metric->scope == scope && strcmp(metric->subject, subject) == 0 &&
            strcmp(metric->name, name) == 0) {
            return metric->value;
        }
    }
    return NAN;
}

void results_clear(struct results *results) {
    free(results->metrics);
    free(results->costs);
    free(results->gpu_hours);
    *results = (struct results){0};
}
