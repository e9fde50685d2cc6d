/* Faults of GPUs, instances, MPS servers and nodes, and the spares that take the place of nodes. */
#ifndef SIM_FAULT_EVENTS_H
#define SIM_FAULT_EVENTS_H

#include "sim/outage_events.h"

/* For outage_events.c. Terminate: also of a pool without. */
void fault_events_begin(struct run_state *run, struct pool_outages *of);
void fault_events_terminate(struct pool_outages *of);

/* How many spares are on their way into the place of another node. */
int32_t fault_events_joining(const struct pool_outages *of);
/* A node is not there any more, broken parts and all; another that works is there in its place. */
void fault_events_node_goes(struct run_state *run, struct pool_outages *of, int32_t node);
void fault_events_node_comes(struct run_state *run, struct pool_outages *of, int32_t node);

#endif
