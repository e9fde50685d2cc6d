#include "sim/service_events.h"

#include <stdio.h>
#include <stdlib.h>

#include "sim/kernel/memory.h"
#include "sim/memory_events.h"
#include "sim/scheduling/speed.h"
#include "sim/service_timeline.h"

static void record_request(struct run_state *run, const struct service *service,
                           const struct request *request, enum request_state state) {
    if (!run->scenario->record.requests || run->recorder == NULL ||
        run->recorder->request == NULL || run->failed) {
        return;
    }
    bool remains = state == REQUEST_RUNNING || state == REQUEST_QUEUED;
    struct request_record record = {
        .workload = service->spec->name,
        .seq = request->number,
        .arrival = request->arrival,
        .start = request->start,
        .end = remains ? SIM_TIME_NEVER : run->now,
        .state = state,
    };
    run->failed = !run->recorder->request(run->recorder->context, &record, run->error);
}

/* In order of start, which histograms forget. */
static void note_wait(struct run_state *run, int32_t workload, const struct request *request) {
    double wait = (double)(request->start - request->arrival);
    batch_series_add(&run->waits[workload], run->now, wait);
    batch_series_add(run->all_waits, run->now, wait);
}

static void request_started(void *context, const struct service *service,
                            const struct request *request, sim_time now) {
    struct run_state *run = context;
    (void)now;
    if (run->service_intervals != NULL) {
        service_timeline_queue_changes(run, service->workload);
    }
    backlog_leave(&run->backlogs[service->workload]);
    if (run_counts(run, request->arrival)) {
        service_figures_started(&run->services[service->workload]->figures, request);
        note_wait(run, service->workload, request);
    }
}

static void request_left(void *context, const struct service *service,
                         const struct request *request, enum request_state how,
                         const struct task_parts *parts, sim_time now) {
    struct run_state *run = context;
    if (run->service_intervals != NULL) {
        service_timeline_queue_changes(run, service->workload);
        service_timeline_left(run, service->workload, request, how);
    }
    if (request->start == SIM_TIME_NEVER) {
        backlog_leave(&run->backlogs[service->workload]);
    }
    if (run_counts(run, request->arrival)) {
        service_figures_left(&run->services[service->workload]->figures, request, how, parts, now);
    }
    if (how == REQUEST_COMPLETED) {
        run->last_end = now;
    }
    run->stuck_requests -= run->services[service->workload]->stuck;
    record_request(run, service, request, how);
    if (arrival_streams_wait_for_ends(&run->streams, service->workload)) {
        arrival_streams_job_ended(&run->streams, service->workload, now);
    }
}

static void create_service(struct run_state *run, int32_t workload) {
    const struct workload_spec *spec = &run->scenario->workloads[workload];
    struct run_service *made = memory_zero(1, sizeof *made);
    service_initialize(&made->service, spec, workload, run->events, &run->requests,
                       &run->service_listener, run->request->seed, run->request->replication);
    service_figures_initialize(&made->figures, spec->service.slo);
    made->figures.counts_tokens = made->service.counts_tokens;
    run->services[workload] = made;
}

static void explain_misfit(struct run_state *run, const struct job *job) {
    const struct workload_spec *spec = &run->scenario->workloads[job->workload];
    snprintf(run->results->first_rejected, sizeof run->results->first_rejected,
             "replica %lld of service %s, with %.1f GiB; no slot of a pool it may use could hold "
             "it, so it never serves",
             (long long)job->number, spec->name, (double)job->memory / (1024.0 * 1024.0 * 1024.0));
}

/* A replica will never have a slot again. */
static void lose_replica(struct run_state *run, const struct replica *replica) {
    const struct service *service = replica->service;
    struct run_service *of = run->services[service->workload];
    if (++of->lost_replicas == service->replica_count &&
        service->spec->service.timeout == SIM_TIME_NEVER) {
        of->stuck = true;
        run->stuck_requests += (size_t)service_alive(service);
    }
}

/* Asks for a slot, for as long as the run lasts. */
static void submit_replica(struct run_state *run, struct replica *replica) {
    const struct workload_spec *spec = replica->service->spec;
    struct job *job = job_store_take(&run->jobs);
    job->workload = replica->service->workload;
    job->account = ownership_account(&run->ownership, job->workload, 0);
    job->sequence = run->sequence++;
    job->gpus = 1;
    job->submit = run->now;
    job->duration = SIM_TIME_LONGEST;
    job->estimate = SIM_TIME_LONGEST;
    job->memory = service_draw_memory(replica->service);
    if (run->memory != NULL) {
        memory_events_ask(run, job);
    }
    job->priority = workload_priority(spec);
    job->compute = slots_compute(spec->compute);
    job->shape =
        run_find_shape(run, job, (struct host_share){host_cpus(spec->cpus), spec->host_memory});
    job->number = replica->index;
    job->index = replica->index;
    job->tenant = &replica->tenant;
    if (job->shape->pool_count == 0) {
        if (run->results->rejected++ == 0) {
            explain_misfit(run, job);
        }
        lose_replica(run, replica);
        shape_table_release(job->shape);
        job_store_return(&run->jobs, job);
        return;
    }
    replica->job = job;
    run->replica_jobs++;
    run->pass_due = true;
    scheduler_submit(&run->scheduler, job, run->now);
}

static void forget_job(struct run_state *run, struct replica *replica) {
    shape_table_release(replica->job->shape);
    job_store_return(&run->jobs, replica->job);
    replica->job = NULL;
    run->replica_jobs--;
}

void service_events_take_down(struct run_state *run, struct replica *replica,
                              enum running_requests fate) {
    service_replica_down(replica->service, replica, fate, run->now);
    scheduler_end(&run->scheduler, replica->job, run->now);
    forget_job(run, replica);
    run->pass_due = true;
}

void service_events_kill(struct run_state *run, struct replica *replica) {
    service_events_take_down(run, replica, RUNNING_FAIL);
}

void service_events_replace(struct run_state *run, struct replica *replica) {
    service_replica_clear(replica->service, replica, run->now);
    submit_replica(run, replica);
}

static void replica_retired(void *context, struct replica *replica, sim_time now) {
    (void)now;
    service_events_take_down(context, replica, RUNNING_RETURN);
    service_events_replace(context, replica);
}

static void give_up(struct run_state *run, const struct replica *replica) {
    if (run->results->given_up++ == 0) {
        snprintf(
            run->results->first_given_up, sizeof run->results->first_given_up,
            "replica %d of service %s, killed %d times in a row as memory ran out before it had "
            "been up for any time",
            (int)replica->index, replica->service->spec->name, (int)replica->vain_starts);
    }
}

static void ask_again(void *context, void *subject) {
    submit_replica(context, subject);
}

void service_events_restart(struct run_state *run, struct replica *replica) {
    service_replica_clear(replica->service, replica, run->now);
    if (run->now > replica->up_at) {
        replica->vain_starts = 0;
        submit_replica(run, replica);
    } else if (++replica->vain_starts <= REPLICA_RESTARTS_IN_VAIN) {
        sim_time wait = REPLICA_RESTART_WAIT << (replica->vain_starts - 1);
        sim_time time = sim_time_add(run->now, wait);
        if (time != SIM_TIME_NEVER) {
            event_queue_push(run->events, time, RANK_END, ask_again, replica);
        }
    } else {
        give_up(run, replica);
        lose_replica(run, replica);
    }
}

void service_events_begin(struct run_state *run) {
    size_t workloads = run->scenario->workload_count;
    run->services = memory_zero(workloads, sizeof(struct run_service *));
    run->service_listener = (struct service_listener){.context = run,
                                                      .started = request_started,
                                                      .left = request_left,
                                                      .retired = replica_retired};
    for (size_t i = 0; i < workloads; i++) {
        if (run->scenario->workloads[i].kind.index == WORKLOAD_SERVICE) {
            create_service(run, (int32_t)i);
            struct service *service = &run->services[i]->service;
            for (int32_t replica = 0; replica < service->replica_count; replica++) {
                submit_replica(run, &service->replicas[replica]);
            }
        }
    }
}

void service_events_terminate(struct run_state *run) {
    for (size_t i = 0; run->services != NULL && i < run->scenario->workload_count; i++) {
        if (run->services[i] != NULL) {
            service_terminate(&run->services[i]->service);
            service_figures_terminate(&run->services[i]->figures);
            free(run->services[i]);
        }
    }
    service_timeline_terminate(run);
    free(run->services);
    request_stock_clear(&run->requests);
}

void service_events_arrive(struct run_state *run) {
    struct arrival arrival;
    int32_t workload = arrival_streams_take(&run->streams, &arrival);
    struct run_service *service = run->services[workload];
    if (run->first_submit == SIM_TIME_NEVER) {
        run->first_submit = run->now;
    }
    service->figures.submitted += run_counts(run, run->now);
    if (run->service_intervals != NULL) {
        service_timeline_queue_changes(run, workload);
    }
    backlog_enter(&run->backlogs[workload]);
    run->stuck_requests += service->stuck;
    service_arrive(&service->service, &arrival, run->now);
}

void service_events_replica_started(struct run_state *run, struct job *job, struct device *device) {
    struct replica *replica = (struct replica *)job->tenant;
    const struct workload_spec *spec = replica->service->spec;
    struct pool *pool = &run->pools[job->pool];
    double speed;
    run_fill_tenant(run, &replica->tenant, job);
    if (device != NULL) {
        pool_seat(pool, device, &replica->tenant, run->now);
        speed = speed_on_device(run->scenario, spec, device);
    } else {
        pool_seat_alone(pool, &job->pieces, &run->devices, &replica->own, &replica->tenant,
                        run->now);
        replica->own.thread_percentage = speed_thread_share(run->scenario, job->pool);
        speed = speed_on_gpu(run->scenario, spec, job->pool);
    }
    service_replica_seated(replica->service, replica, speed, run->now);
}

static void finish(struct run_state *run, struct run_service *service) {
    struct live_request *requests = service_list(&service->service);
    for (int64_t i = 0; i < service_alive(&service->service); i++) {
        const struct request *request = requests[i].request;
        enum request_state state = requests[i].runs ? REQUEST_RUNNING : REQUEST_QUEUED;
        if (run_counts(run, request->arrival)) {
            service_figures_remained(&service->figures, state);
        }
        record_request(run, &service->service, request, state);
    }
    free(requests);
}

/* They last as long as the run, so they are no jobs that it leaves unfinished. */
static void forget_replica_jobs(struct run_state *run, struct service *service) {
    for (int32_t i = 0; i < service->replica_count; i++) {
        if (service->replicas[i].job != NULL) {
            forget_job(run, &service->replicas[i]);
        }
    }
}

void service_events_finish(struct run_state *run) {
    for (size_t i = 0; i < run->scenario->workload_count; i++) {
        if (run->services[i] != NULL) {
            finish(run, run->services[i]);
            forget_replica_jobs(run, &run->services[i]->service);
        }
    }
}
