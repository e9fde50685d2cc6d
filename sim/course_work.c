/* What a job with a course does on its GPUs: it computes, saves and restores, and books that. */
#include "sim/course_work.h"

#include <math.h>

#include "sim/job_compute.h"
#include "sim/job_events.h"
#include "sim/job_iterations.h"
#include "sim/job_log.h"
#include "sim/scheduling/speed.h"

/* --- The books --- */

static const enum gpu_category category_of[] = {[COURSE_WAITS] = GPU_USEFUL,
                                                [COURSE_RESTORES] = GPU_RESTORE,
                                                [COURSE_COMPUTES] = GPU_USEFUL,
                                                [COURSE_SAVES] = GPU_CHECKPOINT};
static const enum tenant_state state_of[] = {[COURSE_WAITS] = TENANT_WAITS,
                                             [COURSE_RESTORES] = TENANT_RESTORES,
                                             [COURSE_COMPUTES] = TENANT_WAITS,
                                             [COURSE_SAVES] = TENANT_SAVES};

/* What was computed before measuring began cannot be lost any more. */
static void forget_unmeasured(const struct run_state *run, struct course *course) {
    if (course->unsecured_since != run->measured_since) {
        course->unsecured_since = run->measured_since;
        course->unsecured = 0;
        course->marked_time = 0;
    }
}

static void count_time(struct run_state *run, const struct job *job, enum course_phase phase,
                       double gpu_ns) {
    struct job_figures *figures = &run->figures[job->workload];
    if (phase == COURSE_RESTORES) {
        figures->restore += gpu_ns;
    } else if (phase == COURSE_SAVES) {
        figures->checkpoint += gpu_ns;
    }
}

/* Of the time that it computes on whole GPUs, what they wait for their hosts. */
static gpu_time host_waits(const struct run_state *run, const struct job *job, gpu_time used) {
    int32_t share = job_iterations_host_share(&run->scenario->workloads[job->workload]);
    return (used * share + HOST_SHARE_UNIT - 1) / HOST_SHARE_UNIT;
}

void course_events_book(struct run_state *run, struct job *job) {
    struct course *course = job->course;
    sim_time since = course->phase_since;
    sim_time from = since > run->measured_since ? since : run->measured_since;
    sim_time elapsed = run->now - from;
    struct pool *pool = &run->pools[job->pool];
    forget_unmeasured(run, course);
    if (job->tenant != NULL) {
        gpu_time computed = device_take_computed(job->tenant, run->now);
        course->unsecured += computed;
        run->figures[job->workload].computed += (double)computed / pool->units_per_gpu;
        count_time(run, job, course->phase, device_take_moved(job->tenant) / pool->units_per_gpu);
        return;
    }
    gpu_time used = (gpu_time)job->gpus * pool->units_per_gpu * elapsed;
    *run_account(run, job->account, job->pool) +=
        used + (gpu_time)scheduler_idle_gpus(pool, job) * pool->units_per_gpu * elapsed;
    pool->gang_time += elapsed;
    count_time(run, job, course->phase, (double)job->gpus * (double)elapsed);
    if (course->phase == COURSE_COMPUTES) {
        double sms = fmin(speed_saturation(&run->scenario->workloads[job->workload]),
                          speed_thread_share(run->scenario, job->pool));
        gpu_time computed = used - host_waits(run, job, used);
        pool->sm_time += (double)computed * sms;
        course->unsecured += computed;
        run->figures[job->workload].computed += (double)computed / pool->units_per_gpu;
    }
}

/* What it does from now on. */
void course_enter(struct run_state *run, struct job *job, enum course_phase phase) {
    struct course *course = job->course;
    if (course->phase != COURSE_WAITS) {
        course_events_book(run, job);
    }
    if (job->tenant != NULL) {
        device_set_state(job->tenant, state_of[phase], run->now);
    } else if (category_of[phase] != category_of[course->phase]) {
        struct pool *pool = &run->pools[job->pool];
        ledger_move(&pool->ledger, run->now, category_of[course->phase], category_of[phase],
                    (int64_t)job->gpus * pool->units_per_gpu);
    }
    course->phase = phase;
    course->phase_since = run->now;
}

/* All that is not saved is lost. */
void course_lose(struct run_state *run, struct job *job) {
    struct course *course = job->course;
    struct pool *pool = &run->pools[job->pool];
    forget_unmeasured(run, course);
    ledger_lose(&pool->ledger, course->unsecured, run->now);
    run->figures[job->workload].redone += (double)course->unsecured / pool->units_per_gpu;
    course->unsecured = 0;
    course->marked_time = 0;
    course->kept -= course->unsaved;
    course->unsaved = 0;
}

void course_lose_memory(void *context, struct job *job) {
    job->course->suspended = false;
    course_lose(context, job);
}

void course_secure(struct run_state *run, struct course *course) {
    forget_unmeasured(run, course);
    course->unsecured -= course->marked_time;
    course->marked_time = 0;
    course->secure = course->marked;
    course->unsaved = 0;
    course->in_vain = 0;
}

/* --- Saves and restores --- */

static void move_done(struct run_state *run, struct job *job);

static void transfer_done(void *context, struct transfer *transfer, sim_time now) {
    (void)now;
    move_done(context, ((struct course *)transfer)->job);
}

static void time_done(void *context, void *subject) {
    struct job *job = subject;
    job->course->event = 0;
    move_done(context, job);
}

/* Begins to write or read a save; false: that takes no time. */
bool course_begin_move(struct run_state *run, struct job *job, sim_time time) {
    struct course *course = job->course;
    if (time < 0) {
        struct storage *storage = &run->pools[job->pool].storage;
        int64_t size = course_rules_of(run, job)->size;
        if (size == 0 || storage->bandwidth == 0) {
            return false;
        }
        course->transfer.done = transfer_done;
        storage_begin(storage, &course->transfer, size, run->now);
        return true;
    }
    sim_time end = sim_time_add(run->now, time);
    if (time > 0 && end != SIM_TIME_NEVER) {
        course->event = event_queue_push(run->events, end, RANK_END, time_done, job);
    }
    return time > 0;
}

void course_cancel_event(struct run_state *run, event_id *event) {
    if (*event != 0) {
        event_queue_cancel(run->events, *event);
        *event = 0;
    }
}

void course_break_off_move(struct run_state *run, struct job *job) {
    struct course *course = job->course;
    if (course->transfer.under_way) {
        storage_cancel(&run->pools[job->pool].storage, &course->transfer, run->now);
    }
    course_cancel_event(run, &course->event);
    course->async_save = false;
    course->marked_time = 0;
}

/* --- Computing --- */

static void finish(struct run_state *run, struct job *job) {
    struct course *course = job->course;
    const struct course_rules *rules = course_rules_of(run, job);
    bool last_save =
        rules->checkpoint->given && rules->checkpoint->final && course->secure < course->total;
    if (last_save) {
        course_break_off_move(run, job);
        course_begin_save(run, job);
    } else {
        job_events_complete(run, job);
    }
}

/* Computes up to the next save, or to the end. */
bool course_compute(struct run_state *run, struct job *job) {
    struct course *course = job->course;
    sim_time left = course->total - course->done;
    bool saves = course->leaving == LEAVING_NOT && !course->async_save;
    course->segment = saves && course->interval < left ? course->interval : left;
    if (course->phase != COURSE_COMPUTES && !course->async_save) {
        job_log(run, job, JOB_COMPUTES, NULL);
    }
    course->pace = course->async_save ? 1 - course_rules_of(run, job)->async : 1;
    course_enter(run, job, COURSE_COMPUTES);
    sim_time work = course->pace == 1 ? course->segment
                                      : (sim_time)ceil((double)course->segment / course->pace);
    return job_compute_begin(run, job, work);
}

/* Stops computing: what has been done is counted. */
void course_pause(struct run_state *run, struct job *job) {
    struct course *course = job->course;
    sim_time work = job_compute_stop(run, job);
    if (course->pace != 1) {
        work = (sim_time)((double)work * course->pace);
    }
    course->done += work < course->segment ? work : course->segment;
    course_enter(run, job, COURSE_WAITS);
}

void course_events_computed(struct run_state *run, struct job *job) {
    struct course *course = job->course;
    job->event = 0;
    course->done += course->segment;
    course_enter(run, job, COURSE_WAITS);
    if (course->done >= course->total) {
        finish(run, job);
    } else {
        course_begin_save(run, job);
    }
}

/* Saves what is done, and goes on. */
void course_begin_save(struct run_state *run, struct job *job) {
    struct course *course = job->course;
    const struct course_rules *rules = course_rules_of(run, job);
    bool blocks =
        rules->async < 0 || course->leaving == LEAVING_BY_SAVE || course->done >= course->total;
    course->marked = course->done;
    course->marked_time = course->unsecured;
    job_log(run, job, JOB_SAVES, NULL);
    if (blocks) {
        course_enter(run, job, COURSE_SAVES);
    }
    if (!course_begin_move(run, job, rules->checkpoint->save_time)) {
        move_done(run, job);
    } else if (!blocks) {
        course->async_save = true;
        course_compute(run, job);
    }
}

/* A save or restore is complete. */
static void move_done(struct run_state *run, struct job *job) {
    struct course *course = job->course;
    enum course_phase phase = course->phase;
    if (phase == COURSE_COMPUTES) { /* an asynchronous save */
        course->async_save = false;
        course_pause(run, job);
    } else {
        course_enter(run, job, COURSE_WAITS);
    }
    if (phase != COURSE_RESTORES) {
        course_secure(run, course);
        course->saved = true;
        job_log(run, job, JOB_SAVED, NULL);
    }
    if (course->done >= course->total) {
        finish(run, job);
    } else if (course->leaving == LEAVING_BY_SAVE) {
        course_leave_now(run, job);
    } else {
        course_compute(run, job);
    }
}
