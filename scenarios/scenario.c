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
