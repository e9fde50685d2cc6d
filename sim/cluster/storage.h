/* The storage of one pool: saves, restores and loads share its bandwidth equally. */
#ifndef SIM_CLUSTER_STORAGE_H
#define SIM_CLUSTER_STORAGE_H

#include <stdbool.h>
#include <stdint.h>

#include "sim/cluster/processor_sharing.h"
#include "sim/kernel/event_queue.h"
#include "sim/kernel/sim_time.h"

/* Something being saved or read, embedded in a job or a replica. */
struct transfer {
    struct sharing_task shared; /* first: the engine hands it back */
    /* It has come through. The transfer is no longer the storage's then, and may begin anew. */
    void (*done)(void *context, struct transfer *transfer, sim_time now);
    bool under_way; /* from begin to done or cancel */
};

/* A transfer alone takes bytes / bandwidth, to the nearest ns. Of n at a time each gets 1/n of the
 * bandwidth. One is done at the first whole nanosecond at which it has come through (to 1/64 ns),
 * and the others go on from its exact end, so that rounding does not add up over ends; what is left
 * is that of 1/n, one part in 2^54 of the time (0.02 ns in four days; processor_sharing.h). A
 * begin, end or cancel is O(log n), and allocates only where there are more at once than ever
 * before. */
struct storage {
    struct processor_sharing sharing;
    struct event_queue *events; /* borrowed; NULL: used by nobody */
    double bandwidth;           /* bytes per second; 0: no limit, a transfer takes no time */
    event_id event;             /* of the next end; 0: none */
    sim_time event_time;
};

void storage_initialize(struct storage *storage, double bandwidth, struct event_queue *events);
void storage_terminate(struct storage *storage); /* also of one that is zeroed */

/* Its end is told by an event of rank RANK_END, also if it takes no time: then at `now`, after what
 * is due already. bytes >= 0. */
void storage_begin(struct storage *storage, struct transfer *transfer, int64_t bytes, sim_time now);
/* Breaks off one that is under way: nothing is told. */
void storage_cancel(struct storage *storage, struct transfer *transfer, sim_time now);

/* How long it would take: alone; and if it began now and no other did meanwhile, O(transfers). */
sim_time storage_time_alone(const struct storage *storage, int64_t bytes);
sim_time storage_time_now(const struct storage *storage, int64_t bytes, sim_time now);

#endif
