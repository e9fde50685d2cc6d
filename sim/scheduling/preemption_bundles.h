/* Which victims of one place make way: jobs that only leave together are a bundle, with what they
 * cost and what they free. The search for a place keeps them in `struct preemption`. */
#ifndef SIM_SCHEDULING_PREEMPTION_BUNDLES_H
#define SIM_SCHEDULING_PREEMPTION_BUNDLES_H

#include "sim/scheduling/preemption.h"

/* What a newcomer lacks in a place, or what a victim would free there. */
struct room {
    int64_t memory;
    int32_t compute;
    int32_t slots;
    int32_t gpus;
    struct host_share host;
};

/* A place is looked at anew: nothing is bundled. Bundles are added, and jobs to the last one. */
void bundles_forget(struct preemption *preemption);
struct bundle *bundle_add(struct preemption *preemption);
void bundle_add_job(struct preemption *preemption, struct bundle *bundle, struct job *job);

/* Takes bundles in the order of the rule until nothing is lacking, and drops those that are not
 * needed after all, the dearest first; all: takes every one. False: it is not enough. */
bool bundles_take(struct preemption *preemption, struct room lacking, bool all,
                  struct victim_cost *cost);
/* The jobs of the bundles taken are victims; whether a job is one already, for another place. */
void bundles_choose_taken(struct preemption *preemption);
bool bundles_have_chosen(const struct preemption *preemption, const struct job *job);

#endif
