/* Whether the spans of gangs go together with how GPUs are shared. */
#include "scenarios/checks.h"

/* Whether there are hours at which MIG cuts none of its GPUs. */
static bool is_ever_whole(const struct pool_spec *pool) {
    bool whole = true;
    for (size_t k = 0; k <= pool->layout_count; k++) {
        const struct chosen *sharing = checks_shared(pool, k);
        const struct sharing_spec *spec = sharing == NULL ? NULL : sharing->options;
        whole &= spec == NULL || sharing->index != SHARING_MIG || sharing_is_ever_whole(spec);
    }
    return whole;
}

static void check_span(struct reading *reading, const struct subject *subject) {
    const struct workload_spec *workload = subject->workload;
    const struct entry *span = node_entry(subject->node, "span");
    if (span == NULL || workload->span != SPAN_WHOLE_NODES ||
        !checks_sound(subject->node, "span") || !checks_sound(subject->node, "pools")) {
        return;
    }
    for (size_t i = 0; i < checks_pool_count(reading, workload); i++) {
        size_t pool = checks_pool(workload, i);
        if (checks_sharing_known(reading, pool) &&
            !is_ever_whole(&reading->scenario->pools[pool])) {
            reading_report(reading, span->place,
                           "workload %s takes whole nodes for itself, but MIG cuts GPUs of pool %s "
                           "at all hours, and nobody gets such a GPU whole: leave that pool out of "
                           "its `pools`, or take another span",
                           workload->name, reading->scenario->pools[pool].name);
            return;
        }
    }
}

void checks_scheduler(struct reading *reading) {
    struct subject subject;
    for (size_t i = 0; i < reading->scenario->workload_count; i++) {
        if (checks_subject(reading, i, &subject)) {
            check_span(reading, &subject);
        }
    }
}
