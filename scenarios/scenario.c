#include "scenarios/scenario.h"

#include <stdlib.h>

const char *const job_class_names[JOB_CLASS_COUNT] = {
    [CLASS_INFERENCE] = "inference",
    [CLASS_FINETUNING] = "finetuning",
    [CLASS_TRAINING] = "training",
};

const int32_t job_class_priorities[JOB_CLASS_COUNT] = {
    [CLASS_INFERENCE] = 0,
    [CLASS_FINETUNING] = 50,
    [CLASS_TRAINING] = 100,
};

int32_t workload_priority(const struct workload_spec *workload) {
    return workload->has_priority ? workload->priority : job_class_priorities[workload->job_class];
}

enum measured_work workload_measured_work(const struct workload_spec *workload) {
    return workload->kind.index == WORKLOAD_SERVICE ? MEASURED_INFERENCE : MEASURED_TRAINING;
}

void scenario_destroy(struct scenario *scenario) {
    if (scenario == NULL) {
        return;
    }
    for (size_t i = 0; i < scenario->distribution_count; i++) {
        distribution_clear(&scenario->distributions[i]);
    }
    free(scenario->distributions);
    struct arena arena = scenario->arena;
    arena_clear(&arena);
    free(scenario);
}

int32_t pool_node_count(const struct pool_spec *pool) {
    return pool->nodes + pool->outages.spares;
}

const struct chosen *pool_sharing_of(const struct pool_spec *pool, int32_t gpu) {
    for (size_t i = 0; i < pool->layout_count; i++) {
        for (size_t j = 0; j < pool->layouts[i].gpu_count; j++) {
            if (pool->layouts[i].gpus[j] == gpu) {
                return &pool->layouts[i].sharing;
            }
        }
    }
    return &pool->sharing;
}
