/* Time-slicing told the long way: one slice, switch and task at a time, looking through all tasks
 * for whatever it wants to know. */
#ifndef TESTS_SUPPORT_NAIVE_TIME_SLICER_H
#define TESTS_SUPPORT_NAIVE_TIME_SLICER_H

#include <stdbool.h>
#include <stdint.h>

enum { NAIVE_SLOTS = 8, NAIVE_TASKS = 32 };

struct naive_task {
    int slot;
    int64_t left;
    bool gone;   /* completed or dropped */
    int64_t end; /* of a completed task; else -1 */
};

enum naive_doing { NAIVE_RESTING, NAIVE_SWITCHING, NAIVE_COMPUTING };

struct naive_time_slicer {
    int slots;
    int64_t slice;
    int64_t switch_time;
    int64_t now;
    enum naive_doing doing;
    int who;                              /* computes or is switched to */
    int ran;                              /* the last that computed; -1: none ever */
    int64_t until;                        /* when its slice or its switch is over */
    struct naive_task tasks[NAIVE_TASKS]; /* in order of arrival */
    int task_count;
    int64_t computing[NAIVE_SLOTS];
    int64_t switching[NAIVE_SLOTS];
    int64_t resting;
};

void naive_time_slicer_initialize(struct naive_time_slicer *slicer, int slots, int64_t slice,
                                  int64_t switch_time);
/* Goes on to `time` and takes what ends there, but decides nothing there. */
void naive_time_slicer_reach(struct naive_time_slicer *slicer, int64_t time);
/* A task queues behind the tenant's others. */
void naive_time_slicer_arrive(struct naive_time_slicer *slicer, int slot, int64_t work);
/* The tenant's first task, or all it has. */
void naive_time_slicer_drop(struct naive_time_slicer *slicer, int slot, bool all);
/* Who goes on at this instant. */
void naive_time_slicer_decide(struct naive_time_slicer *slicer);
/* The tenant's first task; -1: none. */
int naive_time_slicer_head(const struct naive_time_slicer *slicer, int slot);

#endif
