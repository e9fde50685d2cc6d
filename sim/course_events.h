/* The course of jobs that can be interrupted: they restore what they saved, compute, save, leave
 * their GPUs before they are done, and return to the queue. */
#ifndef SIM_COURSE_EVENTS_H
#define SIM_COURSE_EVENTS_H

#include "sim/run_state.h"
#include "sim/scheduling/course.h"

/* What courses need of a run. */
struct run_courses {
    struct course_stock stock;
    struct course_rules *rules; /* by workload */
    struct preemption *preemption;
    const struct las_options *levels; /* NULL: jobs have none */
    event_id wake;                    /* when time alone lets a waiting job preempt; 0: never */
    sim_time wake_time;
};

/* Before anything arrives; leaves run->courses NULL if nothing interrupts jobs. */
void course_events_begin(struct run_state *run);
void course_events_terminate(struct run_state *run);

/* A job that arrives gets a course, if its run needs any. */
void course_events_arrive(struct run_state *run, struct job *job);

/* An attempt starts, on the GPUs that the job has been given or in the slot that it has been seated
 * in. False: it would end beyond all time. */
bool course_events_start(struct run_state *run, struct job *job, const struct device *device);
/* The segment of computing under way is done. */
void course_events_computed(struct run_state *run, struct job *job);
/* The job is about to leave its GPUs or slot for good: what it does there is broken off. */
void course_events_stop(struct run_state *run, struct job *job);
/* Books what it does on whole GPUs, up to now. */
void course_events_book(struct run_state *run, struct job *job);

/* A running job is to leave, in this way, and returns to the queue; at once, or when it has saved,
 * or by its end if that comes before. grace: the longest that its save may take. by: for whom, or
 * NULL. */
void course_events_leave(struct run_state *run, struct job *job, enum preempt_mode mode,
                         sim_time grace, enum leave_reason reason, const struct job *by);

/* After a pass: time alone may let a job that waits preempt later. */
void course_events_passed(struct run_state *run);

#endif
