#include "sim/course_events.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "models/checkpoint.h"
#include "sim/clock_events.h"
#include "sim/job_compute.h"
#include "sim/job_events.h"
#include "sim/job_iterations.h"
#include "sim/job_log.h"
#include "sim/kernel/memory.h"
#include "sim/memory_events.h"
#include "sim/outage_events.h"
#include "sim/scheduling/preemption.h"
#include "sim/scheduling/speed.h"

/* Of one workload. */
struct course_rules {
    const struct checkpoint_spec *checkpoint;
    int64_t size; /* bytes */
    double async; /* share of speed lost while it saves; below 0: it computes nothing then */
    sim_time interval;
};

static void memory_lost(void *context, struct job *job);

static void evict(void *context, struct job *victim, const struct job *newcomer) {
    struct run_state *run = context;
    const struct preemption_spec *spec = &run->scenario->scheduler.preemption;
    course_events_leave(run, victim, spec->mode, spec->grace, LEAVES_PREEMPTED, newcomer);
}

static bool needs_courses(const struct scenario *scenario) {
    bool needs = scenario->scheduler.preemption.given || clock_events_interrupt_jobs(scenario) ||
                 outage_events_interrupt_jobs(scenario);
    for (size_t i = 0; i < scenario->workload_count; i++) {
        const struct checkpoint_spec *checkpoint = &scenario->workloads[i].checkpoint;
        needs |= checkpoint->given && (checkpoint->interval != SIM_TIME_NEVER || checkpoint->final);
        needs |= job_iterates(&scenario->workloads[i]);
    }
    return needs;
}

void course_events_begin(struct run_state *run) {
    const struct scenario *scenario = run->scenario;
    if (!needs_courses(scenario)) {
        return;
    }
    run->courses = memory_zero(1, sizeof *run->courses);
    run->courses->rules = memory_zero(scenario->workload_count, sizeof *run->courses->rules);
    for (size_t i = 0; i < scenario->workload_count; i++) {
        const struct checkpoint_spec *checkpoint = &scenario->workloads[i].checkpoint;
        run->courses->rules[i] = (struct course_rules){
            .checkpoint = checkpoint,
            .size = checkpoint_spec_size(checkpoint),
            .async = checkpoint->given ? checkpoint->overhead : -1,
            .interval = checkpoint->given ? checkpoint->interval : SIM_TIME_NEVER};
    }
    run->courses->levels = queue_order_levels(&scenario->scheduler.order);
    if (scenario->scheduler.preemption.given) {
        run->courses->preemption = preemption_create(&run->scheduler, scenario, evict, run);
        run->courses->preemption->memory_lost = memory_lost;
        run->scheduler.preemption = run->courses->preemption;
        run->scheduler.sequence = &run->sequence;
    }
}

void course_events_terminate(struct run_state *run) {
    if (run->courses != NULL) {
        preemption_destroy(run->courses->preemption);
        course_stock_clear(&run->courses->stock);
        free(run->courses->rules);
        free(run->courses);
    }
}

void course_events_arrive(struct run_state *run, struct job *job) {
    if (run->courses != NULL) {
        job->course = course_take(&run->courses->stock, job);
    }
}

static const struct course_rules *rules_of(const struct run_state *run, const struct job *job) {
    return &run->courses->rules[job->workload];
}

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
        double share = (double)job->tenant->device->units / pool->units_per_gpu;
        count_time(run, job, course->phase, share * (double)elapsed);
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
static void enter(struct run_state *run, struct job *job, enum course_phase phase) {
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
static void lose(struct run_state *run, struct job *job) {
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

static void memory_lost(void *context, struct job *job) {
    job->course->suspended = false;
    lose(context, job);
}

static void secure(struct run_state *run, struct course *course) {
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
static bool begin_move(struct run_state *run, struct job *job, sim_time time) {
    struct course *course = job->course;
    if (time < 0) {
        struct storage *storage = &run->pools[job->pool].storage;
        int64_t size = rules_of(run, job)->size;
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

static void cancel(struct run_state *run, event_id *event) {
    if (*event != 0) {
        event_queue_cancel(run->events, *event);
        *event = 0;
    }
}

static void break_off_move(struct run_state *run, struct job *job) {
    struct course *course = job->course;
    if (course->transfer.under_way) {
        storage_cancel(&run->pools[job->pool].storage, &course->transfer, run->now);
    }
    cancel(run, &course->event);
    course->async_save = false;
    course->marked_time = 0;
}

/* --- Computing --- */

static void begin_save(struct run_state *run, struct job *job);

static void finish(struct run_state *run, struct job *job) {
    struct course *course = job->course;
    const struct course_rules *rules = rules_of(run, job);
    bool last_save =
        rules->checkpoint->given && rules->checkpoint->final && course->secure < course->total;
    if (last_save) {
        break_off_move(run, job);
        begin_save(run, job);
    } else {
        job_events_complete(run, job);
    }
}

/* Computes up to the next save, or to the end. */
static bool compute(struct run_state *run, struct job *job) {
    struct course *course = job->course;
    sim_time left = course->total - course->done;
    bool saves = course->leaving == LEAVING_NOT && !course->async_save;
    course->segment = saves && course->interval < left ? course->interval : left;
    if (course->phase != COURSE_COMPUTES && !course->async_save) {
        job_log(run, job, JOB_COMPUTES, NULL);
    }
    course->pace = course->async_save ? 1 - rules_of(run, job)->async : 1;
    enter(run, job, COURSE_COMPUTES);
    sim_time work = course->pace == 1 ? course->segment
                                      : (sim_time)ceil((double)course->segment / course->pace);
    return job_compute_begin(run, job, work);
}

/* Stops computing: what has been done is counted. */
static void pause(struct run_state *run, struct job *job) {
    struct course *course = job->course;
    sim_time work = job_compute_stop(run, job);
    if (course->pace != 1) {
        work = (sim_time)((double)work * course->pace);
    }
    course->done += work < course->segment ? work : course->segment;
    enter(run, job, COURSE_WAITS);
}

void course_events_computed(struct run_state *run, struct job *job) {
    struct course *course = job->course;
    job->event = 0;
    course->done += course->segment;
    enter(run, job, COURSE_WAITS);
    if (course->done >= course->total) {
        finish(run, job);
    } else {
        begin_save(run, job);
    }
}

/* Saves what is done, and goes on. */
static void begin_save(struct run_state *run, struct job *job) {
    struct course *course = job->course;
    const struct course_rules *rules = rules_of(run, job);
    bool blocks =
        rules->async < 0 || course->leaving == LEAVING_BY_SAVE || course->done >= course->total;
    course->marked = course->done;
    course->marked_time = course->unsecured;
    job_log(run, job, JOB_SAVES, NULL);
    if (blocks) {
        enter(run, job, COURSE_SAVES);
    }
    if (!begin_move(run, job, rules->checkpoint->save_time)) {
        move_done(run, job);
    } else if (!blocks) {
        course->async_save = true;
        compute(run, job);
    }
}

static void leave_now(struct run_state *run, struct job *job);

/* A save or restore is complete. */
static void move_done(struct run_state *run, struct job *job) {
    struct course *course = job->course;
    enum course_phase phase = course->phase;
    if (phase == COURSE_COMPUTES) { /* an asynchronous save */
        course->async_save = false;
        pause(run, job);
    } else {
        enter(run, job, COURSE_WAITS);
    }
    if (phase != COURSE_RESTORES) {
        secure(run, course);
        course->saved = true;
        job_log(run, job, JOB_SAVED, NULL);
    }
    if (course->done >= course->total) {
        finish(run, job);
    } else if (course->leaving == LEAVING_BY_SAVE) {
        leave_now(run, job);
    } else {
        compute(run, job);
    }
}

/* --- Levels of attained service --- */

static void watch_level(struct run_state *run, struct job *job);

static void goes_down(void *context, void *subject) {
    struct run_state *run = context;
    struct job *job = subject;
    job->course->level++;
    job->course->level_event = 0;
    run->pass_due = true;
    watch_level(run, job);
}

/* It goes down when the service that it has attained reaches the limit of its level. */
static void watch_level(struct run_state *run, struct job *job) {
    const struct las_options *levels = run->courses->levels;
    struct course *course = job->course;
    if ((size_t)course->level >= levels->limit_count) {
        return;
    }
    sim_time limit = levels->limits[course->level];
    if (levels->measure == LAS_BY_GPU_TIME) {
        limit = (limit + job->gpus - 1) / job->gpus;
    }
    sim_time held = course_held(course, run->now);
    sim_time at = sim_time_add(run->now, limit > held ? limit - held : 0);
    if (at != SIM_TIME_NEVER) {
        course->level_event = event_queue_push(run->events, at, RANK_END, goes_down, job);
    }
}

/* --- Attempts --- */

/* Of work between saves, in this attempt: given, or the optimum for what a save costs and how often
 * its GPUs are taken from it. */
static sim_time interval_of(const struct run_state *run, const struct job *job,
                            const struct device *device) {
    const struct course_rules *rules = rules_of(run, job);
    if (rules->interval > 0) {
        return rules->interval;
    }
    double cost = (double)checkpoint_save_time(run->scenario, job->workload, job->pool);
    cost = rules->async < 0 ? cost : rules->async * cost;
    double mtbf = outage_events_mean_between(run, job, device);
    double best = rules->interval == INTERVAL_YOUNG ? checkpoint_interval_young(cost, mtbf)
                                                    : checkpoint_interval_daly(cost, mtbf);
    return best < 1 ? 1 : best < (double)SIM_TIME_LONGEST ? llround(best) : SIM_TIME_NEVER;
}

bool course_events_start(struct run_state *run, struct job *job, const struct device *device) {
    struct course *course = job->course;
    const struct workload_spec *workload = &run->scenario->workloads[job->workload];
    const struct course_rules *rules = rules_of(run, job);
    bool resumes = course->suspended;
    course->speed = device != NULL ? speed_on_device(run->scenario, workload, device)
                                   : speed_on_gpu(run->scenario, workload, job->pool) *
                                         pool_gang_speed(&run->pools[job->pool], &job->pieces);
    course->total = scheduler_scale(job->duration - course->kept, course->speed);
    course->done = course->secure = course->marked = 0;
    course->interval = interval_of(run, job, device);
    course->leaving = LEAVING_NOT;
    course->marked_time = 0;
    if (!resumes) {
        course->unsecured = 0;
        course->unsecured_since = run->measured_since;
    }
    course->suspended = false;
    course->phase_since = run->now;
    course->on_gpus = true;
    if (course->first_start == SIM_TIME_NEVER) {
        course->first_start = run->now;
    }
    if (run->courses->preemption != NULL) {
        preemption_note_start(run->courses->preemption, job);
    }
    if (run->courses->levels != NULL) {
        watch_level(run, job);
    }
    if (run->memory != NULL && job->tenant == NULL) {
        sim_time overflow = memory_events_hold(run, job);
        course->memory_event =
            overflow == SIM_TIME_NEVER
                ? 0
                : event_queue_push(run->events, overflow, RANK_KILL, memory_events_overflow, job);
    }
    if (course->saved && !resumes) {
        enter(run, job, COURSE_RESTORES);
        if (begin_move(run, job, rules->checkpoint->restore_time)) {
            job_log(run, job, JOB_RESTORES, NULL);
            return true;
        }
    }
    return compute(run, job);
}

void course_events_stop(struct run_state *run, struct job *job) {
    struct course *course = job->course;
    if (course->phase == COURSE_COMPUTES) {
        pause(run, job);
    } else if (course->phase != COURSE_WAITS) {
        enter(run, job, COURSE_WAITS);
    }
    break_off_move(run, job);
    if (course->on_gpus) {
        course->held += run->now - job->start;
        course->on_gpus = false;
    }
    cancel(run, &course->grace);
    cancel(run, &course->level_event);
    cancel(run, &course->memory_event);
}

/* Attempts in a row of one job that kept nothing: by then it hardly ever will. A job that gets
 * through with a chance of one in a thousand fails as often in a row one time in 20,000. */
enum { ATTEMPTS_IN_VAIN = 10000 };

/* A job that never gets further is named, and does not keep a run until the end of work going. */
static void count_attempt(struct run_state *run, const struct job *job) {
    struct course *course = job->course;
    course->in_vain = course->secure > 0 ? 0 : course->in_vain + 1;
    if (course->in_vain != ATTEMPTS_IN_VAIN) {
        return;
    }
    if (run->results->stuck++ == 0) {
        struct job_label label;
        job_events_label(run, job, &label);
        snprintf(run->results->first_stuck, sizeof run->results->first_stuck,
                 "job %s of workload %s was sent back %d times in a row before it could save "
                 "anything",
                 label.id, run->scenario->workloads[job->workload].name, ATTEMPTS_IN_VAIN);
    }
    run->gives_up |= run->scenario->end_of_work;
}

static void note_left(struct run_state *run, struct job *job) {
    struct course *course = job->course;
    bool preempted = course->leaves_for == LEAVES_PREEMPTED;
    struct job_figures *figures = &run->figures[job->workload];
    if (preempted) {
        course->preemptions++;
        figures->preemptions += run_counts(run, job->submit);
    } else {
        course->interruptions++;
        figures->interruptions += run_counts(run, job->submit);
    }
    job_log(run, job, preempted ? JOB_PREEMPTED : JOB_INTERRUPTED, NULL);
}

/* The job gives back its GPUs and waits again. */
static void leave_now(struct run_state *run, struct job *job) {
    struct course *course = job->course;
    course_events_stop(run, job);
    lose(run, job);
    course->kept += course_on_reference(course, course->secure);
    course->leaving = LEAVING_NOT;
    note_left(run, job);
    count_attempt(run, job);
    job_events_return(run, job);
}

/* The job gives back its slot, but its memory stays there, and all that it has done with it. A save
 * under way is void. */
static void suspend(struct run_state *run, struct job *job) {
    struct course *course = job->course;
    struct device *device = job->tenant->device;
    int64_t memory = job->tenant->memory;
    course_events_stop(run, job);
    course->kept += course_on_reference(course, course->done);
    course->unsaved +=
        course_on_reference(course, course->done) - course_on_reference(course, course->secure);
    course->suspended = true;
    note_left(run, job);
    job_events_return(run, job);
    preemption_keep_suspended(run->courses->preemption, job, device, memory);
}

/* Whether a victim of this newcomer leaves its memory where it is: in its place on a time-sliced
 * GPU, and with something in it. */
static bool is_suspended(const struct job *job, const struct job *by) {
    return job->tenant != NULL && preemption_can_suspend_on(job->tenant->device) && by != NULL &&
           by->claim != NULL && by->claim->device == job->tenant->device &&
           job->course->phase != COURSE_RESTORES;
}

static void grace_ends(void *context, void *subject) {
    struct job *job = subject;
    job->course->grace = 0;
    leave_now(context, job); /* the save is cut short, and void */
}

static bool has_unsaved(const struct course *course) {
    return course->done > course->secure || course->unsaved > 0;
}

/* How long a save takes if it begins now and no other one does meanwhile. */
static sim_time save_time_now(const struct run_state *run, const struct job *job) {
    const struct course_rules *rules = rules_of(run, job);
    sim_time given = checkpoint_save_time(run->scenario, job->workload, job->pool);
    return given > 0 && rules->checkpoint->save_time < 0
               ? storage_time_now(&run->pools[job->pool].storage, rules->size, run->now)
               : given;
}

/* Whether it would end, alone in its slot, before it has saved; then it is let end. */
static bool ends_first(const struct run_state *run, const struct job *job, sim_time save,
                       sim_time grace) {
    const struct course *course = job->course;
    const struct checkpoint_spec *checkpoint = rules_of(run, job)->checkpoint;
    sim_time left = course->total - course->done;
    bool saves_at_end = checkpoint->given && checkpoint->final;
    return has_unsaved(course) && !saves_at_end && left < save && left <= grace;
}

/* Saves before it leaves, unless there is nothing to save, or no time. */
static void save_and_leave(struct run_state *run, struct job *job, sim_time grace) {
    struct course *course = job->course;
    if (course->phase == COURSE_COMPUTES) {
        pause(run, job);
        sim_time needs = save_time_now(run, job);
        if (ends_first(run, job, needs, grace)) {
            course->leaving = LEAVING_BY_END;
            compute(run, job);
            return;
        }
        break_off_move(run, job);
        course->marked = course->done;
        if (needs == 0) {
            course->marked_time = course->unsecured;
            course->saved = true;
            secure(run, course);
        }
        if (!has_unsaved(course) || needs > grace) {
            leave_now(run, job);
            return;
        }
        course->leaving = LEAVING_BY_SAVE;
        begin_save(run, job);
    } else if (course->phase == COURSE_SAVES) {
        course->leaving = course->done < course->total ? LEAVING_BY_SAVE : LEAVING_BY_END;
    } else {
        leave_now(run, job);
        return;
    }
    if (grace != SIM_TIME_NEVER && course->phase == COURSE_SAVES &&
        course->leaving == LEAVING_BY_SAVE) {
        course->grace =
            event_queue_push(run->events, sim_time_add(run->now, grace), RANK_END, grace_ends, job);
    }
}

void course_events_leave(struct run_state *run, struct job *job, enum preempt_mode mode,
                         sim_time grace, enum leave_reason reason, const struct job *by) {
    job_log(run, job, JOB_TOLD_TO_LEAVE, by);
    job->course->leaves_for = reason;
    if (mode == PREEMPT_KILL) {
        leave_now(run, job);
    } else if (mode == PREEMPT_SUSPEND && is_suspended(job, by)) {
        suspend(run, job);
    } else {
        save_and_leave(run, job, grace);
    }
}

static void wakes(void *context, void *subject) {
    struct run_state *run = context;
    (void)subject;
    run->courses->wake = 0;
    run->pass_due = true;
}

void course_events_passed(struct run_state *run) {
    struct preemption *preemption = run->courses->preemption;
    if (preemption == NULL || preemption->wake == SIM_TIME_NEVER) {
        return;
    }
    if (run->courses->wake == 0 || preemption->wake < run->courses->wake_time) {
        cancel(run, &run->courses->wake);
        run->courses->wake_time = preemption->wake;
        run->courses->wake = event_queue_push(run->events, preemption->wake, RANK_END, wakes, NULL);
    }
    preemption->wake = SIM_TIME_NEVER;
}
