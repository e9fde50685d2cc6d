#include "models/mps.h"

#include <assert.h>

struct mps_tenant mps_tenant_of(double saturation, double thread_share) {
    assert(saturation > 0 && saturation <= 1);
    assert(thread_share > 0 && thread_share <= 1);
    double demand = saturation < thread_share ? saturation : thread_share;
    return (struct mps_tenant){.demand = demand, .speed = demand / saturation};
}

double mps_rate(struct mps_tenant tenant, double total_demand, double interference) {
    double granted = total_demand > 1 ? 1 / total_demand : 1;
    return tenant.speed * granted / (1 + interference * (total_demand - tenant.demand));
}
