/* Whether preemption and checkpoints go together with the rest of a scenario. */
#include <string.h>

#include "scenarios/checks.h"

static bool is_one_of(const char *name, const char *const *names) {
    bool found = false;
    for (size_t i = 0; names[i] != NULL; i++) {
        found |= strcmp(name, names[i]) == 0;
    }
    return found;
}

static void check_by_order(struct reading *reading, struct place place) {
    static const char *const orders[] = {"srtf", "srsf", "las", NULL};
    static const char *const backfills[] = {"none", "skip", NULL};
    const struct scheduler_spec *scheduler = &reading->scenario->scheduler;
    const char *order = checks_chosen_name(reading, "order", &scheduler->order);
    const char *backfill = checks_chosen_name(reading, "backfill", &scheduler->backfill);
    if (!is_one_of(order, orders)) {
        reading_report(reading, place,
                       "victims: order preempts whoever comes later in an order that changes while "
                       "jobs run: choose `order: srtf`, srsf or las, not %s",
                       order);
    } else if (!is_one_of(backfill, backfills)) {
        reading_report(reading, place,
                       "victims: order makes the schedule anew at every event, without "
                       "reservations: choose `backfill: skip` or none, not %s",
                       backfill);
    }
}

static bool any_timeslice(const struct scenario *scenario) {
    bool any = false;
    for (size_t i = 0; i < scenario->pool_count; i++) {
        for (size_t k = 0; k <= scenario->pools[i].layout_count; k++) {
            const struct chosen *shared = checks_shared(&scenario->pools[i], k);
            any |= shared != NULL && shared->index == SHARING_TIMESLICE;
        }
    }
    return any;
}

static void check_preemption(struct reading *reading) {
    const struct scenario *scenario = reading->scenario;
    const struct preemption_spec *spec = &scenario->scheduler.preemption;
    const struct node *scheduler = node_member(reading->root, "scheduler");
    const struct node *node = scheduler == NULL ? NULL : node_member(scheduler, "preemption");
    if (node == NULL || node->bad || !checks_sound(scheduler, "order") ||
        !checks_sound(scheduler, "backfill") || !checks_sound(reading->root, "workloads")) {
        return;
    }
    const char *victims = checks_chosen_name(reading, "victims", &spec->victims);
    if (strcmp(victims, "order") == 0) {
        check_by_order(reading, spec->place);
    }
    if (spec->mode == PREEMPT_SUSPEND && !any_timeslice(scenario)) {
        reading_report(reading, spec->place,
                       "mode: suspend keeps a job's memory on a time-sliced GPU, and no pool is "
                       "shared by timeslice: choose checkpoint or kill");
    }
}

static bool moves_bytes(const struct checkpoint_spec *spec) {
    return checkpoint_spec_size(spec) > 0 && (spec->save_time < 0 || spec->restore_time < 0);
}

static void check_checkpoint(struct reading *reading, const struct subject *subject) {
    const struct workload_spec *workload = subject->workload;
    const struct node *node = node_member(subject->node, "checkpoint");
    if (node == NULL || node->bad || node->kind != NODE_MAP) {
        return;
    }
    if (node_entry(node, "size") != NULL && node_entry(node, "parameters") != NULL) {
        reading_report(reading, node_entry(node, "parameters")->place,
                       "the checkpoint of workload %s is given by its size and by its parameters: "
                       "leave one out",
                       workload->name);
    }
    if (workload->checkpoint.overhead == 1) {
        reading_report(
            reading, node_entry(node, "overhead")->place,
            "with an overhead of 100 %% a job of workload %s would compute nothing while "
            "it saves: leave the overhead out for saves that block",
            workload->name);
    }
    for (size_t i = 0; moves_bytes(&workload->checkpoint) && checks_sound(subject->node, "pools") &&
                       i < checks_pool_count(reading, workload);
         i++) {
        size_t pool = checks_pool(workload, i);
        if (checks_sound(checks_pool_node(reading, pool), "storage") &&
            reading->scenario->pools[pool].storage.bandwidth == 0) {
            reading_report(reading, node->place,
                           "the checkpoint of workload %s has a size, but pool %s has no storage "
                           "that says how fast it is written: add `storage: {bandwidth: 4GB/s}` "
                           "there, or give save_time and restore_time",
                           workload->name, reading->scenario->pools[pool].name);
            return;
        }
    }
}

void checks_preemption(struct reading *reading) {
    struct subject subject;
    check_preemption(reading);
    for (size_t i = 0; i < reading->scenario->workload_count; i++) {
        if (checks_subject(reading, i, &subject)) {
            check_checkpoint(reading, &subject);
        }
    }
}
