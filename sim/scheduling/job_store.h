/* The memory of the jobs alive: places are used anew, so it follows the number of jobs queued and
 * running, not the length of the trace. */
#ifndef SIM_SCHEDULING_JOB_STORE_H
#define SIM_SCHEDULING_JOB_STORE_H

#include <stddef.h>

#include "sim/scheduling/job.h"

struct job_store {
    struct job *free_list;
    struct job_block *blocks;
    size_t alive;
};

/* A zeroed job; the caller sets gpus above 0. */
struct job *job_store_take(struct job_store *store);
void job_store_return(struct job_store *store, struct job *job);
void job_store_clear(struct job_store *store);

/* All jobs alive, in order of submission: `store->alive` of them. Free with free(). */
struct job **job_store_list(const struct job_store *store);

#endif
