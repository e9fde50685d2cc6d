/* Sharing modes: what a tenant gets of a GPU. One row per mode. */
#ifndef SIM_CLUSTER_SHARING_H
#define SIM_CLUSTER_SHARING_H

#include "scenarios/choice.h"

struct sharing_mode {
    struct choice choice;
};

extern const struct sharing_mode sharing_modes[];
extern const size_t sharing_mode_count;

#endif
