/* The far part of the event queue, for event_queue.c. */
#ifndef SIM_KERNEL_EVENT_QUEUE_FAR_H
#define SIM_KERNEL_EVENT_QUEUE_FAR_H

#include "sim/kernel/event_queue.h"

/* Moves all near events far, then the earliest back. */
void event_queue_spill(struct event_queue *queue);
/* Cancels a far event. */
void event_queue_cancel_far(struct event_queue *queue, struct event_slot *slot);
void event_queue_free_far(struct event_queue *queue);

#endif
