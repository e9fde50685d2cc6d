/* GPUs that a calendar cuts anew, stepped second by second: at each, every GPU, instance and job is
 * looked at. Nothing in common with the simulation but the catalogue. */
#ifndef TESTS_SUPPORT_NAIVE_CALENDAR_H
#define TESTS_SUPPORT_NAIVE_CALENDAR_H

#include <stdbool.h>
#include <stdint.h>

#include "models/catalogue.h"

enum {
    NAIVE_CALENDAR_GPUS = 6,
    NAIVE_CALENDAR_JOBS = 30,
    NAIVE_CALENDAR_WAYS = 4,
    NAIVE_CALENDAR_INSTANCES = 8
};

/* One way to cut a GPU: profiles and where they lie; none and `whole`: not at all. */
struct naive_way {
    bool whole;
    int profiles[NAIVE_CALENDAR_INSTANCES];
    int starts[NAIVE_CALENDAR_INSTANCES];
    int count;
    int from; /* of the calendar's entry: seconds of the day; way 0 holds else */
    int to;
};

enum naive_drain { NAIVE_WAIT, NAIVE_PREEMPT, NAIVE_KILL };

struct naive_calendar_job {
    int submit; /* s */
    int duration;
    int gpus; /* whole ones, if `whole` */
    bool whole;
    int profile; /* that it insists on; -1: whatever holds its memory */
    int64_t memory;

    bool impossible; /* rejected */
    bool runs;
    bool done;
    int first_start; /* -1: never */
    int begun;       /* of this attempt */
    int kept;        /* work of earlier ones that is not lost */
    int end;
    int promise; /* in a replay: when it was to start at the latest, as first head; -1: none */
};

/* What is there of a GPU: way and place of an instance (place 0 of a whole GPU). */
struct naive_holding {
    int job; /* -1: nobody */
    bool closed;
};

struct naive_calendar_gpu {
    int way;
    int goal;
    enum { NAIVE_SETTLED, NAIVE_QUEUES, NAIVE_DRAINS, NAIVE_CUTS } phase;
    int cut_ends;
    int limit;   /* when it kills; -1: never */
    bool killed; /* it has */
    struct naive_holding held[NAIVE_CALENDAR_INSTANCES];
};

struct naive_calendar {
    const struct gpu_model *gpu;
    int nodes;
    int gpus_per_node;
    bool skip;
    enum naive_drain drain;
    int drain_limit; /* -1: none */
    int at_most;     /* 0: any number */
    int time;
    int mode_time;
    struct naive_way ways[NAIVE_CALENDAR_WAYS];
    int way_count;
    int horizon;
    struct naive_calendar_gpu gpus[NAIVE_CALENDAR_GPUS];
    struct naive_calendar_job jobs[NAIVE_CALENDAR_JOBS]; /* in order of submission */
    int job_count;

    const int *replay; /* by job: when it starts; NULL: as soon as it can */
    bool differs;      /* one cannot start then */
    int asked_for;     /* the head that has been asked for last, and in which way */
    int asked_in;

    int now;
    int way_now;
    int64_t computing; /* SM-seconds */
    int64_t reconfiguring;
    int64_t idle;
    int64_t stranded;
};

/* Places the instances of a way; false if they do not fit. */
bool naive_calendar_place(const struct gpu_model *gpu, struct naive_way *way);
void naive_calendar_run(struct naive_calendar *naive);

/* --- Between its files --- */

void naive_calendar_step(struct naive_calendar *naive); /* what happens now */
bool naive_calendar_start(struct naive_calendar *naive, int job);
void naive_calendar_replay_pass(struct naive_calendar *naive);

#endif
