#include "scenarios/needs.h"

#include <string.h>
#include <strings.h>

#include "scenarios/scenario.h"

static bool is_measured(const struct catalogue *catalogue, const char *name) {
    for (size_t i = 0; i < catalogue->speed_count; i++) {
        if (strcasecmp(catalogue->speeds[i].model, name) == 0) {
            return true;
        }
    }
    return false;
}

/* What the catalogue knows of a model of that name, over what is there. */
static void take_catalogued(struct model_spec *needs, const struct node *written,
                            const struct catalogue *catalogue, const char *name) {
    const struct model_profile *profile = catalogue_find_model(catalogue, name);
    if (profile != NULL && node_entry(written, "memory") == NULL) {
        distribution_constant(&needs->memory.start, (double)profile->memory_bytes);
        needs->memory.growth_per_s = 0;
    }
    if (node_entry(written, "measured_as") == NULL) {
        needs->measured_as = profile != NULL                ? profile->measured_as
                             : is_measured(catalogue, name) ? name
                                                            : "";
    }
}

/* The keys of a model that are not written again. */
static void take_model(struct model_spec *needs, const struct node *written,
                       const struct model_spec *model) {
    needs->name = model->name;
    needs->place = model->place;
    if (node_entry(written, "memory") == NULL) {
        needs->memory = model->memory;
    }
    if (node_entry(written, "saturation") == NULL) {
        needs->saturation = model->saturation;
    }
    if (node_entry(written, "load_time") == NULL) {
        needs->load_time = model->load_time;
        needs->load_from_storage = model->load_from_storage;
    }
    if (node_entry(written, "speed") == NULL) {
        needs->speed_rule = model->speed_rule;
        needs->speeds = model->speeds;
        needs->speed_count = model->speed_count;
    }
    if (node_entry(written, "measured_as") == NULL) {
        needs->measured_as = model->measured_as;
    }
    if (node_entry(written, "measured_batch") == NULL) {
        needs->measured_batch = model->measured_batch;
    }
}

static const struct model_spec *find_model(const struct scenario *scenario, const char *name) {
    for (size_t i = 0; i < scenario->model_count; i++) {
        if (scenario->models[i].name != NULL && strcmp(scenario->models[i].name, name) == 0) {
            return &scenario->models[i];
        }
    }
    return NULL;
}

static void resolve_workload(struct reading *reading, struct workload_spec *workload,
                             const struct node *written) {
    const struct catalogue *catalogue = reading->scenario->catalogue;
    struct model_spec *needs = &workload->needs;
    needs->place = workload->place;
    if (needs->measured_as == NULL) {
        needs->measured_as = "";
    }
    if (workload->model != NULL) {
        const struct model_spec *model = find_model(reading->scenario, workload->model);
        needs->name = workload->model;
        if (model != NULL) {
            take_model(needs, written, model);
        } else {
            take_catalogued(needs, written, catalogue, workload->model);
        }
    }
    if (node_entry(written, "class") == NULL) {
        workload->job_class =
            workload->kind.index == WORKLOAD_SERVICE ? CLASS_INFERENCE : CLASS_TRAINING;
    }
}

void needs_resolve(struct reading *reading) {
    struct scenario *scenario = reading->scenario;
    const struct node *models = node_member(reading->root, "models");
    for (size_t i = 0; i < scenario->model_count; i++) {
        struct model_spec *model = &scenario->models[i];
        if (model->name != NULL) {
            take_catalogued(model, models->entries[i].value, reading->scenario->catalogue,
                            model->name);
        }
    }
    const struct node *workloads = node_member(reading->root, "workloads");
    for (size_t i = 0; i < scenario->workload_count; i++) {
        resolve_workload(reading, &scenario->workloads[i], workloads->entries[i].value);
    }
}
