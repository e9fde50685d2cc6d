/* Faults of GPUs, instances, MPS servers and nodes, and the spares that take the place of nodes. */
#ifndef SIM_FAULT_EVENTS_H
#define SIM_FAULT_EVENTS_H

#include "sim/outage_events.h"

/* For outage_events.c. Terminate: also of a pool without. */
void fault_events_begin(struct run_state *run, struct pool_outages *of);
void fault_events_terminate(struct pool_outages *of);

#endif
