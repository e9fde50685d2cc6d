/* The waiting requests of a service: their queues, their timeouts, and a bound on their number. For
 * the files of this folder. */
#ifndef SIM_SERVING_WAITING_H
#define SIM_SERVING_WAITING_H

#include "sim/serving/service.h"

/* A request waits from now on, not yet in a queue; or no longer, out of its queue. */
void waiting_begin(struct service *service, struct request *request);
void waiting_end(struct service *service, struct request *request);

/* Queues it with a replica, or with the service if that is NULL: at the end, but one that has
 * started before by its arrival. */
void waiting_enqueue(struct service *service, struct replica *replica, struct request *request);
void waiting_dequeue(struct service *service, struct request *request);

/* A request has arrived and waits: sees to it that it does so no longer than the timeout, and not
 * at all if the queue is still too long when the instant is over. */
void waiting_watch(struct service *service, sim_time now);

#endif
