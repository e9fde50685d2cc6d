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
#include "sim/kernel/weekly_calendar.h"

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
    sim_time drain_limit; /* after so long it kills; SIM_TIME_NEVER: never */
    int64_t at_most;      /* GPUs that change at once; INT64_MAX: any number */
};

/* An entry of a calendar: how GPUs are cut at these hours, or not at all. */
struct calendar_entry {
    struct place place;
    struct weekly_span span;
    enum { CALENDAR_MIG, CALENDAR_EXCLUSIVE } mode;
    struct layout_item *layout; /* mig */
    size_t layout_count;
};

/* What running out of memory on an MPS GPU kills. */
enum oom_scope { OOM_CLIENT, OOM_GPU, OOM_NODE };

struct sharing_spec {
    /* mig */
    struct layout_item *layout;
    size_t layout_count; /* 0 only if dynamic: starts uncut */
    bool dynamic;
    sim_time hysteresis; /* dynamic: an instance is not destroyed before it was idle for so long */
    struct reconfigure_spec reconfigure;
    struct calendar_entry *calendar; /* in order; the layout above holds at other times */
    size_t calendar_count;
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

/* The ways in which a MIG pool's GPUs may be cut: its own layout (0), and those of its calendar. */
struct layout_way {
    const struct layout_item *items;
    size_t count;
    bool whole; /* not cut at all */
};
static inline size_t sharing_way_count(const struct sharing_spec *spec) {
    return 1 + spec->calendar_count;
}
static inline struct layout_way sharing_way(const struct sharing_spec *spec, size_t k) {
    if (k == 0) {
        return (struct layout_way){spec->layout, spec->layout_count, false};
    }
    const struct calendar_entry *entry = &spec->calendar[k - 1];
    return (struct layout_way){entry->layout, entry->layout_count,
                               entry->mode == CALENDAR_EXCLUSIVE};
}
/* Whether the calendar ever makes them whole. */
static inline bool sharing_is_ever_whole(const struct sharing_spec *spec) {
    bool whole = false;
    for (size_t k = 0; k < sharing_way_count(spec); k++) {
        whole |= sharing_way(spec, k).whole;
    }
    return whole;
}

/* `layouts:` of a pool: these GPUs of every node are shared in their own way. */
struct gpu_layout {
    struct place place;
    int32_t *gpus; /* indices within a node, 0-based */
    size_t gpu_count;
    struct chosen sharing;
};

#endif
