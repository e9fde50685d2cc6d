/* Quotas: how many GPUs each queue, and each user, holds and may hold. A job that would go beyond a
 * limit is set aside: it does not start, and blocks nobody. Part of a GPU counts as its share. */
#ifndef SIM_SCHEDULING_QUOTAS_H
#define SIM_SCHEDULING_QUOTAS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct job;
struct pool;
struct shape;
struct shape_pool;
struct slot_place;

/* Amounts are in parts of a GPU, so that sums of shares are exact. */
#define QUOTA_GPU INT64_C(1000000000)
#define QUOTA_NO_LIMIT INT64_MAX

struct quota_queue {
    const char *name; /* borrowed */
    int64_t guaranteed;
    int64_t limit;
    int64_t user_limit; /* of each user, in this queue */
    double weight;
    int64_t held;
    int64_t leaving;  /* of that: by jobs that make way for others */
    int64_t reserved; /* for jobs that wait, in the pass under way: counts for whose turn it is */
    double share;     /* (held + reserved) / weight, in GPUs: what order `fair` goes by */
};

/* Who holds: a queue, or one user's jobs in it where users have limits. */
struct quota_owner {
    int32_t queue;
    int32_t user; /* -1: nobody's, or no matter */
    int64_t held;
};

struct quotas {
    struct quota_queue *queues;
    size_t queue_count;
    struct quota_owner *owners;
    size_t owner_count;
    int64_t *user_held; /* by user */
    size_t user_count;
    int64_t user_limit; /* of each, in all queues together */
    bool fair;          /* queues take turns by what they hold */
};

/* Nobody holds anything; queues are to be filled in with their limits, owners with whose they are.
 */
struct quotas *quotas_create(size_t queue_count, size_t owner_count, size_t user_count);
void quotas_destroy(struct quotas *quotas); /* NULL: nothing */

/* Whether the owner may hold so much more now; whether it might if nobody held anything. O(1). */
bool quotas_admit(const struct quotas *quotas, int32_t owner, int64_t amount);
bool quotas_could_admit(const struct quotas *quotas, int32_t owner, int64_t amount);

/* What counts of a tenant of a slot: the share of the SMs that it asked for, else its part of the
 * device, which has so many slots and counts so many units of a GPU's. */
int64_t quota_slot_amount(int32_t compute, int32_t slots, int32_t units, int32_t units_per_gpu);

/* The owner holds so much more, or less. */
void quotas_hold(struct quotas *quotas, int32_t owner, int64_t amount);

/* So much more is reserved for the owner's jobs, as whose turn it is shall have it; or for nobody
 * any more. */
void quotas_reserve(struct quotas *quotas, int32_t owner, int64_t amount);
void quotas_forget_reserved(struct quotas *quotas); /* NULL: nothing */

/* For the scheduler; quotas NULL: there are none, and everything is admitted. */

/* What a job of the shape counts for if it goes there. */
int64_t quota_amount_at(const struct pool *pool, const struct shape_pool *where,
                        const struct slot_place *place);
/* Whether it may. */
bool quotas_admit_at(const struct quotas *quotas, const struct shape *shape,
                     const struct pool *pool, const struct shape_pool *where,
                     const struct slot_place *place);
/* Whether quotas let a job of the shape have a slot of this kind there. */
bool quotas_admit_kind(const struct quotas *quotas, const struct shape *shape,
                       const struct pool *pool, const struct shape_pool *where, int32_t kind);
/* It holds what it goes to, once: from the moment at which that is set aside for it; and no longer.
 */
void quotas_take(struct quotas *quotas, struct job *job, const struct pool *pool,
                 const struct shape_pool *where, const struct slot_place *place);
void quotas_give_back(struct quotas *quotas, struct job *job);

/* Weighted max-min fairness: the owner's queue whose turn comes first, below 0 for that of `a`,
 * above 0 for that of `b`: queues below their guarantee before others, then the one that holds the
 * least for its weight. 0: neither.
 * Source: the order of Hadoop's Fair Scheduler, over GPUs alone; for one resource, the weighted
 * dominant resource fairness of Ghodsi et al., NSDI 2011. */
int quotas_compare(const struct quotas *quotas, int32_t a, int32_t b);

/* Whether the guarantee of the newcomer's queue entitles it to take the victim's GPUs: the queue
 * would not go beyond its guarantee by it, and the victim's queue, another one, is beyond its own.
 * Source: reclaiming within a cohort as Kueue does it (reclaimWithinCohort). */
bool quota_may_reclaim(const struct quotas *quotas, const struct job *newcomer,
                       const struct job *victim);
/* Whether a start of the newcomer would leave its queue within its guarantee. */
bool quotas_has_claim(const struct quotas *quotas, const struct job *newcomer);
/* A job that holds makes way for another, or (-1) has done so: its queue has the less to give. */
void quotas_note_leaving(struct quotas *quotas, const struct job *job, int sign);
/* How many GPUs the job's queue is beyond its guarantee; 0 without quotas. For victim rules. */
double quotas_borrowed(const struct quotas *quotas, const struct job *job);

#endif
