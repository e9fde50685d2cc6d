/* Devices of a pool grouped by the state they are in, for placement rules that weigh what a place
 * leaves behind: devices in one state are alike to them, so that a search goes over the states that
 * occur and never over the devices. A state is what tenants could still have of a device, and who
 * may; the states of devices where nobody could have anything are none. */
#ifndef SIM_CLUSTER_SLOT_STATES_H
#define SIM_CLUSTER_SLOT_STATES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sim/cluster/request_mix.h"
#include "sim/cluster/slot_tree.h"

struct device;
struct slots;

enum { SLOT_SHARE_UNIT = 1000000 }; /* a whole GPU, in the unit of shares */

/* Whom the tenants of a device let in, as bits; both: they are of one party and open to all. */
enum company { COMPANY_NOBODY = 0, COMPANY_OPEN = 1, COMPANY_OWN_PARTY = 2 };

struct slot_state {
    int32_t kind;
    int32_t free_slots;
    int64_t free_memory; /* bytes of the device */
    int32_t compute;     /* 1e-9 of a GPU's SMs that nobody asked for */
    int32_t company;     /* of its tenants */
    int32_t party;       /* theirs, where company has COMPANY_OWN_PARTY; else -1 */
    int32_t free_gpus;   /* of its node, where it is one that a gang could take; else 0 */
    int64_t memory;      /* bytes that a tenant could have there */
    int64_t share;       /* of a GPU that is free: the least of slots, memory and compute */

    struct slot_link *devices; /* those in it, by rank and place; of `memory` 0 */
    struct slot_state *next;   /* of those with the same hash, or not in use */
    size_t position;           /* among those present */
};

/* What becomes useless by seating a tenant on a device of this node in this state; smaller is
 * better. Within one query only differences count. */
typedef int64_t slot_growth(const struct slots *slots, const struct slot_state *state, int32_t node,
                            const struct slot_ask *ask);

struct slot_states {
    struct slot_state **buckets; /* chains; a power of two of them */
    size_t bucket_count;
    struct slot_state **present; /* those with devices */
    size_t present_count;
    size_t present_capacity;
    struct slot_state *unused; /* for other states to come */
    slot_growth *growth;
    struct request_mix mix; /* what was asked for so far */
};

struct slot_states *slot_states_create(slot_growth *growth, int64_t gpu_memory);
void slot_states_destroy(struct slot_states *states); /* NULL: nothing */

/* A device's place in the group of the state that it is in now; it must have a slot free. */
void slot_states_add(struct slots *slots, size_t device, int64_t rank);
void slot_states_remove(struct slots *slots, size_t device);

/* Whether a tenant gets a slot there. */
static inline bool slot_state_admits(const struct slot_state *state, const struct slot_ask *ask) {
    bool has_room = state->compute >= ask->compute && state->memory >= ask->memory &&
                    state->free_slots > 0 && ((ask->kinds >> state->kind) & 1) != 0;
    return has_room && (state->company == COMPANY_NOBODY ||
                        ((state->company & COMPANY_OPEN) != 0 && !ask->exclusive_party) ||
                        ((state->company & COMPANY_OWN_PARTY) != 0 && state->party == ask->party));
}
/* The state with such a tenant more; it is in no group. */
struct slot_state slot_state_after(const struct slots *slots, const struct slot_state *state,
                                   const struct slot_ask *ask);
/* What such a tenant takes of an empty device of a kind, as a share of a GPU. */
int64_t slot_kind_takes(const struct slots *slots, int32_t kind, const struct slot_ask *ask);

/* The device with the least growth; equal ones: the least memory that is enough, then the fewest
 * SMs, then as the pool's rank has them. NULL: there is none. O(states present), times what the
 * growth takes; where hosts are limited O(devices in states that admit the tenant). */
struct device *slot_states_find(const struct slots *slots, const struct slot_ask *ask);

#endif
