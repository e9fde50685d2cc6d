/* How a replica gets its model onto its GPU: in the time that is said, or as fast as the storage of
 * its pool gives it beside all that is moved there. */
#ifndef SIM_SERVING_LOADING_H
#define SIM_SERVING_LOADING_H

#include "sim/kernel/event_queue.h"
#include "sim/serving/replica.h"

/* At the end, come_up is handled as an event, with the replica for its subject and up_at as the
 * time of it; also if it takes no time. Storage moves what memory the replica takes when it starts.
 */
void loading_begin(struct replica *replica, event_handler *come_up, sim_time now);
void loading_break_off(struct replica *replica, sim_time now);

#endif
