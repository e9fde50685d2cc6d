/* GPUs of a pool that MIG cuts on demand: which instance a tenant gets, an idle one or one to be
 * cut, and what a re-cut takes. GPUs are grouped by state (cut_states.h), so that a search goes
 * over the states that occur and never over the GPUs. */
#ifndef SIM_CLUSTER_RECUT_H
#define SIM_CLUSTER_RECUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "models/catalogue.h"
#include "scenarios/sharing_spec.h"
#include "sim/cluster/cut_states.h"
#include "sim/kernel/event_queue.h"
#include "sim/kernel/sim_time.h"

struct device;
struct slot_ask;
struct slot_place;
struct slots;

/* How a placement rule ranks a place by the state its GPU is in and the one it gets into, smaller
 * first; ranked alike, the first GPU and the lowest start. weights: how often each profile was
 * asked for. */
typedef int64_t cut_rank(const struct cut_state *before, const struct cut_state *after,
                         const int64_t *weights, size_t profile_count);

/* The GPUs of every node that are cut on demand in one way. */
struct cutter {
    const struct sharing_spec *spec;
    int32_t *kind_of_profile; /* what a new instance of it is */
    struct cut_states states;
    struct cut_state **present; /* those that any GPU is in, in no order */
    size_t present_count;
    size_t present_capacity;
};

/* A re-cut under way, of the device that it makes. */
struct cut_work {
    int32_t kind;       /* that the device is to be */
    uint32_t blocked;   /* units of what it destroys, beside its own */
    int32_t touched;    /* units of the ledger that are reconfiguring */
    void *holder;       /* for whom */
    event_id release;   /* of an idle instance that does not give way yet: when it will; else 0 */
    sim_time gives_way; /* and that moment */
    event_id ends;      /* of the re-cut; for the run to keep */
};

struct recut {
    const struct gpu_model *gpu; /* borrowed, like the rule */
    cut_rank *rank;              /* NULL: all equal */
    struct cutter *cutters;
    size_t cutter_count;
    bool patient;             /* with a hysteresis: nothing is cut for who fits into a free slot */
    struct cutter **of_gpu;   /* by GPU of a node; NULL: not cut on demand */
    int32_t *units;           /* by profile: of an instance in the ledger */
    struct cut_state **state; /* by node and GPU */
    bool *shut;               /* by node and GPU: nothing is cut there, and nothing found */
    struct cut_work *works;   /* by device */
    int32_t *idle_count;      /* by kind: idle instances */
    int64_t *asked;           /* by profile: requests so far */
    int64_t asked_in_all;
    int64_t *alike; /* by profile: the weights before any: the same, 0 for engine variants */
};

/* A request for one slot of these kinds is counted: by the smallest profile that would do. */
void recut_note_ask(struct slots *slots, const struct slot_ask *ask);

/* The idle instance to take; NULL: there is none. */
struct device *recut_find_idle(const struct slots *slots, const struct slot_ask *ask);
/* The instance to cut, of the first of its kinds that can be had; false: there is none. */
bool recut_find_cut(const struct slots *slots, const struct slot_ask *ask,
                    struct slot_place *place);

/* Where an idle instance waits to be found. */
struct slot_link **recut_idle_tree(const struct slots *slots, const struct device *device);

/* These keep the GPU's state and the ledger. None of the GPU's devices may be in a tree. */

/* The first tenant has taken an instance, or the last one has left it: it gives way to others now
 * or, under a hysteresis, counts as held until the host's gives_way is told of it. */
void recut_hold(struct slots *slots, const struct device *device, sim_time now);
void recut_free(struct slots *slots, struct device *device, sim_time now);
void recut_release(struct slots *slots, const struct device *device, sim_time now);
/* A re-cut begins: idle instances in its way are gone. It ends: the instance is there, held but
 * with no tenant yet. */
void recut_begin(struct slots *slots, struct device *device, int32_t kind, sim_time now);
void recut_end(struct slots *slots, struct device *device, sim_time now);
/* A re-cut is given up before it ends: what it destroyed is gone, and nothing is where the instance
 * was to be. */
void recut_abort(struct slots *slots, struct device *device, sim_time now);

/* Of outages (outages.h). Nobody new gets any of a GPU, or that is over. */
void recut_shut(struct slots *slots, int32_t node, int32_t gpu);
void recut_reopen(struct slots *slots, int32_t node, int32_t gpu);
/* It is about to go out of use, with nobody there: its instances go, but for broken ones, and those
 * of the start come, as far as they fit. */
void recut_reset(struct slots *slots, int32_t node, int32_t gpu, sim_time now);
/* An instance breaks, which nobody has, and stays where it is; or it is repaired. The ledger has
 * its units as idle then. */
void recut_break(struct slots *slots, struct device *device, sim_time now);
void recut_mend(struct slots *slots, struct device *device, sim_time now);
/* Units of a GPU without tenants that further instances could make use of. */
int32_t recut_usable_units(const struct slots *slots, int32_t node, int32_t gpu);

/* The re-cut that makes this device. */
struct cut_work *recut_work(const struct slots *slots, const struct device *device);

/* How a new instance of a profile comes: shared as the layout's first entry of that profile says,
 * if there is one, else exclusive. */
struct layout_item recut_instance(const struct sharing_spec *spec, int profile);
/* For the GPUs of every node that are cut on demand, each in its way (NULL: the others); the kinds
 * of slots are there, the devices are not yet. The rule is to be set before anything is found. */
struct recut *recut_create(const struct slots *slots, const struct gpu_model *gpu,
                           const struct sharing_spec *const *of_gpu, int32_t units_per_gpu);
/* What no instances can make use of while nothing is held; of one node, in the ledger's units. */
int32_t recut_stranded_units(const struct slots *slots);
/* Puts all GPUs into the state in which nothing is held; once their devices are made. */
void recut_open(struct slots *slots);
void recut_destroy(struct recut *recut); /* NULL: nothing */

#endif
