/* Who may take whose GPUs, and what a job keeps then, as a scenario says it. */
#ifndef SCENARIOS_PREEMPTION_SPEC_H
#define SCENARIOS_PREEMPTION_SPEC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "scenarios/choice.h"
#include "scenarios/place.h"
#include "sim/kernel/sim_time.h"

/* How a victim leaves. */
enum preempt_mode {
    PREEMPT_CHECKPOINT, /* saves first, and keeps its progress */
    PREEMPT_KILL,       /* at once: back to its last complete save */
    PREEMPT_SUSPEND     /* at once: its memory stays on the GPU, and its work with it */
};

enum { MIN_RUNTIME_BY_CLASS = -1 };

/* `scheduler.preemption`. */
struct preemption_spec {
    bool given; /* else nobody is preempted */
    struct place place;
    int *by; /* enum job_class: those that may preempt; none listed: all */
    size_t by_count;
    struct chosen victims; /* registry "victims" */
    enum { EVICT_NEEDED, EVICT_ALL_ON_GPU } evict;
    sim_time min_runtime; /* that a victim has held its slots for; MIN_RUNTIME_BY_CLASS */
    enum preempt_mode mode;
    bool reclaim;   /* queues take back what others have borrowed of their guarantee */
    sim_time grace; /* longest save of a victim; SIM_TIME_NEVER: any */
};

/* When a job saves while it runs. */
enum { INTERVAL_YOUNG = -1, INTERVAL_DALY = -2 };

/* `checkpoint` of a workload: what one save of one of its jobs is. */
struct checkpoint_spec {
    bool given;
    int64_t size; /* bytes; 0: see parameters */
    double parameters;
    double bytes_per_parameter;
    sim_time save_time;    /* instead of size / bandwidth; -1: by size */
    sim_time restore_time; /* likewise */
    sim_time interval; /* computing time between saves; SIM_TIME_NEVER: none; INTERVAL_YOUNG, ... */
    bool final;        /* one when the work is done, too */
    double overhead;   /* asynchronous: share of speed lost while it saves; below 0: it blocks */
};

/* Bytes of one save. */
int64_t checkpoint_spec_size(const struct checkpoint_spec *spec);

#endif
