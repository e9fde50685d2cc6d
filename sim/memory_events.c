#include "sim/memory_events.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "scenarios/quantity.h"
#include "sim/cluster/device_memory.h"
#include "sim/job_events.h"
#include "sim/kernel/memory.h"
#include "sim/scheduling/course.h"
#include "sim/service_events.h"

/* --- What tenants need --- */

static int64_t whole_bytes(double bytes, double most) {
    double whole = nearbyint(bytes);
    return whole < most ? (int64_t)whole : (int64_t)most;
}

static bool is_random(const struct distribution *distribution) {
    return distribution->kind != NULL && distribution->kind != &distribution_kinds[0];
}

static struct memory_need need_of(const struct workload_spec *workload) {
    static const double most = 0x1p60; /* far beyond any GPU; sums stay in range */
    const struct memory_spec *memory = &workload->needs.memory;
    bool by_mean = workload->memory_policy == MEMORY_OVERFLOWS && is_random(&memory->start);
    return (struct memory_need){
        .ask = by_mean ? whole_bytes(distribution_mean(&memory->start), most) : -1,
        .growth = whole_bytes(memory->growth_per_s * RAMP_RATE_PER_SECOND, most)};
}

static void device_overflows(void *context, void *subject);

void memory_events_begin(struct run_state *run) {
    size_t workloads = run->scenario->workload_count;
    struct memory_need *needs = memory_zero(workloads, sizeof *needs);
    bool varies = false;
    for (size_t i = 0; i < workloads; i++) {
        needs[i] = need_of(&run->scenario->workloads[i]);
        varies |= needs[i].ask >= 0 || needs[i].growth > 0;
    }
    if (!varies) {
        free(needs);
        return;
    }
    run->memory = memory_zero(1, sizeof *run->memory);
    run->memory->needs = needs;
    run->devices.overflows = device_overflows;
}

void memory_events_terminate(struct run_state *run) {
    if (run->memory != NULL) {
        free(run->memory->needs);
        free(run->memory->victims);
        free(run->memory);
    }
}

void memory_events_ask(const struct run_state *run, struct job *job) {
    int64_t ask = run->memory->needs[job->workload].ask;
    if (ask >= 0) {
        job->memory_excess = job->memory - ask;
        job->memory = ask;
    }
}

/* --- Whole GPUs --- */

/* Adds what the job really takes to what it was placed with, or takes it off again. */
static void change_whole(struct run_state *run, const struct job *job, int sign) {
    int64_t gpus = sign * job->gpus;
    ramp_amount growth = job->memory_refused ? 0 : memory_events_growth(run, job->workload);
    pool_change_memory(&run->pools[job->pool], gpus * job->memory_excess, gpus * growth,
                       gpus * ramp_grown(growth, run->now - job->start), job->memory > 0, run->now);
}

sim_time memory_events_hold(struct run_state *run, struct job *job) {
    int64_t left = run->pools[job->pool].gpu_memory - job->memory - job->memory_excess;
    job->memory_refused = left < 0;
    if (job->memory_refused) {
        job->memory_excess = -job->memory;
    }
    change_whole(run, job, 1);
    return job->memory_refused
               ? run->now
               : device_memory_grown_at(left, memory_events_growth(run, job->workload), run->now);
}

void memory_events_release(struct run_state *run, const struct job *job) {
    change_whole(run, job, -1);
}

/* --- Who dies --- */

static void add_victim(struct run_memory *memory, struct tenant *tenant) {
    memory->victims = memory_grow(memory->victims, &memory->victim_capacity,
                                  memory->victim_count + 1, sizeof(struct tenant *));
    memory->victims[memory->victim_count++] = tenant;
}

static void add_device(struct run_memory *memory, const struct device *device) {
    for (int32_t slot = 0; slot < device->slots; slot++) {
        if (device->tenants[slot] != NULL) {
            add_victim(memory, device->tenants[slot]);
        }
    }
}

static void add_node(struct run_state *run, const struct pool *pool, int32_t node) {
    const struct slots *slots = pool->slots;
    size_t first = (size_t)node * (size_t)slots->devices_per_node;
    for (size_t i = 0; i < (size_t)slots->devices_per_node; i++) {
        add_device(run->memory, &slots->devices[first + i]);
    }
    for (const struct device *single = run->devices.singles; single != NULL;
         single = single->next_single) {
        if (single->pool == pool && single->node == node) {
            add_device(run->memory, single);
        }
    }
}

static void count_kill(struct run_state *run, int64_t *oom_kills) {
    *oom_kills += run->now >= run->warmup;
}

static void kill_job(struct run_state *run, struct job *job) {
    count_kill(run, &run->figures[job->workload].oom_kills);
    job_events_kill(run, job);
}

/* Kills the victims; those that are replicas restart once all are dead. */
static void kill_victims(struct run_state *run) {
    struct run_memory *memory = run->memory;
    size_t replicas = 0;
    for (size_t i = 0; i < memory->victim_count; i++) {
        struct tenant *tenant = memory->victims[i];
        if (run_is_service(run, tenant->workload)) {
            count_kill(run, &run->services[tenant->workload]->figures.oom_kills);
            service_events_kill(run, (struct replica *)tenant);
            memory->victims[replicas++] = tenant;
        } else {
            kill_job(run, ((struct job_tenant *)tenant)->job);
        }
    }
    for (size_t i = 0; i < replicas; i++) {
        service_events_restart(run, (struct replica *)memory->victims[i]);
    }
    memory->victim_count = 0;
}

static bool has_piece_on(const struct job *job, int32_t node) {
    const struct piece *piece = &job->pieces;
    while (piece != NULL && piece->node != node) {
        piece = piece->next;
    }
    return piece != NULL;
}

/* Jobs on whole GPUs are found the long way: O(jobs alive), for a rare event. */
static void kill_whole_jobs(struct run_state *run, const struct pool *pool, int32_t node) {
    size_t count = run->jobs.alive;
    struct job **jobs = job_store_list(&run->jobs);
    for (size_t i = 0; i < count; i++) {
        struct job *job = jobs[i];
        if (job->running && job->tenant == NULL && job->pieces.gpus > 0 &&
            job->pool == pool->position && has_piece_on(job, node)) {
            kill_job(run, job);
        }
    }
    free(jobs);
}

/* --- The events --- */

/* "job 7 of workload train" or "replica 0 of service chat". */
static const char *name_tenant(const struct run_state *run, const struct job *job, char *buffer,
                               size_t size) {
    const char *workload = run->scenario->workloads[job->workload].name;
    if (run_is_service(run, job->workload)) {
        snprintf(buffer, size, "replica %lld of service %s", (long long)job->number, workload);
    } else {
        struct job_label label;
        job_events_label(run, job, &label);
        snprintf(buffer, size, "job %s of workload %s", label.id, workload);
    }
    return buffer;
}

static void note_overflow(struct run_state *run, const struct job *job, const char *what,
                          const char *rest) {
    char name[128];
    char time[DURATION_TEXT];
    if (run->results->overflows++ == 0) {
        snprintf(run->results->first_overflow, sizeof run->results->first_overflow,
                 "%s, %s after the start, asked for more memory than %s%s",
                 name_tenant(run, job, name, sizeof name), duration_format(run->now, time), what,
                 rest);
    }
}

static const struct job *job_of(const struct run_state *run, const struct tenant *tenant) {
    return run_is_service(run, tenant->workload) ? ((const struct replica *)tenant)->job
                                                 : ((const struct job_tenant *)tenant)->job;
}

static void device_overflows(void *context, void *subject) {
    static const char *const victims[] = {[OOM_CLIENT] = "",
                                          [OOM_GPU] = ", and killed all on that GPU",
                                          [OOM_NODE] = ", and killed all on that node"};
    struct run_state *run = context;
    struct device *device = subject;
    const struct pool *pool = device->pool;
    int32_t node = device->node;
    enum oom_scope scope = device->oom;
    char what[96];
    device->memory_event = 0;
    struct tenant *culprit = device_memory_culprit(device, run->now);
    assert(culprit != NULL);
    snprintf(what, sizeof what, "GPU %d of node %d of pool %.32s had for it", (int)device->gpu,
             (int)node, pool->name);
    note_overflow(run, job_of(run, culprit), what, victims[scope]);
    if (scope == OOM_CLIENT) {
        add_victim(run->memory, culprit);
    } else if (scope == OOM_GPU) {
        add_device(run->memory, device);
    } else {
        add_node(run, pool, node);
    }
    kill_victims(run);
    if (scope == OOM_NODE) {
        kill_whole_jobs(run, pool, node);
    }
}

void memory_events_overflow(void *context, void *subject) {
    struct run_state *run = context;
    struct job *job = subject;
    note_overflow(run, job, "its GPUs have", "");
    if (job->course != NULL) {
        job->course->memory_event = 0;
    } else {
        job->event = 0;
    }
    kill_job(run, job);
}
