#include "sim/simulation.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/autoscale_events.h"
#include "sim/clock_events.h"
#include "sim/course_events.h"
#include "sim/dependencies.h"
#include "sim/job_events.h"
#include "sim/kernel/batch_means.h"
#include "sim/kernel/memory.h"
#include "sim/measuring.h"
#include "sim/memory_events.h"
#include "sim/outage_events.h"
#include "sim/run_state.h"
#include "sim/scheduling/conservative.h"
#include "sim/scheduling/speed.h"
#include "sim/service_events.h"
#include "sim/start_events.h"
#include "sim/warmup.h"

enum { EVENTS_BETWEEN_STOP_CHECKS = 4096 };

static void initialize_waits(struct run_state *run) {
    size_t workloads = run->scenario->workload_count;
    run->waits = memory_zero(workloads + 1, sizeof *run->waits);
    for (size_t i = 0; i <= workloads; i++) {
        batch_series_initialize(&run->waits[i], BATCH_MEANS_ROOM, 1);
    }
    struct batch_series *pilot = run->request->pilot_waits;
    run->all_waits = pilot != NULL ? pilot : &run->waits[workloads];
}

static void limit_hosts(struct pool *pool, const struct pool_spec *spec) {
    if (spec->cpus_per_node > 0 || spec->memory_per_node > 0) {
        struct host_share host = {
            .cpus = spec->cpus_per_node > 0 ? host_cpus(spec->cpus_per_node) : INT64_MAX,
            .memory = spec->memory_per_node > 0 ? spec->memory_per_node : INT64_MAX};
        node_index_limit_hosts(&pool->index, host);
    }
}

static void initialize_pools(struct run_state *run) {
    const struct scenario *scenario = run->scenario;
    size_t pools = scenario->pool_count;
    const struct placement_rule *placement = &placement_rules[scenario->scheduler.placement.index];
    run->devices =
        (struct device_host){.events = run->events,
                             .accounts = memory_zero(run->ownership.account_count * pools,
                                                     sizeof *run->devices.accounts),
                             .pool_count = pools};
    preferences_initialize(&run->preferences, scenario);
    run->pools = memory_zero(pools, sizeof *run->pools);
    for (size_t i = 0; i < pools; i++) {
        const struct pool_spec *spec = &scenario->pools[i];
        const struct gpu_model *gpu = &scenario->catalogue->gpus[spec->gpu];
        pool_initialize(&run->pools[i], spec->name, pool_node_count(spec), spec->gpus_per_node,
                        gpu->memory_mib * 1024 * 1024);
        run->pools[i].position = (int32_t)i;
        run->pools[i].interconnect = spec->interconnect;
        storage_initialize(&run->pools[i].storage, spec->storage.bandwidth, run->events);
        pool_share(&run->pools[i], spec, gpu, &run->devices, run->preferences.parties,
                   placement->rank);
        limit_hosts(&run->pools[i], spec);
        if (placement->growth != NULL && run->pools[i].slots != NULL) {
            slots_weigh(run->pools[i].slots, placement->growth, run->pools[i].gpu_memory);
        }
        if (placement->draws) {
            node_index_draw(&run->pools[i].index, run->request->seed, run->request->replication,
                            spec->name);
        }
    }
}

static double slot_speed(void *context, const struct job *job, const struct device *device) {
    const struct run_state *run = context;
    return speed_capped_on_device(run->scenario, &run->scenario->workloads[job->workload], device,
                                  (double)job->compute / SLOTS_MOST_COMPUTE);
}

static void run_initialize(struct run_state *run) {
    const struct scenario *scenario = run->scenario;
    size_t pools = scenario->pool_count;
    size_t workloads = scenario->workload_count;
    run->first_submit = SIM_TIME_NEVER;
    run->last_end = -1;
    run->last_pass = -1;
    run->events = event_queue_create();
    const struct queue_order *order = &queue_orders[scenario->scheduler.order.index];
    ownership_initialize(&run->ownership, scenario, run->request->traces, order->fair);
    owner_figures_initialize(&run->owner_figures, &run->ownership);
    initialize_pools(run);
    shape_table_initialize(&run->shapes, scenario, run->pools, &run->preferences);
    run->shapes.quotas = run->ownership.quotas;
    scheduler_initialize(
        &run->scheduler, run->pools, pools, queue_order_of_keys(&scenario->scheduler.order),
        &backfill_rules[scenario->scheduler.backfill.index],
        &placement_rules[scenario->scheduler.placement.index], start_events_place, run);
    scheduler_set_quotas(&run->scheduler, run->ownership.quotas);
    run->scheduler.slot_speed = slot_speed;
    run->scheduler.head_of_line = scenario->scheduler.head_of_line;
    const struct chosen *backfill = &scenario->scheduler.backfill;
    if (backfill_rules[backfill->index].pass == conservative_pass && backfill->options != NULL) {
        run->scheduler.reservation_depth =
            ((const struct conservative_options *)backfill->options)->depth;
    }
    run->figures = memory_zero(workloads, sizeof *run->figures);
    for (size_t i = 0; i < workloads; i++) {
        job_figures_initialize(&run->figures[i]);
    }
    run->backlogs = memory_zero(workloads, sizeof *run->backlogs);
    initialize_waits(run);
    run->measured_from = memory_zero(pools, sizeof *run->measured_from);
    run->timeline_from = memory_zero(pools, sizeof *run->timeline_from);
}

static void run_terminate(struct run_state *run) {
    service_events_terminate(run);
    memory_events_terminate(run);
    course_events_terminate(run);
    clock_events_terminate(run);
    outage_events_terminate(run);
    dependencies_terminate(run);
    job_store_clear(&run->jobs);
    for (size_t i = 0; i < run->scenario->workload_count; i++) {
        job_figures_terminate(&run->figures[i]);
    }
    arrival_streams_terminate(&run->streams);
    scheduler_terminate(&run->scheduler);
    shape_table_terminate(&run->shapes);
    preferences_terminate(&run->preferences);
    owner_figures_terminate(&run->owner_figures);
    ownership_terminate(&run->ownership);
    job_tenant_stock_clear(&run->job_tenants);
    for (size_t i = 0; i < run->scenario->pool_count; i++) {
        pool_terminate(&run->pools[i]);
    }
    event_queue_destroy(run->events);
    free(run->pools);
    free(run->figures);
    for (size_t i = 0; i <= run->scenario->workload_count; i++) {
        batch_series_terminate(&run->waits[i]);
    }
    free(run->waits);
    free(run->backlogs);
    free(run->overflow.jobs);
    free(run->evicted.items);
    free(run->devices.accounts);
    free(run->devices.unsettled);
    free(run->measured_from);
    free(run->timeline_from);
}

static sim_time time_of_day_at_start(const struct scenario *scenario) {
    const int64_t day = 86400 * NANOSECONDS_PER_SECOND;
    int64_t time = scenario->has_start ? scenario->start % day : 0;
    return time < 0 ? time + day : time;
}

static struct work_source *open_source(const struct run_state *run, size_t workload) {
    const struct run_request *request = run->request;
    const struct workload_spec *spec = &run->scenario->workloads[workload];
    if (request->traces[workload] != NULL) {
        return work_source_from_trace(request->traces[workload], spec, request->seed,
                                      request->replication);
    }
    return work_source_synthetic(spec, time_of_day_at_start(run->scenario), request->seed,
                                 request->replication);
}

static void open_arrivals(struct run_state *run) {
    size_t count = run->scenario->workload_count;
    arrival_streams_initialize(&run->streams, count);
    for (size_t i = 0; i < count; i++) {
        arrival_streams_add(&run->streams, open_source(run, i));
    }
}

static bool work_is_left(const struct run_state *run) {
    bool decided = !run->pass_due && !run->relief_due && device_host_is_settled(&run->devices);
    if (decided && run->streams.heap_count == 0 &&
        (event_queue_size(run->events) == run->tick_pending || clock_events_idle(run))) {
        return false; /* what is left waits for nothing that could come */
    }
    return run->jobs.alive > run->replica_jobs || run->requests.alive > run->stuck_requests ||
           run->streams.heap_count > 0;
}

/* The next job or request of the streams. */
static void arrive(struct run_state *run) {
    if (run_is_service(run, run->streams.heap[0]->workload)) {
        service_events_arrive(run);
    } else {
        job_events_arrive(run);
    }
}

static void pass(struct run_state *run) {
    run->pass_due = false;
    run->relief_due = false;
    run->last_pass = run->now;
    event_queue_prefetch(run->events);
    scheduler_pass(&run->scheduler, run->now);
    if (run->courses != NULL) {
        course_events_passed(run);
    }
    if (run->outages != NULL) {
        autoscale_events_passed(run);
    }
}

/* Does what comes next, in the order of one instant: ends, arrivals, the scheduler, the devices
 * (again for as long as that ends something at once), withdrawals, and the scheduler and the
 * devices once more if there were any. False when nothing is left up to the horizon. */
static bool step(struct run_state *run) {
    enum event_rank rank = RANK_COUNT;
    sim_time event_time = event_queue_peek(run->events, &rank);
    sim_time arrival_time = arrival_streams_peek(&run->streams);
    bool event_first =
        event_time < arrival_time || (event_time == arrival_time && rank < RANK_ARRIVAL);
    sim_time time = event_first ? event_time : arrival_time;
    bool withdrawal_next = event_first && rank == RANK_TIMEOUT;
    bool instant_ends = time > run->now;

    if (clock_events_are_due(run) && (instant_ends || rank > RANK_KILL)) {
        clock_events_look(run);
        return true;
    }
    if ((run->pass_due && (instant_ends || withdrawal_next)) || (run->relief_due && instant_ends)) {
        pass(run);
        return true;
    }
    if ((instant_ends || withdrawal_next) && !device_host_is_settled(&run->devices)) {
        device_host_settle(&run->devices, run->now);
        return true;
    }
    if (time > run->scenario->horizon || time == SIM_TIME_NEVER ||
        (run->scenario->end_of_work && !work_is_left(run))) {
        return false;
    }
    assert(time >= run->now);
    run->now = time;
    if (withdrawal_next && run->last_pass < time) {
        pass(run); /* a start wins over a withdrawal, also where nothing else happens then */
        return true;
    }
    run->events_done++;
    if (event_first) {
        struct event event;
        event_queue_pop(run->events, &event);
        event.handle(run, event.subject);
    } else {
        event_queue_prefetch(run->events);
        arrive(run);
    }
    return true;
}

static bool stop_requested(const struct run_state *run) {
    const atomic_bool *stop = run->request->stop;
    return stop != NULL && atomic_load_explicit(stop, memory_order_relaxed);
}

static void tell_progress(const struct run_state *run) {
    struct run_progress *progress = run->request->progress;
    if (progress != NULL) {
        atomic_store_explicit(&progress->now, run->now, memory_order_relaxed);
        atomic_store_explicit(&progress->events, run->events_done, memory_order_relaxed);
    }
}

static enum run_outcome drive(struct run_state *run) {
    open_arrivals(run);
    start_events_begin(run);
    dependencies_begin(run);
    memory_events_begin(run);
    course_events_begin(run);
    service_events_begin(run);
    clock_events_begin(run);
    outage_events_begin(run);
    measuring_begin(run);
    uint64_t steps = 0;
    while (!run->failed && !run->gives_up && step(run)) {
        if (++steps % EVENTS_BETWEEN_STOP_CHECKS == 0) {
            tell_progress(run);
            if (stop_requested(run)) {
                return RUN_INTERRUPTED;
            }
        }
    }
    if (!run->failed && !run->scenario->end_of_work) {
        run->now = run->scenario->horizon;
    }
    measuring_end(run);
    service_events_finish(run);
    job_events_finish(run);
    return !run->failed && run_summarize(run) ? RUN_DONE : RUN_FAILED;
}

enum run_outcome simulation_run(const struct run_request *request, const struct recorder *recorder,
                                struct results *results, struct error *error) {
    *results = (struct results){0};
    struct run_state run = {.request = request,
                            .scenario = request->scenario,
                            .warmup = request->pilot_waits == NULL ? request->scenario->warmup : 0,
                            .recorder = recorder,
                            .results = results,
                            .error = error};
    if (run.warmup == WARMUP_AUTO) {
        enum run_outcome found = warmup_find(request, &run.warmup, error);
        if (found != RUN_DONE) {
            return found;
        }
    }
    run_initialize(&run);
    enum run_outcome outcome = drive(&run);
    run_terminate(&run);
    if (outcome != RUN_DONE) {
        results_clear(results);
    }
    return outcome;
}
