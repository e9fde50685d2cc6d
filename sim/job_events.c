#include "sim/job_events.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "sim/course_events.h"
#include "sim/dependencies.h"
#include "sim/job_internal.h"
#include "sim/job_log.h"
#include "sim/kernel/memory.h"
#include "sim/limit_events.h"
#include "sim/memory_events.h"
#include "sim/scheduling/preemption.h"
#include "sim/scheduling/speed.h"
#include "sim/start_events.h"

const char *const job_state_names[JOB_STATE_COUNT] = {
    [JOB_COMPLETED] = "completed", [JOB_RUNNING] = "running",   [JOB_QUEUED] = "queued",
    [JOB_TIMED_OUT] = "timed_out", [JOB_REJECTED] = "rejected", [JOB_FAILED] = "failed",
};

void job_events_label(const struct run_state *run, const struct job *job, struct job_label *label) {
    const struct trace *trace = run->request->traces[job->workload];
    int32_t size = dependencies_array_size(run, job->workload);
    int64_t arrival = size > 1 ? (job->number - 1) / size + 1 : job->number;
    label->id = NULL;
    label->queue = NULL;
    label->user = NULL;
    if (trace != NULL) {
        trace_label(trace, job->index, label);
    }
    if (label->id == NULL) {
        snprintf(label->buffer, sizeof label->buffer, "%lld", (long long)arrival);
        label->id = label->buffer;
    }
    if (size > 1) {
        char id[100];
        snprintf(id, sizeof id, "%.99s", label->id);
        snprintf(label->buffer, sizeof label->buffer, "%s_%lld", id,
                 (long long)((job->number - 1) % size + 1));
        label->id = label->buffer;
    }
}

/* How long it has held its GPUs. */
static sim_time time_held(const struct run_state *run, const struct job *job, bool started) {
    if (job->course == NULL) {
        return started ? run->now - job->start : 0;
    }
    return course_held(job->course, run->now);
}

void job_record(struct run_state *run, const struct job *job, enum job_state state) {
    bool started = state == JOB_COMPLETED || state == JOB_RUNNING || state == JOB_FAILED;
    struct job_record record = {
        .workload = run->scenario->workloads[job->workload].name,
        .queue = ownership_queue(&run->ownership, job->account),
        .user = ownership_user(&run->ownership, job->account),
        .gpus = job->gpus,
        .submit = job->submit,
        .start = job->course != NULL ? job->course->first_start
                 : started           ? job->start
                                     : SIM_TIME_NEVER,
        .end = state == JOB_RUNNING || state == JOB_QUEUED ? SIM_TIME_NEVER : run->now,
        .run = time_held(run, job, started),
        .preemptions = job->course != NULL ? job->course->preemptions : 0,
        .state = state,
    };
    if (run_counts(run, job->submit)) {
        owner_figures_count(&run->owner_figures, &run->ownership.accounts[job->account], &record);
    }
    if (!run->scenario->record.jobs || run->recorder == NULL || run->failed) {
        return;
    }
    struct job_label label;
    job_events_label(run, job, &label);
    record.id = label.id;
    run->failed = !run->recorder->job(run->recorder->context, &record, run->error);
}

/* Books what a job on whole GPUs has used of its pool from the later of its start and the warm-up's
 * end to now. */
static void book_use(struct run_state *run, const struct job *job) {
    if (job->tenant != NULL || job->course != NULL) {
        return; /* its device, or its course, keeps the books */
    }
    sim_time from = job->start > run->measured_since ? job->start : run->measured_since;
    struct pool *pool = &run->pools[job->pool];
    gpu_time used = (gpu_time)job->gpus * pool->units_per_gpu * (run->now - from);
    *run_account(run, job->account, job->pool) +=
        used + (gpu_time)scheduler_idle_gpus(pool, job) * pool->units_per_gpu * (run->now - from);
    const struct workload_spec *workload = &run->scenario->workloads[job->workload];
    pool->sm_time += (double)used *
                     fmin(speed_saturation(workload), speed_thread_share(run->scenario, job->pool));
    pool->gang_time += run->now - from;
}

void job_leave(struct run_state *run, struct job *job, enum job_state state) {
    if (job->course != NULL) {
        course_return(&run->courses->stock, job->course);
    }
    bool last = dependencies_leave_array(run, job, state);
    if (last && arrival_streams_wait_for_ends(&run->streams, job->workload)) {
        arrival_streams_job_ended(&run->streams, job->workload, run->now);
    }
    dependencies_note_left(run, job, state);
    shape_table_release(job->shape);
    job_store_return(&run->jobs, job);
}

/* Takes a running job off its GPUs or its slot. */
static void stop(struct run_state *run, struct job *job) {
    limit_events_stop(run, job);
    if (job->course != NULL) {
        course_events_stop(run, job);
    }
    book_use(run, job);
    if (run->memory != NULL && job->tenant == NULL) {
        memory_events_release(run, job);
    }
    scheduler_end(&run->scheduler, job, run->now);
    if (job->tenant != NULL) {
        job_tenant_return(&run->job_tenants, (struct job_tenant *)job->tenant);
        job->tenant = NULL;
    }
    if (job->course != NULL && run->courses->preemption != NULL) {
        preemption_left(run->courses->preemption, job);
    }
    run->pass_due = true;
}

void job_events_complete(struct run_state *run, struct job *job) {
    histogram_prefetch(&run->figures[job->workload].jct, (uint64_t)(run->now - job->submit));
    stop(run, job);
    if (run_counts(run, job->submit)) {
        job_figures_completed(&run->figures[job->workload], job->submit, time_held(run, job, true),
                              run->now);
    }
    job_log(run, job, JOB_ENDED, NULL);
    job_record(run, job, JOB_COMPLETED);
    run->last_end = run->now;
    job_leave(run, job, JOB_COMPLETED);
}

static void job_ends(void *context, void *subject) {
    job_events_complete(context, subject);
}

void job_events_kill(struct run_state *run, struct job *job) {
    if (job->course != NULL) {
        /* broken off as it stops */
    } else if (job->tenant != NULL) {
        device_withdraw(job->tenant, &((struct job_tenant *)job->tenant)->task, run->now);
    } else if (job->event != 0) {
        event_queue_cancel(run->events, job->event);
    }
    stop(run, job);
    run->figures[job->workload].failed += run_counts(run, job->submit);
    job_log(run, job, JOB_DIED, NULL);
    job_record(run, job, JOB_FAILED);
    job_leave(run, job, JOB_FAILED);
}

void job_events_return(struct run_state *run, struct job *job) {
    stop(run, job);
    backlog_enter(&run->backlogs[job->workload]);
    scheduler_resubmit(&run->scheduler, job, run->now);
}

void job_leave_queue(struct run_state *run, struct job *job) {
    if (job->hold != HOLD_NONE) {
        dependencies_withdraw(run, job);
    } else {
        scheduler_withdraw(&run->scheduler, job, run->now);
    }
    backlog_leave(&run->backlogs[job->workload]);
    run->relief_due = true; /* it may have blocked others */
}

static void job_withdraws(void *context, void *subject) {
    struct run_state *run = context;
    struct job *job = subject;
    job_leave_queue(run, job);
    if (run_counts(run, job->submit)) {
        run->figures[job->workload].timed_out++;
    }
    job_log(run, job, JOB_GAVE_UP, NULL);
    job_record(run, job, JOB_TIMED_OUT);
    job_leave(run, job, JOB_TIMED_OUT);
}

/* Schedules what concerns a job; false if that is beyond all time, which for most is never. */
static bool schedule_for(struct run_state *run, struct job *job, sim_time after,
                         enum event_rank rank, event_handler *handle) {
    sim_time time = sim_time_add(run->now, after);
    job->event =
        time == SIM_TIME_NEVER ? 0 : event_queue_push(run->events, time, rank, handle, job);
    return time != SIM_TIME_NEVER;
}

void job_await_withdrawal(struct run_state *run, struct job *job, sim_time max_wait) {
    schedule_for(run, job, max_wait, RANK_TIMEOUT, job_withdraws);
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

/* The job becomes a tenant of the device. */
static void seat(struct run_state *run, struct job *job, struct device *device) {
    struct tenant *tenant = &job_tenant_take(&run->job_tenants, job)->tenant;
    run_fill_tenant(run, tenant, job);
    tenant->concurrency = 1;
    job->tenant = tenant;
    pool_seat(&run->pools[job->pool], device, tenant, run->now);
}

/* Its work is one task there. */
static void begin_task(struct run_state *run, struct job *job, struct device *device) {
    const struct workload_spec *workload = &run->scenario->workloads[job->workload];
    job->run_time =
        scheduler_scale(job->duration, speed_on_device(run->scenario, workload, device));
    job->tenant->task_ended = task_ends;
    device_begin(job->tenant, &((struct job_tenant *)job->tenant)->task, job->run_time, run->now);
}

/* On whole GPUs it ends when its work is done, unless their memory runs out before. False: that is
 * beyond all time. */
static bool schedule_end(struct run_state *run, struct job *job) {
    if (run->memory != NULL) {
        sim_time overflow = memory_events_hold(run, job);
        if (overflow < sim_time_add(run->now, job->run_time)) {
            return schedule_for(run, job, overflow - run->now, RANK_KILL, memory_events_overflow);
        }
    }
    return schedule_for(run, job, job->run_time, RANK_END, job_ends);
}

struct shape *run_find_shape(struct run_state *run, const struct job *job, struct host_share each) {
    struct preemption *preemption = run->courses == NULL ? NULL : run->courses->preemption;
    struct shape_ask ask = {.workload = job->workload,
                            .gpus = job->gpus,
                            .each = each,
                            .memory = job->memory,
                            .compute = job->compute,
                            .owner = ownership_owner(&run->ownership, job->account)};
    if (preemption != NULL) {
        ask.urgency = preemption->rules[job->workload].may_preempt ? job->priority : INT32_MAX;
    }
    return shape_table_find(&run->shapes, &ask);
}

void run_fill_tenant(const struct run_state *run, struct tenant *tenant, const struct job *job) {
    const struct workload_spec *workload = &run->scenario->workloads[job->workload];
    tenant->workload = job->workload;
    tenant->account = job->account;
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
    bool ends = true;
    bool again = job->course != NULL && job->course->first_start != SIM_TIME_NEVER;
    if (device != NULL) {
        seat(run, job, device);
    }
    job_log(run, job, JOB_STARTED, NULL);
    if (job->course != NULL) {
        ends = course_events_start(run, job, device);
    } else if (device != NULL) {
        begin_task(run, job, device);
    } else {
        ends = schedule_end(run, job);
    }
    if (!ends) {
        error_set(run->error, run->scenario->file, 0, 0,
                  "a job of workload %s would end more than 292 years after the start: shorten the "
                  "durations or set a horizon",
                  run->scenario->workloads[job->workload].name);
        run->failed = true;
    }
    limit_events_start(run, job, device);
    if (run_counts(run, job->submit) && !again) {
        job_figures_started(&run->figures[job->workload], job->submit, job->start);
        note_wait(run, job);
    }
}

void job_events_finish(struct run_state *run) {
    struct job **jobs = job_store_list(&run->jobs);
    for (size_t i = 0; i < run->jobs.alive; i++) {
        const struct job *job = jobs[i];
        bool running = job->running && !start_events_is_pending(run, job);
        if (running && job->course != NULL) {
            course_events_book(run, jobs[i]);
        } else if (running) {
            book_use(run, job);
        }
        if (run_counts(run, job->submit)) {
            struct job_figures *figures = &run->figures[job->workload];
            figures->running += running;
            figures->queued += !running;
        }
        if (!running) {
            job_log_waits(run, job);
        }
        job_record(run, job, running ? JOB_RUNNING : JOB_QUEUED);
    }
    free(jobs);
}
