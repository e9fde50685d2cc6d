/* Where devices and GPUs that are cut on demand are: what the files of recut.h share. */
#ifndef SIM_CLUSTER_RECUT_PARTS_H
#define SIM_CLUSTER_RECUT_PARTS_H

#include "sim/cluster/recut.h"
#include "sim/cluster/slots.h"

static inline size_t recut_index(const struct slots *slots, const struct device *device) {
    return (size_t)(device - slots->devices);
}

static inline size_t recut_gpu(const struct slots *slots, const struct device *device) {
    return (size_t)device->node * (size_t)slots->gpus_per_node + (size_t)device->gpu;
}

/* The device that stands for what begins at this unit of a GPU. */
static inline struct device *recut_device_at(const struct slots *slots, size_t gpu, int start) {
    size_t node = gpu / (size_t)slots->gpus_per_node;
    size_t within = gpu % (size_t)slots->gpus_per_node;
    return &slots->devices[node * (size_t)slots->devices_per_node +
                           (size_t)slots->first_of_gpu[within] + (size_t)start];
}

static inline int recut_start(const struct slots *slots, const struct device *device) {
    return (int)(device - recut_device_at(slots, recut_gpu(slots, device), 0));
}

/* A GPU of a device gets into another state, while `idle` units of it are in the ledger as idle. */
void recut_change_state(struct slots *slots, const struct device *device, struct cut_state *after,
                        int64_t idle, sim_time now);
/* It is to be found in its state, or no longer. */
void recut_list_gpu(struct slots *slots, size_t gpu);
void recut_unlist_gpu(struct slots *slots, size_t gpu);

#endif
