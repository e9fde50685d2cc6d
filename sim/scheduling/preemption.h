/* Preemption: urgent jobs take the GPUs of others. A newcomer that does not fit looks for the place
 * where it costs the least to make room; the victims are told to leave, and what they free is
 * claimed for the newcomer, which starts when the last of them has left. */
#ifndef SIM_SCHEDULING_PREEMPTION_H
#define SIM_SCHEDULING_PREEMPTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "scenarios/scenario.h"
#include "sim/cluster/index_set.h"
#include "sim/cluster/pool.h"
#include "sim/scheduling/course.h"
#include "sim/scheduling/job_queue.h"
#include "sim/scheduling/promises.h"
#include "sim/scheduling/victims.h"

struct scheduler;

/* GPUs or a slot that are being freed for a newcomer; or the slot of a suspended job, whose memory
 * is kept there for it. */
struct claim {
    struct claim *next; /* in the order of the queue, or of unused ones */
    uint64_t number;
    struct job *newcomer;
    int32_t leaving;       /* of its victims: have not left yet */
    sim_time expected_end; /* of the newcomer, if it started when the claim was made */
    const struct shape_pool *where;
    struct device *device; /* that it gets a slot of; NULL: whole GPUs, of */
    bool suspended;
    int64_t memory;         /* of one that is suspended; bytes */
    struct piece pieces;    /* which `mask` is set aside already, up to `gpus` */
    struct device *emptied; /* devices of shared GPUs among them */
};

/* What the rules say of a workload. */
struct preemption_rules {
    bool may_preempt;
    bool preemptible;
    sim_time min_runtime;
};

/* Of one checkpoint, alone on the storage; ns. */
struct move_times {
    sim_time save;
    sim_time restore;
};

/* Running jobs of one pool that may be preempted. */
struct pool_victims {
    struct stay **stays;      /* by node: those on whole GPUs */
    struct index_set nodes;   /* that have any */
    int32_t *on_device;       /* by device of its slots: how many */
    struct index_set devices; /* that have any */
    struct priority_count {
        int32_t priority;
        int32_t jobs;
    } * priorities; /* of all of them, ascending; counts may be 0 */
    size_t priority_count;
    size_t priority_capacity;
};

/* Jobs that only leave together: one, or all tenants of a GPU. */
struct bundle {
    struct victim_cost cost;
    size_t first; /* among the jobs collected */
    size_t count;
    int64_t memory; /* bytes of a device that they free */
    int32_t compute;
    int32_t slots;
    int32_t gpus;           /* whole ones */
    struct host_share host; /* with them */
    int64_t size;           /* where those that free the most go first: how much */
    bool must;              /* the newcomer does not share a device with them */
    bool taken;
};

struct preemption {
    struct scheduler *scheduler; /* borrowed, like the scenario */
    const struct scenario *scenario;
    const struct preemption_spec *spec;
    const struct victim_rule *rule;
    struct preemption_rules *rules; /* by workload */
    struct move_times *moves;       /* by workload, then pool */
    struct pool_victims *pools;
    /* When time alone lets a job that waits preempt, at the earliest; SIM_TIME_NEVER. */
    sim_time wake;
    /* A victim is to leave: at once, or later; preemption_left is to be told when it has. */
    void (*evict)(void *context, struct job *victim, const struct job *newcomer);
    /* A suspended job has lost its memory, and waits like any other. */
    void (*memory_lost)(void *context, struct job *job);
    void *context;
    struct claim *claims; /* open ones, in the order of the queue */
    uint64_t claims_made;
    int32_t leaving;           /* victims that have not left yet */
    struct course *running;    /* of all jobs that may be preempted */
    struct promises promises;  /* that no newcomer breaks */
    uint64_t prospects;        /* counts up whenever somebody may have become a victim */
    struct by_order *by_order; /* NULL: its rule does not go by it */

    struct claim *free_claims;
    struct claim_block *claim_blocks;
    struct stay *free_stays;
    struct stay_block *stay_blocks;
    /* Scratch of a search. */
    struct job **jobs;
    size_t job_count;
    size_t job_capacity;
    struct bundle *bundles;
    size_t bundle_count;
    size_t bundle_capacity;
    const struct job *newcomer; /* who looks for room */
    struct job **chosen;
    size_t chosen_count;
    size_t chosen_capacity;
};

/* For a scenario with `preemption:`. */
struct preemption *preemption_create(struct scheduler *scheduler, const struct scenario *scenario,
                                     void (*evict)(void *context, struct job *victim,
                                                   const struct job *newcomer),
                                     void *context);
void preemption_destroy(struct preemption *preemption); /* NULL: nothing */

/* A job with a course has started, or has left its GPUs or slot (it has them still). */
void preemption_note_start(struct preemption *preemption, struct job *job);
void preemption_note_end(struct preemption *preemption, struct job *job);
/* A running job goes down a level of las (preemption NULL: and nobody asks). */
void preemption_goes_down(struct preemption *preemption, struct job *job);

/* Whether there is any job that this one may preempt, wherever: O(1). */
bool preemption_is_possible(const struct preemption *preemption, const struct job *newcomer);
/* Makes room for a waiting job that does not fit, if it may: it has left the queue then, and starts
 * when its victims have left, which may be at once, or when it fits elsewhere. Looks at the nodes
 * and devices that hold jobs which may be preempted. */
bool preemption_make_room(struct preemption *preemption, struct job *newcomer);
/* Opens a claim for a waiting job on its planned place: it has left the queue then. After the
 * victims have been told, what is complete is to be redeemed. */
void preemption_open_claim(struct preemption *preemption, struct claim *claim,
                           struct job *newcomer);
void preemption_tell(struct preemption *preemption, struct job *victim, const struct job *newcomer);
/* Nobody comes to devices that are to be whole GPUs for the newcomer: those of the victims chosen.
 */
void preemption_empty_devices(struct preemption *preemption, struct claim *claim);
/* Starts the newcomer if all of its place is free by now. */
void preemption_redeem_claim(struct preemption *preemption, struct claim *claim);
/* Gives claims what is free by now, in order, and starts the newcomers of those that are complete.
 * The others wait in the queue again if nobody is leaving for them any more. */
void preemption_redeem(struct preemption *preemption);
/* At the beginning of a pass: the same, but a newcomer starts on any other GPUs where it fits by
 * now, too. O(claims), each as dear as to see whether a job fits. */
void preemption_serve(struct preemption *preemption);
/* Whether a newcomer for whom room is being made comes before this waiting job. */
bool preemption_serves_before(const struct preemption *preemption, const struct job *job);
struct claim *preemption_take_claim(struct preemption *preemption);
void preemption_return_claim(struct preemption *preemption, struct claim *claim);
void preemption_clear_claims(struct preemption *preemption); /* frees them all, at the end */
/* A victim has left, and given back what it had. */
void preemption_left(struct preemption *preemption, struct job *victim);
/* A job that has returned to the queue has left this memory in its slot of the device: it continues
 * there, once a slot is free. */
void preemption_keep_suspended(struct preemption *preemption, struct job *job,
                               struct device *device, int64_t memory);
/* Whether jobs can leave their memory there: it is time-sliced, and not cut anew. */
bool preemption_can_suspend_on(const struct device *device);
/* A job with a claim is withdrawn: what was set aside for it is free again. */
void preemption_give_up_claim(struct preemption *preemption, struct job *newcomer);

/* GPUs of a node go out of use, with what is cut from them, or (not NULL) a device alone: newcomers
 * that were to get any of it wait in the queue again. */
void preemption_revoke(struct preemption *preemption, int32_t pool, int32_t node, uint64_t gpus,
                       const struct device *device);

/* Whether a running job may be preempted by the newcomer (NULL: by whoever comes before it) now;
 * moves `wake` if only time is missing. */
bool preemption_may_take(struct preemption *preemption, const struct job *newcomer,
                         const struct job *victim);
/* Whether a newcomer comes before a running job: by priority, or in the order that all follow. */
bool preemption_is_more_urgent(const struct preemption *preemption, const struct job *newcomer,
                               const struct job *victim);
/* Whether it comes before the victim, or its queue may reclaim what the victim's has borrowed. */
bool preemption_is_entitled(const struct preemption *preemption, const struct job *newcomer,
                            const struct job *victim);
/* For victim rules: GPU-ns per GPU that preempting the job costs: work to be done again, the save
 * and the restore, each as if alone on the storage. */
sim_time preemption_overhead(const struct preemption *preemption, const struct job *job,
                             sim_time now);
/* The share of the SMs of the job's GPU that its tenants ask for in all. */
double preemption_utilization(const struct preemption *preemption, const struct job *job);

/* By workload, then pool; the caller's to free. */
struct move_times *preemption_list_moves(const struct scenario *scenario, size_t pool_count);

/* Time to save or restore one checkpoint of a workload in a pool, alone on the storage; ns. */
sim_time checkpoint_save_time(const struct scenario *scenario, int32_t workload, int32_t pool);
sim_time checkpoint_restore_time(const struct scenario *scenario, int32_t workload, int32_t pool);

#endif
