#include "sim/scheduling/preemption_places.h"

#include "sim/scheduling/job_tenant.h"
#include "sim/scheduling/preemption_bundles.h"

struct host_share places_host_lacking(const struct node_index *index, int32_t node,
                                      const struct host_share *ask) {
    if (index->free_host == NULL) {
        return (struct host_share){0};
    }
    const struct host_share *room = &index->free_host[node];
    return (struct host_share){.cpus = ask->cpus - room->cpus,
                               .memory = ask->memory - room->memory};
}

struct host_share places_host_held(const struct node_index *index, const struct job *job,
                                   int32_t gpus) {
    struct gang gang = shape_gang(job->shape);
    return node_index_ask(index, &gang, gpus).host;
}

static void add_host(struct host_share *sum, const struct host_share *part) {
    sum->cpus += part->cpus;
    sum->memory += part->memory;
}

int32_t places_freed_by(const struct pool *pool, const struct stay *stay) {
    int32_t gpus = 0;
    if (pool->outages == NULL && pool->closed_mask == NULL) {
        return stay->gpus;
    }
    for (const struct piece *piece = &stay->job->pieces; piece != NULL; piece = piece->next) {
        gpus += piece->node == stay->node ? pool_open_gpus(pool, piece) : 0;
    }
    return gpus;
}

void places_collect_stays(struct preemption *preemption, const struct job *newcomer,
                          const struct shape_pool *where, int32_t node) {
    const struct pool *pool = preemption_pool(preemption, where);
    for (struct stay *stay = preemption->pools[where->pool].stays[node]; stay != NULL;
         stay = stay->next) {
        int32_t gpus = places_freed_by(pool, stay);
        if (gpus > 0 && preemption_may_take(preemption, newcomer, stay->job)) {
            struct bundle *bundle = bundle_add(preemption);
            bundle->gpus = gpus;
            bundle->host = places_host_held(&pool->index, stay->job, stay->gpus);
            bundle_add_job(preemption, bundle, stay->job);
        }
    }
}

/* The job of a tenant that may be preempted; NULL: it may not. */
static struct job *victim_of(struct preemption *preemption, const struct job *newcomer,
                             struct tenant *tenant) {
    if (!preemption->rules[tenant->workload].preemptible) {
        return NULL;
    }
    struct job *job = ((struct job_tenant *)tenant)->job;
    return job->course != NULL && preemption_may_take(preemption, newcomer, job) ? job : NULL;
}

void places_collect_gpus(struct preemption *preemption, const struct job *newcomer,
                         const struct shape_pool *where, int32_t node) {
    const struct slots *slots = preemption_pool(preemption, where)->slots;
    int32_t first = node * slots->devices_per_node;
    for (int32_t i = first; i < first + slots->devices_per_node; i++) {
        const struct device *device = &slots->devices[i];
        if (device->profile >= 0 || slots->entries[i].closed || slots->entries[i].barred > 0 ||
            device->promised.slots > 0 || device->keeps > 0 ||
            preemption->pools[where->pool].on_device[i] < device->tenant_count ||
            device->tenant_count == 0) {
            continue;
        }
        struct bundle *bundle = bundle_add(preemption);
        bundle->gpus = 1;
        for (int32_t slot = 0; bundle->gpus > 0 && slot < device->slots; slot++) {
            if (device->tenants[slot] != NULL) {
                struct job *job = victim_of(preemption, newcomer, device->tenants[slot]);
                if (job == NULL) {
                    bundle->gpus = 0;
                } else {
                    add_host(&bundle->host, &job->shape->each);
                    bundle_add_job(preemption, bundle, job);
                }
            }
        }
        if (bundle->gpus == 0) {
            preemption->job_count = bundle->first;
            preemption->bundle_count--;
        }
    }
}

static bool keep_company(const struct slot_ask *ask, const struct tenant *tenant) {
    return tenant->party == ask->party || (!ask->exclusive_party && !tenant->exclusive_party);
}

/* Whether victims for a slot of the device leave their memory there. */
static bool stays_in_memory(const struct preemption *preemption, const struct device *device) {
    return preemption->spec->mode == PREEMPT_SUSPEND && preemption_can_suspend_on(device);
}

bool places_collect_tenants(struct preemption *preemption, const struct job *newcomer,
                            const struct slot_ask *ask, const struct device *device) {
    for (int32_t slot = 0; slot < device->slots; slot++) {
        struct tenant *tenant = device->tenants[slot];
        if (tenant == NULL) {
            continue;
        }
        struct job *job = victim_of(preemption, newcomer, tenant);
        bool apart = !keep_company(ask, tenant);
        if (job != NULL) {
            struct bundle *bundle = bundle_add(preemption);
            bundle->slots = 1;
            bundle->memory = stays_in_memory(preemption, device) ? 0 : tenant->memory;
            bundle->compute = slots_compute(tenant->compute);
            bundle->host = job->shape->each;
            bundle->must = apart;
            bundle_add_job(preemption, bundle, job);
        } else if (apart) {
            return false;
        }
    }
    return true;
}
