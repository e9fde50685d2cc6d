#include "sim/job_compute.h"

#include "sim/course_events.h"
#include "sim/job_iterations.h"

/* Of what a job on whole GPUs computes, it waits for its host: begins to (1), or ceases to (-1). */
static void count_host(struct run_state *run, const struct job *job, int sign) {
    int32_t share = job_iterations_host_share(&run->scenario->workloads[job->workload]);
    struct pool *pool = &run->pools[job->pool];
    pool_change_host_waits(pool, sign * (int64_t)job->gpus * pool->units_per_gpu, share, run->now);
}

static void ends(void *context, void *subject) {
    count_host(context, subject, -1);
    course_events_computed(context, subject);
}

/* Whether others may compute while it waits. */
static bool iterates_beside_others(const struct run_state *run, const struct job *job) {
    return job->tenant != NULL && job->tenant->device->slots > 1 &&
           job_iterates(&run->scenario->workloads[job->workload]);
}

static void task_ends(void *context, struct tenant *tenant, struct task *task,
                      const struct task_parts *parts, sim_time now) {
    (void)task;
    (void)parts;
    (void)now;
    course_events_computed(context, ((struct job_tenant *)tenant)->job);
}

bool job_compute_begin(struct run_state *run, struct job *job, sim_time work) {
    if (iterates_beside_others(run, job)) {
        job_iterations_begin(run, job, work);
        return true;
    }
    if (job->tenant != NULL) {
        job->tenant->task_ended = task_ends;
        job->tenant->host_share =
            job_iterations_host_share(&run->scenario->workloads[job->workload]);
        device_begin(job->tenant, &((struct job_tenant *)job->tenant)->task, work, run->now);
        return true;
    }
    count_host(run, job, 1);
    sim_time end = sim_time_add(run->now, work);
    job->event =
        end == SIM_TIME_NEVER ? 0 : event_queue_push(run->events, end, RANK_END, ends, job);
    return end != SIM_TIME_NEVER;
}

sim_time job_compute_stop(struct run_state *run, struct job *job) {
    if (iterates_beside_others(run, job)) {
        return job_iterations_stop(run, job);
    }
    if (job->tenant != NULL) {
        return device_withdraw(job->tenant, &((struct job_tenant *)job->tenant)->task, run->now);
    }
    count_host(run, job, -1);
    event_queue_cancel(run->events, job->event);
    job->event = 0;
    return run->now - job->course->phase_since;
}
