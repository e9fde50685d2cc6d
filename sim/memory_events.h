/* What happens in a run where the memory of tenants is random or grows: how much the scheduler
 * counts for them, and who dies when a GPU's memory runs out. */
#ifndef SIM_MEMORY_EVENTS_H
#define SIM_MEMORY_EVENTS_H

#include "sim/run_state.h"

/* Of a workload. */
struct memory_need {
    int64_t ask;    /* bytes that a drawn need is placed by; -1: by itself */
    int64_t growth; /* bytes per day */
};

struct run_memory {
    struct memory_need *needs; /* by workload */
    struct tenant **victims;   /* of the overflow under way */
    size_t victim_count;
    size_t victim_capacity;
};

/* Before anything else; leaves run->memory NULL if everybody's memory is known and constant. */
void memory_events_begin(struct run_state *run);
void memory_events_terminate(struct run_state *run);

/* Of each of its tenants; bytes per day. */
static inline int64_t memory_events_growth(const struct run_state *run, int32_t workload) {
    return run->memory == NULL ? 0 : run->memory->needs[workload].growth;
}

/* A job's `memory` was drawn: splits it into what it is placed by and the excess. */
void memory_events_ask(const struct run_state *run, struct job *job);

/* A job that is no tenant starts on its whole GPUs, or leaves them: they hold what it really takes.
 * Returns when they run out of memory, SIM_TIME_NEVER if never; memory_events_overflow, an event
 * handler for that job, is due then. */
sim_time memory_events_hold(struct run_state *run, struct job *job);
void memory_events_release(struct run_state *run, const struct job *job);
void memory_events_overflow(void *context, void *subject);

#endif
