#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "scenarios/pool_price.h"
#include "scenarios/quantity.h"
#include "sim/kernel/memory.h"
#include "sim/measured.h"
#include "sim/metrics.h"
#include "sim/run_state.h"
#include "sim/service_events.h"

/* Counters of devices are doubles, which tell every nanosecond apart in the first 104 days. */
static const sim_time COUNTED_EXACTLY = INT64_C(1) << 53;

/* Two books kept apart: the pool's categories, and what each tenant held from start to end. They
 * agree to the nanosecond, but for the rounding of counters, and of shares of a device that several
 * tenants had. */
static bool pool_balances(const struct pool *pool, const struct pool_measure *measure,
                          gpu_time accounts, sim_time now) {
    gpu_time held = pool_measure_held(measure);
    double apart = fabs((double)(held - accounts));
    bool exact = pool->slots == NULL && pool->units_per_gpu == 1 && now <= COUNTED_EXACTLY;
    double allowed = exact
                         ? 0.5
                         : 1e-9 * (double)held +
                               1e-12 * (double)now * (double)pool->gpus * pool->units_per_gpu + 1e6;
    return ledger_balances(&pool->ledger, now) && apart <= allowed;
}

static void make_held_by(const struct run_state *run, size_t models, struct held_by *held_by) {
    size_t pools = run->scenario->pool_count;
    const struct owner_figures *owners = &run->owner_figures;
    held_by->workloads =
        memory_zero(run->scenario->workload_count * pools, sizeof *held_by->workloads);
    held_by->models = memory_zero(models * pools, sizeof *held_by->models);
    held_by->queues = memory_zero(owners->queue_count * pools, sizeof *held_by->queues);
    held_by->users = memory_zero(owners->user_count * pools, sizeof *held_by->users);
}

/* What accounts held of one pool, for each whose they are. */
static void add_up_accounts(const struct run_state *run, struct run_summary *summary, size_t pool) {
    size_t pools = run->scenario->pool_count;
    const struct owner_figures *owners = &run->owner_figures;
    for (size_t a = 0; a < run->ownership.account_count; a++) {
        const struct account *account = &run->ownership.accounts[a];
        gpu_time held = *run_account(run, (int32_t)a, (int32_t)pool);
        summary->pool_accounts[pool] += held;
        summary->held_by.workloads[(size_t)account->workload * pools + pool] += held;
        int32_t model = summary->models.of_workload[account->workload];
        if (model >= 0) {
            summary->held_by.models[(size_t)model * pools + pool] += held;
        }
        if (owners->queue_count > 0) {
            summary->held_by.queues[(size_t)account->queue * pools + pool] += held;
        }
        if (owners->user_count > 0) {
            size_t user = account->user >= 0 ? (size_t)account->user : owners->user_count - 1;
            summary->held_by.users[user * pools + pool] += held;
        }
    }
}

static bool summary_initialize(struct run_state *run, struct run_summary *summary) {
    size_t pools = run->scenario->pool_count;
    summary->pools = memory_zero(pools, sizeof *summary->pools);
    summary->pool_accounts = memory_zero(pools, sizeof *summary->pool_accounts);
    summary->prices = memory_zero(pools, sizeof *summary->prices);
    summary->measured_ns = (double)(run->now - run->measured_since);
    summary->queues = stability_judge(run);
    measured_initialize(summary, run);
    make_held_by(run, summary->models.count, &summary->held_by);
    device_host_book_singles(&run->devices, run->now);
    bool balances = true;
    for (size_t i = 0; i < pools; i++) {
        struct pool_measure now = pool_measure_at(&run->pools[i], run->now);
        struct pool_measure part = pool_measure_between(&run->measured_from[i], &now);
        summary->pools[i] = gpu_use_of(&run->pools[i], &part);
        summary->prices[i] =
            pool_price(&run->scenario->pools[i], run->scenario->catalogue).per_gpu_hour;
        add_up_accounts(run, summary, i);
        balances =
            balances && pool_balances(&run->pools[i], &part, summary->pool_accounts[i], run->now);
    }
    return balances;
}

static void summary_terminate(struct run_summary *summary) {
    free(summary->pools);
    free(summary->pool_accounts);
    free(summary->held_by.workloads);
    free(summary->held_by.models);
    free(summary->held_by.queues);
    free(summary->held_by.users);
    free(summary->prices);
    free(summary->queues);
    measured_terminate(summary);
}

static void finish_cost(const struct run_summary *summary, struct cost *cost) {
    double measured = gpu_time_to_hours((gpu_time)summary->measured_ns);
    double total = cost->usd + cost->usd_idle_share + cost->usd_energy;
    cost->usd_per_month = total / measured * HOURS_PER_MONTH;
}

/* What a pool costs while nobody holds it, and which way. */
static double unheld(const struct gpu_use *use) {
    double sum = 0;
    for (int c = 0; c < GPU_CATEGORY_COUNT; c++) {
        sum += gpu_category_is_held((enum gpu_category)c) ? 0 : use->category[c];
    }
    return sum;
}

static double hours(double gpu_ns) {
    return gpu_ns / 3.6e12;
}

/* What the electricity of a pool costs; 0 where the scenario has no price for it. */
static double energy_cost(const struct run_state *run, const struct run_summary *summary,
                          size_t i) {
    const struct power_spec *power = &run->scenario->power;
    if (!power->given) {
        return 0;
    }
    return measured_energy_kwh(run, summary, i) * power->pue * power->price_per_kwh;
}

/* A pool's bill: what was held, what stood idle, and electricity. */
static struct cost pool_cost(const struct run_state *run, const struct run_summary *summary,
                             size_t i) {
    struct cost cost = {.scope = SCOPE_POOL, .subject = run->scenario->pools[i].name};
    cost.usd = hours(summary->pools[i].held) * summary->prices[i];
    cost.usd_reserved = hours(summary->pools[i].category[GPU_HELD_IDLE]) * summary->prices[i];
    cost.usd_idle_share = hours(unheld(&summary->pools[i])) * summary->prices[i];
    cost.usd_energy = energy_cost(run, summary, i);
    finish_cost(summary, &cost);
    return cost;
}

/* Who held GPUs pays for what was held of each pool, and for idle time and electricity there in
 * that proportion. */
static struct cost holder_cost(const struct run_state *run, const struct run_summary *summary,
                               enum scope scope, const char *subject, const gpu_time *held) {
    struct cost cost = {.scope = scope, .subject = subject};
    for (size_t i = 0; i < run->scenario->pool_count; i++) {
        gpu_time used = held[i];
        if (used > 0) {
            double part = (double)used / (double)summary->pool_accounts[i];
            cost.usd += gpu_time_to_hours(used) / run->pools[i].units_per_gpu * summary->prices[i];
            cost.usd_idle_share += hours(unheld(&summary->pools[i])) * summary->prices[i] * part;
            cost.usd_energy += energy_cost(run, summary, i) * part;
        }
    }
    finish_cost(summary, &cost);
    return cost;
}

static struct cost run_cost(const struct run_state *run, const struct run_summary *summary) {
    struct cost cost = {.scope = SCOPE_RUN, .subject = ""};
    for (size_t i = 0; i < run->scenario->pool_count; i++) {
        struct cost part = pool_cost(run, summary, i);
        cost.usd += part.usd;
        cost.usd_reserved += part.usd_reserved;
        cost.usd_idle_share += part.usd_idle_share;
        cost.usd_energy += part.usd_energy;
    }
    finish_cost(summary, &cost);
    return cost;
}

static void append_cost(struct results *results, struct cost cost) {
    results->costs[results->cost_count++] = cost;
}

/* Copies, as the run's own go with it. */
static const char *queue_name(const struct run_state *run, size_t queue) {
    return arena_duplicate_string(&run->results->names,
                                  owner_figures_queue(&run->ownership, queue));
}

static const char *user_name(const struct run_state *run, size_t user) {
    return arena_duplicate_string(&run->results->names, owner_figures_user(&run->ownership, user));
}

/* The run, its pools, workloads, models, queues and users. */
static size_t subject_count(const struct run_state *run, const struct run_summary *summary) {
    return 1 + run->scenario->pool_count + run->scenario->workload_count + summary->models.count +
           run->owner_figures.queue_count + run->owner_figures.user_count;
}

static void list_costs(struct run_state *run, const struct run_summary *summary) {
    const struct scenario *scenario = run->scenario;
    struct results *results = run->results;
    const struct held_by *held_by = &summary->held_by;
    size_t pools = scenario->pool_count;
    results->costs = memory_zero(subject_count(run, summary), sizeof *results->costs);
    append_cost(results, run_cost(run, summary));
    for (size_t i = 0; i < scenario->pool_count; i++) {
        append_cost(results, pool_cost(run, summary, i));
    }
    for (size_t w = 0; w < scenario->workload_count; w++) {
        append_cost(results, holder_cost(run, summary, SCOPE_WORKLOAD, scenario->workloads[w].name,
                                         &held_by->workloads[w * pools]));
    }
    for (size_t m = 0; m < summary->models.count; m++) {
        append_cost(results, holder_cost(run, summary, SCOPE_MODEL, summary->models.models[m].name,
                                         &held_by->models[m * pools]));
    }
    for (size_t q = 0; q < run->owner_figures.queue_count; q++) {
        append_cost(results, holder_cost(run, summary, SCOPE_QUEUE, queue_name(run, q),
                                         &held_by->queues[q * pools]));
    }
    for (size_t u = 0; u < run->owner_figures.user_count; u++) {
        append_cost(results, holder_cost(run, summary, SCOPE_USER, user_name(run, u),
                                         &held_by->users[u * pools]));
    }
}

static void list_metrics(struct run_state *run, const struct run_summary *summary) {
    const struct scenario *scenario = run->scenario;
    struct results *results = run->results;
    results->metrics =
        memory_zero(subject_count(run, summary) * metric_row_count, sizeof *results->metrics);
    struct measured measured = measured_run(run, summary);
    metrics_append(results, SCOPE_RUN, "", &measured);
    for (size_t i = 0; i < scenario->pool_count; i++) {
        measured = measured_pool(run, summary, i);
        metrics_append(results, SCOPE_POOL, scenario->pools[i].name, &measured);
    }
    for (size_t w = 0; w < scenario->workload_count; w++) {
        measured = measured_workload(run, summary, w);
        metrics_append(results, SCOPE_WORKLOAD, scenario->workloads[w].name, &measured);
    }
    for (size_t m = 0; m < summary->models.count; m++) {
        measured = measured_model(run, summary, m);
        metrics_append(results, SCOPE_MODEL, summary->models.models[m].name, &measured);
    }
    for (size_t q = 0; q < run->owner_figures.queue_count; q++) {
        measured = measured_queue(run, summary, q);
        metrics_append(results, SCOPE_QUEUE, queue_name(run, q), &measured);
    }
    for (size_t u = 0; u < run->owner_figures.user_count; u++) {
        measured = measured_user(run, summary, u);
        metrics_append(results, SCOPE_USER, user_name(run, u), &measured);
    }
}

static void list_gpu_hours(struct run_state *run, const struct run_summary *summary) {
    struct results *results = run->results;
    size_t pools = run->scenario->pool_count;
    results->gpu_hours = memory_zero(pools * GPU_CATEGORY_COUNT, sizeof *results->gpu_hours);
    for (size_t i = 0; i < pools; i++) {
        for (int c = 0; c < GPU_CATEGORY_COUNT; c++) {
            results->gpu_hours[results->gpu_hours_count++] =
                (struct gpu_hours){.pool = run->scenario->pools[i].name,
                                   .category = (enum gpu_category)c,
                                   .hours = hours(summary->pools[i].category[c])};
        }
    }
}

static size_t count_buckets(const struct histogram *histogram) {
    uint64_t position = 0;
    uint64_t upper = 0;
    uint64_t count = 0;
    size_t buckets = 0;
    while (histogram_next(histogram, &position, &upper, &count)) {
        buckets++;
    }
    return buckets;
}

/* Buckets that end in one step of a grid of powers of 1.01 go together: enough for any plot, and a
 * tenth of the rows. */
static int64_t grid_step(uint64_t upper) {
    return upper > 0 ? (int64_t)floor(log((double)upper) / log1p(LATENCY_GRID)) : -1;
}

static void append_latencies(struct results *results, const char *workload,
                             const struct histogram *histogram) {
    uint64_t position = 0;
    uint64_t upper = 0;
    uint64_t count = 0;
    struct latency_bucket *last = NULL;
    int64_t last_step = 0;
    while (histogram_next(histogram, &position, &upper, &count)) {
        int64_t step = grid_step(upper);
        if (last == NULL || step != last_step) {
            last = &results->latencies[results->latency_count++];
            last->workload = workload;
        }
        last->upper_s = (double)upper / 1e9;
        last->count += (int64_t)count;
        last_step = step;
    }
}

static void list_latencies(struct run_state *run) {
    size_t workloads = run->scenario->workload_count;
    size_t buckets = 0;
    for (size_t w = 0; w < workloads; w++) {
        buckets += run->services[w] == NULL ? 0 : count_buckets(&run->services[w]->figures.latency);
    }
    run->results->latencies = memory_zero(buckets, sizeof *run->results->latencies);
    for (size_t w = 0; w < workloads; w++) {
        if (run->services[w] != NULL) {
            append_latencies(run->results, run->scenario->workloads[w].name,
                             &run->services[w]->figures.latency);
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
    struct run_summary summary = {0};
    bool balances = summary_initialize(run, &summary);
    if (balances) {
        run->results->end = run->now;
        run->results->measured_since = run->measured_since;
        run->results->events = run->events_done;
        list_costs(run, &summary);
        summary.costs = run->results->costs;
        list_metrics(run, &summary);
        list_gpu_hours(run, &summary);
        list_latencies(run);
        run->results->objectives = run->scenario->objectives;
        run->results->objective_count = run->scenario->objective_count;
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
    arena_clear(&results->names);
    free(results->metrics);
    free(results->costs);
    free(results->gpu_hours);
    free(results->latencies);
    *results = (struct results){0};
}
