/* The pending events: a 4-ary implicit heap of 16-byte keys, with cancellation. */
#ifndef SIM_KERNEL_EVENT_QUEUE_H
#define SIM_KERNEL_EVENT_QUEUE_H

#include <stdbool.h>
#include <stdint.h>

#include "sim/kernel/sim_time.h"

/* What happens at one instant happens in this order (DESIGN: ends and repairs; arrivals; the
 * scheduler; timeouts), and within a rank in the order of insertion. */
enum event_rank {
    RANK_END,
    RANK_KILL, /* of what has not ended by itself at that very instant */
    RANK_ARRIVAL,
    RANK_SCHEDULE,
    RANK_TIMEOUT,
    RANK_COUNT
};

/* What the queue hands back: the queue does not know what a handler or a subject is. */
typedef void event_handler(void *context, void *subject);

struct event {
    sim_time time;
    event_handler *handle;
    void *subject;
};

/* Names one scheduled event; never valid again once the event was popped or cancelled, even when
 * its place is used anew. Zero names nothing. */
typedef uint64_t event_id;

struct event_queue;

struct event_queue *event_queue_create(void);
void event_queue_destroy(struct event_queue *queue); /* NULL: nothing */

/* Schedules handle(context, subject) for time >= the time of the last pop, before SIM_TIME_NEVER.
 */
static inline event_id event_queue_push(struct event_queue *queue, sim_time time,
                                        enum event_rank rank, event_handler *handle, void *subject);
/* Takes an event back; false if it has been popped or cancelled already. */
bool event_queue_cancel(struct event_queue *queue, event_id id);
/* Removes the first event; false if there is none. */
static inline bool event_queue_pop(struct event_queue *queue, struct event *event);
/* The time of the first event and, if rank is not NULL, its rank; SIM_TIME_NEVER and a rank past
 * all others if there is none. */
static inline sim_time event_queue_peek(struct event_queue *queue, enum event_rank *rank);
/* Asks for the first event's subject to be in the cache soon: worth a call where something else is
 * done before that event. */
static inline void event_queue_prefetch(const struct event_queue *queue);
static inline uint64_t event_queue_size(const struct event_queue *queue); /* live events */

#include "sim/kernel/event_queue_inline.h"

#endif
