#include "sim/course_work.h"

#include <stdio.h>
#include <stdlib.h>

#include "models/checkpoint.h"
#include "sim/clock_events.h"
#include "sim/job_events.h"
#include "sim/job_iterations.h"
#include "sim/job_log.h"
#include "sim/kernel/memory.h"
#include "sim/memory_events.h"
#include "sim/outage_events.h"
#include "sim/scheduling/preemption.h"
#include "sim/scheduling/speed.h"

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
        run->courses->preemption->memory_lost = course_lose_memory;
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

/* --- Levels of attained service --- */

static void watch_level(struct run_state *run, struct job *job);

static void goes_down(void *context, void *subject) {
    struct run_state *run = context;
    struct job *job = subject;
    preemption_goes_down(run->courses->preemption, job);
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
    const struct course_rules *rules = course_rules_of(run, job);
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
    const struct course_rules *rules = course_rules_of(run, job);
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
        course_enter(run, job, COURSE_RESTORES);
        if (course_begin_move(run, job, rules->checkpoint->restore_time)) {
            job_log(run, job, JOB_RESTORES, NULL);
            return true;
        }
    }
    return course_compute(run, job);
}

void course_events_stop(struct run_state *run, struct job *job) {
    struct course *course = job->course;
    if (course->phase == COURSE_COMPUTES) {
        course_pause(run, job);
    } else if (course->phase != COURSE_WAITS) {
        course_enter(run, job, COURSE_WAITS);
    }
    course_break_off_move(run, job);
    if (course->on_gpus) {
        course->held += run->now - job->start;
        course->on_gpus = false;
    }
    course_cancel_event(run, &course->grace);
    course_cancel_event(run, &course->level_event);
    course_cancel_event(run, &course->memory_event);
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
void course_leave_now(struct run_state *run, struct job *job) {
    struct course *course = job->course;
    course_events_stop(run, job);
    course_lose(run, job);
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
    course_leave_now(context, job); /* the save is cut short, and void */
}

static bool has_unsaved(const struct course *course) {
    return course->done > course->secure || course->unsaved > 0;
}

/* How long a save takes if it begins now and no other one does meanwhile. */
static sim_time save_time_now(const struct run_state *run, const struct job *job) {
    const struct course_rules *rules = course_rules_of(run, job);
    sim_time given = checkpoint_save_time(run->scenario, job->workload, job->pool);
    return given > 0 && rules->checkpoint->save_time < 0
               ? storage_time_now(&run->pools[job->pool].storage, rules->size, run->now)
               : given;
}

/* Whether it would end, alone in its slot, before it has saved; then it is let end. */
static bool ends_first(const struct run_state *run, const struct job *job, sim_time save,
                       sim_time grace) {
    const struct course *course = job->course;
    const struct checkpoint_spec *checkpoint = course_rules_of(run, job)->checkpoint;
    sim_time left = course->total - course->done;
    bool saves_at_end = checkpoint->given && checkpoint->final;
    return has_unsaved(course) && !saves_at_end && left < save && left <= grace;
}

/* Saves before it leaves, unless there is nothing to save, or no time. */
static void save_and_leave(struct run_state *run, struct job *job, sim_time grace) {
    struct course *course = job->course;
    if (course->phase == COURSE_COMPUTES) {
        course_pause(run, job);
        sim_time needs = save_time_now(run, job);
        if (ends_first(run, job, needs, grace)) {
            course->leaving = LEAVING_BY_END;
            course_compute(run, job);
            return;
        }
        course_break_off_move(run, job);
        course->marked = course->done;
        if (needs == 0) {
            course->marked_time = course->unsecured;
            course->saved = true;
            course_secure(run, course);
        }
        if (!has_unsaved(course) || needs > grace) {
            course_leave_now(run, job);
            return;
        }
        course->leaving = LEAVING_BY_SAVE;
        course_begin_save(run, job);
    } else if (course->phase == COURSE_SAVES) {
        course->leaving = course->done < course->total ? LEAVING_BY_SAVE : LEAVING_BY_END;
    } else {
        course_leave_now(run, job);
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
        course_leave_now(run, job);
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
        course_cancel_event(run, &run->courses->wake);
        run->courses->wake_time = preemption->wake;
        run->courses->wake = event_queue_push(run->events, preemption->wake, RANK_END, wakes, NULL);
    }
    preemption->wake = SIM_TIME_NEVER;
}
