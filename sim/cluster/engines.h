/* How each sharing mode divides a device. */
#ifndef SIM_CLUSTER_ENGINES_H
#define SIM_CLUSTER_ENGINES_H

#include "sim/cluster/device.h"

extern const struct device_engine engine_alone;    /* exclusive; a MIG instance */
extern const struct device_engine engine_together; /* MPS */
extern const struct device_engine engine_turns;    /* time-slicing */

#endif
