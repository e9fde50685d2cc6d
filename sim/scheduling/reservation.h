/* EASY backfill: a reservation for the first waiting job, and what may start beside it.
 * Source: Lifka, The ANL/IBM SP scheduling system, JSSPP 1995; Mu'alem and Feitelson, IEEE TPDS
 * 12(6), 2001; with GPUs counted per node. */
#ifndef SIM_SCHEDULING_RESERVATION_H
#define SIM_SCHEDULING_RESERVATION_H

#include <stddef.h>

#include "sim/cluster/pool.h"

struct job;
struct profile;
struct slot_profile;
struct scheduler;
struct reservation;

struct reservation *reservation_create(struct pool *pools, size_t pool_count);
void reservation_destroy(struct reservation *reservation);

/* A job has started or ended; the pool's index knows already. */
void reservation_note_start(struct reservation *reservation, const struct job *job);
void reservation_note_end(struct reservation *reservation, const struct job *job);

/* GPUs of a node are out of use, or no longer; the pool knows already. */
/* GPUs of one node are set aside for a newcomer (preemption.h): those of the mask before and now.
 */
void reservation_note_aside(struct reservation *reservation, int32_t pool,
                            const struct piece *before, const struct piece *now, sim_time until);
void reservation_note_outage(struct reservation *reservation, int32_t pool, int32_t node);

/* Of a pool of exclusive GPUs, what its nodes will have free; of a shared one, its devices: NULL
 * for the other kind of pool. */
struct profile *reservation_profile(struct reservation *reservation, int32_t pool);
struct slot_profile *reservation_slot_profile(struct reservation *reservation, int32_t pool);

/* Reserves for the queue's head, which does not fit now, and starts later jobs, in order, that end
 * (as estimated) by the reservation's time or that leave its GPUs alone. Costs what the
 * reservation's nodes cost (availability.h), plus the number of shapes waiting per job started. */
void reservation_backfill(struct scheduler *scheduler);

#endif
