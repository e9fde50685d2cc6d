/* How the GPUs of a pool are shared, as a scenario says it. The modes are rows of the registry
 * "sharing"; each takes its part of one struct as options. */
#ifndef SCENARIOS_SHARING_SPEC_H
#define SCENARIOS_SHARING_SPEC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "scenarios/choice.h"
#include "scenarios/place.h"
#include "sim/kernel/distribution.h"
#include "sim/kernel/sim_time.h"

/* Rows of the registry "sharing". */
enum sharing_kind { SHARING_EXCLUSIVE, SHARING_MIG, SHARING_MPS, SHARING_TIMESLICE };

/* Equal MIG instances of a layout: `3g.40gb`, `9`, or
 * {profile: 1g.10gb, count: 7, sharing: {mode: timeslice, replicas: 2}}. */
struct layout_item {
    struct place place;
    const char *profile; /* as written: a name, or an id in digits */
    int profile_row;     /* of the GPU's profiles, once checked */
    int32_t count;
    struct chosen sharing; /* of each instance: exclusive, mps or timeslice */
};

struct reconfigure_spec {
    struct distribution time;      /* ns, of a re-cut of touched instances */
    struct distribution mode_time; /* ns, of switching MIG mode */
    enum drain { DRAIN_WAIT, DRAIN_PREEMPT, DRAIN_KILL } drain;
};

/* What running out of memory on an MPS GPU kills. */
enum oom_scope { OOM_CLIENT, OOM_GPU, OOM_NODE };

struct sharing_spec {
    /* mig */
    struct layout_item *layout;
    size_t layout_count; /* 0 only if dynamic: starts uncut */
    bool dynamic;
    struct reconfigure_spec reconfigure;
    /* mps */
    int32_t clients;
    double thread_percentage; /* share of 1: cap of each tenant's SMs */
    double interference;
    int64_t memory_limit; /* bytes of each tenant; 0: none */
    enum oom_scope oom;
    /* timeslice */
    int32_t replicas; /* shares of one GPU or instance */
    sim_time slice;
    sim_time switch_time;
};

/* `layouts:` of a pool: these GPUs of every node are shared in their own way. */
struct gpu_layout {
    struct place place;
    int32_t *gpus; /* indices within a node, 0-based */
    size_t gpu_count;
    struct chosen sharing;
};

#endif
