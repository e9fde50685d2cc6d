/* A job in a slot: the tenant it is there, and its work as one task. */
#ifndef SIM_SCHEDULING_JOB_TENANT_H
#define SIM_SCHEDULING_JOB_TENANT_H

#include "sim/cluster/device.h"

struct job;

struct job_tenant {
    struct tenant tenant; /* first: a device hands it back */
    struct task task;
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
