#include "sim/clock_events.h"

#include <assert.h>
#include <stdlib.h>

#include "sim/cluster/relayout.h"
#include "sim/eviction.h"
#include "sim/kernel/memory.h"
#include "sim/outage_events.h"
#include "sim/scheduling/course.h"
#include "sim/service_events.h"
#include "sim/start_events.h"
#include "workloads/draws.h"

/* --- Whether anything but calendars goes on --- */

/* Without a start or an end for so long, no turn of a calendar brings one. */
static const sim_time QUIET_LONG_ENOUGH = 2 * NANOSECONDS_PER_WEEK;

/* A job that runs, or that will be withdrawn. */
static bool any_job_goes_on(const struct run_state *run) {
    bool any = false;
    struct job **jobs = job_store_list(&run->jobs);
    for (size_t i = 0; i < run->jobs.alive; i++) {
        any |= !run_is_service(run, jobs[i]->workload) && (jobs[i]->running || jobs[i]->event != 0);
    }
    free(jobs);
    return any;
}

static bool any_request_goes_on(const struct run_state *run) {
    bool any = false;
    for (size_t i = 0; i < run->scenario->workload_count; i++) {
        const struct service *service =
            run_is_service(run, (int32_t)i) ? &run->services[i]->service : NULL;
        any |= service != NULL &&
               (service->running > 0 ||
                (service->waiting > 0 && service->spec->service.timeout != SIM_TIME_NEVER));
    }
    return any;
}

bool clock_events_idle(const struct run_state *run) {
    if (run->clock == NULL) {
        return false;
    }
    sim_time last = run->clock->last_start > run->last_end ? run->clock->last_start : run->last_end;
    return run->now - last >= run->clock->patience && !any_job_goes_on(run) &&
           !any_request_goes_on(run);
}

static bool drains_jobs(const struct chosen *sharing) {
    const struct sharing_spec *spec = sharing->options;
    return sharing->index == SHARING_MIG && spec->calendar_count > 0 &&
           (spec->reconfigure.drain != DRAIN_WAIT ||
            spec->reconfigure.drain_limit != SIM_TIME_NEVER);
}

bool clock_events_interrupt_jobs(const struct scenario *scenario) {
    bool interrupt = false;
    for (size_t i = 0; i < scenario->workload_count; i++) {
        interrupt |= scenario->workloads[i].window_count > 0 &&
                     scenario->workloads[i].at_end == WINDOW_PREEMPT;
    }
    for (size_t i = 0; i < scenario->pool_count; i++) {
        const struct pool_spec *pool = &scenario->pools[i];
        interrupt |= drains_jobs(&pool->sharing);
        for (size_t k = 0; k < pool->layout_count; k++) {
            interrupt |= drains_jobs(&pool->layouts[k].sharing);
        }
    }
    return interrupt;
}

static void push(struct run_state *run, sim_time time, event_handler *handle, void *subject) {
    if (time != SIM_TIME_NEVER) {
        event_queue_push(run->events, time, RANK_KILL, handle, subject);
    }
}

/* --- Who has to go --- */

static struct eviction eviction_by(const struct run_state *run, enum drain how) {
    return (struct eviction){.jobs = how,
                             .replicas = how,
                             .grace = run->scenario->scheduler.preemption.grace,
                             .reason = LEAVES_PREEMPTED};
}

static void evict(void *context, struct tenant *tenant, const struct piece *gang, enum drain how) {
    struct run_state *run = context;
    const struct eviction eviction = eviction_by(run, how);
    if (tenant == NULL) {
        eviction_of_gang(run, gang, &eviction);
    } else {
        eviction_of_tenant(run, tenant, &eviction);
    }
}

/* --- Layouts --- */

static void turn(void *context, void *subject);

static void await_turn(struct run_state *run, struct relayout_program *program) {
    program->next_turn = relayout_next(program, run->now);
    push(run, program->next_turn, turn, program);
}

/* The next layout holds from this instant on, whatever else happens at it: no GPU is drained for
 * the last one any more. */
static void keep_time(struct run_state *run, struct relayout_program *program) {
    if (program->next_turn == run->now) {
        relayout_turn(program, run->now);
        await_turn(run, program);
        run->pass_due = true;
    }
}

static void turn(void *context, void *subject) {
    keep_time(context, subject);
    eviction_is_over(context);
}

static void limit_ends(void *context, void *subject) {
    struct run_state *run = context;
    struct relayout_gpu *gpu = subject;
    event_id limit = gpu->limit;
    keep_time(run, gpu->program);
    if (gpu->limit == limit) {
        relayout_end_limit(gpu);
    }
    eviction_is_over(run);
}

static void cut_ends(void *context, void *subject) {
    struct run_state *run = context;
    struct relayout_gpu *gpu = subject;
    keep_time(run, gpu->program);
    relayout_end_cut(gpu, run->now);
    eviction_is_over(run);
    run->pass_due = true;
}

static void begin_cut(struct run_state *run, struct relayout_gpu *gpu) {
    struct slots *slots = gpu->program->owner->slots;
    double time = distribution_draw(relayout_cut_time(gpu), &slots->recut_stream);
    relayout_begin_cut(gpu, run->now);
    gpu->cut_until = sim_time_add(run->now, draws_round_time(time));
    push(run, gpu->cut_until, cut_ends, gpu);
}

void clock_events_look(struct run_state *run) {
    struct device_host *host = &run->devices;
    for (size_t i = 0; i < host->changed_count; i++) {
        if (relayout_has_drained(host->changed[i])) {
            begin_cut(run, host->changed[i]);
        }
    }
    host->changed_count = 0;
    eviction_is_over(run);
}

static int64_t position_at_start(const struct run_state *run) {
    return weekly_position(run->scenario->has_start ? run->scenario->start : 0);
}

static void begin_layouts(struct run_state *run) {
    for (size_t i = 0; i < run->scenario->pool_count; i++) {
        struct slots *slots = run->pools[i].slots;
        struct relayout *relayout = slots == NULL ? NULL : slots->relayout;
        if (relayout == NULL) {
            continue;
        }
        relayout_begin(relayout, position_at_start(run));
        for (size_t k = 0; k < relayout->program_count; k++) {
            await_turn(run, &relayout->programs[k]);
        }
    }
}

/* --- Windows --- */

static void preempt_jobs(struct run_state *run, int32_t preference) {
    const struct eviction eviction = eviction_by(run, DRAIN_PREEMPT);
    size_t count = run->jobs.alive;
    struct job **jobs = job_store_list(&run->jobs);
    for (size_t i = 0; i < count; i++) {
        struct job *job = jobs[i];
        bool its_own = run->preferences.of_workload[job->workload] == preference &&
                       run->scenario->workloads[job->workload].at_end == WINDOW_PREEMPT;
        if (its_own && job->running && !start_events_is_pending(run, job)) {
            eviction_of_job(run, job, &eviction);
        }
    }
    free(jobs);
}

static void window_turns(void *context, void *subject);

/* Its jobs may start, or not, until that changes. */
static void set_window(struct run_state *run, struct preference *preference) {
    const struct weekly_calendar calendar = {preference->window, preference->window_count,
                                             position_at_start(run)};
    int32_t index = (int32_t)(preference - run->preferences.items);
    bool closed = weekly_calendar_at(&calendar, run->now) < 0;
    shape_table_close(&run->shapes, &run->scheduler.queue, index, closed);
    push(run,
         closed ? weekly_calendar_next_open(&calendar, run->now)
                : weekly_calendar_next_closed(&calendar, run->now),
         window_turns, preference);
}

static void window_turns(void *context, void *subject) {
    struct run_state *run = context;
    struct preference *preference = subject;
    set_window(run, preference);
    if (preference->closed) {
        preempt_jobs(run, (int32_t)(preference - run->preferences.items));
    }
    run->pass_due = true;
}

static void begin_windows(struct run_state *run) {
    for (size_t i = 0; i < run->preferences.count; i++) {
        if (run->preferences.items[i].window_count > 0) {
            set_window(run, &run->preferences.items[i]);
        }
    }
}

/* --- All of it --- */

static bool follows_clock(const struct run_state *run) {
    bool follows = false;
    for (size_t i = 0; i < run->scenario->pool_count; i++) {
        const struct slots *slots = run->pools[i].slots;
        follows |= slots != NULL && slots->relayout != NULL;
    }
    for (size_t i = 0; i < run->preferences.count; i++) {
        follows |= run->preferences.items[i].window_count > 0;
    }
    return follows || outage_events_any(run->scenario);
}

void clock_events_begin(struct run_state *run) {
    if (!follows_clock(run)) {
        return;
    }
    run->clock = memory_zero(1, sizeof *run->clock);
    run->clock->patience = sim_time_add(QUIET_LONG_ENOUGH, outage_events_patience(run));
    run->devices.context = run;
    run->devices.evict = evict;
    run->devices.drain_limit = limit_ends;
    begin_layouts(run);
    begin_windows(run);
}

void clock_events_terminate(struct run_state *run) {
    free(run->clock);
    free(run->devices.changed);
}
