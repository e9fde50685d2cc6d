/* The autoscaler of a pool: orders nodes for jobs that wait, and lets idle ones go. A node that is
 * gone is absent; one that is on its way is down, as it is paid for from the order on. Nodes may be
 * out of use for other reasons besides, and are not in use then. */
#ifndef SIM_AUTOSCALE_EVENTS_H
#define SIM_AUTOSCALE_EVENTS_H

#include "sim/outage_events.h"

/* Once the pool is as it is at the start, with its other outages. */
void autoscale_events_begin(struct run_state *run, struct pool_outages *of);
void autoscale_events_terminate(struct pool_outages *of);

/* The scheduler has passed: nodes are ordered for what it left waiting. */
void autoscale_events_passed(struct run_state *run);

/* Of pools with an autoscaler: a node was all out of use, and is no longer; nobody has anything of
 * it any more; GPUs of it were somebody else's, and are not. */
void autoscale_events_in_use_again(struct run_state *run, struct pool_outages *of, int32_t node);
void autoscale_events_left(struct run_state *run, struct pool_outages *of, int32_t node);
void autoscale_events_given_back(struct run_state *run, struct pool_outages *of, int32_t node);
/* Whether a node is there; it always is without an autoscaler. */
bool autoscale_events_is_up(const struct pool_outages *of, int32_t node);

#endif
