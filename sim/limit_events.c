#include "sim/limit_events.h"

#include "sim/job_events.h"
#include "sim/scheduling/speed.h"

static void limit_is_reached(void *context, void *subject) {
    struct run_state *run = context;
    struct job *job = subject;
    job->limit_event = 0;
    run->figures[job->workload].killed_at_estimate += run_counts(run, job->submit);
    job_events_kill(run, job);
}

/* What the estimate amounts to there; where it is one task of a device, rounded up, so that the
 * device's own rounding does not make an exact estimate too short. */
static sim_time limit_of(const struct run_state *run, const struct job *job,
                         const struct device *device) {
    const struct workload_spec *workload = &run->scenario->workloads[job->workload];
    if (device == NULL) {
        return scheduler_scale(job->estimate, speed_on_gpu(run->scenario, workload, job->pool));
    }
    double speed = speed_capped_on_device(run->scenario, workload, device,
                                          (double)job->compute / SLOTS_MOST_COMPUTE);
    return sim_time_add(scheduler_scale(job->estimate, speed), 1);
}

void limit_events_start(struct run_state *run, struct job *job, const struct device *device) {
    if (!run->scenario->scheduler.kill_at_estimate || job->estimate >= SIM_TIME_LONGEST) {
        return;
    }
    sim_time limit = limit_of(run, job, device);
    bool surely_ends = device == NULL && job->course == NULL && job->run_time <= limit;
    sim_time time = sim_time_add(run->now, limit);
    if (!surely_ends && time != SIM_TIME_NEVER) {
        job->limit_event = event_queue_push(run->events, time, RANK_KILL, limit_is_reached, job);
    }
}

void limit_events_stop(struct run_state *run, struct job *job) {
    if (job->limit_event != 0) {
        event_queue_cancel(run->events, job->limit_event);
        job->limit_event = 0;
    }
}
