/* GPUs of a pool that are not to be used: closed to newcomers, down, or not there at all. Each is
 * so for as long as any reason for it lasts, and reasons are only counted: a GPU that fails on a
 * node in maintenance is in use again when both are over. Also knows who holds what, as somebody
 * has to be told. Only pools that ever have an outage keep one. */
#ifndef SIM_CLUSTER_OUTAGES_H
#define SIM_CLUSTER_OUTAGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sim/kernel/sim_time.h"

struct device;
struct piece;
struct pool;
struct tenant;

/* Why a GPU is not to be used; an outage is one of these and ends as it began. */
enum outage {
    OUTAGE_CLOSED, /* nobody new gets it; who has it may stay */
    OUTAGE_DOWN,   /* nobody has it any more; closed, too */
    OUTAGE_ABSENT, /* likewise, and it is not there */
    OUTAGE_COUNT
};

/* Who has a whole GPU: the first piece of a gang, or a tenant alone. */
struct gpu_holder {
    const struct piece *gang;
    struct tenant *alone;
};

struct outages {
    struct pool *pool;   /* borrowed */
    uint64_t *closed;    /* by node: GPUs that nobody new gets */
    uint16_t *reasons;   /* by node, GPU and outage */
    uint16_t *instances; /* by device of its slots: reasons for it to be down by itself; NULL */
    int32_t gpus_per_node;
    struct gpu_holder *holders; /* by node and GPU */
    int32_t *held;              /* by node: GPUs and devices that anybody has */
    int32_t *aside;             /* by node: free GPUs that are set aside for somebody */
    int32_t idle_nodes;         /* all of each is open, and nobody's */
    int32_t shut_nodes;         /* none of each is open */
    bool *watched;              /* by node: `left` is told when nobody has any more */
    void (*left)(void *context, struct pool *pool, int32_t node);
    void *context;
};

struct outages *outages_create(struct pool *pool, int32_t gpus_per_node);
void outages_destroy(struct outages *outages); /* NULL: nothing */

/* All GPUs of a node, as a mask. */
uint64_t outages_all(const struct outages *outages);
/* GPUs that nobody new gets. */
static inline uint64_t outages_closed(const struct outages *outages, int32_t node) {
    return outages == NULL ? 0 : outages->closed[node];
}
/* Whether nobody new gets any of the node; whether all of it is open and nobody's. */
bool outages_is_shut(const struct outages *outages, int32_t node);
bool outages_is_idle(const struct outages *outages, int32_t node);
/* Whether it is shut, and no GPU of it for more than one reason. */
bool outages_is_shut_once(const struct outages *outages, int32_t node);
/* Whether anybody has the whole GPU. */
bool outages_has_holder(const struct outages *outages, int32_t node, int32_t gpu);
/* Whether a GPU is down, or not there. */
bool outages_is_out(const struct outages *outages, int32_t node, int32_t gpu);
bool outages_device_is_out(const struct outages *outages, const struct device *device);

/* An outage of these GPUs of a node begins, or ends. Before one that is more than closed begins,
 * nobody may have any of them: so they are closed first. */
void outages_begin(struct outages *outages, int32_t node, uint64_t gpus, enum outage how,
                   sim_time now);
void outages_end(struct outages *outages, int32_t node, uint64_t gpus, enum outage how,
                 sim_time now);
/* The same for one MIG instance by itself, which is only ever closed or down. */
void outages_begin_instance(struct outages *outages, struct device *device, enum outage how,
                            sim_time now);
void outages_end_instance(struct outages *outages, struct device *device, enum outage how,
                          sim_time now);

/* For who changes a pool. Whole GPUs are somebody's, or nobody's; so many more (or fewer) things of
 * a node are. */
void outages_note_gang(struct outages *outages, const struct piece *first);
void outages_note_alone(struct outages *outages, const struct piece *piece, struct tenant *tenant);
void outages_forget(struct outages *outages, int32_t node, uint64_t gpus);
void outages_note_held(struct outages *outages, int32_t node, int32_t delta);
/* So many more (or fewer) of its free GPUs are set aside for somebody. */
void outages_note_aside(struct outages *outages, int32_t node, int32_t delta);
/* A GPU has been cut anew, and so many of its units are idle now, or in no instance. */
void outages_note_cut(struct outages *outages, int32_t node, int32_t gpu, int32_t idle,
                      int32_t stranded, sim_time now);

#endif
