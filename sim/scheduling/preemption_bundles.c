#include "sim/scheduling/preemption_bundles.h"

#include <stdlib.h>

#include "sim/kernel/memory.h"
#include "sim/scheduling/quotas.h"
#include "sim/scheduling/scheduler.h"

static bool is_enough(const struct room *room) {
    return room->memory <= 0 && room->compute <= 0 && room->slots <= 0 && room->gpus <= 0 &&
           room->host.cpus <= 0 && room->host.memory <= 0;
}

static void give(struct room *lacking, const struct bundle *bundle, int sign) {
    lacking->memory -= sign * bundle->memory;
    lacking->compute -= sign * bundle->compute;
    lacking->slots -= sign * bundle->slots;
    lacking->gpus -= sign * bundle->gpus;
    lacking->host.cpus -= sign * bundle->host.cpus;
    lacking->host.memory -= sign * bundle->host.memory;
}

struct bundle *bundle_add(struct preemption *preemption) {
    preemption->bundles = memory_grow(preemption->bundles, &preemption->bundle_capacity,
                                      preemption->bundle_count + 1, sizeof *preemption->bundles);
    struct bundle *bundle = &preemption->bundles[preemption->bundle_count++];
    *bundle = (struct bundle){.first = preemption->job_count};
    return bundle;
}

void bundle_add_job(struct preemption *preemption, struct bundle *bundle, struct job *job) {
    struct victim_cost cost = preemption->rule->cost(preemption, job, preemption->scheduler->now);
    preemption->jobs = memory_grow(preemption->jobs, &preemption->job_capacity,
                                   preemption->job_count + 1, sizeof(struct job *));
    preemption->jobs[preemption->job_count++] = job;
    if (bundle->count++ == 0) {
        bundle->cost = cost;
    } else {
        victim_cost_add(preemption->rule, &bundle->cost, &cost);
    }
}

void bundles_forget(struct preemption *preemption) {
    preemption->bundle_count = 0;
    preemption->job_count = 0;
}

static int64_t size_of(const struct bundle *bundle) {
    return bundle->gpus > 0 ? bundle->gpus : bundle->memory + bundle->compute;
}

/* Those that must go first, then in the order of the rule; of equals, as they were listed. */
static int compare_bundles(const void *a, const void *b) {
    const struct bundle *left = a;
    const struct bundle *right = b;
    if (left->must != right->must) {
        return left->must ? -1 : 1;
    }
    if (left->size != right->size) {
        return left->size > right->size ? -1 : 1;
    }
    int compared = victim_cost_compare(&left->cost, &right->cost);
    return compared != 0 ? compared : (left->first > right->first) - (left->first < right->first);
}

enum { FEW = 64 };

/* Mostly few at a time: those of one node or device. */
static void sort_bundles(struct preemption *preemption) {
    struct bundle *bundles = preemption->bundles;
    for (size_t i = 0; i < preemption->bundle_count; i++) {
        bundles[i].size = preemption->rule->large_first ? size_of(&bundles[i]) : 0;
    }
    if (preemption->bundle_count > FEW) {
        qsort(bundles, preemption->bundle_count, sizeof *bundles, compare_bundles);
        return;
    }
    for (size_t i = 1; i < preemption->bundle_count; i++) {
        struct bundle bundle = bundles[i];
        size_t j = i;
        for (; j > 0 && compare_bundles(&bundle, &bundles[j - 1]) < 0; j--) {
            bundles[j] = bundles[j - 1];
        }
        bundles[j] = bundle;
    }
}

static void note_leaving(struct preemption *preemption, const struct bundle *bundle, int sign) {
    for (size_t i = 0; i < bundle->count; i++) {
        quotas_note_leaving(preemption->scheduler->quotas, preemption->jobs[bundle->first + i],
                            sign);
    }
}

/* Whether the newcomer may take from them though others make way, too: a queue does not give more
 * than it has borrowed. */
static bool may_still_go(const struct preemption *preemption, const struct bundle *bundle) {
    bool may = true;
    for (size_t i = 0; may && i < bundle->count; i++) {
        may = preemption_is_entitled(preemption, preemption->newcomer,
                                     preemption->jobs[bundle->first + i]);
    }
    return may;
}

/* Takes bundles until nothing is lacking, and drops those that are not needed after all, the
 * dearest first. False: it is not enough. */
bool bundles_take(struct preemption *preemption, struct room lacking, bool all,
                  struct victim_cost *cost) {
    size_t taken = 0;
    sort_bundles(preemption);
    while (taken < preemption->bundle_count &&
           (all || preemption->bundles[taken].must || !is_enough(&lacking))) {
        struct bundle *bundle = &preemption->bundles[taken++];
        if (bundle->must || may_still_go(preemption, bundle)) {
            bundle->taken = true;
            give(&lacking, bundle, 1);
            note_leaving(preemption, bundle, 1);
        }
    }
    for (size_t i = 0; i < taken; i++) {
        if (preemption->bundles[i].taken) {
            note_leaving(preemption, &preemption->bundles[i], -1);
        }
    }
    if (!is_enough(&lacking)) {
        return false;
    }
    for (size_t i = taken; !all && i-- > 0;) {
        struct bundle *bundle = &preemption->bundles[i];
        struct room without = lacking;
        give(&without, bundle, -1);
        if (bundle->taken && !bundle->must && is_enough(&without)) {
            bundle->taken = false;
            lacking = without;
        }
    }
    bool first = true;
    *cost = (struct victim_cost){{0}};
    for (size_t i = 0; i < taken; i++) {
        if (preemption->bundles[i].taken && first) {
            *cost = preemption->bundles[i].cost;
            first = false;
        } else if (preemption->bundles[i].taken) {
            victim_cost_add(preemption->rule, cost, &preemption->bundles[i].cost);
        }
    }
    return true;
}

static void choose_job(struct preemption *preemption, struct job *job) {
    for (size_t i = 0; i < preemption->chosen_count; i++) {
        if (preemption->chosen[i] == job) {
            return; /* a gang, for another of its nodes */
        }
    }
    preemption->chosen = memory_grow(preemption->chosen, &preemption->chosen_capacity,
                                     preemption->chosen_count + 1, sizeof(struct job *));
    preemption->chosen[preemption->chosen_count++] = job;
}

void bundles_choose_taken(struct preemption *preemption) {
    for (size_t i = 0; i < preemption->bundle_count; i++) {
        const struct bundle *bundle = &preemption->bundles[i];
        for (size_t j = 0; bundle->taken && j < bundle->count; j++) {
            choose_job(preemption, preemption->jobs[bundle->first + j]);
        }
    }
}

bool bundles_have_chosen(const struct preemption *preemption, const struct job *job) {
    for (size_t i = 0; i < preemption->chosen_count; i++) {
        if (preemption->chosen[i] == job) {
            return true;
        }
    }
    return false;
}
