/* Memory of a device that is not what its tenants were placed with: it was drawn at random, or it
 * grows. Says when it runs out and who asks for too much; what dies of that is decided elsewhere
 * (sim/memory_events.h). Devices whose tenants take what they were placed with never come here. */
#ifndef SIM_CLUSTER_DEVICE_MEMORY_H
#define SIM_CLUSTER_DEVICE_MEMORY_H

#include "sim/cluster/device.h"

/* Whether a tenant, on its own or by who is there already, makes memory worth watching. */
static inline bool device_memory_varies(const struct device *device, const struct tenant *tenant) {
    return (device->memory_watched > 0) | (tenant->memory_excess != 0) |
           (tenant->memory_growth != 0);
}

/* Whether the device's memory runs out at this very instant, and that is still to be seen to. */
static inline bool device_memory_is_out(const struct device *device, sim_time now) {
    return device->memory_event != 0 && device->memory_time == now;
}

/* A tenant of the device has been seated or is about to be unseated, where memory varies: takes
 * what it really needs, or gives it back. If there is not as much, it gets none and is `refused`.
 * Both keep the event at which memory runs out. */
void device_memory_seat(struct device *device, struct tenant *tenant, sim_time now);
void device_memory_unseat(struct device *device, struct tenant *tenant, sim_time now);

/* The tenant that asks for too much at `now`; NULL: none. Of several, first those that were
 * refused, then those at their own limit, each by slot; then the one that grows fastest, of equals
 * that of the lowest slot. */
struct tenant *device_memory_culprit(const struct device *device, sim_time now);

/* The first moment, to the ns above, at which `bytes` have grown from nothing since `since`, at
 * that rate; SIM_TIME_NEVER if they never do. */
sim_time device_memory_grown_at(int64_t bytes, int64_t growth, sim_time since);

#endif
