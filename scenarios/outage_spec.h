/* When machines of a pool are not there to be used, as a scenario says it: faults, spares,
 * maintenance, spot reclamation, nodes that nobody is to start on, and those that an autoscaler has
 * not ordered. */
#ifndef SCENARIOS_OUTAGE_SPEC_H
#define SCENARIOS_OUTAGE_SPEC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "scenarios/place.h"
#include "scenarios/sharing_spec.h"
#include "sim/kernel/distribution.h"
#include "sim/kernel/sim_time.h"
#include "sim/kernel/weekly_calendar.h"

/* What fails together. */
enum fault_kind {
    FAULT_GPU,      /* a GPU, with all its instances and shares */
    FAULT_INSTANCE, /* one MIG instance */
    FAULT_MPS,      /* the MPS server of one GPU or instance */
    FAULT_NODE,
    FAULT_KIND_COUNT
};
extern const char *const fault_kind_names[FAULT_KIND_COUNT];

/* One of `faults`. */
struct fault_spec {
    bool given;
    struct place place;
    struct distribution mtbf; /* ns that one unit is up, from a repair to the next fault */
    struct distribution mttr; /* ns that a repair takes */
};

/* One of `maintenance`. */
struct maintenance_spec {
    struct place place;
    int32_t *nodes; /* none listed: each */
    size_t node_count;
    sim_time at; /* once, then; SIM_TIME_NEVER: every week, at the hours of span */
    struct weekly_span span;
    sim_time duration; /* of one node; SIM_TIME_NEVER: to the end of those hours */
    enum drain drain;
    sim_time drain_limit; /* after so long what is left is killed; SIM_TIME_NEVER: never */
    int32_t at_most;      /* nodes at a time; INT32_MAX: all */
};

/* `spot`: every node of the pool may be taken away. */
struct spot_spec {
    bool given;
    struct place place;
    struct distribution reclaim;    /* ns that a node is there before it is reclaimed */
    sim_time notice;                /* for so long before that, jobs may save */
    struct distribution back_after; /* ns until it, or another in its place, is there again */
};

/* One of `capacity`: at these hours of the week the pool has only its first `nodes`. */
struct capacity_spec {
    struct place place;
    struct weekly_span span;
    int32_t nodes;
    enum drain drain; /* how the others are emptied */
    sim_time drain_limit;
};

/* One of `occupied`: GPUs that somebody else has at the start. */
struct occupied_spec {
    struct place place;
    int32_t node;
    int32_t gpus;
    sim_time until; /* SIM_TIME_NEVER: to the end */
};

/* `autoscale`: nodes are ordered for what waits, and go when they are idle. */
struct autoscale_spec {
    bool given;
    struct place place;
    int32_t least;
    int32_t most;                       /* INT32_MAX: all that the pool has */
    struct distribution provision_time; /* ns from the order until a node is up */
    sim_time idle_time;                 /* after so long without anybody a node goes */
};

struct outage_spec {
    struct fault_spec faults[FAULT_KIND_COUNT];
    int32_t spares;      /* nodes beside the pool's own */
    sim_time spare_time; /* until one is in the place of a node that has failed */
    struct maintenance_spec *maintenance;
    size_t maintenance_count;
    struct spot_spec spot;
    int32_t *cordoned; /* nodes */
    size_t cordoned_count;
    struct occupied_spec *occupied;
    size_t occupied_count;
    struct capacity_spec *capacity;
    size_t capacity_count;
    struct autoscale_spec autoscale;
};

/* Whether any of it ever takes jobs off their GPUs before they are done. */
bool outage_spec_interrupts(const struct outage_spec *spec);
/* Whether any of it has machines that are not to be used at times. */
bool outage_spec_given(const struct outage_spec *spec);

/* The mean time between interruptions, by faults and reclaims, of a job that has so many units of
 * each kind; ns, INFINITY: there are none. */
double outage_spec_mean_between(const struct outage_spec *spec, const double counts[]);

#endif
