/* Conservative backfill: a reservation for every waiting job, and none starts that would delay one
 * ahead of it. Source: Mu'alem and Feitelson, IEEE TPDS 12(6), 2001; with GPUs counted per node. */
#ifndef SIM_SCHEDULING_CONSERVATIVE_H
#define SIM_SCHEDULING_CONSERVATIVE_H

#include <stdint.h>

#include "scenarios/schema.h"

struct job;
struct scheduler;

struct conservative_options {
    int64_t depth; /* jobs that have a reservation at a time; 0: all */
};
extern const struct field conservative_options;

/* One pass, made again after each job that preempts others. For each job that is gone through, what
 * profile_first costs (profile.h), and the number of shapes waiting. */
void conservative_pass(struct scheduler *scheduler);

/* A job leaves the queue: nothing is reserved for it any more. */
void conservative_forget(struct scheduler *scheduler, struct job *job);

#endif
