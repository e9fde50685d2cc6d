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
    /* The node for `gpus` GPUs, 1 to gpus_per_node; -1 if no node has as many free. Must not scan
     * the nodes. */
    int32_t (*pick)(const struct node_index *index, int32_t gpus);
    /* How it ranks slots that are alike, smaller first; NULL: by their place in the pool. */
    slot_rank *rank;
    /* How it ranks instances of GPUs that MIG cuts on demand; NULL: by their place in the pool. */
    cut_rank *cut;
};

extern const struct placement_rule placement_rules[];
extern const size_t placement_rule_count;

/* Whether a gang fits now: up to gpus_per_node GPUs on one node, more on whole nodes and one other
 * node for the remainder. O(1). */
bool placement_fits(const struct node_index *index, int32_t gpus);

/* Plans a gang: takes its GPUs off the index and lists the pieces, beginning with *first (whole
 * nodes first, in the order picked; masks not set). False, with nothing changed, if it does not
 * fit. */
bool placement_plan(const struct placement_rule *rule, struct node_index *index, int32_t gpus,
                    struct piece_stock *stock, struct piece *first);
/* Takes a plan back. */
void placement_unplan(struct node_index *index, struct piece *first, struct piece_stock *stock);

#endif
