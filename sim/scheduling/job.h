/* A job inside the simulation: alive from its submission to its end. */
#ifndef SIM_SCHEDULING_JOB_H
#define SIM_SCHEDULING_JOB_H

#include <assert.h>
#include <stdalign.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sim/cluster/pool.h"
#include "sim/kernel/event_queue.h"
#include "sim/kernel/sim_time.h"

struct claim;
struct course;
struct job_array;
struct shape;
struct tenant;

/* A place in a job tree (job_tree.h): ordered by key, then by sequence. */
struct tree_link {
    struct job *left;
    struct job *right;
    sim_time key;
    sim_time least_estimate; /* over this job and all below it */
    sim_time oldest;         /* likewise: the least time of submission */
};

/* A large cluster has more jobs running than a cache holds: one line for what the end of a job
 * touches, one for what its tree touches, one for the rest. */
struct job {
    union {
        struct piece pieces; /* what it holds while running: the first piece, the rest behind it */
        struct job *next_free; /* of a place without a job */
    };
    sim_time submit;
    sim_time start;
    int64_t memory; /* bytes per GPU that it is placed with */
    int32_t gpus;   /* 0: a place without a job */
    int32_t workload;
    int32_t pool; /* while running */
    bool running;
    bool memory_refused; /* on whole GPUs: they could not hold it */

    alignas(64) struct tree_link link; /* in its shape's queue, while waiting */
    uint64_t sequence;                 /* in order of submission; breaks ties */
    sim_time estimate;                 /* of its duration on the reference GPU */
    event_id event; /* its end while running, its withdrawal while waiting (0: none) */

    alignas(64) struct shape *shape;
    int64_t number; /* how its source counts it, and where to find its label (work_source.h) */
    int64_t index;
    sim_time run_time;     /* on the GPUs that it got */
    sim_time expected_end; /* by its estimate, once started */
    struct tenant *tenant; /* of a replica, or of a job in a slot; NULL: it has whole GPUs */
    int32_t priority;      /* smaller is more urgent */
    int32_t compute;       /* 1e-9 of a GPU's SMs that it asked for; 0: no say */
    int64_t memory_excess; /* bytes per GPU that it really takes beyond `memory`; also below 0 */

    int64_t quota_held;      /* what it counts for its quota (quotas.h); 0: nothing now */
    int32_t account;         /* of its workload, queue and user (ownership.h) */
    uint8_t hold;            /* where it waits for others (dependencies.h); 0: it does not */
    bool has_turn;           /* in its array */
    uint8_t reserved_kind;   /* with reserved_slot: what that is, or is to be cut as */
    struct job_array *array; /* NULL: in none */

    struct course *course; /* of one that may be interrupted; NULL: it runs to its end */
    struct claim *claim;   /* what is being freed for it, while it waits */
    sim_time duration;     /* on the reference GPU */
    event_id limit_event;  /* while running: when its estimate is over; 0: that ends nothing */
    uint32_t promise;      /* 1 + its place among the promises (promises.h); 0: none */
    /* While it waits: the slot that is reserved for it, as 1 + the place of its device in the pool;
     * 0: none. */
    int32_t reserved_slot;
};
static_assert(offsetof(struct job, link) == 64, "the end of a job touches one cache line");
static_assert(offsetof(struct job, shape) == 128, "a tree touches one cache line of a job");

#endif
