/* Placement: on which nodes of a pool a gang goes. One row per rule; a rule only ever picks one
 * node, gangs are built from that. */
#ifndef SIM_SCHEDULING_PLACEMENT_H
#define SIM_SCHEDULING_PLACEMENT_H

#include <stdbool.h>

#include "scenarios/choice.h"
#include "sim/cluster/node_index.h"
#include "sim/cluster/pool.h"

struct placement_rule {
    struct choice choice;
    /* The node for the ask; -1 if none has as many GPUs free and room on its host. Must not scan
     * the nodes, but for those that have the GPUs and not the room. */
    int32_t (*pick)(const struct node_index *index, const struct node_ask *ask);
    /* How it ranks slots that are alike, smaller first; NULL: by their place in the pool. */
    slot_rank *rank;
    /* How it weighs slots, smaller first, before they are ranked; NULL: it does not. */
    slot_growth *growth;
    /* How it ranks instances of GPUs that MIG cuts on demand; NULL: by their place in the pool. */
    cut_rank *cut;
    bool draws; /* chooses by lot, with the draws of the index */
};

extern const struct placement_rule placement_rules[];
extern const size_t placement_rule_count;

/* Whether a gang fits now. By default up to gpus_per_node GPUs go on one node, more on whole nodes
 * and one other node for the remainder: O(1) where hosts are not limited. With span `any`, on nodes
 * with room for at least one of them: O(1), O(nodes with free GPUs) where hosts are limited. */
bool placement_fits(const struct node_index *index, const struct gang *gang);

/* Plans a gang: takes its GPUs off the index and lists the pieces, beginning with *first (whole
 * nodes first, in the order picked; masks not set). With span `any`, on as few nodes as possible:
 * as long as no node has room for all that are left, the first of those with the most free GPUs
 * gets as many as it has; the rule picks the node for the rest. The room on hosts stays as it is.
 * False, with nothing changed, if it does not fit. */
bool placement_plan(const struct placement_rule *rule, struct node_index *index,
                    const struct gang *gang, struct piece_stock *stock, struct piece *first);
/* Takes a plan back. */
void placement_unplan(struct node_index *index, struct piece *first, struct piece_stock *stock);
/* The same for a time to come, from which the index has been put into the state it will have. */
bool placement_plan_ahead(const struct placement_rule *rule, struct node_index *index,
                          const struct gang *gang, struct piece_stock *stock, struct piece *first);

/* Takes the room on hosts that goes with a gang's pieces, or (sign -1) gives it back. */
void placement_use_hosts(struct node_index *index, const struct gang *gang,
                         const struct piece *first, int sign);

#endif
