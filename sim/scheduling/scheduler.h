/* The scheduler of a run: the queue, the rules chosen for it, and the pools it places jobs on. */
#ifndef SIM_SCHEDULING_SCHEDULER_H
#define SIM_SCHEDULING_SCHEDULER_H

#include <stdbool.h>
#include <stdint.h>

#include "sim/cluster/pool.h"
#include "sim/scheduling/backfill.h"
#include "sim/scheduling/job_queue.h"
#include "sim/scheduling/order.h"
#include "sim/scheduling/placement.h"

struct scheduler {
    struct pool *pools; /* borrowed, like the rules */
    size_t pool_count;
    const struct queue_order *order;
    const struct backfill_rule *backfill;
    const struct placement_rule *placement;
    sim_time head_of_line; /* having waited for so long, a job is not overtaken; NEVER: no limit */
    struct piece_stock stock;
    struct job_queue queue;
    int64_t reservation_depth;       /* waiting jobs that may have one at a time; 0: all */
    struct reservation *reservation; /* kept only for a backfill that reserves */
    struct preemption *preemption;   /* borrowed; NULL: nobody is preempted */
    uint64_t *sequence;              /* the next one: borrowed from who numbers jobs; likewise */
    struct quotas *quotas;           /* borrowed; NULL: none (scheduler_set_quotas) */
    uint64_t passes;
    sim_time now; /* of the pass under way */
    /* Told of each start, after the job's pool and start are set. A job with whole GPUs has its
     * pieces and, unless it is a tenant (its owner seats it alone then), occupies them; one that
     * got a slot of `device` is seated there by its owner, at once or, if the device is not there
     * yet (slots_is_there), once it has been cut: that is when it starts then. */
    void (*started)(void *context, struct job *job, struct device *device);
    /* How fast a job is, alone on a device, over the reference GPU: for estimates, if the backfill
     * reserves. NULL: as fast as on a whole GPU. */
    double (*slot_speed)(void *context, const struct job *job, const struct device *device);
    void *context;
};

void scheduler_initialize(struct scheduler *scheduler, struct pool *pools, size_t pool_count,
                          const struct queue_order *order, const struct backfill_rule *backfill,
                          const struct placement_rule *placement,
                          void (*started)(void *context, struct job *job, struct device *device),
                          void *context);
/* Before the first job. */
void scheduler_set_quotas(struct scheduler *scheduler, struct quotas *quotas);
void scheduler_terminate(struct scheduler *scheduler);

/* A job enters the queue (its shape has a pool), leaves it unserved, or gives its GPUs or its slot
 * back. */
void scheduler_submit(struct scheduler *scheduler, struct job *job, sim_time now);
void scheduler_resubmit(struct scheduler *scheduler, struct job *job, sim_time now); /* again */
void scheduler_withdraw(struct scheduler *scheduler, struct job *job, sim_time now);
void scheduler_end(struct scheduler *scheduler, struct job *job, sim_time now);
/* A job that has its place, but has not started there, waits again. */
void scheduler_cancel(struct scheduler *scheduler, struct job *job, sim_time now);

/* With span `whole_nodes`: the GPUs that it holds beside those that it asked for. */
int32_t scheduler_idle_gpus(const struct pool *pool, const struct job *job);

/* One scheduling pass: starts what the rules allow to start now. */
void scheduler_pass(struct scheduler *scheduler, sim_time now);

/* For backfill rules. */

/* Whether the job would overtake one that has waited for `head_of_line`. */
bool scheduler_may_not_overtake(const struct scheduler *scheduler, const struct job *job);

/* Whether jobs of this shape fit somewhere now. */
bool scheduler_fits(const struct scheduler *scheduler, const struct shape *shape);
/* Plans a job of this shape in the first of its pools where it fits, which is returned; NULL if
 * there is none. On whole GPUs the pieces are to be taken back; place->device is NULL then, else
 * where the slot is. */
const struct shape_pool *scheduler_plan(struct scheduler *scheduler, const struct shape *shape,
                                        struct piece *first, struct slot_place *place);
/* How fast the job is there (device NULL: on whole GPUs), as an estimate has it. */
double scheduler_speed(const struct scheduler *scheduler, const struct job *job,
                       const struct shape_pool *where, const struct device *device);
/* When it would end there by its estimate, if it started now; NEVER for a replica. */
sim_time scheduler_expected_end(const struct scheduler *scheduler, const struct job *job,
                                const struct shape_pool *where, const struct device *device);
/* Starts a waiting job at once if it fits. */
bool scheduler_try_start(struct scheduler *scheduler, struct job *job);
/* Starts a waiting job on the GPUs of its pieces, which are free and still on the index: those that
 * they name, if they do; or in a slot. */
void scheduler_start_on(struct scheduler *scheduler, struct job *job,
                        const struct shape_pool *where);
void scheduler_start_in(struct scheduler *scheduler, struct job *job,
                        const struct shape_pool *where, const struct slot_place *place);
/* How fast the job is, alone in a slot of this kind, as an estimate has it. */
double scheduler_speed_in(const struct scheduler *scheduler, const struct job *job,
                          const struct shape_pool *where, int32_t kind);
/* Starts a job that has left the queue, for which room was made: on the GPUs of its pieces, which
 * are set aside for it, or in a slot of `device`. */
void scheduler_start_claimed(struct scheduler *scheduler, struct job *job,
                             const struct shape_pool *where, struct device *device);

/* How long `on_reference` lasts at this speed: to the nearest nanosecond. */
sim_time scheduler_scale(sim_time on_reference, double speed);

#endif
