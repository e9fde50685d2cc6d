/* The slots of a pool whose GPUs are shared: its devices, which of them have a slot free, and for
 * whom. Every node of a pool is cut and shared alike. */
#ifndef SIM_CLUSTER_SLOTS_H
#define SIM_CLUSTER_SLOTS_H

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "models/catalogue.h"
#include "scenarios/scenario.h"
#include "sim/cluster/device.h"
#include "sim/cluster/node_index.h"
#include "sim/cluster/recut.h"
#include "sim/cluster/sharing.h"
#include "sim/cluster/slot_states.h"
#include "sim/cluster/slot_tree.h"
#include "sim/kernel/stream.h"

enum { SLOT_KINDS_LIMIT = 64 };
enum { SLOTS_MOST_COMPUTE = 1000000000 }; /* all SMs of a GPU, in the unit of asks */
static inline int32_t slots_compute(double share_of_sms) {
    return (int32_t)lround(share_of_sms * SLOTS_MOST_COMPUTE);
}
enum { SLOTS_GROUPS_FOR_ALL = 2 }; /* of trees, beside those of parties */

/* Devices of a pool that are alike when empty. */
struct slot_kind {
    const struct sharing_mode *mode;
    const struct sharing_spec *spec; /* NULL: exclusive */
    int32_t profile;                 /* of the GPU's; -1: whole GPUs */
    int32_t units;
    double sm_share;
    int64_t memory;       /* of the device */
    int64_t most_memory;  /* that one tenant could have */
    int32_t most_compute; /* that one tenant could ask for, in 1e-9 of a GPU */
    bool by_name;         /* only for who asks for its profile: cut on demand, with other engines */
};

/* Where a tenant goes. */
struct slot_place {
    struct device *device;
    int32_t cut_as; /* -1: to a free slot there; else the kind of instance to be cut there first */
};

/* How a placement rule ranks slots by the number of those free on their node and on their GPU. */
typedef int64_t slot_rank(int32_t free_on_node, int32_t free_on_gpu);

/* Of one device: its places in the trees. */
struct slot_entry {
    struct slot_link links[2];  /* among those open to all; among those of its party */
    struct slot_link **tree[2]; /* NULL: in none */
    struct slot_state *state;   /* with others in that, by the first place; NULL: in none */
    int32_t kind;               /* of the device; -1: no instance is there */
    int32_t made_as;            /* 1 + the kind that it was made as last; 0: never */
    bool blocked;               /* somebody has the whole GPU */
    bool closed;                /* nobody new is let in: it is about to be cut anew */
    uint16_t barred;            /* outages for which nobody new is let in */
};

struct slots {
    struct slot_kind kinds[SLOT_KINDS_LIMIT]; /* by most_memory, then SMs */
    size_t kind_count;
    struct device *devices; /* by node, then GPU, then place in the layout; where MIG cuts on
                               demand, by unit at which an instance may begin */
    int32_t *kind_of;       /* by device of a node, which is alike at first; -1: none there yet */
    int32_t node_count;
    int32_t devices_per_node;
    int32_t gpus_per_node;
    int32_t *first_of_gpu;      /* by GPU of a node, and one more: its first device of a node */
    int32_t *unit_of;           /* by device of a node: the memory unit where it begins; 0: whole */
    uint64_t whole_mask;        /* GPUs of a node that MIG never cuts */
    uint64_t ever_whole_mask;   /* those, and what a calendar leaves whole at times */
    struct slot_entry *entries; /* by device */
    int32_t *free_on_node;
    int32_t *free_on_gpu;           /* by node and GPU */
    struct slot_link **trees;       /* by kind and group */
    int32_t groups;                 /* those for all, and one per party if any keeps to itself */
    slot_rank *rank;                /* NULL: all equal */
    int32_t stranded_units;         /* of one node: in no instance */
    struct slot_states *states;     /* NULL: devices are found by the trees */
    struct recut *recut;            /* NULL: no GPU is cut on demand */
    struct relayout *relayout;      /* NULL: none is cut by the clock */
    struct stream recut_stream;     /* of the times that cutting a GPU anew takes */
    const struct node_index *index; /* of the pool: its hosts and its lots; borrowed */
};

struct pool;
struct relayout;

/* Whether a pool has slots: else all its GPUs are exclusive. */
bool slots_needed(const struct pool_spec *spec);
/* parties: how many there are if any of them keeps to itself, else 0. */
struct slots *slots_create(const struct pool_spec *spec, const struct gpu_model *gpu,
                           struct pool *pool, struct device_host *host, int32_t parties,
                           slot_rank *rank);
void slots_destroy(struct slots *slots); /* NULL: nothing */

/* From now on devices are found by what a tenant there makes useless, by what was asked for so far;
 * the pool's rank decides between equal ones. Where GPUs are cut on demand nothing changes. */
void slots_weigh(struct slots *slots, slot_growth *growth, int64_t gpu_memory);
/* A request is counted: for so many whole GPUs of a node, or (0) for a slot. */
void slots_note_ask(struct slots *slots, int32_t gpus, const struct slot_ask *ask);

/* How many units a GPU of the pool counts in the ledger: its SMs where MIG cuts any and all of them
 * are known, else its compute slices; 1 without MIG. */
int32_t slots_units_per_gpu(const struct pool_spec *spec, const struct gpu_model *gpu);

/* How one of its devices is shared. */
const struct sharing_mode *slots_mode(const struct slots *slots, const struct device *device);

/* The free slot to take, NULL if there is none. O(kinds x log devices); where places are weighed,
 * see slot_states_find. */
struct device *slots_find(const struct slots *slots, const struct slot_ask *ask);
/* The same, or a smaller instance that can be cut; false if there is neither. Where GPUs are cut on
 * demand, it goes over the states that they are in. */
bool slots_find_place(const struct slots *slots, const struct slot_ask *ask,
                      struct slot_place *place);
/* An instance found so is being cut, for somebody; it is there now, and that one's to take. */
void slots_begin_cut(struct slots *slots, const struct slot_place *place, sim_time now);
void slots_end_cut(struct slots *slots, struct device *device, sim_time now);
/* It is given up before it is there. */
void slots_abort_cut(struct slots *slots, struct device *device, sim_time now);
/* One has been idle for as long as the scenario's hysteresis: it gives way to others. */
void slots_let_go(struct slots *slots, const struct device *device, sim_time now);
/* Whether an instance is there, else it is being cut. */
static inline bool slots_is_there(const struct slots *slots, const struct device *device) {
    return slots->entries[device - slots->devices].kind >= 0;
}

/* Seats a tenant there, or takes it off; both keep the index. */
void slots_take(struct slots *slots, struct device *device, struct tenant *tenant, sim_time now);
void slots_release(struct slots *slots, struct tenant *tenant, sim_time now);
/* The memory in use on a device has changed by itself. */
void slots_refresh(struct slots *slots, struct device *device);

/* Keeps what is asked for free on a device for somebody (1), though it may not be free yet, or no
 * longer does (-1). */
void slots_promise(struct slots *slots, struct device *device, const struct slot_ask *ask,
                   int sign);
/* The same of all slots of a device, which is to be emptied for somebody. */
void slots_promise_all(struct slots *slots, struct device *device, int sign);
/* What of it the device lacks now, beside what is promised; not above 0: nothing. */
void slots_lacking(const struct slots *slots, const struct device *device,
                   const struct slot_ask *ask, int64_t *memory, int32_t *compute,
                   int32_t *free_slots);
/* Whether it and the device's tenants have each other beside them. */
bool slots_may_meet(const struct device *device, const struct slot_ask *ask);
bool slots_has_room(const struct slots *slots, const struct device *device,
                    const struct slot_ask *ask);

/* Fills in the engine, the size and the limits of a device of a kind, whether it is there or not.
 */
void slots_describe(const struct slots *slots, struct device *device, int32_t kind);
/* Gives a device, without a tenant, the size and limits of a kind. */
void slots_shape_device(struct slots *slots, struct device *device, int32_t kind);
/* A device, without a tenant, becomes one of this kind: as it was, where it only changes its size.
 * The caller keeps the index, as with the next. */
void slots_make_device(struct slots *slots, struct device *device, int32_t kind);
/* What is to be cut anew lets nobody in (its tenants stay), or lets them in again; an instance
 * comes to be, of this kind, or is destroyed. */
void slots_close(struct slots *slots, struct device *device);
void slots_open(struct slots *slots, struct device *device);
/* Likewise, for an outage that begins (1) or ends (-1): of a device, or of all of a GPU. */
void slots_bar(struct slots *slots, struct device *device, int delta);
void slots_bar_gpu(struct slots *slots, int32_t node, int32_t gpu, int delta);
/* The units of a GPU that are in an instance. */
int32_t slots_units_there(const struct slots *slots, int32_t node, int32_t gpu);
void slots_add_device(struct slots *slots, struct device *device, int32_t kind);
void slots_remove_device(struct slots *slots, struct device *device);
/* For who changes a device otherwise: it and those that are ranked with it leave the index, and are
 * in it again; slots there become free, or (below 0) are no longer. */
void slots_unlist(struct slots *slots, const struct device *device);
void slots_list(struct slots *slots, const struct device *device);
void slots_count_free(struct slots *slots, const struct device *device, int32_t delta);
/* The kind of an instance of a profile, or (-1) of a whole GPU, that is shared in this way. */
int32_t slots_find_kind(const struct slots *slots, int32_t profile, const struct chosen *sharing);

/* Somebody takes a whole GPU (all its slots are free), or gives it back. */
void slots_block_gpu(struct slots *slots, int32_t node, int32_t gpu, bool blocked);

/* Whether it is a whole GPU, all slots of which are free. */
bool slots_gpu_is_free(const struct slots *slots, int32_t node, int32_t gpu);

/* Brings the books of all devices up to now: O(devices). */
void slots_book(struct slots *slots, sim_time now);

#endif
