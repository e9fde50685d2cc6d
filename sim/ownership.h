/* Whose the jobs of a run are: every job has an account, of its workload, queue and user, numbered
 * before the run begins. What is held, measured and paid by queue and by user follows from it. */
#ifndef SIM_OWNERSHIP_H
#define SIM_OWNERSHIP_H

#include "scenarios/scenario.h"
#include "sim/scheduling/quotas.h"
#include "workloads/owner_table.h"
#include "workloads/work_source.h"

struct account {
    int32_t workload;
    int32_t queue;
    int32_t user;  /* -1: nobody's */
    int32_t owner; /* to whose quota it counts */
};

struct ownership {
    struct owner_table names; /* of queues and users, by number */
    bool by_queue;            /* some job says its queue, or queues are listed */
    bool by_user;             /* some job says its user */
    struct account *accounts; /* those of a workload follow each other */
    size_t account_count;
    int32_t *first;        /* by workload: its first account */
    struct quotas *quotas; /* NULL: nothing limits or orders jobs by who has them */
};

/* The traces are those of the workloads, NULL for synthetic ones. fair: queues take turns. */
void ownership_initialize(struct ownership *ownership, const struct scenario *scenario,
                          struct trace *const *traces, bool fair);
void ownership_terminate(struct ownership *ownership);

/* The account of a job, by what its source says of it (arrival.owner). */
static inline int32_t ownership_account(const struct ownership *ownership, int32_t workload,
                                        int32_t owner) {
    return ownership->first[workload] + owner;
}
/* To whose quota an account counts; 0 without quotas. */
static inline int32_t ownership_owner(const struct ownership *ownership, int32_t account) {
    return ownership->accounts[account].owner;
}

/* For records; NULL: not said, or none. */
const char *ownership_queue(const struct ownership *ownership, int32_t account);
const char *ownership_user(const struct ownership *ownership, int32_t account);

#endif
