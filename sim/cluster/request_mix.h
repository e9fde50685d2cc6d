/* What was asked of a pool so far: how often each request for slots or for whole GPUs of one node
 * came. Requests that differ are few in most scenarios; beyond a limit one that is new counts as
 * the known one that it is most like, so that the mix costs the same however many come. */
#ifndef SIM_CLUSTER_REQUEST_MIX_H
#define SIM_CLUSTER_REQUEST_MIX_H

#include <stddef.h>
#include <stdint.h>

#include "sim/cluster/gang.h"

enum { REQUEST_CLASSES_LIMIT = 128 };

/* What a tenant asks of a pool: one slot of any of these kinds. */
struct slot_ask {
    uint64_t kinds;  /* bit k: kind k will do */
    int64_t memory;  /* bytes */
    int32_t compute; /* 1e-9 of a GPU's SMs; 0: no say */
    int32_t party;
    bool exclusive_party;
    struct host_share host; /* of the node */
};

struct request_class {
    int64_t count;
    int32_t gpus;         /* whole ones of a node; 0: a slot */
    struct slot_ask slot; /* of whole GPUs only the host counts */
};

struct request_mix {
    struct request_class classes[REQUEST_CLASSES_LIMIT];
    size_t class_count;
    int64_t total;
    int64_t gpu_memory; /* bytes: what differences of memory are measured by */
};

/* One more request; gpus 0: for a slot. O(classes). */
void request_mix_note(struct request_mix *mix, int32_t gpus, const struct slot_ask *asked);

#endif
