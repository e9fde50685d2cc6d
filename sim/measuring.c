#include "sim/measuring.h"

#include <string.h>

#include "sim/service_timeline.h"

/* Forgets what was booked so far. */
static void measure_from_now(struct run_state *run) {
    const struct scenario *scenario = run->scenario;
    run->measured_since = run->now;
    device_host_book_singles(&run->devices, run->now);
    for (size_t i = 0; i < scenario->pool_count; i++) {
        run->measured_from[i] = pool_measure_at(&run->pools[i], run->now);
    }
    memset(run->devices.accounts, 0,
           run->ownership.account_count * scenario->pool_count * sizeof *run->devices.accounts);
    device_host_forget_computed(&run->devices);
    for (size_t i = 0; i < scenario->workload_count; i++) {
        job_figures_forget_time(&run->figures[i]);
    }
}

static void warmup_ends(void *context, void *subject) {
    (void)subject;
    measure_from_now(context);
}

static bool records_timeline(const struct run_state *run) {
    return run->scenario->record.timeline > 0 && run->recorder != NULL;
}

static void record_timeline(struct run_state *run) {
    double elapsed = (double)(run->now - run->timeline_since);
    if (elapsed <= 0) {
        return;
    }
    for (size_t i = 0; i < run->scenario->pool_count && !run->failed; i++) {
        struct pool *pool = &run->pools[i];
        struct pool_measure now = pool_measure_at(pool, run->now);
        struct pool_measure part = pool_measure_between(&run->timeline_from[i], &now);
        double units_elapsed =
            (double)pool->gpus * pool->units_per_gpu * elapsed - (double)part.category[GPU_ABSENT];
        units_elapsed = units_elapsed > 0 ? units_elapsed : 1; /* none there: nothing of them */
        struct timeline_record record = {
            .time = run->timeline_since,
            .pool = pool->name,
            .allocated = (double)pool_measure_held(&part) / units_elapsed,
            .busy = (double)(part.category[GPU_USEFUL] + part.category[GPU_REDONE]) / units_elapsed,
            .memory_used_gib = (double)part.memory / elapsed / (1024.0 * 1024.0 * 1024.0),
            .queued_jobs = (double)part.queued_jobs / elapsed,
        };
        for (int c = 0; c < GPU_CATEGORY_COUNT; c++) {
            record.shares[c] = (double)part.category[c] / units_elapsed;
        }
        run->failed = !run->recorder->timeline(run->recorder->context, &record, run->error);
        run->timeline_from[i] = now;
    }
    if (run->service_intervals != NULL) {
        service_timeline_record(run);
    }
    run->timeline_since = run->now;
}

static void timeline_ticks(void *context, void *subject);

/* Measuring changes nothing: it may come first at its instant, and keeps no run alive. */
static void schedule_tick(struct run_state *run) {
    sim_time time = sim_time_add(run->now, run->scenario->record.timeline);
    if (time != SIM_TIME_NEVER) {
        event_queue_push(run->events, time, RANK_END, timeline_ticks, NULL);
        run->tick_pending = true;
    }
}

static void timeline_ticks(void *context, void *subject) {
    struct run_state *run = context;
    (void)subject;
    run->tick_pending = false;
    record_timeline(run);
    schedule_tick(run);
}

void measuring_begin(struct run_state *run) {
    measure_from_now(run);
    if (run->warmup > 0) {
        event_queue_push(run->events, run->warmup, RANK_END, warmup_ends, NULL);
    }
    stability_watch(run);
    if (records_timeline(run)) {
        schedule_tick(run);
        if (run->recorder->service != NULL) {
            service_timeline_begin(run);
        }
    }
}

void measuring_end(struct run_state *run) {
    if (!run->failed && records_timeline(run)) {
        record_timeline(run);
    }
}
