#include "tests/support/naive_time_slicer.h"

#include <stddef.h>

void naive_time_slicer_initialize(struct naive_time_slicer *slicer, int slots, int64_t slice,
                                  int64_t switch_time) {
    *slicer = (struct naive_time_slicer){
        .slots = slots, .slice = slice, .switch_time = switch_time, .who = -1, .ran = -1};
}

int naive_time_slicer_head(const struct naive_time_slicer *slicer, int slot) {
    for (int t = 0; t < slicer->task_count; t++) {
        if (slicer->tasks[t].slot == slot && !slicer->tasks[t].gone) {
            return t;
        }
    }
    return -1;
}

static bool runnable(const struct naive_time_slicer *slicer, int slot) {
    return naive_time_slicer_head(slicer, slot) >= 0;
}

static void compute(struct naive_time_slicer *slicer, int slot) {
    slicer->doing = NAIVE_COMPUTING;
    slicer->who = slot;
    slicer->ran = slot;
    slicer->until = slicer->now + slicer->slice;
}

static void turn_to(struct naive_time_slicer *slicer, int slot) {
    if (slicer->ran == -1 || slicer->ran == slot || slicer->switch_time == 0) {
        compute(slicer, slot);
        return;
    }
    slicer->doing = NAIVE_SWITCHING;
    slicer->who = slot;
    slicer->until = slicer->now + slicer->switch_time;
}

/* The first tenant with work at from, from + 1, ... around the ring; at rest if there is none. */
static void turn_to_first(struct naive_time_slicer *slicer, int from) {
    for (int i = 0; i < slicer->slots; i++) {
        int slot = (from + i) % slicer->slots;
        if (runnable(slicer, slot)) {
            turn_to(slicer, slot);
            return;
        }
    }
    slicer->doing = NAIVE_RESTING;
    slicer->who = -1;
}

static bool complete_if_done(struct naive_time_slicer *slicer) {
    if (slicer->doing != NAIVE_COMPUTING) {
        return false;
    }
    int head = naive_time_slicer_head(slicer, slicer->who);
    if (head < 0 || slicer->tasks[head].left > 0) {
        return false;
    }
    slicer->tasks[head].gone = true;
    slicer->tasks[head].end = slicer->now;
    return true;
}

static void decide_once(struct naive_time_slicer *slicer) {
    switch (slicer->doing) {
    case NAIVE_RESTING:
        turn_to_first(slicer, slicer->ran >= 0 ? slicer->ran : 0);
        break;
    case NAIVE_SWITCHING:
        if (!runnable(slicer, slicer->who)) {
            turn_to_first(slicer, slicer->who + 1);
        }
        break;
    case NAIVE_COMPUTING:
        if (!runnable(slicer, slicer->who) || slicer->now == slicer->until) {
            turn_to_first(slicer, slicer->who + 1);
        }
        break;
    }
}

void naive_time_slicer_decide(struct naive_time_slicer *slicer) {
    do {
        decide_once(slicer);
    } while (complete_if_done(slicer));
}

/* The one next thing: to the end of a slice, a switch or a task, or to `time`. */
static void step(struct naive_time_slicer *slicer, int64_t time) {
    int64_t stop = time;
    if (slicer->doing != NAIVE_RESTING && slicer->until < stop) {
        stop = slicer->until;
    }
    struct naive_task *task = NULL;
    if (slicer->doing == NAIVE_COMPUTING) {
        task = &slicer->tasks[naive_time_slicer_head(slicer, slicer->who)];
        if (slicer->now + task->left < stop) {
            stop = slicer->now + task->left;
        }
    }
    int64_t passed = stop - slicer->now;
    slicer->now = stop;
    switch (slicer->doing) {
    case NAIVE_RESTING:
        slicer->resting += passed;
        break;
    case NAIVE_SWITCHING:
        slicer->switching[slicer->who] += passed;
        if (stop == slicer->until) {
            compute(slicer, slicer->who);
            complete_if_done(slicer);
        }
        break;
    case NAIVE_COMPUTING:
        slicer->computing[slicer->who] += passed;
        task->left -= passed;
        complete_if_done(slicer);
        break;
    }
}

void naive_time_slicer_reach(struct naive_time_slicer *slicer, int64_t time) {
    while (slicer->now < time) {
        naive_time_slicer_decide(slicer);
        step(slicer, time);
    }
}

void naive_time_slicer_arrive(struct naive_time_slicer *slicer, int slot, int64_t work) {
    slicer->tasks[slicer->task_count++] =
        (struct naive_task){.slot = slot, .left = work, .end = -1};
}

void naive_time_slicer_drop(struct naive_time_slicer *slicer, int slot, bool all) {
    for (int t = 0; t < slicer->task_count; t++) {
        if (slicer->tasks[t].slot == slot && !slicer->tasks[t].gone) {
            slicer->tasks[t].gone = true;
            if (!all) {
                return;
            }
        }
    }
}
