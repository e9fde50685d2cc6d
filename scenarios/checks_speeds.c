/* Whether it is known how fast workloads are wherever they may run. */
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "scenarios/checks.h"
#include "scenarios/suggest.h"

/* The factor given for a GPU, or (profile not NULL, gpu -1) for a MIG profile; NULL: none. */
static const struct speed_spec *find_speed(const struct model_spec *needs, int gpu,
                                           const char *profile) {
    for (size_t i = 0; i < needs->speed_count; i++) {
        const struct speed_spec *speed = &needs->speeds[i];
        bool same_profile =
            profile != NULL && speed->profile != NULL && strcasecmp(speed->profile, profile) == 0;
        if (profile != NULL ? same_profile : speed->profile == NULL && speed->gpu == gpu) {
            return speed;
        }
    }
    return NULL;
}

/* Speeds that contradict each other, or what a reference is. */
static void check_given_speeds(struct reading *reading, const struct model_spec *needs,
                               const struct node *speed, int reference) {
    if (speed == NULL || speed->bad || speed->kind != NODE_MAP) {
        return;
    }
    for (size_t i = 0; i < needs->speed_count; i++) {
        const struct speed_spec *given = &needs->speeds[i];
        const struct entry *entry = &speed->entries[i];
        if (find_speed(needs, given->gpu, given->profile) != given) {
            reading_report(reading, entry->place, "the speed on %s is given twice",
                           given->gpu < 0 ? given->profile
                                          : reading->scenario->catalogue->gpus[given->gpu].name);
        } else if (given->gpu == reference && given->factor != 1) {
            reading_report(reading, entry->value->place,
                           "%s is the reference GPU, on which the speed is 1", entry->key);
        }
    }
}

/* The models of the tables: "bert, resnet50, ...". Returns buffer. */
static const char *list_measured(const struct catalogue *catalogue, char *buffer, size_t size) {
    const char *last = "";
    buffer[0] = '\0';
    for (size_t i = 0; i < catalogue->speed_count; i++) {
        const char *model = catalogue->speeds[i].model; /* sorted by it */
        if (strcmp(model, last) != 0) {
            strncat(buffer, last[0] != '\0' ? ", " : "", size - strlen(buffer) - 1);
            strncat(buffer, model, size - strlen(buffer) - 1);
            last = model;
        }
    }
    return buffer;
}

/* measured_as, where it is written. */
static void check_measured_name(struct reading *reading, const struct node *written,
                                const char *name) {
    const struct node *node = node_member(written, "measured_as");
    const struct catalogue *catalogue = reading->scenario->catalogue;
    if (node == NULL || node->bad) {
        return;
    }
    struct suggestion suggestion = suggestion_start(name);
    for (size_t i = 0; i < catalogue->speed_count; i++) {
        if (strcasecmp(catalogue->speeds[i].model, name) == 0) {
            return;
        }
        suggestion_consider(&suggestion, catalogue->speeds[i].model);
    }
    char list[512];
    bool close = suggestion.best != NULL;
    reading_report(reading, node->place, "the tables of measured speeds have no model \"%s\"%s%s%s",
                   name, close ? ": did you mean \"" : ", but ",
                   close ? suggestion.best : list_measured(catalogue, list, sizeof(list)),
                   close ? "\"?" : "");
}

/* A workload whose needs are known, and the GPUs it may run on. */
struct candidate {
    const struct workload_spec *workload;
    const struct gpu_model *gpu;
    const struct pool_spec *pool;
};

/* speed: catalogue goes by SMs. Returns false, and reports it, if they are not known. */
static bool check_ratio(struct reading *reading, const struct candidate *candidate,
                        const struct gpu_model *reference) {
    const struct gpu_model *unknown = candidate->gpu->sms == 0 ? candidate->gpu
                                      : reference->sms == 0    ? reference
                                                               : NULL;
    if (unknown == NULL) {
        return true;
    }
    return reading_report(reading, candidate->workload->place,
                          "workload %s takes its speed on %s (pool %s) from the catalogue, which "
                          "does not know how many SMs %s has: write `speed: {%s: FACTOR}`, its "
                          "speed there over that on %s",
                          candidate->workload->name, candidate->gpu->name, candidate->pool->name,
                          unknown->name, candidate->gpu->name, reference->name);
}

/* The speed on the whole GPU. */
static bool check_gpu(struct reading *reading, const struct candidate *candidate, int reference) {
    const struct workload_spec *workload = candidate->workload;
    const struct gpu_model *gpus = reading->scenario->catalogue->gpus;
    if (candidate->pool->gpu == reference ||
        find_speed(&workload->needs, candidate->pool->gpu, NULL) != NULL) {
        return true;
    }
    if (workload->needs.speed_rule == SPEED_CATALOGUE) {
        return check_ratio(reading, candidate, &gpus[reference]);
    }
    return reading_report(reading, workload->place,
                          "workload %s may run on %s (pool %s), where its speed is not known: add "
                          "`speed: {%s: FACTOR}`, its speed there over that on %s, or `speed: "
                          "catalogue` for an estimate, or list the `pools` it may run in",
                          workload->name, candidate->gpu->name, candidate->pool->name,
                          candidate->gpu->name, gpus[reference].name);
}

/* Whether an instance of the profile may ever hold a tenant of the workload. */
static bool may_land(const struct workload_spec *workload, const struct mig_profile *profile) {
    const struct distribution *memory = &workload->needs.memory.start;
    bool constant = !workload->has_trace && memory->kind == &distribution_kinds[0];
    double available = (double)profile->memory_mib * 1048576;
    bool too_small = constant && profile->memory_mib > 0 && memory->given[0] > available;
    bool only_gangs = workload->gpus.kind == &distribution_kinds[0] && workload->gpus.given[0] > 1;
    bool other_slot =
        workload->slot == SLOT_GPU ||
        (workload->slot == SLOT_PROFILE && strcasecmp(workload->slot_profile, profile->name) != 0);
    return !too_small && !only_gangs && !other_slot && workload->isolation != ISOLATION_FULL;
}

/* The speed on an instance of the profile, over that on the whole GPU. */
static bool check_profile(struct reading *reading, const struct candidate *candidate,
                          const struct mig_profile *profile) {
    const struct workload_spec *workload = candidate->workload;
    const struct model_spec *needs = &workload->needs;
    if (find_speed(needs, -1, profile->name) != NULL || !may_land(workload, profile)) {
        return true;
    }
    if (needs->speed_rule != SPEED_MEASURED) {
        return (profile->sms > 0 && candidate->gpu->sms > 0) ||
               reading_report(
                   reading, workload->place,
                   "workload %s may run on a %s of %s (pool %s), where its speed is not known, "
                   "because the catalogue lacks SMs: add `speed: {%s: FACTOR}`, its speed there "
                   "over that on the whole GPU, or say which `slot` it takes",
                   workload->name, profile->name, candidate->gpu->name, candidate->pool->name,
                   profile->name);
    }
    double speed;
    int gpu;
    const struct gpu_model *gpus = reading->scenario->catalogue->gpus;
    if (catalogue_measured_speed(reading->scenario->catalogue, needs->measured_as,
                                 workload_measured_work(workload), profile->compute_slices,
                                 needs->measured_batch, &speed, &gpu) &&
        gpus[gpu].compute_slices == candidate->gpu->compute_slices) {
        return true;
    }
    return reading_report(
        reading, workload->place,
        "workload %s may run on a %s of %s (pool %s), but the tables of measured "
        "speeds have no %s of %s there: write `speed: {%s: FACTOR, ...}` instead, "
        "or say which `slot` it takes",
        workload->name, profile->name, candidate->gpu->name, candidate->pool->name,
        workload_measured_work(workload) == MEASURED_TRAINING ? "training" : "inference",
        needs->measured_as, profile->name);
}

static bool check_instances(struct reading *reading, const struct candidate *candidate,
                            const struct chosen *sharing) {
    const struct sharing_spec *spec = sharing->options;
    const struct gpu_model *gpu = candidate->gpu;
    for (size_t k = 0; k < sharing_way_count(spec); k++) {
        struct layout_way way = sharing_way(spec, k);
        for (size_t i = 0; i < way.count; i++) {
            if (!check_profile(reading, candidate, &gpu->profiles[way.items[i].profile_row])) {
                return false;
            }
        }
    }
    for (size_t i = 0; spec->dynamic && i < gpu->profile_count; i++) {
        if (!check_profile(reading, candidate, &gpu->profiles[i])) {
            return false;
        }
    }
    return true;
}

static bool check_pool(struct reading *reading, const struct candidate *candidate, int reference) {
    bool sound = check_gpu(reading, candidate, reference);
    for (size_t k = 0; sound && k <= candidate->pool->layout_count; k++) {
        const struct chosen *sharing = checks_shared(candidate->pool, k);
        if (sharing != NULL && sharing->index == SHARING_MIG) {
            sound = check_instances(reading, candidate, sharing);
        }
    }
    return sound;
}

/* Reports the first place that the workload may meet without a speed. */
static void check_needed_speeds(struct reading *reading, const struct subject *subject,
                                int reference) {
    const struct workload_spec *workload = subject->workload;
    const struct node *node = subject->node;
    const struct scenario *scenario = reading->scenario;
    const struct model_spec *needs = &workload->needs;
    if (needs->speed_rule == SPEED_MEASURED && needs->measured_as[0] == '\0') {
        char list[512];
        const struct node *speed = node_member(node, "speed");
        reading_report(reading, speed != NULL ? speed->place : workload->place,
                       "workload %s takes its speeds from the tables of measured ones, so it needs "
                       "`measured_as`, its name there: %s",
                       workload->name, list_measured(scenario->catalogue, list, sizeof(list)));
        return;
    }
    bool sound = true;
    size_t count = checks_pool_count(reading, workload);
    for (size_t i = 0; sound && i < count; i++) {
        size_t index = checks_pool(workload, i);
        const struct pool_spec *pool = &scenario->pools[index];
        struct candidate candidate = {.workload = workload,

                                      .gpu = &scenario->catalogue->gpus[pool->gpu],
                                      .pool = pool};
        sound = !checks_sharing_known(reading, index) || check_pool(reading, &candidate, reference);
    }
}

/* Whether all that its speeds come from has nothing wrong with it. */
static bool needs_known(const struct reading *reading, const struct subject *subject) {
    static const char *const keys[] = {"kind",      "pools",       "model",          "memory",
                                       "speed",     "measured_as", "measured_batch", "slot",
                                       "isolation", "gpus",        "class"};
    for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
        if (!checks_sound(subject->node, keys[i])) {
            return false;
        }
    }
    const char *model = subject->workload->model;
    const struct node *written =
        model != NULL ? node_member(node_member(reading->root, "models"), model) : NULL;
    return written == NULL || !written->bad;
}

void checks_speeds(struct reading *reading, int reference) {
    const struct scenario *scenario = reading->scenario;
    const struct node *models = node_member(reading->root, "models");
    for (size_t i = 0; i < scenario->model_count; i++) {
        const struct node *node = models->entries[i].value;
        check_given_speeds(reading, &scenario->models[i], node_member(node, "speed"), reference);
        check_measured_name(reading, node, scenario->models[i].measured_as);
    }
    for (size_t i = 0; i < scenario->workload_count; i++) {
        struct subject subject;
        if (!checks_subject(reading, i, &subject)) {
            continue;
        }
        const struct model_spec *needs = &subject.workload->needs;
        check_given_speeds(reading, needs, node_member(subject.node, "speed"), reference);
        check_measured_name(reading, subject.node, needs->measured_as);
        if (needs_known(reading, &subject)) {
            check_needed_speeds(reading, &subject, reference);
        }
    }
}
