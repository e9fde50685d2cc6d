/* What tenants may hold of a GPU that MIG cuts on demand, and what that leaves: worked out once for
 * each state that occurs. A state is the set of instances held, each with its start, and the memory
 * units that nobody can have at the moment, because what was there is being destroyed. Idle
 * instances are no part of it: they give way. */
#ifndef SIM_CLUSTER_CUT_STATES_H
#define SIM_CLUSTER_CUT_STATES_H

#include <stddef.h>
#include <stdint.h>

#include "models/mig.h"
#include "sim/cluster/index_set.h"
#include "sim/cluster/slot_tree.h"

enum { CUT_UNITS_LIMIT = 32 }; /* memory units of a GPU */

struct cut_state {
    uint8_t held[CUT_UNITS_LIMIT]; /* by unit: 1 + the profile of what begins there; 0: nothing */
    uint32_t blocked;              /* units that nobody can have now */
    int32_t free_slices;           /* compute slices that nobody holds */
    int32_t usable;    /* the most that further instances could make of it; in the ledger's units */
    uint32_t *starts;  /* by profile: where one more could begin */
    int32_t *unusable; /* by profile: free slices beyond those of as many more as possible */
    struct cut_state **after; /* by profile and unit: with one more there; NULL: not asked yet */

    /* Which GPUs are in it, and the idle instances there: kept by recut.c. */
    struct index_set gpus; /* not initialized before the first */
    int32_t gpu_count;
    int32_t position;        /* among the states that any GPU is in */
    struct slot_link **idle; /* by kind and unit where they begin: trees of such instances */
};

/* The states of one type of GPU, by what is held. */
struct cut_states {
    const struct gpu_model *gpu; /* borrowed */
    const int32_t *units;        /* by profile: of an instance in the ledger; borrowed */
    int32_t units_per_gpu;
    int32_t most_per_slice; /* units of an instance over its slices, rounded up; over profiles */
    struct cut_state **entries; /* open addressing, a power of two of them */
    size_t capacity;
    size_t count;
};

void cut_states_initialize(struct cut_states *states, const struct gpu_model *gpu,
                           const int32_t *units, int32_t units_per_gpu);
void cut_states_terminate(struct cut_states *states);

/* The state in which nothing is held. */
struct cut_state *cut_states_empty(struct cut_states *states);
/* One more instance is held, which must be possible; one less; other units are blocked. */
struct cut_state *cut_states_with(struct cut_states *states, struct cut_state *state, int profile,
                                  int start);
struct cut_state *cut_states_without(struct cut_states *states, const struct cut_state *state,
                                     int start);
struct cut_state *cut_states_blocking(struct cut_states *states, struct cut_state *state,
                                      uint32_t blocked);

/* The instances held, in order of start. Returns how many. */
size_t cut_state_instances(const struct cut_states *states, const struct cut_state *state,
                           struct mig_instance instances[MIG_INSTANCES_LIMIT]);

/* The memory units of an instance, as bits. */
uint32_t cut_units(const struct gpu_model *gpu, int profile, int start);

#endif
