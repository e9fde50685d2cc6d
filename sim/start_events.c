#include "sim/start_events.h"

#include <stdio.h>

#include "sim/clock_events.h"
#include "sim/job_events.h"
#include "sim/service_events.h"
#include "workloads/draws.h"

/* What is there may be cut anew for a job that waits. */
static void gives_way(void *context, void *subject) {
    struct run_state *run = context;
    struct device *device = subject;
    slots_let_go(device->pool->slots, device, run->now);
    run->pass_due = true;
}

void start_events_begin(struct run_state *run) {
    const struct scenario *scenario = run->scenario;
    run->devices.gives_way = gives_way;
    for (size_t i = 0; i < scenario->pool_count; i++) {
        struct slots *slots = run->pools[i].slots;
        if (slots != NULL && (slots->recut != NULL || slots->relayout != NULL)) {
            char purpose[256];
            snprintf(purpose, sizeof purpose, "reconfiguration of pool %s", run->pools[i].name);
            stream_initialize(&slots->recut_stream, run->request->seed, run->request->replication,
                              purpose);
        }
        if (slots != NULL && slots->recut != NULL) {
            slots->recut->rank = placement_rules[scenario->scheduler.placement.index].cut;
        }
    }
}

static void start(struct run_state *run, struct job *job, struct device *device) {
    if (run_is_service(run, job->workload)) {
        service_events_replica_started(run, job, device);
    } else {
        job_events_start(run, job, device);
    }
}

/* The instance is there: its tenant starts, and what the re-cut kept from others is free again. */
static void cut_ends(void *context, void *subject) {
    struct run_state *run = context;
    struct device *device = subject;
    struct slots *slots = device->pool->slots;
    struct job *holder = recut_work(slots, device)->holder;
    slots_end_cut(slots, device, run->now);
    recut_work(slots, device)->holder = NULL;
    run->pass_due = true;
    start(run, holder, device);
    pool_end_cut(device->pool, device);
}

void start_events_give_up(struct run_state *run, struct device *device) {
    struct slots *slots = device->pool->slots;
    struct cut_work *work = slots->recut == NULL ? NULL : recut_work(slots, device);
    if (work == NULL || work->holder == NULL) {
        return;
    }
    struct job *job = work->holder;
    event_queue_cancel(run->events, work->ends);
    slots_abort_cut(slots, device, run->now);
    pool_end_cut(device->pool, device);
    scheduler_cancel(&run->scheduler, job, run->now);
    if (!run_is_service(run, job->workload)) {
        backlog_enter(&run->backlogs[job->workload]);
    }
    run->pass_due = true;
}

static void await_cut(struct run_state *run, struct job *job, struct device *device) {
    struct slots *slots = device->pool->slots;
    const struct sharing_spec *spec = slots->recut->of_gpu[device->gpu]->spec;
    sim_time time =
        draws_round_time(distribution_draw(&spec->reconfigure.time, &slots->recut_stream));
    recut_work(slots, device)->holder = job;
    job->start = sim_time_add(run->now, time);
    job->expected_end = sim_time_add(job->expected_end, time);
    if (job->start != SIM_TIME_NEVER) {
        recut_work(slots, device)->ends =
            event_queue_push(run->events, job->start, RANK_END, cut_ends, device);
    }
}

void start_events_place(void *context, struct job *job, struct device *device) {
    struct run_state *run = context;
    if (!run_is_service(run, job->workload)) {
        job_events_leave_queue(run, job);
        clock_events_note_start(run);
    }
    if (device == NULL || slots_is_there(device->pool->slots, device)) {
        start(run, job, device);
    } else {
        await_cut(run, job, device);
    }
}
