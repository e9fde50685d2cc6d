/* What course_events.c, the attempts of jobs, and course_work.c, what they do in one, share. */
#ifndef SIM_COURSE_WORK_H
#define SIM_COURSE_WORK_H

#include "sim/course_events.h"

/* Of one workload. */
struct course_rules {
    const struct checkpoint_spec *checkpoint;
    int64_t size; /* bytes */
    double async; /* share of speed lost while it saves; below 0: it computes nothing then */
    sim_time interval;
};
static inline const struct course_rules *course_rules_of(const struct run_state *run,
                                                         const struct job *job) {
    return &run->courses->rules[job->workload];
}

/* What it does from now on; what it did is booked. */
void course_enter(struct run_state *run, struct job *job, enum course_phase phase);
/* All that is not saved is lost; what the save under way was to secure is secure. */
void course_lose(struct run_state *run, struct job *job);
void course_secure(struct run_state *run, struct course *course);
/* The memory of a suspended job is lost, and its work with it (context: the run). */
void course_lose_memory(void *context, struct job *job);

/* Computes up to the next save, or to the end. False: that is beyond all time. */
bool course_compute(struct run_state *run, struct job *job);
/* Stops computing: what has been done is counted. */
void course_pause(struct run_state *run, struct job *job);
/* Saves what is done, and goes on. */
void course_begin_save(struct run_state *run, struct job *job);
/* Begins to write or read a save of a given time, below 0: by its size; false: it takes no time. */
bool course_begin_move(struct run_state *run, struct job *job, sim_time time);
void course_break_off_move(struct run_state *run, struct job *job);

void course_cancel_event(struct run_state *run, event_id *event);

/* The job gives back its GPUs and waits again. */
void course_leave_now(struct run_state *run, struct job *job);

#endif
