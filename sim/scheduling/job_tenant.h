/* A job in a slot: the tenant it is there, and its work as one task, or as one for each iteration.
 */
#ifndef SIM_SCHEDULING_JOB_TENANT_H
#define SIM_SCHEDULING_JOB_TENANT_H

#include "sim/cluster/device.h"

struct job;

/* The iterations under way of a job that shares its device (sim/job_iterations.h). */
struct job_iterations {
    sim_time length;   /* of one, in the slot, */
    sim_time active;   /* and how much of it is computed, at its beginning */
    sim_time work;     /* to be done, iterations as a whole, */
    sim_time done;     /* and what of that was before the part under way */
    sim_time position; /* in the iteration, when that began */
    sim_time part;     /* how long it is: computing, or waiting */
    sim_time since;
    bool computes;
    event_id wait; /* the end of a wait; 0: none */
};

struct job_tenant {
    struct tenant tenant; /* first: a device hands it back */
    struct task task;
    struct job_iterations iterations;
    struct job *job;
    struct job_tenant *next_free;
};

/* Used anew rather than freed: as many as jobs were ever in slots at once. */
struct job_tenant_stock {
    struct job_tenant *free_list;
    struct job_tenant_block *blocks;
};

/* Zeroed but for its job. */
struct job_tenant *job_tenant_take(struct job_tenant_stock *stock, struct job *job);
void job_tenant_return(struct job_tenant_stock *stock, struct job_tenant *tenant);
void job_tenant_stock_clear(struct job_tenant_stock *stock);

#endif
