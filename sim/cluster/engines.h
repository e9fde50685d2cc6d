/* How each sharing mode divides a device. */
#ifndef SIM_CLUSTER_ENGINES_H
#define SIM_CLUSTER_ENGINES_H

#include "sim/cluster/device.h"

extern const struct device_engine engine_alone;    /* exclusive; a MIG instance */
extern const struct device_engine engine_together; /* MPS */
extern const struct device_engine engine_turns;    /* time-slicing */

/* Under MPS: how fast a tenant alone on the device is within its cap, over being without one. Both
 * shares are of a whole GPU's SMs; compute: what it asked for, 0: no say. */
double engine_together_alone(const struct device *device, double saturation, double compute);

#endif
