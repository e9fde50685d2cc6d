#include "sim/outage_events.h"

#include <math.h>
#include <stdlib.h>

#include "sim/autoscale_events.h"
#include "sim/cluster/engines.h"
#include "sim/course_events.h"
#include "sim/fault_events.h"
#include "sim/kernel/memory.h"
#include "sim/maintenance_events.h"
#include "sim/scheduling/preemption.h"
#include "sim/scheduling/reservation.h"
#include "sim/spot_events.h"
#include "sim/start_events.h"

/* --- What the scenario says --- */

bool outage_events_interrupt_jobs(const struct scenario *scenario) {
    bool interrupt = false;
    for (size_t i = 0; i < scenario->pool_count; i++) {
        interrupt |= outage_spec_interrupts(&scenario->pools[i].outages);
    }
    return interrupt;
}

static double piece_count(const struct piece *pieces) {
    double count = 0;
    for (; pieces != NULL; pieces = pieces->next) {
        count++;
    }
    return count;
}

double outage_events_mean_between(const struct run_state *run, const struct job *job,
                                  const struct device *device) {
    bool served = device != NULL ? device->engine == &engine_together
                                 : run->scenario->pools[job->pool].sharing.index == SHARING_MPS;
    double gpus = device != NULL ? 1 : (double)job->gpus;
    const double counts[FAULT_KIND_COUNT] = {
        [FAULT_GPU] = gpus,
        [FAULT_INSTANCE] = device != NULL && device->profile >= 0,
        [FAULT_MPS] = served ? gpus : 0,
        [FAULT_NODE] = device != NULL ? 1 : piece_count(&job->pieces)};
    return outage_spec_mean_between(&run->scenario->pools[job->pool].outages, counts);
}

static double or_zero(sim_time time) {
    return time == SIM_TIME_NEVER ? 0 : (double)time;
}

/* When what is to happen once is over, at the latest. */
static double longest_plan(const struct outage_spec *spec) {
    double longest = 0;
    for (size_t i = 0; i < spec->maintenance_count; i++) {
        const struct maintenance_spec *maintenance = &spec->maintenance[i];
        longest = fmax(longest, or_zero(maintenance->at) + or_zero(maintenance->duration));
    }
    for (size_t i = 0; i < spec->occupied_count; i++) {
        longest = fmax(longest, or_zero(spec->occupied[i].until));
    }
    return longest;
}

sim_time outage_events_patience(const struct run_state *run) {
    static const double REPAIRS = 100;
    double longest = 0;
    double planned = 0;
    for (size_t i = 0; i < run->scenario->pool_count; i++) {
        const struct outage_spec *spec = &run->scenario->pools[i].outages;
        for (int kind = 0; kind < FAULT_KIND_COUNT; kind++) {
            if (spec->faults[kind].given) {
                longest = fmax(longest, distribution_mean(&spec->faults[kind].mttr));
            }
        }
        if (spec->spot.given) {
            longest = fmax(longest, distribution_mean(&spec->spot.back_after));
        }
        if (spec->autoscale.given) {
            longest = fmax(longest, distribution_mean(&spec->autoscale.provision_time));
        }
        planned = fmax(planned, longest_plan(spec));
    }
    return (sim_time)fmin(REPAIRS * longest + planned, SIM_TIME_LONGEST);
}

bool outage_events_any(const struct scenario *scenario) {
    bool any = false;
    for (size_t i = 0; i < scenario->pool_count; i++) {
        any |= outage_spec_given(&scenario->pools[i].outages);
    }
    return any;
}

/* GPUs of one node that somebody else has. */
struct kept_gpus {
    struct pool_outages *of;
    int32_t node;
    uint64_t gpus;
};

static void given_back(void *context, void *subject) {
    const struct kept_gpus *kept = subject;
    outage_events_relieve(context, kept->of, kept->node, kept->gpus, OUTAGE_ABSENT);
    if (kept->of->scale != NULL) {
        autoscale_events_given_back(context, kept->of, kept->node);
    }
}

/* The first GPUs of the node that nobody else has yet. */
static void occupy(struct run_state *run, struct pool_outages *of, struct kept_gpus *kept,
                   const struct occupied_spec *spec) {
    const struct outages *outages = of->pool->outages;
    *kept = (struct kept_gpus){.of = of, .node = spec->node};
    int32_t left = spec->gpus;
    for (int32_t gpu = 0; left > 0 && gpu < outages->gpus_per_node; gpu++) {
        if (!outages_is_out(outages, spec->node, gpu)) {
            kept->gpus |= UINT64_C(1) << gpu;
            left--;
        }
    }
    outage_events_strike(run, of, kept->node, kept->gpus, OUTAGE_ABSENT);
    if (spec->until != SIM_TIME_NEVER) {
        event_queue_push(run->events, spec->until, RANK_END, given_back, kept);
    }
}

static void begin_kept(struct run_state *run, struct pool_outages *of) {
    const struct outage_spec *spec = of->spec;
    for (size_t i = 0; i < spec->cordoned_count; i++) {
        outage_events_close(run, of, spec->cordoned[i], outages_all(of->pool->outages));
    }
    of->pool->most_nodes -= (int32_t)spec->cordoned_count;
    of->kept_gpus = memory_zero(spec->occupied_count, sizeof *of->kept_gpus);
    for (size_t i = 0; i < spec->occupied_count; i++) {
        occupy(run, of, &of->kept_gpus[i], &spec->occupied[i]);
    }
}

/* Nobody has anything of a node any more, which somebody waits for. */
static void left(void *context, struct pool *pool, int32_t node) {
    struct run_state *run = context;
    struct pool_outages *of = &run->outages->pools[pool->position];
    if (of->kept_maintenance != NULL) {
        maintenance_events_left(run, of, node);
    }
    if (of->scale != NULL) {
        autoscale_events_left(run, of, node);
    }
}

static void begin_pool(struct run_state *run, size_t index) {
    struct pool_outages *of = &run->outages->pools[index];
    const struct pool_spec *spec = &run->scenario->pools[index];
    if (!outage_spec_given(&spec->outages)) {
        return;
    }
    *of = (struct pool_outages){.pool = &run->pools[index], .spec = &spec->outages};
    of->pool->outages = outages_create(of->pool, spec->gpus_per_node);
    of->pool->outages->left = left;
    of->pool->outages->context = run;
    begin_kept(run, of);
    fault_events_begin(run, of);
    maintenance_events_begin(run, of);
    spot_events_begin(run, of);
    autoscale_events_begin(run, of);
}

void outage_events_begin(struct run_state *run) {
    size_t pools = run->scenario->pool_count;
    if (!outage_events_any(run->scenario)) {
        return;
    }
    run->outages = memory_zero(1, sizeof *run->outages);
    run->outages->pools = memory_zero(pools, sizeof *run->outages->pools);
    for (size_t i = 0; i < pools; i++) {
        begin_pool(run, i);
    }
}

void outage_events_terminate(struct run_state *run) {
    if (run->outages != NULL) {
        for (size_t i = 0; i < run->scenario->pool_count; i++) {
            fault_events_terminate(&run->outages->pools[i]);
            maintenance_events_terminate(&run->outages->pools[i]);
            spot_events_terminate(&run->outages->pools[i]);
            autoscale_events_terminate(&run->outages->pools[i]);
            free(run->outages->pools[i].kept_gpus);
        }
        free(run->outages->pools);
        free(run->outages);
    }
}

/* --- GPUs --- */

/* What may be taken has changed on a node. */
static void note_change(struct run_state *run, const struct pool_outages *of, int32_t node) {
    if (run->scheduler.reservation != NULL) {
        reservation_note_outage(run->scheduler.reservation, of->pool->position, node);
    }
    run->pass_due = true;
}

static void revoke(struct run_state *run, const struct pool_outages *of, int32_t node,
                   uint64_t gpus, const struct device *device) {
    if (run->courses != NULL && run->courses->preemption != NULL) {
        preemption_revoke(run->courses->preemption, of->pool->position, node, gpus, device);
    }
}

void outage_events_close(struct run_state *run, struct pool_outages *of, int32_t node,
                         uint64_t gpus) {
    outages_begin(of->pool->outages, node, gpus, OUTAGE_CLOSED, run->now);
    revoke(run, of, node, gpus, NULL);
    note_change(run, of, node);
}

void outage_events_open(struct run_state *run, struct pool_outages *of, int32_t node,
                        uint64_t gpus) {
    bool was_shut = outages_is_shut(of->pool->outages, node);
    outages_end(of->pool->outages, node, gpus, OUTAGE_CLOSED, run->now);
    note_change(run, of, node);
    if (of->scale != NULL && was_shut && !outages_is_shut(of->pool->outages, node)) {
        autoscale_events_in_use_again(run, of, node);
    }
}

/* Who waits there for an instance to be cut leaves, too, unless all may stay. */
static void evict_device(struct run_state *run, struct device *device,
                         const struct eviction *eviction) {
    if (eviction->jobs != DRAIN_WAIT) {
        start_events_give_up(run, device);
    }
    for (int32_t slot = 0; slot < device->slots; slot++) {
        if (device->tenants != NULL && device->tenants[slot] != NULL) {
            eviction_of_tenant(run, device->tenants[slot], eviction);
        }
    }
}

static void evict_gpu(struct run_state *run, const struct pool_outages *of, int32_t node,
                      int32_t gpu, const struct eviction *eviction) {
    const struct outages *outages = of->pool->outages;
    struct slots *slots = of->pool->slots;
    struct gpu_holder holder = outages->holders[node * outages->gpus_per_node + gpu];
    if (holder.gang != NULL) {
        eviction_of_gang(run, holder.gang, eviction);
    } else if (holder.alone != NULL) {
        eviction_of_tenant(run, holder.alone, eviction);
    }
    for (int32_t i = slots == NULL ? 0 : slots->first_of_gpu[gpu];
         slots != NULL && i < slots->first_of_gpu[gpu + 1]; i++) {
        evict_device(run, &slots->devices[node * slots->devices_per_node + i], eviction);
    }
}

void outage_events_evict(struct run_state *run, struct pool_outages *of, int32_t node,
                         uint64_t gpus, const struct eviction *eviction) {
    for (uint64_t mask = gpus; mask != 0; mask &= mask - 1) {
        evict_gpu(run, of, node, __builtin_ctzll(mask), eviction);
    }
    eviction_is_over(run);
}

static const struct eviction at_once = {
    .jobs = DRAIN_KILL, .replicas = DRAIN_KILL, .reason = LEAVES_INTERRUPTED};

void outage_events_strike(struct run_state *run, struct pool_outages *of, int32_t node,
                          uint64_t gpus, enum outage how) {
    outage_events_close(run, of, node, gpus);
    outage_events_evict(run, of, node, gpus, &at_once);
    outages_begin(of->pool->outages, node, gpus, how, run->now);
}

void outage_events_relieve(struct run_state *run, struct pool_outages *of, int32_t node,
                           uint64_t gpus, enum outage how) {
    outages_end(of->pool->outages, node, gpus, how, run->now);
    outage_events_open(run, of, node, gpus);
}

/* --- Instances --- */

void outage_events_strike_instance(struct run_state *run, struct pool_outages *of,
                                   struct device *device) {
    outages_begin_instance(of->pool->outages, device, OUTAGE_CLOSED, run->now);
    revoke(run, of, device->node, 0, device);
    evict_device(run, device, &at_once);
    eviction_is_over(run);
    outages_begin_instance(of->pool->outages, device, OUTAGE_DOWN, run->now);
    run->pass_due = true;
}

void outage_events_relieve_instance(struct run_state *run, struct pool_outages *of,
                                    struct device *device) {
    outages_end_instance(of->pool->outages, device, OUTAGE_DOWN, run->now);
    outages_end_instance(of->pool->outages, device, OUTAGE_CLOSED, run->now);
    run->pass_due = true;
}
