/* Nodes that drain, are out of use, and come back, as planned: maintenance, so many at a time, and
 * hours at which a pool has fewer nodes. */
#ifndef SIM_MAINTENANCE_EVENTS_H
#define SIM_MAINTENANCE_EVENTS_H

#include "sim/outage_events.h"

/* For outage_events.c. Terminate: also of a pool without. */
void maintenance_events_begin(struct run_state *run, struct pool_outages *of);
void maintenance_events_terminate(struct pool_outages *of);

/* Nobody has anything of a node any more. */
void maintenance_events_left(struct run_state *run, struct pool_outages *of, int32_t node);

#endif
