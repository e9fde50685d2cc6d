/* How many places for tenants of one kind nodes with slots have: of an empty node, and of what is
 * left on one. */
#ifndef SIM_CLUSTER_SLOTS_CAPACITY_H
#define SIM_CLUSTER_SLOTS_CAPACITY_H

#include "sim/cluster/slots.h"

/* How many such tenants a node of the pool takes that has no others; where a calendar cuts GPUs,
 * as they are to be cut now. O(devices of a node). */
int32_t slots_most_on_node(const struct slots *slots, const struct slot_ask *ask);
/* How many of a node's GPUs are whole when nobody has any, likewise. */
int32_t slots_whole_gpus_of_node(const struct slots *slots);
/* How many more a node takes beside those that it has. */
int32_t slots_left_on_node(const struct slots *slots, const struct slot_ask *ask, int32_t node);

#endif
