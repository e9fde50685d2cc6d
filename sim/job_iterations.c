#include "sim/job_iterations.h"

#include <math.h>
#include <stdio.h>

#include "sim/course_events.h"
#include "sim/scheduling/course.h"
#include "workloads/draws.h"

int32_t job_iterations_host_share(const struct workload_spec *workload) {
    return job_iterates(workload)
               ? (int32_t)lround((1 - workload->iterations.gpu_active) * HOST_SHARE_UNIT)
               : 0;
}

/* How far into its first iteration a job starts, on the reference GPU. Each job has a stream of its
 * own, so that it does not matter who starts first. */
static sim_time first_phase(const struct run_state *run, const struct job *job) {
    const struct workload_spec *workload = &run->scenario->workloads[job->workload];
    if (workload->iterations.phase != PHASE_RANDOM) {
        return workload->iterations.phase;
    }
    char what[40];
    snprintf(what, sizeof what, "phase of job %lld", (long long)job->number);
    struct stream stream;
    draws_start_stream(&stream, run->request->seed, run->request->replication, what,
                       workload->name);
    return (sim_time)stream_uniform_integer(&stream, (uint64_t)workload->iterations.length);
}

static struct job_tenant *in_slot_of(const struct job *job) {
    return (struct job_tenant *)job->tenant;
}

static void next_part(struct run_state *run, struct job *job);

static void part_ends(struct run_state *run, struct job *job) {
    struct job_iterations *iterations = &in_slot_of(job)->iterations;
    iterations->done += iterations->part;
    iterations->position = (iterations->position + iterations->part) % iterations->length;
    if (iterations->done == iterations->work) {
        course_events_computed(run, job);
    } else {
        next_part(run, job);
    }
}

static void task_ends(void *context, struct tenant *tenant, struct task *task,
                      const struct task_parts *parts, sim_time now) {
    (void)task;
    (void)parts;
    (void)now;
    part_ends(context, ((struct job_tenant *)tenant)->job);
}

static void wait_ends(void *context, void *subject) {
    struct job *job = subject;
    in_slot_of(job)->iterations.wait = 0;
    part_ends(context, job);
}

/* Computes, or waits, up to where that changes or the work is done. */
static void next_part(struct run_state *run, struct job *job) {
    struct job_tenant *in_slot = in_slot_of(job);
    struct job_iterations *iterations = &in_slot->iterations;
    sim_time left = iterations->work - iterations->done;
    iterations->computes = iterations->position < iterations->active;
    iterations->since = run->now;
    iterations->part =
        (iterations->computes ? iterations->active : iterations->length) - iterations->position;
    iterations->part = iterations->part < left ? iterations->part : left;
    if (iterations->computes) {
        device_begin(job->tenant, &in_slot->task, iterations->part, run->now);
        return;
    }
    sim_time end = sim_time_add(run->now, iterations->part);
    if (end != SIM_TIME_NEVER) {
        iterations->wait = event_queue_push(run->events, end, RANK_END, wait_ends, job);
    }
}

void job_iterations_begin(struct run_state *run, struct job *job, sim_time work) {
    const struct iterations_spec *spec = &run->scenario->workloads[job->workload].iterations;
    const struct course *course = job->course;
    struct job_iterations *iterations = &in_slot_of(job)->iterations;
    *iterations = (struct job_iterations){.work = work};
    /* The speed of its slot is that of whole iterations. */
    iterations->length = scheduler_scale(spec->length, course->speed);
    iterations->active = llround((double)iterations->length * spec->gpu_active);
    sim_time start = (first_phase(run, job) + course->kept) % spec->length;
    iterations->position =
        (scheduler_scale(start, course->speed) + course->done) % iterations->length;
    job->tenant->task_ended = task_ends;
    next_part(run, job);
}

sim_time job_iterations_stop(struct run_state *run, struct job *job) {
    struct job_tenant *in_slot = in_slot_of(job);
    struct job_iterations *iterations = &in_slot->iterations;
    if (iterations->computes) {
        return iterations->done + device_withdraw(job->tenant, &in_slot->task, run->now);
    }
    if (iterations->wait != 0) {
        event_queue_cancel(run->events, iterations->wait);
        iterations->wait = 0;
    }
    return iterations->done + (run->now - iterations->since);
}
