/* Where and when conservative backfill may reserve for a waiting job: of each pool that it may use,
 * the first moment. A waiting job keeps what is reserved for it in its pieces and pool, or as a
 * slot of that. */
#ifndef SIM_SCHEDULING_CONSERVATIVE_OPTION_H
#define SIM_SCHEDULING_CONSERVATIVE_OPTION_H

#include <stdbool.h>

#include "sim/scheduling/scheduler.h"

struct profile;
struct slot_profile;

/* One pool that a job may use, and when. */
struct option {
    const struct shape_pool *pool;
    struct profile *profile;    /* of exclusive GPUs, */
    struct slot_profile *slots; /* or of shared ones */
    sim_time first;             /* at which it would fit */
    sim_time duration;          /* on whole GPUs */
};

/* Whether something is reserved for it; and no longer. */
bool option_has_place(const struct job *job);
void option_forget_place(struct scheduler *scheduler, struct job *job);

/* The pool in which it fits first; of several, the one that it prefers. */
struct option option_first(struct scheduler *scheduler, const struct job *job);
/* Whether what is reserved for it will do at the first moment, or (starts) is free now. */
bool option_holds(const struct scheduler *scheduler, const struct job *job,
                  const struct option *option, bool starts);
/* Whether the place that it had before will do as well as any other. */
bool option_may_keep(struct scheduler *scheduler, const struct job *job, const struct option *best,
                     struct option *kept);
/* Gives it a place by the rule; starts: now, where what overdue jobs hold is not free. */
bool option_plan(struct scheduler *scheduler, struct job *job, const struct option *option,
                 bool starts);
/* The same in any pool where it fits now. */
bool option_plan_now(struct scheduler *scheduler, struct job *job, struct option *where);
/* Others are not to have its place then. One that starts counts as running after that: for as long
 * as it is estimated to, which may be no time at all. Shared pools see that for themselves. */
void option_reserve(const struct scheduler *scheduler, const struct job *job,
                    const struct option *option, bool starts);
void option_start(struct scheduler *scheduler, struct job *job, const struct option *option);
/* For how long its place is reserved. */
sim_time option_duration(const struct scheduler *scheduler, const struct job *job,
                         const struct option *option);

#endif
