#include "scenarios/outage_spec.h"

#include <math.h>

const char *const fault_kind_names[FAULT_KIND_COUNT] = {
    [FAULT_GPU] = "gpu",
    [FAULT_INSTANCE] = "instance",
    [FAULT_MPS] = "mps",
    [FAULT_NODE] = "node",
};

static bool any_faults(const struct outage_spec *spec) {
    bool any = false;
    for (int kind = 0; kind < FAULT_KIND_COUNT; kind++) {
        any |= spec->faults[kind].given;
    }
    return any;
}

bool outage_spec_interrupts(const struct outage_spec *spec) {
    bool interrupts = any_faults(spec) || spec->spot.given;
    for (size_t i = 0; i < spec->maintenance_count; i++) {
        const struct maintenance_spec *maintenance = &spec->maintenance[i];
        interrupts |=
            maintenance->drain != DRAIN_WAIT || maintenance->drain_limit != SIM_TIME_NEVER;
    }
    for (size_t i = 0; i < spec->capacity_count; i++) {
        const struct capacity_spec *capacity = &spec->capacity[i];
        interrupts |= capacity->drain != DRAIN_WAIT || capacity->drain_limit != SIM_TIME_NEVER;
    }
    return interrupts;
}

bool outage_spec_given(const struct outage_spec *spec) {
    return any_faults(spec) || spec->spot.given || spec->maintenance_count > 0 ||
           spec->spares > 0 || spec->cordoned_count > 0 || spec->occupied_count > 0 ||
           spec->capacity_count > 0 || spec->autoscale.given;
}

double outage_spec_mean_between(const struct outage_spec *spec, const double counts[]) {
    double rate = 0;
    for (int kind = 0; kind < FAULT_KIND_COUNT; kind++) {
        if (spec->faults[kind].given) {
            rate += counts[kind] / distribution_mean(&spec->faults[kind].mtbf);
        }
    }
    if (spec->spot.given) {
        rate += counts[FAULT_NODE] / distribution_mean(&spec->spot.reclaim);
    }
    return rate > 0 ? 1 / rate : INFINITY;
}
