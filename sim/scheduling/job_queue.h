/* The waiting jobs, sorted into shapes. Jobs of one shape (as many GPUs, the same pools at the same
 * speeds) fit or do not fit together, so a scheduling pass asks once per shape and never walks the
 * queue: its cost depends on the number of shapes waiting. */
#ifndef SIM_SCHEDULING_JOB_QUEUE_H
#define SIM_SCHEDULING_JOB_QUEUE_H

#include <stdint.h>

#include "sim/cluster/slots.h"
#include "sim/scheduling/job_tree.h"

/* A pool that a shape may run in. */
struct shape_pool {
    int32_t pool;
    bool whole;           /* on whole GPUs, else in a slot: */
    struct slot_ask slot; /* of any of these kinds */
    double speed;         /* on whole GPUs, over the reference GPU's */
};

struct shape {
    int32_t gpus;
    uint64_t jobs;            /* alive that have it */
    struct shape_pool *pools; /* those that could ever hold it, in order of preference */
    size_t pool_count;        /* 0: the job is to be rejected */
    struct job_tree waiting;
    size_t active_index;  /* its place in the queue's list of active shapes */
    uint64_t passed_over; /* the last pass that found it not to fit */
};

struct job_queue {
    struct shape **active; /* shapes with waiting jobs, in no order */
    size_t active_count;
    size_t active_capacity;
    struct job *head; /* the first of all */
    uint64_t count;
};

void job_queue_clear(struct job_queue *queue); /* frees what the queue itself allocated */
/* Adds a job whose shape, link.key, sequence and estimate are set. */
void job_queue_add(struct job_queue *queue, struct job *job);
void job_queue_remove(struct job_queue *queue, struct job *job);

#endif
