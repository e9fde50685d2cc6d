/* Jobs arrive: they are queued, held, or turned away. */
#include <stdio.h>

#include "sim/course_events.h"
#include "sim/dependencies.h"
#include "sim/job_events.h"
#include "sim/job_internal.h"
#include "sim/job_log.h"
#include "sim/kernel/memory.h"
#include "sim/memory_events.h"

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
               __builtin_popcountll(slots->ever_whole_mask) < run->scenario->pools[i].gpus_per_node;
    }
    return cut;
}

/* The place in it that it asks for is more than its queue, or user, may ever hold. */
static void explain_quota(struct run_state *run, const struct job *job, const char *id) {
    const struct account *account = &run->ownership.accounts[job->account];
    const char *user = ownership_user(&run->ownership, job->account);
    snprintf(run->results->first_rejected, sizeof run->results->first_rejected,
             "job %s of workload %s asks for %d GPU%s: more than queue %s, or user %s in it, may "
             "hold at a time",
             id, run->scenario->workloads[job->workload].name, job->gpus, job->gpus == 1 ? "" : "s",
             run->ownership.names.queues.names[account->queue], user != NULL ? user : "(nobody)");
}

static const char *misfit_reason(const struct run_state *run, const struct job *job) {
    if (job->shape->each.cpus > 0 || job->shape->each.memory > 0) {
        return "; no pool it may use has as many, on hosts with CPUs and memory enough for them";
    }
    if (job->shape->span == SPAN_NODE && job->gpus > 1) {
        return "; no pool it may use has nodes with as many (span: node)";
    }
    return job->gpus > 1 && any_pool_is_cut(run)
               ? "; no pool it may use has as many whole ones (MIG cuts some)"
               : "; no pool it may use has as many";
}

static void explain_misfit(struct run_state *run, const struct job *job) {
    struct job_label label;
    char memory[48] = "";
    job_events_label(run, job, &label);
    if (job->memory > 0) {
        snprintf(memory, sizeof memory, " with %.1f GiB each",
                 (double)job->memory / (1024.0 * 1024.0 * 1024.0));
    }
    if (job->shape->beyond_quota) {
        explain_quota(run, job, label.id);
        return;
    }
    const char *why = misfit_reason(run, job);
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
    job_log(run, job, JOB_TURNED_AWAY, NULL);
    job_record(run, job, JOB_REJECTED);
    job_leave(run, job, JOB_REJECTED);
}

/* Whether its workload has max_queue jobs waiting, besides `itself`. */
static bool queue_is_full(const struct run_state *run, const struct job *job, int64_t itself) {
    return run->backlogs[job->workload].waiting - itself >=
           run->scenario->workloads[job->workload].max_queue;
}

/* After the scheduler has passed: turns away those for whom there is still no room, nor any being
 * made, the last first. */
static void turn_away_overflow(void *context, void *subject) {
    struct run_state *run = context;
    (void)subject;
    while (run->overflow.count > 0) {
        struct overflow_job last = run->overflow.jobs[--run->overflow.count];
        struct job *job = last.job;
        bool waits =
            job->gpus > 0 && job->sequence == last.sequence && !job->running && job->claim == NULL;
        if (waits && queue_is_full(run, job, 1)) {
            if (job->event != 0) {
                event_queue_cancel(run->events, job->event);
            }
            job_leave_queue(run, job);
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

static void explain_broken(struct run_state *run, const struct job *job) {
    struct job_label label;
    job_events_label(run, job, &label);
    snprintf(run->results->first_rejected, sizeof run->results->first_rejected,
             "job %s of workload %s waited (afterok) for what has not completed", label.id,
             run->scenario->workloads[job->workload].name);
}

void job_events_queue(struct run_state *run, struct job *job) {
    scheduler_submit(&run->scheduler, job, run->now);
    run->pass_due = true;
}

void job_events_turn_away_dependent(struct run_state *run, struct job *job) {
    job_events_leave_queue(run, job);
    reject_job(run, job, explain_broken);
}

static struct job *make_job(struct run_state *run, const struct arrival *arrival,
                            int32_t workload) {
    struct job *job = job_store_take(&run->jobs);
    job->workload = workload;
    job->account = ownership_account(&run->ownership, job->workload, arrival->owner);
    job->sequence = run->sequence++;
    job->gpus = arrival->gpus;
    job->submit = arrival->submit;
    job->duration = arrival->duration;
    job->estimate = arrival->estimate;
    job->memory = arrival->memory;
    if (run->memory != NULL && arrival->memory_drawn) {
        memory_events_ask(run, job);
    }
    job->priority = arrival->priority;
    job->compute = slots_compute(arrival->compute);
    job->shape = run_find_shape(run, job, (struct host_share){arrival->cpus, arrival->host_memory});
    job->index = arrival->index;
    course_events_arrive(run, job);
    return job;
}

static void submit_job(struct run_state *run, struct job *job, sim_time max_wait) {
    if (run->first_submit == SIM_TIME_NEVER) {
        run->first_submit = job->submit;
    }
    if (run_counts(run, job->submit)) {
        run->figures[job->workload].submitted++;
    }
    run->pass_due = true;
    job_log(run, job, JOB_SUBMITTED, NULL);
    if (job->shape->pool_count == 0) {
        reject_job(run, job, explain_misfit);
        return;
    }
    if (queue_is_full(run, job, 0)) {
        note_overflow(run, job);
    }
    job_await_withdrawal(run, job, max_wait);
    backlog_enter(&run->backlogs[job->workload]);
    enum dependency_verdict verdict = dependencies_judge(run, job);
    if (verdict == DEPENDENCY_MET) {
        scheduler_submit(&run->scheduler, job, run->now);
    } else if (verdict == DEPENDENCY_BROKEN) {
        job_events_turn_away_dependent(run, job);
    }
}

void job_events_arrive(struct run_state *run) {
    struct arrival arrival;
    int32_t workload = arrival_streams_take(&run->streams, &arrival);
    int32_t size = dependencies_array_size(run, workload);
    struct job_array *array = dependencies_arrive(run, workload);
    for (int32_t task = 1; task <= size; task++) {
        struct job *job = make_job(run, &arrival, workload);
        job->array = array;
        job->number = (arrival.number - 1) * size + task;
        submit_job(run, job, arrival.max_wait);
    }
}
