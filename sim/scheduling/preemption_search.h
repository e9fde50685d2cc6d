/* Where a newcomer would get room at the least cost, and whose. */
#ifndef SIM_SCHEDULING_PREEMPTION_SEARCH_H
#define SIM_SCHEDULING_PREEMPTION_SEARCH_H

#include "sim/scheduling/preemption.h"

/* In the first of the newcomer's pools, in order of preference, in which preempting helps: of each
 * node (or device, for a slot) the victims are taken in the order of the rule until the newcomer
 * fits, then those not needed are dropped; the least total cost wins, ties by the placement rule.
 * Fills in the place of the claim and lists the victims as `chosen`. False: no room can be made. */
bool preemption_search(struct preemption *preemption, const struct job *newcomer,
                       struct claim *claim);

#endif
