/* How fast a workload is in a place, over the reference GPU alone: speeds of its GPU and of the
 * MIG instance multiply. What sharing adds while others compute is the device's affair. */
#ifndef SIM_SCHEDULING_SPEED_H
#define SIM_SCHEDULING_SPEED_H

#include "scenarios/scenario.h"
#include "sim/cluster/device.h"

/* The factor of a type of GPU, over the reference GPU; and of a MIG instance with this share of the
 * GPU's SMs, over the whole GPU: the figures that the functions below take together. */
double speed_of_gpu(const struct scenario *scenario, const struct workload_spec *workload, int gpu);
double speed_of_profile(const struct scenario *scenario, const struct workload_spec *workload,
                        const struct mig_profile *profile, double sm_share);

/* On a whole GPU of a pool that it has alone: given by the workload, else by the catalogue (the
 * ratio of SMs) if it asks for that, else 1: the checker refuses a workload that may use another
 * GPU than the reference without saying how fast it is there. Under MPS, a cap on threads holds. */
double speed_on_gpu(const struct scenario *scenario, const struct workload_spec *workload,
                    int32_t pool);
/* The share of a GPU's SMs beyond which it gets no faster; 1 if nothing is said. */
double speed_saturation(const struct workload_spec *workload);
/* The most of a GPU's SMs that a tenant of whole GPUs may use in a pool. */
double speed_thread_share(const struct scenario *scenario, int32_t pool);
/* On a device, alone: for an instance, the workload's own figure for its profile, else its measured
 * table if it asks for that, else min(1, f / saturation), f the instance's share of the SMs. */
double speed_on_device(const struct scenario *scenario, const struct workload_spec *workload,
                       const struct device *device);

/* The same, with what MPS lets it use at most; compute: the share of a GPU's SMs that it asked for,
 * 0: no say. */
double speed_capped_on_device(const struct scenario *scenario, const struct workload_spec *workload,
                              const struct device *device, double compute);

#endif
