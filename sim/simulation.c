#include "sim/simulation.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/kernel/memory.h"
#include "sim/run_state.h"

enum { EVENTS_BETWEEN_STOP_CHECKS = 4096 };

const char *const job_state_names[JOB_STATE_COUNT] = {
    [JOB_COMPLETED] = "completed", [JOB_RUNNING] = "running",   [JOB_QUEUED] = "queued",
    [JOB_TIMED_OUT] = "timed_out", [JOB_REJECTED] = "rejected",
};

/* --- Arrivals: a binary heap of streams, the earliest on top. --- */

static bool stream_before(const struct arrival_stream *a, const struct arrival_stream *b) {
    return a->next.submit < b->next.submit ||
           (a->next.submit == b->next.submit && a->workload < b->workload);
}

static void sift_down(struct run_state *run, size_t at) {
    struct arrival_stream moving = run->arrivals[at];
    for (;;) {
        size_t child = 2 * at + 1;
        if (child >= run->arrival_count) {
            break;
        }
        if (child + 1 < run->arrival_count &&
            stream_before(&run->arrivals[child + 1], &run->arrivals[child])) {
            child++;
        }
        if (!stream_before(&run->arrivals[child], &moving)) {
            break;
        }
        run->arrivals[at] = run->arrivals[child];
        at = child;
    }
    run->arrivals[at] = moving;
}

/* Reads the next job of the top stream, or drops the stream if it has none. */
static void advance_top_stream(struct run_state *run) {
    struct arrival_stream *top = &run->arrivals[0];
    if (!job_source_next(top->source, &top->next)) {
        job_source_destroy(top->source);
        *top = run->arrivals[--run->arrival_count];
    }
    if (run->arrival_count > 1) {
        sift_down(run, 0);
    }
}

static sim_time next_arrival(const struct run_state *run) {
    return run->arrival_count == 0 ? SIM_TIME_NEVER : run->arrivals[0].next.submit;
}

/* --- Jobs --- */

/* What the trace calls it, else its number. */
static void label_job(const struct run_state *run, const struct job *job, struct job_label *label) {
    const struct trace *trace = run->request->traces[job->workload];
    label->id = NULL;
    label->queue = NULL;
    if (trace != NULL) {
        trace_label(trace, job->index, label);
    }
    if (label->id == NULL) {
        snprintf(label->buffer, sizeof label->buffer, "%lld", (long long)job->number);
        label->id = label->buffer;
    }
}

static void record_job(struct run_state *run, const struct job *job, enum job_state state) {
    if (!run->scenario->record.jobs || run->failed) {
        return;
    }
    struct job_label label;
    label_job(run, job, &label);
    bool started = state == JOB_COMPLETED || state == JOB_RUNNING;
    struct job_record record = {
        .workload = run->scenario->workloads[job->workload].name,
        .id = label.id,
        .queue = label.queue,
        .gpus = job->gpus,
        .submit = job->submit,
        .start = started ? job->start : SIM_TIME_NEVER,
        .end = state == JOB_RUNNING || state == JOB_QUEUED ? SIM_TIME_NEVER : run->now,
        .state = state,
    };
    run->failed = !run->recorder->job(run->recorder->context, &record, run->error);
}

void run_book_use(struct run_state *run, const struct job *job) {
    sim_time from = job->start > run->measured_since ? job->start : run->measured_since;
    *run_account(run, job->workload, job->pool) += (gpu_time)job->gpus * (run->now - from);
}

static void job_ends(void *context, void *subject) {
    struct run_state *run = context;
    struct job *job = subject;
    histogram_prefetch(&run->figures[job->workload].jct, (uint64_t)(run->now - job->submit));
    run_book_use(run, job);
    scheduler_end(&run->scheduler, job, run->now);
    if (run_counts(run, job->submit)) {
        job_figures_completed(&run->figures[job->workload], job->submit, job->start, run->now);
    }
    record_job(run, job, JOB_COMPLETED);
    run->last_end = run->now;
    run->pass_due = true;
    job_store_return(&run->jobs, job);
}

static void job_withdraws(void *context, void *subject) {
    struct run_state *run = context;
    struct job *job = subject;
    scheduler_withdraw(&run->scheduler, job, run->now);
    if (run_counts(run, job->submit)) {
        run->figures[job->workload].timed_out++;
    }
    record_job(run, job, JOB_TIMED_OUT);
    run->relief_due = true; /* it may have blocked others */
    job_store_return(&run->jobs, job);
}

/* Schedules what concerns a job; false if that is beyond all time, which for most is never. */
static bool schedule_for(struct run_state *run, struct job *job, sim_time after,
                         enum event_rank rank, event_handler *handle) {
    sim_time time = sim_time_add(run->now, after);
    job->event =
        time == SIM_TIME_NEVER ? 0 : event_queue_push(run->events, time, rank, handle, job);
    return time != SIM_TIME_NEVER;
}

static void job_started(void *context, struct job *job) {
    struct run_state *run = context;
    if (job->event != 0) {
        event_queue_cancel(run->events, job->event);
    }
    if (!schedule_for(run, job, job->duration, RANK_END, job_ends)) {
        error_set(run->error, run->scenario->file, 0, 0,
                  "a job of workload %s would end more than 292 years after the start: shorten the "
                  "durations or set a horizon",
                  run->scenario->workloads[job->workload].name);
        run->failed = true;
    }
    if (run_counts(run, job->submit)) {
        job_figures_started(&run->figures[job->workload], job->submit, job->start);
    }
}

static void explain_rejection(struct run_state *run, const struct job *job) {
    struct job_label label;
    label_job(run, job, &label);
    snprintf(
        run->results->first_rejected, sizeof run->results->first_rejected,
        "job %s of workload %s asks for %d GPU%s with %.1f GiB each; no pool it may use has as "
        "many of that memory",
        label.id, run->scenario->workloads[job->workload].name, job->gpus,
        job->gpus == 1 ? "" : "s", (double)job->memory / (1024.0 * 1024.0 * 1024.0));
}

static void reject_job(struct run_state *run, struct job *job) {
    if (run->results->rejected++ == 0) {
        explain_rejection(run, job);
    }
    if (run_counts(run, job->submit)) {
        run->figures[job->workload].rejected++;
    }
    record_job(run, job, JOB_REJECTED);
    job_store_return(&run->jobs, job);
}

static void job_arrives(struct run_state *run) {
    const struct arrival_stream *stream = &run->arrivals[0];
    const struct job_arrival *arrival = &stream->next;
    struct job *job = job_store_take(&run->jobs);
    job->sequence = run->sequence++;
    job->workload = stream->workload;
    job->gpus = arrival->gpus;
    job->submit = arrival->submit;
    job->duration = arrival->duration;
    job->estimate = arrival->estimate;
    job->memory = arrival->memory;
    job->shape = shape_table_find(&run->shapes, job->workload, job->gpus, job->memory);
    job->number = arrival->number;
    job->index = arrival->index;
    sim_time max_wait = arrival->max_wait;
    advance_top_stream(run);

    if (run->first_submit == SIM_TIME_NEVER) {
        run->first_submit = job->submit;
    }
    if (run_counts(run, job->submit)) {
        run->figures[job->workload].submitted++;
    }
    run->pass_due = true;
    if (job->shape->pool_count == 0) {
        reject_job(run, job);
        return;
    }
    schedule_for(run, job, max_wait, RANK_TIMEOUT, job_withdraws);
    scheduler_submit(&run->scheduler, job, run->now);
}

/* --- Measuring --- */

/* Forgets what was booked so far. */
static void measure_from_now(struct run_state *run) {
    const struct scenario *scenario = run->scenario;
    run->measured_since = run->now;
    memset(run->accounts, 0,
           scenario->workload_count * scenario->pool_count * sizeof *run->accounts);
    for (size_t i = 0; i < scenario->pool_count; i++) {
        run->measured_from[i] = pool_measure_at(&run->pools[i], run->now);
    }
}

static void warmup_ends(void *context, void *subject) {
    (void)subject;
    measure_from_now(context);
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
        double gpu_time_elapsed = (double)pool->gpus * elapsed;
        struct timeline_record record = {
            .time = run->timeline_since,
            .pool = pool->name,
            .allocated = 1 - (double)part.category[GPU_IDLE] / gpu_time_elapsed,
            .busy = (double)part.category[GPU_USEFUL] / gpu_time_elapsed,
            .memory_used_gib = (double)part.memory / elapsed / (1024.0 * 1024.0 * 1024.0),
            .queued_jobs = (double)part.queued_jobs / elapsed,
        };
        run->failed = !run->recorder->timeline(run->recorder->context, &record, run->error);
        run->timeline_from[i] = now;
    }
    run->timeline_since = run->now;
}

static void timeline_ticks(void *context, void *subject);

/* Measuring changes nothing, so it may come first at its instant. */
static void schedule_tick(struct run_state *run) {
    sim_time time = sim_time_add(run->now, run->scenario->record.timeline);
    if (time != SIM_TIME_NEVER) {
        event_queue_push(run->events, time, RANK_END, timeline_ticks, NULL);
    }
}

static void timeline_ticks(void *context, void *subject) {
    (void)subject;
    record_timeline(context);
    schedule_tick(context);
}

/* --- The run --- */

static void run_initialize(struct run_state *run) {
    const struct scenario *scenario = run->scenario;
    size_t pools = scenario->pool_count;
    size_t workloads = scenario->workload_count;
    run->first_submit = SIM_TIME_NEVER;
    run->last_end = -1;
    run->events = event_queue_create();
    run->pools = memory_zero(pools, sizeof *run->pools);
    for (size_t i = 0; i < pools; i++) {
        const struct pool_spec *spec = &scenario->pools[i];
        int64_t memory = run->request->catalogue->gpus[spec->gpu].memory_mib * 1024 * 1024;
        pool_initialize(&run->pools[i], spec->name, spec->nodes, spec->gpus_per_node, memory);
    }
    shape_table_initialize(&run->shapes, scenario, run->pools);
    scheduler_initialize(&run->scheduler, run->pools, pools,
                         &queue_orders[scenario->scheduler.order.index],
                         &backfill_rules[scenario->scheduler.backfill.index],
                         &placement_rules[scenario->scheduler.placement.index], job_started, run);
    run->figures = memory_zero(workloads, sizeof *run->figures);
    for (size_t i = 0; i < workloads; i++) {
        job_figures_initialize(&run->figures[i]);
    }
    run->accounts = memory_zero(workloads * pools, sizeof *run->accounts);
    run->measured_from = memory_zero(pools, sizeof *run->measured_from);
    run->timeline_from = memory_zero(pools, sizeof *run->timeline_from);
}

static void run_terminate(struct run_state *run) {
    job_store_clear(&run->jobs);
    for (size_t i = 0; i < run->scenario->workload_count; i++) {
        job_figures_terminate(&run->figures[i]);
    }
    while (run->arrival_count > 0) {
        job_source_destroy(run->arrivals[--run->arrival_count].source);
    }
    scheduler_terminate(&run->scheduler);
    shape_table_terminate(&run->shapes);
    for (size_t i = 0; i < run->scenario->pool_count; i++) {
        pool_terminate(&run->pools[i]);
    }
    event_queue_destroy(run->events);
    free(run->arrivals);
    free(run->pools);
    free(run->figures);
    free(run->accounts);
    free(run->measured_from);
    free(run->timeline_from);
}

static sim_time time_of_day_at_start(const struct scenario *scenario) {
    const int64_t day = 86400 * NANOSECONDS_PER_SECOND;
    int64_t time = scenario->has_start ? scenario->start % day : 0;
    return time < 0 ? time + day : time;
}

static struct job_source *open_source(const struct run_state *run, size_t workload) {
    const struct run_request *request = run->request;
    const struct workload_spec *spec = &run->scenario->workloads[workload];
    if (request->traces[workload] != NULL) {
        return job_source_from_trace(request->traces[workload], spec);
    }
    return job_source_synthetic(spec, time_of_day_at_start(run->scenario), request->seed,
                                request->replication);
}

static void open_arrivals(struct run_state *run) {
    size_t count = run->scenario->workload_count;
    run->arrivals = memory_zero(count, sizeof *run->arrivals);
    for (size_t i = 0; i < count; i++) {
        struct arrival_stream *stream = &run->arrivals[run->arrival_count];
        *stream = (struct arrival_stream){.source = open_source(run, i), .workload = (int32_t)i};
        if (job_source_next(stream->source, &stream->next)) {
            run->arrival_count++;
        } else {
            job_source_destroy(stream->source);
        }
    }
    for (size_t i = run->arrival_count / 2; i-- > 0;) {
        sift_down(run, i);
    }
}

static void schedule_measuring(struct run_state *run) {
    measure_from_now(run);
    if (run->scenario->warmup > 0) {
        event_queue_push(run->events, run->scenario->warmup, RANK_END, warmup_ends, NULL);
    }
    if (run->scenario->record.timeline > 0) {
        schedule_tick(run);
    }
}

static bool work_is_left(const struct run_state *run) {
    return run->jobs.alive > 0 || run->arrival_count > 0;
}

static void pass(struct run_state *run) {
    run->pass_due = false;
    run->relief_due = false;
    event_queue_prefetch(run->events);
    scheduler_pass(&run->scheduler, run->now);
}

/* Does what comes next, in the order of one instant: ends, arrivals, the scheduler, withdrawals,
 * and the scheduler once more if there were any. False when nothing is left up to the horizon. */
static bool step(struct run_state *run) {
    enum event_rank rank = RANK_COUNT;
    sim_time event_time = event_queue_peek(run->events, &rank);
    sim_time arrival_time = next_arrival(run);
    bool event_first =
        event_time < arrival_time || (event_time == arrival_time && rank == RANK_END);
    sim_time time = event_first ? event_time : arrival_time;
    bool withdrawal_next = event_first && rank == RANK_TIMEOUT;
    bool instant_ends = time > run->now;

    if ((run->pass_due && (instant_ends || withdrawal_next)) || (run->relief_due && instant_ends)) {
        pass(run);
        return true;
    }
    if (time > run->scenario->horizon || time == SIM_TIME_NEVER ||
        (run->scenario->end_of_work && !work_is_left(run))) {
        return false;
    }
    assert(time >= run->now);
    run->now = time;
    if (withdrawal_next && instant_ends) {
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
        job_arrives(run);
    }
    return true;
}

static bool stop_requested(const struct run_state *run) {
    const atomic_bool *stop = run->request->stop;
    return stop != NULL && atomic_load_explicit(stop, memory_order_relaxed);
}

static void finish_jobs(struct run_state *run) {
    struct job **jobs = job_store_list(&run->jobs);
    for (size_t i = 0; i < run->jobs.alive; i++) {
        const struct job *job = jobs[i];
        bool running = job->running;
        if (running) {
            run_book_use(run, job);
        }
        if (run_counts(run, job->submit)) {
            struct job_figures *figures = &run->figures[job->workload];
            figures->running += running;
            figures->queued += !running;
        }
        record_job(run, job, running ? JOB_RUNNING : JOB_QUEUED);
    }
    free(jobs);
}

static enum run_outcome drive(struct run_state *run) {
    open_arrivals(run);
    schedule_measuring(run);
    uint64_t steps = 0;
    while (!run->failed && step(run)) {
        if (++steps % EVENTS_BETWEEN_STOP_CHECKS == 0 && stop_requested(run)) {
            return RUN_INTERRUPTED;
        }
    }
    if (!run->failed && !run->scenario->end_of_work) {
        run->now = run->scenario->horizon;
    }
    if (!run->failed && run->scenario->record.timeline > 0) {
        record_timeline(run);
    }
    finish_jobs(run);
    return !run->failed && run_summarize(run) ? RUN_DONE : RUN_FAILED;
}

enum run_outcome simulation_run(const struct run_request *request, const struct recorder *recorder,
                                struct results *results, struct error *error) {
    *results = (struct results){0};
    struct run_state run = {.request = request,
                            .scenario = request->scenario,
                            .recorder = recorder,
                            .results = results,
                            .error = error};
    run_initialize(&run);
    enum run_outcome outcome = drive(&run);
    run_terminate(&run);
    if (outcome != RUN_DONE) {
        results_clear(results);
    }
    return outcome;
}
