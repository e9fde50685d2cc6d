/* What the GPUs of a scenario have to give at most, by arithmetic: devices (whole GPUs, or MIG
 * instances) with their memory, slots and speeds. */
#ifndef PLAN_DEVICES_H
#define PLAN_DEVICES_H

#include <stdbool.h>
#include <stdint.h>

#include "scenarios/scenario.h"

/* Devices of a pool that are alike. */
struct plan_device {
    size_t pool;
    const struct gpu_model *gpu;
    const struct mig_profile *profile; /* NULL: a whole GPU */
    const struct chosen *sharing;      /* of the device itself, not mig */
    double count;                      /* in the whole pool */
    double share;                      /* of its GPU */
    int64_t memory;                    /* bytes; INT64_MAX: not known */
    double slots;                      /* of one device */
    bool changes;    /* a GPU that MIG cuts anew, as need be or by the clock: parts and speeds are
                      * not known beforehand */
    bool ever_whole; /* at times it is one GPU for one tenant, or for jobs of several GPUs */
};

/* Calls visit for each kind of device of the pools. */
void plan_each_device(const struct scenario *scenario,
                      void (*visit)(void *context, const struct plan_device *device),
                      void *context);

bool plan_is_constant(const struct distribution *distribution);
/* Whether a tenant's memory is what it was placed by: else running out of it may end it early. */
bool plan_memory_is_known(const struct workload_spec *workload);

/* Whether the workload may use the device's pool. */
bool plan_may_use(const struct workload_spec *workload, const struct plan_device *device);
/* The most memory that one tenant can have there. */
int64_t plan_most_memory(const struct plan_device *device);
/* Reference work done per time there: by one tenant alone; by any number of tenants of this
 * workload, at most. Infinite where nothing is known beforehand. */
double plan_speed_of_one(const struct scenario *scenario, const struct workload_spec *workload,
                         const struct plan_device *device);
double plan_speed_of_all(const struct scenario *scenario, const struct workload_spec *workload,
                         const struct plan_device *device);

#endif
