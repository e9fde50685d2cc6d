#include "sim/scheduling/victims.h"

#include <math.h>

#include "sim/scheduling/preemption.h"
#include "sim/scheduling/quotas.h"
#include "sim/scheduling/scheduler.h"

/* GPU-ns that are done again or spent to save and to restore, then how long it has held its GPUs.
 */
static struct victim_cost progress_lost(const struct preemption *preemption, const struct job *job,
                                        sim_time now) {
    double lost = (double)preemption_overhead(preemption, job, now) * job->gpus;
    return (struct victim_cost){{lost, 1, (double)(now - job->start)}};
}

/* Published for clusters in general: the least urgent, and of those the one that started last.
 * Source: Kubernetes, "Pod Priority and Preemption": the victims of lowest priority, and of equal
 * ones those that started last. */
static struct victim_cost least_urgent(const struct preemption *preemption, const struct job *job,
                                       sim_time now) {
    (void)preemption;
    return (struct victim_cost){{-(double)job->priority, 1, (double)(now - job->start)}};
}

/* By the SMs in use of the GPU that it is on, then the one that started last. */
static struct victim_cost gpu_utilization(const struct preemption *preemption,
                                          const struct job *job, sim_time now) {
    return (struct victim_cost){
        {preemption_utilization(preemption, job), 1, (double)(now - job->start)}};
}

static struct victim_cost each_counts(const struct preemption *preemption, const struct job *job,
                                      sim_time now) {
    double lost = (double)preemption_overhead(preemption, job, now) * job->gpus;
    return (struct victim_cost){{1, lost, (double)(now - job->start)}};
}

/* Of the queue that is the furthest beyond its guarantee, and of those the one that started last.
 */
static struct victim_cost borrowed(const struct preemption *preemption, const struct job *job,
                                   sim_time now) {
    return (struct victim_cost){
        {-quotas_borrowed(preemption->scheduler->quotas, job), 1, (double)(now - job->start)}};
}

const struct victim_rule victim_rules[] = {
    {.choice = {.name = "least_progress_lost",
                .summary = "those that lose the least GPU time, with the saves and restores"},
     .cost = progress_lost},
    {.choice = {.name = "lowest_priority_latest_start",
                .summary = "the least urgent first, and of those the last to have started"},
     .cost = least_urgent,
     .maxima = 1},
    {.choice = {.name = "least_utilized_gpu", .summary = "on the GPU whose SMs are used the least"},
     .cost = gpu_utilization,
     .maxima = 1},
    {.choice = {.name = "fewest_victims", .summary = "as few jobs as possible"},
     .cost = each_counts,
     .large_first = true},
    {.choice = {.name = "most_borrowed",
                .summary = "of the queue that is the furthest beyond its guarantee, the last to "
                           "have started"},
     .cost = borrowed,
     .maxima = 1},
    {.choice = {.name = "order",
                .summary = "whoever comes later in the order (srtf, srsf, las), which is "
                           "recomputed at every arrival and end"},
     .cost = progress_lost,
     .by_order = true},
};
const size_t victim_rule_count = sizeof victim_rules / sizeof victim_rules[0];

int victim_cost_compare(const struct victim_cost *a, const struct victim_cost *b) {
    for (int i = 0; i < COST_PARTS; i++) {
        if (a->part[i] != b->part[i]) {
            return a->part[i] < b->part[i] ? -1 : 1;
        }
    }
    return 0;
}

void victim_cost_add(const struct victim_rule *rule, struct victim_cost *sum,
                     const struct victim_cost *cost) {
    for (int i = 0; i < COST_PARTS; i++) {
        sum->part[i] = (rule->maxima >> i & 1) != 0 ? fmax(sum->part[i], cost->part[i])
                                                    : sum->part[i] + cost->part[i];
    }
}
