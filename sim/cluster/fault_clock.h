/* When each of many equal units fails and is repaired: the units alternate between being up and
 * down, each by itself and whatever runs on it.
 *
 * What a unit draws for its n-th time up and the repair after it depends on the seed, the
 * replication, the purpose, the unit's number and n alone: so neither further units nor anything
 * else moves another draw. The next turn of all units is found in O(1), a turn costs O(log units).
 */
#ifndef SIM_CLUSTER_FAULT_CLOCK_H
#define SIM_CLUSTER_FAULT_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

#include "sim/kernel/distribution.h"
#include "sim/kernel/sim_time.h"

struct fault_clock {
    const struct distribution *up; /* borrowed; ns */
    const struct distribution *down;
    uint64_t key;
    int32_t units;
    sim_time *next;   /* by unit: when it turns; SIM_TIME_NEVER: beyond all time */
    sim_time warning; /* it turns so long before it really fails, or as soon as it can */
    sim_time *warned; /* by unit: how long before, this time */
    sim_time *repair; /* by unit: how long it stays down from its turn on */
    uint32_t *cycle;  /* by unit: times up so far */
    bool *is_down;    /* by unit */
    int32_t *heap;    /* of units, the next to turn on top; ties: the lower number */
    int32_t *place;   /* by unit: where it is in the heap */
};

/* All up, at time 0. Neither distribution is copied. */
void fault_clock_initialize(struct fault_clock *clock, int32_t units, const struct distribution *up,
                            const struct distribution *down, sim_time warning, uint64_t seed,
                            uint64_t replication, const char *purpose);
void fault_clock_terminate(struct fault_clock *clock);

/* When the next unit turns; SIM_TIME_NEVER: none does. */
static inline sim_time fault_clock_next(const struct fault_clock *clock) {
    return clock->units > 0 ? clock->next[clock->heap[0]] : SIM_TIME_NEVER;
}
/* That time has come: the unit fails, or is up again (clock->is_down tells). Returns its number. */
int32_t fault_clock_turn(struct fault_clock *clock);

/* The unit is not there any more, and does not turn; another is there in its place, which is up. */
void fault_clock_stop(struct fault_clock *clock, int32_t unit);
void fault_clock_begin_anew(struct fault_clock *clock, int32_t unit, sim_time now);

#endif
