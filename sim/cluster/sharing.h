/* Sharing modes: what a tenant gets of a GPU. One row per mode. */
#ifndef SIM_CLUSTER_SHARING_H
#define SIM_CLUSTER_SHARING_H

#include "scenarios/choice.h"
#include "scenarios/sharing_spec.h"
#include "sim/cluster/device.h"

struct sharing_mode {
    struct choice choice;               /* options: struct sharing_spec; NULL for exclusive */
    const struct device_engine *engine; /* NULL: it cuts a GPU into instances (MIG) */
    int32_t (*slots)(const struct sharing_spec *spec); /* of one device */
    bool exclusive;                                    /* a tenant has its device alone */
    bool crash_takes_all; /* a fatal fault of one tenant takes down all of its device */
};

extern const struct sharing_mode sharing_modes[];
extern const size_t sharing_mode_count;

#endif
