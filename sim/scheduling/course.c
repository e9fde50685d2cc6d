#include "sim/scheduling/course.h"

#include <math.h>
#include <stdlib.h>

#include "sim/kernel/memory.h"
#include "sim/scheduling/job.h"

enum { COURSES_PER_BLOCK = 256 };

struct course_block {
    struct course_block *next;
    struct course courses[COURSES_PER_BLOCK];
};

static void grow(struct course_stock *stock) {
    struct course_block *block = memory_zero(1, sizeof *block);
    block->next = stock->blocks;
    stock->blocks = block;
    for (int i = COURSES_PER_BLOCK - 1; i >= 0; i--) {
        course_return(stock, &block->courses[i]);
    }
}

struct course *course_take(struct course_stock *stock, struct job *job) {
    if (stock->free_list == NULL) {
        grow(stock);
    }
    struct course *course = stock->free_list;
    stock->free_list = course->next_free;
    *course = (struct course){.job = job, .first_start = SIM_TIME_NEVER};
    return course;
}

void course_return(struct course_stock *stock, struct course *course) {
    course->next_free = stock->free_list;
    stock->free_list = course;
}

void course_stock_clear(struct course_stock *stock) {
    while (stock->blocks != NULL) {
        struct course_block *next = stock->blocks->next;
        free(stock->blocks);
        stock->blocks = next;
    }
    stock->free_list = NULL;
}

/* Of the attempt, up to now. */
static sim_time done_now(const struct course *course, sim_time now) {
    if (course->phase != COURSE_COMPUTES) {
        return course->done;
    }
    sim_time since = now - course->phase_since;
    if (course->pace != 1) {
        since = (sim_time)((double)since * course->pace);
    }
    return course->done + (since < course->segment ? since : course->segment);
}

sim_time course_on_reference(const struct course *course, sim_time work) {
    return course->speed == 1 ? work : (sim_time)floor((double)work * course->speed);
}

sim_time course_progress(const struct course *course, sim_time now) {
    return course->phase == COURSE_WAITS
               ? course->kept
               : course->kept + course_on_reference(course, done_now(course, now));
}

sim_time course_at_risk(const struct course *course, sim_time now) {
    return course->phase == COURSE_WAITS ? 0
                                         : course->unsaved + done_now(course, now) - course->secure;
}

sim_time course_held(const struct course *course, sim_time now) {
    return course->on_gpus ? course->held + (now - course->job->start) : course->held;
}
