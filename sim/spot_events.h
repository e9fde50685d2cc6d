/* Spot nodes: each is reclaimed now and then, with notice, and is not there until it is back. */
#ifndef SIM_SPOT_EVENTS_H
#define SIM_SPOT_EVENTS_H

#include "sim/outage_events.h"

/* For outage_events.c. Terminate: also of a pool without. */
void spot_events_begin(struct run_state *run, struct pool_outages *of);
void spot_events_terminate(struct pool_outages *of);

/* A node is not there any more, though not reclaimed; another is there in its place. */
void spot_events_node_goes(struct run_state *run, struct pool_outages *of, int32_t node);
void spot_events_node_comes(struct run_state *run, struct pool_outages *of, int32_t node);

#endif
