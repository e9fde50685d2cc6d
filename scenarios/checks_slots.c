/* Whether workloads find the slots they ask for. */
#include <string.h>
#include <strings.h>

#include "models/mig.h"
#include "scenarios/checks.h"

static const struct gpu_model *gpu_of(const struct reading *reading, size_t pool) {
    return &reading->scenario->catalogue->gpus[reading->scenario->pools[pool].gpu];
}

static bool has_profile(const struct gpu_model *gpu, const char *name) {
    for (size_t i = 0; i < gpu->profile_count; i++) {
        if (strcasecmp(gpu->profiles[i].name, name) == 0) {
            return true;
        }
    }
    return false;
}

/* Whether GPUs shared in this way are, or may be, cut into such instances. */
static bool offers_profile(const struct gpu_model *gpu, const struct chosen *sharing,
                           const char *name) {
    if (sharing->index != SHARING_MIG) {
        return false;
    }
    const struct sharing_spec *spec = sharing->options;
    for (size_t k = 0; k < sharing_way_count(spec); k++) {
        struct layout_way way = sharing_way(spec, k);
        for (size_t i = 0; i < way.count; i++) {
            if (strcasecmp(gpu->profiles[way.items[i].profile_row].name, name) == 0) {
                return true;
            }
        }
    }
    return spec->dynamic && has_profile(gpu, name);
}

static bool offers_whole_gpu(const struct chosen *sharing) {
    const struct sharing_spec *spec = sharing->options;
    return sharing->index != SHARING_MIG || spec->dynamic || sharing_is_ever_whole(spec);
}

static bool offers(const struct reading *reading, const struct workload_spec *workload,
                   size_t index) {
    const struct pool_spec *pool = &reading->scenario->pools[index];
    for (size_t k = 0; k <= pool->layout_count; k++) {
        const struct chosen *sharing = checks_shared(pool, k);
        if (sharing != NULL &&
            (workload->slot == SLOT_GPU
                 ? offers_whole_gpu(sharing)
                 : offers_profile(gpu_of(reading, index), sharing, workload->slot_profile))) {
            return true;
        }
    }
    return false;
}

/* A profile that no GPU of the pools has at all: says what the first one with MIG has instead. */
static bool refuse_foreign_profile(struct reading *reading, const struct subject *subject,
                                   struct place place) {
    const struct workload_spec *workload = subject->workload;
    const struct gpu_model *nearest = NULL;
    size_t count = checks_pool_count(reading, workload);
    for (size_t i = 0; i < count; i++) {
        const struct gpu_model *gpu = gpu_of(reading, checks_pool(workload, i));
        if (has_profile(gpu, workload->slot_profile)) {
            return false;
        }
        nearest = nearest == NULL && gpu->profile_count > 0 ? gpu : nearest;
    }
    struct error error = {.message = "they have no MIG"};
    if (nearest != NULL) {
        mig_find_profile(nearest, workload->slot_profile, &error);
    }
    reading_report(reading, place, "no GPU that workload %s may run on has the MIG profile %s: %s",
                   workload->name, workload->slot_profile, error.message);
    return true;
}

static void check_slot(struct reading *reading, const struct subject *subject) {
    const struct workload_spec *workload = subject->workload;
    size_t count = checks_pool_count(reading, workload);
    for (size_t i = 0; i < count; i++) {
        size_t pool = checks_pool(workload, i);
        if (!checks_sharing_known(reading, pool) || offers(reading, workload, pool)) {
            return;
        }
    }
    struct place place = node_member(subject->node, "slot")->place;
    if (workload->slot == SLOT_GPU) {
        reading_report(reading, place,
                       "workload %s insists on a whole GPU, but MIG cuts all those that it may run "
                       "on",
                       workload->name);
    } else if (!refuse_foreign_profile(reading, subject, place)) {
        reading_report(reading, place,
                       "workload %s insists on %s, but no GPU that it may run on is cut so: put "
                       "one into a `layout`, or take slot: any",
                       workload->name, workload->slot_profile);
    }
}

void checks_slots(struct reading *reading) {
    for (size_t i = 0; i < reading->scenario->workload_count; i++) {
        struct subject subject;
        if (checks_subject(reading, i, &subject) && checks_sound(subject.node, "slot") &&
            checks_sound(subject.node, "pools") &&
            (subject.workload->slot == SLOT_GPU || subject.workload->slot == SLOT_PROFILE)) {
            check_slot(reading, &subject);
        }
    }
}
