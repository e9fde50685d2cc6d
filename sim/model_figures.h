/* What is measured by model: the figures of all workloads that name one, put together. */
#ifndef SIM_MODEL_FIGURES_H
#define SIM_MODEL_FIGURES_H

#include "sim/scheduling/job_figures.h"
#include "sim/serving/service_figures.h"

struct run_state;

struct model_figures {
    const char *name;                        /* borrowed */
    size_t workloads;                        /* that name it */
    const struct job_figures *jobs;          /* NULL: none of them is of jobs */
    const struct service_figures *requests;  /* NULL: none is a service */
    struct job_figures *merged_jobs;         /* owned; NULL: only one is of jobs, and `jobs` its */
    struct service_figures *merged_requests; /* likewise */
};

/* In the order in which workloads name them first. */
struct model_list {
    struct model_figures *models;
    size_t count;
    int32_t *of_workload; /* by workload; -1: it names none */
};

void model_list_initialize(struct model_list *list, const struct run_state *run);
void model_list_terminate(struct model_list *list);

#endif
