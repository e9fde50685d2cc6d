/* Tenants that take turns on one device in slices, exact to the nanosecond, at a cost per event
 * that does not depend on how many slices lie between two events.
 *
 * One tenant runs for at most a slice; a change to another costs a switch, during which nothing
 * runs. Who goes on, in ring order of slots:
 * - a device at rest starts an arrival at once: the tenant that ran last if it is among them, else
 *   the next after it; without a switch if it ran last, or if none ever ran;
 * - a tenant without a task at settle yields; with one, old or new, it goes on within its slice;
 * - at a slice's end the next tenant with a task after the current one gets the device; if there is
 *   none, the current one starts a new slice without a switch;
 * - an arrival interrupts neither slice nor switch, and at the very end of a slice it takes part.
 *
 * The caller owns the clock and the queues of tasks. It gives the ends of an instant, then its
 * arrivals and withdrawals, then settles; a slice that ends at an instant is decided there by
 * settle, and otherwise by itself. Calls must not go back in time, nor beyond the next end. */
#ifndef SIM_CLUSTER_TIME_SLICER_H
#define SIM_CLUSTER_TIME_SLICER_H

#include <stdbool.h>
#include <stdint.h>

#include "sim/kernel/sim_time.h"

enum time_slicer_phase { TIME_SLICER_RESTS, TIME_SLICER_SWITCHES, TIME_SLICER_COMPUTES };

/* Of one slot, modulo 2^64: sums of tasks may exceed all time, what was done of them cannot. */
struct time_slicer_account {
    uint64_t given;     /* work of all tasks, less what was withdrawn of it */
    uint64_t switching; /* all switches towards it that have begun, in full */
};

/* Tenants with a task are kept side by side in ring order; a place is an index among them. */
struct time_slicer {
    sim_time clock;    /* of the last call */
    sim_time left;     /* of the slice or switch under way */
    sim_time next_end; /* SIM_TIME_NEVER also between an end and settle */
    int32_t count;     /* places taken */
    int32_t current;   /* place of the tenant computing or switched to; any at rest */
    int32_t last;      /* slot that computes or was the last to; -1: none ever */
    int32_t from;      /* at rest: the slot that goes first, then those after it */
    uint8_t phase;     /* enum time_slicer_phase */
    bool has_task;     /* the current tenant; without one it keeps its place until settle */
    bool last_left;    /* the slot `last` has another tenant since */
    sim_time *work;    /* by place: what is left, for who computes beyond its slice (<= 0: none) */
    int32_t *slots;    /* by place, ascending */
    sim_time slice;
    sim_time switch_time;
    sim_time turn;                        /* a switch and a slice */
    uint64_t switching;                   /* as in the accounts, of all slots */
    struct time_slicer_account *accounts; /* by slot */
    int32_t capacity;                     /* slots */
};

/* At rest at time 0; slots > 0, slice > 0, switch_time >= 0. The last to allocate. */
void time_slicer_initialize(struct time_slicer *slicer, int32_t slots, sim_time slice,
                            sim_time switch_time);
void time_slicer_terminate(struct time_slicer *slicer);

/* The slot, which has no task, gets another tenant: what the one before it did, also at this very
 * instant, is not the new one's turn. Not needed for the first tenant of a slot. */
void time_slicer_seat(struct time_slicer *slicer, int32_t slot, sim_time now);
/* Tenant `slot`, which has none, gets a task of `work` >= 0. */
void time_slicer_begin(struct time_slicer *slicer, int32_t slot, sim_time work, sim_time now);
/* Its task vanishes; returns the work left. Unless it begins another before settle, its slice ends,
 * or the switch towards it is abandoned for the next tenant in ring order after it. A switch that
 * ends at this instant has ended. */
sim_time time_slicer_withdraw(struct time_slicer *slicer, int32_t slot, sim_time now);
/* Decides who goes on, at every instant at which any of begin, withdraw and end were called. More
 * than one call at an instant is fine: each decides on what came since. */
void time_slicer_settle(struct time_slicer *slicer, sim_time now);

/* When the next task ends if nothing else happens; SIM_TIME_NEVER: none will. After settle. */
static inline sim_time time_slicer_next(const struct time_slicer *slicer) {
    return slicer->next_end;
}

/* At that time: takes the task that ends, returns its slot. -1 if settle has to decide first:
 * - a task of no work, behind a switch of no time, is next at a slice's end at this very instant,
 * so that arrivals may still come before it; after settle its end may be due, at this instant, too;
 * - the task that was to end has been withdrawn at this instant. */
int32_t time_slicer_end(struct time_slicer *slicer, sim_time now);

/* Brings what the functions below tell up to now; decides nothing at this instant. */
void time_slicer_advance(struct time_slicer *slicer, sim_time now);

/* All of the last call's time; sums are since the start. At an undecided slice's end the device
 * still computes for the tenant whose slice it was. */
enum time_slicer_phase time_slicer_phase(const struct time_slicer *slicer);
/* The slot computing or switched to; -1 at rest. */
int32_t time_slicer_current(const struct time_slicer *slicer);
sim_time time_slicer_work_left(const struct time_slicer *slicer, int32_t slot); /* 0: no task */
sim_time time_slicer_computing(const struct time_slicer *slicer, int32_t slot);
sim_time time_slicer_switching_to(const struct time_slicer *slicer, int32_t slot);
sim_time time_slicer_switching(const struct time_slicer *slicer);

#endif
