#include "plan/floor.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "models/queueing.h"
#include "plan/devices.h"
#include "plan/erlang.h"
#include "workloads/arrivals.h"

const char *const floor_reason_names[FLOOR_REASON_COUNT] = {
    [FLOOR_NONE] = "none",   [FLOOR_INVALID] = "invalid", [FLOOR_MEMORY] = "memory",
    [FLOOR_SLOTS] = "slots", [FLOOR_LOAD] = "load",       [FLOOR_ERLANG] = "erlang",
};

static bool is_service(const struct workload_spec *workload) {
    return workload->kind.index == WORKLOAD_SERVICE;
}

/* The largest number that a job may ask for; 0: a trace says, or nobody knows. */
static double most_gpus(const struct workload_spec *workload) {
    const struct distribution *gpus = &workload->gpus;
    if (workload->has_trace || is_service(workload)) {
        return 0;
    }
    double most = plan_is_constant(gpus) ? gpus->given[0] : 0;
    for (size_t i = 0; i < gpus->value_count; i++) {
        bool drawn = gpus->weights == NULL || gpus->weights[i] > 0;
        most = drawn && gpus->values[i] > most ? gpus->values[i] : most;
    }
    return most;
}

/* Room for one tenant, and for gangs. */
struct room {
    const struct workload_spec *workload;
    double memory; /* of the largest slot that it may use */
    double gpus;   /* whole ones in the largest pool that it may use */
    double gpus_of_pool;
    size_t pool;
};

static void add_room(void *context, const struct plan_device *device) {
    struct room *room = context;
    if (!plan_may_use(room->workload, device)) {
        return;
    }
    room->memory = fmax(room->memory, (double)plan_most_memory(device));
    if (device->pool != room->pool) {
        room->pool = device->pool;
        room->gpus_of_pool = 0;
    }
    room->gpus_of_pool += device->ever_whole ? device->count : 0;
    room->gpus = fmax(room->gpus, room->gpus_of_pool);
}

static bool fits_nowhere(const struct scenario *scenario, const struct workload_spec *workload,
                         struct plan_floor *floor) {
    struct room room = {.workload = workload, .pool = SIZE_MAX};
    plan_each_device(scenario, add_room, &room);
    double most = most_gpus(workload);
    const struct distribution *memory = &workload->needs.memory.start;
    if (plan_is_constant(memory) && !workload->has_trace && memory->given[0] > room.memory) {
        snprintf(floor->text, sizeof floor->text,
                 "%s needs %.3g GB, and the largest slot has %.3g GB", workload->name,
                 memory->given[0] / 1e9, room.memory / 1e9);
    } else if (most >= 2 && most > room.gpus) {
        snprintf(floor->text, sizeof floor->text,
                 "jobs of %s ask for up to %g GPUs, and no pool has more than %g whole ones",
                 workload->name, most, room.gpus);
    } else {
        return false;
    }
    floor->reason = FLOOR_MEMORY;
    return true;
}

/* All that replicas keep for good, beside all there is. */
struct totals {
    double memory;
    double slots;
};

static void add_totals(void *context, const struct plan_device *device) {
    struct totals *totals = context;
    totals->memory += device->count * (double)device->memory;
    totals->slots += device->count * device->slots;
}

static bool crowd_fits_not(const struct scenario *scenario, struct plan_floor *floor) {
    struct totals there = {0};
    struct totals needed = {0};
    plan_each_device(scenario, add_totals, &there);
    for (size_t i = 0; i < scenario->workload_count; i++) {
        const struct workload_spec *workload = &scenario->workloads[i];
        const struct distribution *memory = &workload->needs.memory.start;
        if (is_service(workload)) {
            needed.slots += workload->service.replicas;
            needed.memory +=
                plan_is_constant(memory) ? workload->service.replicas * memory->given[0] : 0;
        }
    }
    if (needed.slots > there.slots) {
        floor->reason = FLOOR_SLOTS;
        snprintf(floor->text, sizeof floor->text, "%g replicas, and %g slots", needed.slots,
                 there.slots);
    } else if (needed.memory > there.memory) {
        floor->reason = FLOOR_MEMORY;
        snprintf(floor->text, sizeof floor->text, "replicas need %.4g GB, and there are %.4g GB",
                 needed.memory / 1e9, there.memory / 1e9);
    }
    return floor->reason != FLOOR_NONE;
}

/* Arrivals that never end, never give up and do all their work; others are no load that a queue
 * could drown in. */
static bool is_endless(const struct scenario *scenario, const struct workload_spec *workload) {
    bool gives_up = is_service(workload) ? workload->service.timeout != SIM_TIME_NEVER
                                         : workload->max_wait != SIM_TIME_NEVER;
    return workload->has_arrivals && workload->limit == 0 && !gives_up &&
           workload->max_queue == INT64_MAX && workload->afterok_count == 0 &&
           plan_memory_is_known(workload) && !scenario->scheduler.kill_at_estimate &&
           !scenario->end_of_work && !isnan(arrival_rate(&workload->arrivals));
}

/* Arrivals per second over the horizon, at least: a daily rhythm has its mean over whole days. */
static double sure_rate(const struct scenario *scenario, const struct workload_spec *workload) {
    double rate = arrival_rate(&workload->arrivals);
    double days = (double)scenario->horizon / (double)NANOSECONDS_PER_DAY;
    const char *kind = arrival_kinds[workload->arrivals.index].choice.name;
    return strcmp(kind, "diurnal") == 0 ? rate * floor(days) / days : rate;
}

static double mean_work_ns(const struct workload_spec *workload) {
    if (!is_service(workload)) {
        double gpus = workload->gpus.kind != NULL ? distribution_mean(&workload->gpus) : 1;
        return gpus * distribution_mean(&workload->duration);
    }
    const struct service_spec *service = &workload->service;
    if (!service->service_time.by_tokens) {
        return distribution_mean(&service->service_time.time);
    }
    return service->service_time.base_ns +
           service->service_time.per_input_token_ns * distribution_mean(&service->prompt_tokens) +
           service->service_time.per_output_token_ns * distribution_mean(&service->output_tokens);
}

/* What a workload can do where it does best. */
struct best {
    const struct scenario *scenario;
    const struct workload_spec *workload;
    double of_one;
    double per_gpu; /* of all its tenants, over the share of the GPU that they take */
};

static void improve(void *context, const struct plan_device *device) {
    struct best *best = context;
    if (plan_may_use(best->workload, device)) {
        best->of_one =
            fmax(best->of_one, plan_speed_of_one(best->scenario, best->workload, device));
        best->per_gpu =
            fmax(best->per_gpu,
                 plan_speed_of_all(best->scenario, best->workload, device) / device->share);
    }
}

static void add_share(void *context, const struct plan_device *device) {
    *(double *)context += device->count * device->share;
}

/* Every part of a GPU gives a workload at most its best rate per part, so the parts that all need
 * cannot be more than there are. A service has no more than its replicas can do. */
static bool is_overloaded(const struct scenario *scenario, struct plan_floor *floor) {
    double needed = 0;
    double there = 0;
    plan_each_device(scenario, add_share, &there);
    for (size_t i = 0; i < scenario->workload_count; i++) {
        const struct workload_spec *workload = &scenario->workloads[i];
        if (!is_endless(scenario, workload)) {
            continue;
        }
        struct best best = {.scenario = scenario, .workload = workload};
        plan_each_device(scenario, improve, &best);
        double work = sure_rate(scenario, workload) * mean_work_ns(workload) * 1e-9;
        double replicas = workload->service.replicas;
        if (is_service(workload) && work > replicas * best.of_one) {
            floor->reason = FLOOR_LOAD;
            snprintf(floor->text, sizeof floor->text,
                     "requests of %s keep %.4g replicas busy, and it has %g", workload->name,
                     work / best.of_one, replicas);
            return true;
        }
        needed += work / best.per_gpu;
    }
    if (needed > there) {
        floor->reason = FLOOR_LOAD;
        snprintf(floor->text, sizeof floor->text,
                 "the work keeps %.4g GPUs busy, and there are %.4g", needed, there);
    }
    return needed > there;
}

void plan_floor_find(const struct scenario *scenario, double tolerance, struct plan_floor *floor) {
    *floor = (struct plan_floor){.reason = FLOOR_NONE};
    for (size_t i = 0; i < scenario->workload_count; i++) {
        if (fits_nowhere(scenario, &scenario->workloads[i], floor)) {
            return;
        }
    }
    if (crowd_fits_not(scenario, floor) || is_overloaded(scenario, floor)) {
        return;
    }
    if (plan_erlang_obstacle(scenario) == NULL &&
        plan_erlang_misses(scenario, tolerance, floor->text, sizeof floor->text)) {
        floor->reason = FLOOR_ERLANG;
    }
}
