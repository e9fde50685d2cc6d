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
    int64_t amount;       /* that quotas count for it: of GPUs, or at least of a slot's */
};

struct shape {
    int32_t gpus;
    enum gang_span span;
    struct host_share each;   /* of a host, with each GPU */
    uint64_t jobs;            /* alive that have it */
    struct shape_pool *pools; /* those that could ever hold it, in order of preference */
    size_t pool_count;        /* 0: the job is to be rejected */
    int32_t owner;            /* to whose quota its jobs count; 0 without quotas */
    int64_t least_amount;     /* over the pools */
    bool beyond_quota;        /* no pool is left, as their quotas never admit its jobs */
    bool closed;              /* its jobs may not start at this time of the week */
    struct job_tree waiting;
    size_t active_index;  /* its place in the queue's list of active shapes */
    uint64_t passed_over; /* the last pass that found it not to fit */
    struct job *cursor;   /* of a pass that makes the schedule anew: the next job to look at, */
    uint64_t cursor_pass; /* and which pass that is */
    /* Where queues take turns, of a pass that goes through all: the last job looked at. */
    sim_time reached_key;
    uint64_t reached_sequence;
    uint64_t reached_pass;
    uint64_t no_victims; /* under conservative: since when nobody would make room for its jobs */
};

/* What its jobs ask for on whole GPUs. */
static inline struct gang shape_gang(const struct shape *shape) {
    return (struct gang){.gpus = shape->gpus, .span = shape->span, .each = shape->each};
}

struct job_queue {
    struct shape **active; /* shapes with waiting jobs that are not closed, in no order */
    size_t active_count;
    size_t active_capacity;
    struct job *head; /* the first of all by its key; job_queue_first tells whose turn it is */
    const struct quotas *quotas; /* borrowed; NULL: none */
    uint64_t count;
};

void job_queue_clear(struct job_queue *queue); /* frees what the queue itself allocated */
/* Adds a job whose shape, link.key, sequence and estimate are set. */
void job_queue_add(struct job_queue *queue, struct job *job);
void job_queue_remove(struct job_queue *queue, struct job *job);
/* The jobs of a shape are as if they were not there, or are again. O(1), and O(shapes) to close. */
void job_queue_close(struct job_queue *queue, struct shape *shape, bool closed);

/* Whether a comes before b: where queues take turns, that of the job whose turn it is; then by key.
 */
bool job_queue_before(const struct job_queue *queue, const struct job *a, const struct job *b);
/* Whether quotas let jobs of the shape start now; if not, they are set aside. */
bool job_queue_admits(const struct job_queue *queue, const struct shape *shape);
/* The first of the jobs that are not set aside; NULL: none. O(1) without quotas, else the number of
 * shapes waiting. */
struct job *job_queue_first(const struct job_queue *queue);

/* The first of those that were submitted by then: where there is a limit, whom nobody may overtake.
 * O(log n) for each shape waiting. */
struct job *job_queue_submitted_by(const struct job_queue *queue, sim_time latest);

#endif
