/* Which running jobs make way for a newcomer. One row per rule: what it costs to preempt a job, so
 * that victims are taken cheapest first and the place of least cost wins. */
#ifndef SIM_SCHEDULING_VICTIMS_H
#define SIM_SCHEDULING_VICTIMS_H

#include <stdbool.h>
#include <stddef.h>

#include "scenarios/choice.h"
#include "sim/kernel/sim_time.h"

struct job;
struct preemption;

enum { COST_PARTS = 3 };

/* Compared part by part, smaller first. */
struct victim_cost {
    double part[COST_PARTS];
};

struct victim_rule {
    struct choice choice;
    struct victim_cost (*cost)(const struct preemption *preemption, const struct job *job,
                               sim_time now);
    /* Of several victims together a part is the sum of theirs, but for these (bit i: part i), which
     * are their maximum. */
    unsigned maxima;
    bool large_first; /* of one place, those are taken first that free the most */
    bool by_order;    /* whoever is later in the queue's order makes way: preemption_by_order.h */
};

extern const struct victim_rule victim_rules[];
extern const size_t victim_rule_count;

int victim_cost_compare(const struct victim_cost *a, const struct victim_cost *b);
void victim_cost_add(const struct victim_rule *rule, struct victim_cost *sum,
                     const struct victim_cost *cost);

#endif
