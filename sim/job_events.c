#include "sim/job_events.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "sim/kernel/memory.h"
#include "sim/memory_events.h"
#include "sim/scheduling/speed.h"
#include "sim/start_events.h"

const char *const job_state_names[JOB_STATE_COUNT] = {
    [JOB_COMPLETED] = "completed", [JOB_RUNNING] = "running",   [JOB_QUEUED] = "queued",
    [JOB_TIMED_OUT] = "timed_out", [JOB_REJECTED] = "rejected", [JOB_FAILED] = "failed",
};

void job_events_label(const struct run_state *run, const struct job *job, struct job_label *label) {
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
    if (!run->scenario->record.jobs || run->recorder == NULL || run->failed) {
        return;
    }
    struct job_label label;
    job_events_label(run, job, &label);
    bool started = state == JOB_COMPLETED || state == JOB_RUNNING || state == JOB_FAILED;
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

/* Books what a job on whole GPUs has used of its pool from the later of its start and the warm-up's
 * end to now. */
static void book_use(struct run_state *run, const struct job *job) {
    if (job->tenant != NULL) {
        return; /* its device keeps the books */
    }
    sim_time from = job->start > run->measured_since ? job->start : run->measured_since;
    struct pool *pool = &run->pools[job->pool];
    gpu_time used = (gpu_time)job->gpus * pool->units_per_gpu * (run->now - from);
    *run_account(run, job->workload, job->pool) += used;
    const struct workload_spec *workload = &run->scenario->workloads[job->workload];
    pool->sm_time += (double)used *
                     fmin(speed_saturation(workload), speed_thread_share(run->scenario, job->pool));
    pool->gang_time += run->now - from;
}

/* The end of a job, however it came. */
static void leave(struct run_state *run, struct job *job) {
    if (arrival_streams_wait_for_ends(&run->streams, job->workload)) {
        arrival_streams_job_ended(&run->streams, job->workload, run->now);
    }
    shape_table_release(job->shape);
    job_store_return(&run->jobs, job);
}

/* Takes a running job off its GPUs or its slot. */
static void stop(struct run_state *run, struct job *job) {
    book_use(run, job);
    if (run->memory != NULL && job->tenant == NULL) {
        memory_events_release(run, job);
    }
    scheduler_end(&run->scheduler, job, run->now);
    if (job->tenant != NULL) {
        job_tenant_return(&run->job_tenants, (struct job_tenant *)job->tenant);
    }
    run->pass_due = true;
}

static void job_ends(void *context, void *subject) {
    struct run_state *run = context;
    struct job *job = subject;
    histogram_prefetch(&run->figures[job->workload].jct, (uint64_t)(run->now - job->submit));
    stop(run, job);
    if (run_counts(run, job->submit)) {
        job_figures_completed(&run->figures[job->workload], job->submit, job->start, run->now);
    }
    record_job(run, job, JOB_COMPLETED);
    run->last_end = run->now;
    leave(run, job);
}

void job_events_kill(struct run_state *run, struct job *job) {
    if (job->tenant != NULL) {
        device_withdraw(job->tenant, &((struct job_tenant *)job->tenant)->task, run->now);
    } else if (job->event != 0) {
        event_queue_cancel(run->events, job->event);
    }
    stop(run, job);
    run->figures[job->workload].failed += run_counts(run, job->submit);
    record_job(run, job, JOB_FAILED);
    leave(run, job);
}

static void leave_queue(struct run_state *run, struct job *job) {
    scheduler_withdraw(&run->scheduler, job, run->now);
    backlog_leave(&run->backlogs[job->workload]);
    run->relief_due = true; /* it may have blocked others */
}

static void job_withdraws(void *context, void *subject) {
    struct run_state *run = context;
    struct job *job = subject;
    leave_queue(run, job);
    if (run_counts(run, job->submit)) {
        run->figures[job->workload].timed_out++;
    }
    record_job(run, job, JOB_TIMED_OUT);
    leave(run, job);
}

/* Schedules what concerns a job; false if that is beyond all time, which for most is never. */
static bool schedule_for(struct run_state *run, struct job *job, sim_time after,
                         enum event_rank rank, event_handler *handle) {
    sim_time time = sim_time_add(run->now, after);
    job->event =
        time == SIM_TIME_NEVER ? 0 : event_queue_push(run->events, time, rank, handle, job);
    return time != SIM_TIME_NEVER;
}

/* In order of start, which histograms forget. */
static void note_wait(struct run_state *run, const struct job *job) {
    double wait = (double)(job->start - job->submit);
    batch_series_add(&run->waits[job->workload], run->now, wait);
    batch_series_add(run->all_waits, run->now, wait);
}

static void task_ends(void *context, struct tenant *tenant, struct task *task,
                      const struct task_parts *parts, sim_time now) {
    (void)task;
    (void)parts;
    (void)now;
    job_ends(context, ((struct job_tenant *)tenant)->job);
}

/* The job becomes a tenant of the device, on which its work is one task. */
static void start_in_slot(struct run_state *run, struct job *job, struct device *device) {
    const struct workload_spec *workload = &run->scenario->workloads[job->workload];
    struct job_tenant *in_slot = job_tenant_take(&run->job_tenants, job);
    struct tenant *tenant = &in_slot->tenant;
    tenant->task_ended = task_ends;
    run_fill_tenant(run, tenant, job);
    tenant->concurrency = 1;
    job->tenant = tenant;
    pool_seat(&run->pools[job->pool], device, tenant, run->now);
    job->run_time =
        scheduler_scale(job->duration, speed_on_device(run->scenario, workload, device));
    device_begin(tenant, &in_slot->task, job->run_time, run->now);
}

/* It ends when its work is done, unless the memory of its GPUs runs out before. */
static bool schedule_end(struct run_state *run, struct job *job) {
    if (run->memory != NULL) {
        sim_time overflow = memory_events_hold(run, job);
        if (overflow < sim_time_add(run->now, job->run_time)) {
            return schedule_for(run, job, overflow - run->now, RANK_KILL, memory_events_overflow);
        }
    }
    return schedule_for(run, job, job->run_time, RANK_END, job_ends);
}

void run_fill_tenant(const struct run_state *run, struct tenant *tenant, const struct job *job) {
    const struct workload_spec *workload = &run->scenario->workloads[job->workload];
    tenant->workload = job->workload;
    tenant->saturation = speed_saturation(workload);
    tenant->compute = (double)job->compute / SLOTS_MOST_COMPUTE;
    tenant->memory = job->memory;
    tenant->memory_excess = job->memory_excess;
    tenant->memory_growth = memory_events_growth(run, job->workload);
    tenant->expected_end = job->expected_end;
    tenant->party = run->preferences.parties > 0 ? run->preferences.party[job->workload] : 0;
    tenant->exclusive_party = workload->isolation == ISOLATION_WEAK;
}

void job_events_leave_queue(struct run_state *run, struct job *job) {
    backlog_leave(&run->backlogs[job->workload]);
    if (job->event != 0) {
        event_queue_cancel(run->events, job->event);
    }
    job->event = 0;
}

void job_events_start(struct run_state *run, struct job *job, struct device *device) {
    if (device != NULL) {
        start_in_slot(run, job, device);
    } else if (!schedule_end(run, job)) {
        error_set(run->error, run->scenario->file, 0, 0,
                  "a job of workload %s would end more than 292 years after the start: shorten the "
                  "durations or set a horizon",
                  run->scenario->workloads[job->workload].name);
        run->failed = true;
    }
    if (run_counts(run, job->submit)) {
        job_figures_started(&run->figures[job->workload], job->submit, job->start);
        note_wait(run, job);
    }
}

static void explain_full_queue(struct run_state *run, const struct job *job) {
    const struct workload_spec *workload = &run->scenario->workloads[job->workload];
    struct job_label label;
    job_events_label(run, job, &label);
    snprintf(run->results->first_rejected, sizeof run->results->first_rejected,
             "job %s of workload %s found its queue full (max_queue: %lld)", label.id,
             workload->name, (long long)workload->max_queue);
}

static bool any_pool_is_cut(const struct run_state *run) {
    bool cut = false;
    for (size_t i = 0; i < run->scenario->pool_count; i++) {
        const struct slots *slots = run->pools[i].slots;
        cut |= slots != NULL &&
               __builtin_popcountll(slots->whole_mask) < run->scenario->pools[i].gpus_per_node;
    }
    return cut;
}

static void explain_misfit(struct run_state *run, const struct job *job) {
    struct job_label label;
    char memory[48] = "";
    job_events_label(run, job, &label);
    if (job->memory > 0) {
        snprintf(memory, sizeof memory, " with %.1f GiB each",
                 (double)job->memory / (1024.0 * 1024.0 * 1024.0));
    }
    const char *why = job->gpus > 1 && any_pool_is_cut(run)
                          ? "; no pool it may use has as many whole ones (MIG cuts some)"
                          : "; no pool it may use has as many";
    snprintf(run->results->first_rejected, sizeof run->results->first_rejected,
             "job %s of workload %s asks for %d GPU%s%s%s%s", label.id,
             run->scenario->workloads[job->workload].name, job->gpus, job->gpus == 1 ? "" : "s",
             memory, why, job->memory > 0 ? " of that memory" : "");
}

static void reject_job(struct run_state *run, struct job *job,
                       void (*explain)(struct run_state *run, const struct job *job)) {
    if (run->results->rejected++ == 0) {
        explain(run, job);
    }
    if (run_counts(run, job->submit)) {
        run->figures[job->workload].rejected++;
    }
    record_job(run, job, JOB_REJECTED);
    leave(run, job);
}

/* Whether its workload has max_queue jobs waiting, besides `itself`. */
static bool queue_is_full(const struct run_state *run, const struct job *job, int64_t itself) {
    return run->backlogs[job->workload].waiting - itself >=
           run->scenario->workloads[job->workload].max_queue;
}

/* After the scheduler has passed: turns away those for whom there is still no room, the last first.
 */
static void turn_away_overflow(void *context, void *subject) {
    struct run_state *run = context;
    (void)subject;
    while (run->overflow.count > 0) {
        struct overflow_job last = run->overflow.jobs[--run->overflow.count];
        struct job *job = last.job;
        bool waits = job->gpus > 0 && job->sequence == last.sequence && !job->running;
        if (waits && queue_is_full(run, job, 1)) {
            if (job->event != 0) {
                event_queue_cancel(run->events, job->event);
            }
            leave_queue(run, job);
            reject_job(run, job, explain_full_queue);
        }
    }
}

/* Comes before the withdrawals of these jobs, which are not scheduled yet. */
static void note_overflow(struct run_state *run, struct job *job) {
    struct overflow *overflow = &run->overflow;
    if (overflow->count == 0) {
        event_queue_push(run->events, run->now, RANK_TIMEOUT, turn_away_overflow, NULL);
    }
    overflow->jobs = memory_grow(overflow->jobs, &overflow->capacity, overflow->count + 1,
                                 sizeof *overflow->jobs);
    overflow->jobs[overflow->count++] = (struct overflow_job){job, job->sequence};
}

void job_events_arrive(struct run_state *run) {
    struct arrival arrival;
    struct job *job = job_store_take(&run->jobs);
    job->workload = arrival_streams_take(&run->streams, &arrival);
    job->sequence = run->sequence++;
    job->gpus = arrival.gpus;
    job->submit = arrival.submit;
    job->duration = arrival.duration;
    job->estimate = arrival.estimate;
    job->memory = arrival.memory;
    if (run->memory != NULL && arrival.memory_drawn) {
        memory_events_ask(run, job);
    }
    job->priority = arrival.priority;
    job->compute = slots_compute(arrival.compute);
    job->shape =
        shape_table_find(&run->shapes, job->workload, job->gpus, job->memory, job->compute);
    job->number = arrival.number;
    job->index = arrival.index;

    if (run->first_submit == SIM_TIME_NEVER) {
        run->first_submit = job->submit;
    }
    if (run_counts(run, job->submit)) {
        run->figures[job->workload].submitted++;
    }
    run->pass_due = true;
    if (job->shape->pool_count == 0) {
        reject_job(run, job, explain_misfit);
        return;
    }
    if (queue_is_full(run, job, 0)) {
        note_overflow(run, job);
    }
    schedule_for(run, job, arrival.max_wait, RANK_TIMEOUT, job_withdraws);
    backlog_enter(&run->backlogs[job->workload]);
    scheduler_submit(&run->scheduler, job, run->now);
}

void job_events_finish(struct run_state *run) {
    struct job **jobs = job_store_list(&run->jobs);
    for (size_t i = 0; i < run->jobs.alive; i++) {
        const struct job *job = jobs[i];
        bool running = job->running && !start_events_is_pending(run, job);
        if (running) {
            book_use(run, job);
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
