/* Whether queues, their limits and the workloads that wait for others go together. */
#include <stdlib.h>
#include <string.h>

#include "scenarios/checks.h"
#include "scenarios/expansion.h"
#include "scenarios/suggest.h"
#include "sim/kernel/memory.h"

/* 0: not known, because of what was reported. */
static int64_t count_gpus(const struct reading *reading) {
    int64_t gpus = 0;
    for (size_t i = 0; i < reading->scenario->pool_count; i++) {
        const struct pool_spec *pool = &reading->scenario->pools[i];
        const struct node *node = checks_pool_node(reading, i);
        if (!checks_sound(node, "nodes") || !checks_sound(node, "gpus_per_node")) {
            return 0;
        }
        gpus += (int64_t)pool->nodes * pool->gpus_per_node;
    }
    return gpus;
}

static void check_limit(struct reading *reading, const struct queue_spec *queue,
                        const struct node *node, int64_t gpus) {
    double guaranteed = gpu_amount_in(queue->guaranteed, gpus);
    double limit = gpu_limit_in(queue->limit, gpus);
    const struct node *written = node_member(node, "limit");
    if (written == NULL || !checks_sound(node, "limit")) {
        return;
    }
    if (limit == 0) {
        reading_report(reading, written->place,
                       "queue %s may hold no GPU at all: none of its jobs would ever start",
                       queue->name);
    } else if (checks_sound(node, "guaranteed") && limit < guaranteed) {
        reading_report(reading, written->place,
                       "queue %s is guaranteed %.15g GPUs, but may hold %.15g at most: its limit "
                       "cannot be below its guarantee",
                       queue->name, guaranteed, limit);
    }
}

static void check_queues(struct reading *reading, const struct node *queues) {
    const struct scheduler_spec *scheduler = &reading->scenario->scheduler;
    int64_t gpus = count_gpus(reading);
    double total = 0;
    bool sound = queues->kind == NODE_MAP && gpus > 0;
    for (size_t i = 0; sound && i < scheduler->queue_count; i++) {
        const struct node *node = queues->entries[i].value;
        if (scheduler->queues[i].name != NULL && scheduler->queues[i].name[0] == '\0') {
            reading_report(reading, queues->entries[i].place, "a queue needs a name");
        }
        check_limit(reading, &scheduler->queues[i], node, gpus);
        total += checks_sound(node, "guaranteed")
                     ? gpu_amount_in(scheduler->queues[i].guaranteed, gpus)
                     : 0;
    }
    if (total > (double)gpus * (1 + 1e-9)) {
        reading_report(reading,
                       node_entry(node_member(reading->root, "scheduler"), "queues")->place,
                       "the queues are guaranteed %.15g GPUs in all, but the cluster has %lld",
                       total, (long long)gpus);
    }
}

/* Where queues are listed, a workload's own is one of them. */
static void check_queue_of(struct reading *reading, const struct subject *subject) {
    const struct scheduler_spec *scheduler = &reading->scenario->scheduler;
    const char *name = subject->workload->queue;
    const struct node *written = node_member(subject->node, "queue");
    if (written == NULL || name == NULL || scheduler->queue_count == 0) {
        return;
    }
    struct suggestion suggestion = suggestion_start(name);
    for (size_t i = 0; i < scheduler->queue_count; i++) {
        const char *known = scheduler->queues[i].name;
        if (known == NULL || strcmp(known, name) == 0) {
            return;
        }
        suggestion_consider(&suggestion, known);
    }
    bool close = suggestion.best != NULL;
    reading_report(reading, written->place,
                   "scheduler.queues lists no queue \"%s\", of which workload %s is: %s%s%s", name,
                   subject->workload->name, close ? "did you mean \"" : "add it there",
                   close ? suggestion.best : "", close ? "\"?" : "");
}

static void report_unknown(struct reading *reading, const struct node *item,
                           const struct node *workloads) {
    struct suggestion suggestion = suggestion_start(item->text);
    for (size_t i = 0; i < workloads->count; i++) {
        suggestion_consider(&suggestion, workloads->entries[i].key);
    }
    bool close = suggestion.best != NULL;
    reading_report(reading, item->place, "there is no workload \"%s\" to wait for%s%s%s",
                   item->text, close ? ": did you mean \"" : "", close ? suggestion.best : "",
                   close ? "\"?" : "");
}

/* One name in `after` or `afterok`. */
static void check_awaited(struct reading *reading, const struct subject *subject,
                          const struct node *item) {
    const struct scenario *scenario = reading->scenario;
    const struct node *workloads = node_member(reading->root, "workloads");
    if (item->kind != NODE_SCALAR || item->bad) {
        return;
    }
    const struct workload_spec *awaited = expansion_find(scenario, item->text);
    if (awaited == NULL) {
        report_unknown(reading, item, workloads);
        return;
    }
    const struct node *node = workloads->entries[awaited - scenario->workloads].value;
    if (!checks_sound(node, "kind") || node->kind != NODE_MAP) {
        return;
    }
    if (awaited->kind.index == WORKLOAD_SERVICE) {
        reading_report(reading, item->place,
                       "workload %s waits for service %s, which lasts as long as the run",
                       subject->workload->name, item->text);
    } else if (awaited->has_arrivals && awaited->limit == 0 && checks_sound(node, "limit")) {
        reading_report(reading, item->place,
                       "workload %s waits for workload %s, whose arrivals never end: give that a "
                       "`limit`",
                       subject->workload->name, item->text);
    }
}

static void check_after(struct reading *reading, const struct subject *subject) {
    static const char *const keys[] = {"after", "afterok"};
    for (size_t k = 0; k < sizeof(keys) / sizeof(keys[0]); k++) {
        const struct node *list = node_member(subject->node, keys[k]);
        for (size_t i = 0; list != NULL && list->kind == NODE_LIST && i < list->count; i++) {
            check_awaited(reading, subject, list->entries[i].value);
        }
    }
}

/* Of a workload: whether the search came by it, and is not through with it. */
enum { UNSEEN, UNDER_WAY, DONE };

static bool leads_back(const struct scenario *scenario, size_t index, char *seen);

static bool any_leads_back(const struct scenario *scenario, const char *const *names, size_t count,
                           char *seen) {
    bool back = false;
    for (size_t i = 0; i < count && !back; i++) {
        const struct workload_spec *next =
            names[i] != NULL ? expansion_find(scenario, names[i]) : NULL;
        back = next != NULL && next->enabled &&
               leads_back(scenario, (size_t)(next - scenario->workloads), seen);
    }
    return back;
}

static bool leads_back(const struct scenario *scenario, size_t index, char *seen) {
    const struct workload_spec *workload = &scenario->workloads[index];
    if (seen[index] != UNSEEN) {
        return seen[index] == UNDER_WAY;
    }
    seen[index] = UNDER_WAY;
    bool back = any_leads_back(scenario, workload->after, workload->after_count, seen) ||
                any_leads_back(scenario, workload->afterok, workload->afterok_count, seen);
    seen[index] = DONE;
    return back;
}

static void check_circles(struct reading *reading) {
    const struct scenario *scenario = reading->scenario;
    char *seen = memory_zero(scenario->workload_count, 1);
    for (size_t i = 0; i < scenario->workload_count; i++) {
        struct subject subject;
        if (checks_subject(reading, i, &subject) && leads_back(scenario, i, seen)) {
            const struct node *after = node_member(subject.node, "after");
            after = after != NULL ? after : node_member(subject.node, "afterok");
            reading_report(reading, after->place,
                           "workload %s waits for itself: through `after` and `afterok` it would "
                           "never start",
                           subject.workload->name);
            break;
        }
    }
    free(seen);
}

void checks_queues(struct reading *reading) {
    const struct node *queues = node_at(reading->root, "scheduler", "queues", NULL);
    if (queues != NULL && !queues->bad) {
        check_queues(reading, queues);
    }
    for (size_t i = 0; i < reading->scenario->workload_count; i++) {
        struct subject subject;
        if (checks_subject(reading, i, &subject)) {
            check_queue_of(reading, &subject);
            check_after(reading, &subject);
        }
    }
    check_circles(reading);
}
