/* The autoscaler of a pool: orders nodes for jobs that wait, and lets idle ones go. A node that is
 * gone is absent; one that is on its way is down, as it is paid for from the order on. */
#ifndef SIM_AUTOSCALE_EVENTS_H
#define SIM_AUTOSCALE_EVENTS_H

#include "sim/outage_events.h"

/* Once the pool is as it is at the start; its outages have no other reason. */
void autoscale_events_begin(struct run_state *run, struct pool_outages *of);
void autoscale_events_terminate(struct pool_outages *of);

/* The scheduler has passed: nodes are ordered for what it left waiting. */
void autoscale_events_passed(struct run_state *run);

#endif
