#include "sim/model_figures.h"

#include <stdlib.h>
#include <string.h>

#include "sim/kernel/memory.h"
#include "sim/run_state.h"
#include "sim/service_events.h"

static int32_t find_or_add(struct model_list *list, const char *name) {
    for (size_t i = 0; i < list->count; i++) {
        if (strcmp(list->models[i].name, name) == 0) {
            return (int32_t)i;
        }
    }
    list->models[list->count] = (struct model_figures){.name = name};
    return (int32_t)list->count++;
}

static void include_jobs(struct model_figures *model, const struct job_figures *jobs) {
    if (model->jobs == NULL) {
        model->jobs = jobs;
        return;
    }
    if (model->merged_jobs == NULL) {
        model->merged_jobs = memory_zero(1, sizeof *model->merged_jobs);
        job_figures_initialize(model->merged_jobs);
        job_figures_merge(model->merged_jobs, model->jobs);
        model->jobs = model->merged_jobs;
    }
    job_figures_merge(model->merged_jobs, jobs);
}

static void include_requests(struct model_figures *model, const struct service_figures *requests) {
    if (model->requests == NULL) {
        model->requests = requests;
        return;
    }
    if (model->merged_requests == NULL) {
        model->merged_requests = memory_zero(1, sizeof *model->merged_requests);
        service_figures_initialize(model->merged_requests, SIM_TIME_NEVER);
        service_figures_merge(model->merged_requests, model->requests);
        model->requests = model->merged_requests;
    }
    service_figures_merge(model->merged_requests, requests);
}

void model_list_initialize(struct model_list *list, const struct run_state *run) {
    size_t workloads = run->scenario->workload_count;
    *list = (struct model_list){.models = memory_zero(workloads, sizeof *list->models),
                                .of_workload = memory_zero(workloads, sizeof(int32_t))};
    for (size_t w = 0; w < workloads; w++) {
        const char *name = run->scenario->workloads[w].model;
        list->of_workload[w] = name == NULL ? -1 : find_or_add(list, name);
        if (name == NULL) {
            continue;
        }
        struct model_figures *model = &list->models[list->of_workload[w]];
        model->workloads++;
        if (run->services[w] != NULL) {
            include_requests(model, &run->services[w]->figures);
        } else {
            include_jobs(model, &run->figures[w]);
        }
    }
}

void model_list_terminate(struct model_list *list) {
    for (size_t i = 0; i < list->count; i++) {
        struct model_figures *model = &list->models[i];
        if (model->merged_jobs != NULL) {
            job_figures_terminate(model->merged_jobs);
            free(model->merged_jobs);
        }
        if (model->merged_requests != NULL) {
            service_figures_terminate(model->merged_requests);
            free(model->merged_requests);
        }
    }
    free(list->models);
    free(list->of_workload);
    *list = (struct model_list){0};
}
