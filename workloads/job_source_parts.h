/* What every kind of job source begins with. */
#ifndef WORKLOADS_JOB_SOURCE_PARTS_H
#define WORKLOADS_JOB_SOURCE_PARTS_H

#include "workloads/job_source.h"

struct job_source {
    bool (*next)(struct job_source *source, struct job_arrival *job);
    /* Closed sources: see job_source_ended. NULL: jobs do not depend on the ends of others. */
    bool (*ended)(struct job_source *source, sim_time now, struct job_arrival *pending);
    void (*clear)(struct job_source *source); /* releases what it holds, not itself */
};

#endif
