/* The fragmentation gradient for slots of one size and fractions of a GPU (Weng et al., Beware of
 * Fragmentation: Scheduling GPU-Sharing Workloads with Fragmentation Gradient Descent, USENIX ATC
 * 2023, section 3): how much more of a node's free GPU shares a tenant makes useless there, on the
 * average over what was asked for so far.
 *
 * F(node) = sum over requests m of p(m) x (the free share of those of its devices that m cannot
 * use). m cannot use a device that lacks what it asks for or whose tenants do not let it in; whole
 * GPUs: one that anybody is on, and none if fewer are free than it asks for; and no device of a
 * node whose host lacks what it asks for. What a slot has beyond the least that would do for its
 * tenant is useless to all while it is there. */
#ifndef SIM_SCHEDULING_FRAGMENTATION_H
#define SIM_SCHEDULING_FRAGMENTATION_H

#include "sim/cluster/slots.h"

/* In SLOT_SHARE_UNIT of a GPU x requests so far. O(requests that differ); on a node whose host gets
 * too full for some of them, as often O(devices of the node) more. */
int64_t fragmentation_growth(const struct slots *slots, const struct slot_state *state,
                             int32_t node, const struct slot_ask *ask);

#endif
