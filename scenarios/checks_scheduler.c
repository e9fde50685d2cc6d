/* Whether the scheduler's rules, hosts and the spans of gangs go together with how GPUs are shared.
 */
#include <string.h>

#include "scenarios/checks.h"

static const char *const key_names[] = {"cpus_per_node", "memory_per_node"};

/* Where the hosts of a pool are limited; NULL: they are not. */
static const struct entry *host_limit(const struct reading *reading, size_t pool) {
    const struct node *node = checks_pool_node(reading, pool);
    const struct entry *first = node_entry(node, key_names[0]);
    return first != NULL ? first : node_entry(node, key_names[1]);
}

/* Whether any of its GPUs are not exclusive; and whether any are cut anew during a run. */
static bool is_shared(const struct pool_spec *pool, bool *recut) {
    bool shared = false;
    *recut = false;
    for (size_t k = 0; k <= pool->layout_count; k++) {
        const struct chosen *sharing = checks_shared(pool, k);
        const struct sharing_spec *spec = sharing == NULL ? NULL : sharing->options;
        shared |= sharing != NULL && sharing->index != SHARING_EXCLUSIVE;
        *recut |= spec != NULL && sharing->index == SHARING_MIG &&
                  (spec->dynamic || spec->calendar_count > 0);
    }
    return shared;
}

struct rules {
    const char *backfill; /* "": not known, because of what was reported */
    struct place place;   /* of the backfill, or of the scheduler */
    bool preempts;
};

static struct rules rules_of(const struct reading *reading) {
    const struct scheduler_spec *spec = &reading->scenario->scheduler;
    const struct node *scheduler = node_member(reading->root, "scheduler");
    struct rules rules = {.backfill = ""};
    if (scheduler == NULL) {
        return (struct rules){.backfill = "none"};
    }
    const struct entry *backfill = node_entry(scheduler, "backfill");
    rules.place = backfill != NULL ? backfill->place : scheduler->place;
    if (checks_sound(scheduler, "backfill")) {
        rules.backfill = checks_chosen_name(reading, "backfill", &spec->backfill);
    }
    rules.preempts = spec->preemption.given;
    return rules;
}

static void check_conservative(struct reading *reading, const struct rules *rules) {
    if (rules->preempts) {
        reading_report(
            reading, rules->place,
            "backfill: conservative reserves for every job, which preemption would break: "
            "take none, skip or easy, or leave out `preemption`");
    }
}

static void check_hosts(struct reading *reading, size_t pool, const struct rules *rules,
                        bool shared, bool recut) {
    const struct entry *limit = host_limit(reading, pool);
    const char *name = reading->scenario->pools[pool].name;
    if (limit == NULL) {
        return;
    }
    if (recut) {
        reading_report(
            reading, limit->place,
            "hosts are limited where GPUs stay as they are, but those of pool %s are cut "
            "anew during a run: leave out %s, or dynamic and calendar",
            name, limit->key);
    } else if (shared && strcmp(rules->backfill, "easy") == 0) {
        reading_report(reading, limit->place,
                       "backfill: easy does not look ahead at the hosts of shared GPUs, such as "
                       "those of pool %s: leave out %s, or take none or skip",
                       name, limit->key);
    }
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
        bool recut;
        if (checks_sharing_known(reading, pool) &&
            is_shared(&reading->scenario->pools[pool], &recut)) {
            reading_report(reading, span->place,
                           "workload %s takes whole nodes for itself, but GPUs of pool %s are "
                           "shared: leave that pool out of its `pools`, or take another span",
                           workload->name, reading->scenario->pools[pool].name);
            return;
        }
    }
}

void checks_scheduler(struct reading *reading) {
    const struct scenario *scenario = reading->scenario;
    struct rules rules = rules_of(reading);
    bool conservative = strcmp(rules.backfill, "conservative") == 0;
    struct subject subject;
    if (conservative) {
        check_conservative(reading, &rules);
    }
    for (size_t i = 0; i < scenario->pool_count; i++) {
        bool recut;
        if (!checks_sharing_known(reading, i)) {
            continue;
        }
        bool shared = is_shared(&scenario->pools[i], &recut);
        if (conservative && shared && !recut) {
            reading_report(reading, rules.place,
                           "backfill: conservative reserves whole GPUs, but GPUs of pool %s are "
                           "shared: take easy or skip, or make the pool exclusive",
                           scenario->pools[i].name);
        }
        check_hosts(reading, i, &rules, shared, recut);
    }
    for (size_t i = 0; i < scenario->workload_count; i++) {
        if (checks_subject(reading, i, &subject)) {
            check_span(reading, &subject);
        }
    }
}
