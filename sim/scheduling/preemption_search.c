#include "sim/scheduling/preemption_search.h"

#include <stdlib.h>

#include "sim/scheduling/job_tenant.h"
#include "sim/scheduling/preemption_bundles.h"
#include "sim/scheduling/scheduler.h"

/* The best place found so far. */
struct best {
    bool found;
    struct victim_cost cost;
    int64_t rank; /* ties: by the placement rule, then by position */
    int32_t position;
};

static struct pool *pool_at(const struct preemption *preemption, const struct shape_pool *where) {
    return &preemption->scheduler->pools[where->pool];
}

/* What a host lacks for an ask; not above 0: nothing. */
static struct host_share host_lacking(const struct node_index *index, int32_t node,
                                      const struct host_share *ask) {
    if (index->free_host == NULL) {
        return (struct host_share){0};
    }
    const struct host_share *room = &index->free_host[node];
    return (struct host_share){.cpus = ask->cpus - room->cpus,
                               .memory = ask->memory - room->memory};
}

/* What a job has of its host with so many of its GPUs there. */
static struct host_share host_held(const struct node_index *index, const struct job *job,
                                   int32_t gpus) {
    struct gang gang = shape_gang(job->shape);
    return node_index_ask(index, &gang, gpus).host;
}

static void add_host(struct host_share *sum, const struct host_share *part) {
    sum->cpus += part->cpus;
    sum->memory += part->memory;
}

/* --- What could be freed in one place --- */

/* Jobs on whole GPUs of a node. */
static void collect_stays(struct preemption *preemption, const struct job *newcomer,
                          const struct shape_pool *where, int32_t node) {
    for (struct stay *stay = preemption->pools[where->pool].stays[node]; stay != NULL;
         stay = stay->next) {
        if (preemption_may_take(preemption, newcomer, stay->job)) {
            struct bundle *bundle = bundle_add(preemption);
            bundle->gpus = stay->gpus;
            bundle->host = host_held(&pool_at(preemption, where)->index, stay->job, stay->gpus);
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

/* Whole GPUs of a node that only tenants hold who may all be preempted. */
static void collect_gpus(struct preemption *preemption, const struct job *newcomer,
                         const struct shape_pool *where, int32_t node) {
    const struct slots *slots = pool_at(preemption, where)->slots;
    int32_t first = node * slots->devices_per_node;
    for (int32_t i = first; i < first + slots->devices_per_node; i++) {
        const struct device *device = &slots->devices[i];
        if (device->profile >= 0 || device->promised.slots > 0 || device->keeps > 0 ||
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

/* The tenants of a device, for a slot of it. False: one of them stays whom the newcomer does not
 * share with. */
static bool collect_tenants(struct preemption *preemption, const struct job *newcomer,
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

static bool is_better(const struct best *best, const struct victim_cost *cost, int64_t rank) {
    int compared = best->found ? victim_cost_compare(cost, &best->cost) : -1;
    return compared < 0 || (compared == 0 && rank < best->rank);
}

/* --- Whole GPUs --- */

static int64_t node_rank(const struct preemption *preemption, const struct pool *pool,
                         int32_t node) {
    slot_rank *rank = preemption->scheduler->placement->rank;
    return rank != NULL ? rank(pool->index.free_gpus[node], 0) : 0;
}

static bool has_node(const struct piece *pieces, int32_t node) {
    while (pieces != NULL && pieces->node != node) {
        pieces = pieces->next;
    }
    return pieces != NULL;
}

/* What victims chosen for other nodes free on this one costs nothing more. */
static void discount(struct preemption *preemption) {
    for (size_t i = 0; i < preemption->bundle_count; i++) {
        struct bundle *bundle = &preemption->bundles[i];
        bundle->must =
            bundle->count == 1 && bundles_have_chosen(preemption, preemption->jobs[bundle->first]);
        if (bundle->must) {
            bundle->cost = (struct victim_cost){{0}};
        }
    }
}

/* Lists the victims that `gpus` of a node take; false: they cannot be had. */
static bool try_node(struct preemption *preemption, const struct job *newcomer,
                     const struct shape_pool *where, int32_t node, int32_t gpus,
                     struct victim_cost *cost) {
    const struct pool *pool = pool_at(preemption, where);
    if (node_index_usable(&pool->index, node) < gpus) {
        return false;
    }
    bundles_forget(preemption);
    collect_stays(preemption, newcomer, where, node);
    if (pool->slots != NULL) {
        collect_gpus(preemption, newcomer, where, node);
    }
    discount(preemption);
    struct host_share host = host_held(&pool->index, newcomer, gpus);
    struct room lacking = {.gpus = gpus - pool->index.free_gpus[node],
                           .host = host_lacking(&pool->index, node, &host)};
    return bundles_take(preemption, lacking, false, cost);
}

/* The node where `gpus` cost the least, that has no piece yet; -1: none. */
static int32_t find_node(struct preemption *preemption, const struct job *newcomer,
                         const struct shape_pool *where, int32_t gpus, const struct piece *taken) {
    const struct pool *pool = pool_at(preemption, where);
    struct best best = {.position = -1};
    /* One node is only worth a look if somebody can be preempted there. */
    bool any = taken != NULL || pool->slots != NULL || newcomer->gpus > gpus;
    const struct index_set *nodes = &preemption->pools[where->pool].nodes;
    for (int32_t node = any ? 0 : index_set_first(nodes); node >= 0 && node < pool->index.nodes;
         node = any ? node + 1 : index_set_next(nodes, node)) {
        struct victim_cost cost;
        if (!has_node(taken, node) && try_node(preemption, newcomer, where, node, gpus, &cost)) {
            int64_t rank = node_rank(preemption, pool, node);
            if (is_better(&best, &cost, rank)) {
                best = (struct best){true, cost, rank, node};
            }
        }
    }
    return best.position;
}

static bool search_nodes(struct preemption *preemption, const struct job *newcomer,
                         const struct shape_pool *where, struct claim *claim) {
    struct scheduler *scheduler = preemption->scheduler;
    int32_t per_node = pool_at(preemption, where)->index.gpus_per_node;
    struct gang gang = shape_gang(newcomer->shape);
    struct piece *last = NULL;
    preemption->chosen_count = 0;
    for (int32_t left = newcomer->gpus; left > 0;) {
        int32_t gpus = gang_piece(&gang, left, per_node);
        int32_t node =
            find_node(preemption, newcomer, where, gpus, last != NULL ? &claim->pieces : NULL);
        if (node < 0) {
            piece_return_rest(&scheduler->stock, &claim->pieces);
            claim->pieces = (struct piece){0};
            return false;
        }
        struct victim_cost cost;
        try_node(preemption, newcomer, where, node, gpus, &cost);
        bundles_choose_taken(preemption);
        struct piece *piece = &claim->pieces;
        if (last != NULL) {
            piece = piece_take(&scheduler->stock);
            last->next = piece;
        }
        piece->node = node;
        piece->gpus = gpus;
        last = piece;
        left -= gpus;
    }
    return true;
}

/* --- Whole GPUs of any nodes --- */

/* A job on whole GPUs is listed once, with all that it has on nodes that stay in use. */
static void collect_jobs(struct preemption *preemption, const struct job *newcomer,
                         const struct shape_pool *where, int32_t node) {
    const struct node_index *index = &pool_at(preemption, where)->index;
    for (const struct stay *stay = preemption->pools[where->pool].stays[node]; stay != NULL;
         stay = stay->next) {
        if (stay == &stay->job->course->stay &&
            preemption_may_take(preemption, newcomer, stay->job)) {
            struct bundle *bundle = bundle_add(preemption);
            for (const struct stay *part = stay; part != NULL; part = part->rest) {
                bundle->gpus += node_index_usable(index, part->node) > 0 ? part->gpus : 0;
            }
            bundle_add_job(preemption, bundle, stay->job);
        }
    }
}

/* The index as it is once those chosen have left, or (sign -1) as it was. */
static void free_chosen(const struct preemption *preemption, struct node_index *index, int sign) {
    for (size_t i = 0; i < preemption->bundle_count; i++) {
        const struct bundle *bundle = &preemption->bundles[i];
        const struct job *job = preemption->jobs[bundle->first];
        if (bundle->taken && job->tenant != NULL) {
            node_index_change(index, job->tenant->device->node, sign);
        }
        for (const struct piece *piece = &job->pieces;
             bundle->taken && job->tenant == NULL && piece != NULL; piece = piece->next) {
            if (node_index_usable(index, piece->node) > 0) {
                node_index_change(index, piece->node, sign * piece->gpus);
            }
        }
    }
}

/* A gang with span `any` takes from whomever it costs the least, wherever that is, and has the
 * place that it would have without them. Hosts are not limited. */
static bool search_spread(struct preemption *preemption, const struct job *newcomer,
                          const struct shape_pool *where, struct claim *claim) {
    struct scheduler *scheduler = preemption->scheduler;
    struct pool *pool = pool_at(preemption, where);
    struct gang gang = shape_gang(newcomer->shape);
    struct victim_cost cost;
    bundles_forget(preemption);
    for (int32_t node = 0; node < pool->index.nodes; node++) {
        collect_jobs(preemption, newcomer, where, node);
        if (pool->slots != NULL && node_index_usable(&pool->index, node) > 0) {
            collect_gpus(preemption, newcomer, where, node);
        }
    }
    struct room lacking = {.gpus = newcomer->gpus - (int32_t)pool->index.free_total};
    if (!bundles_take(preemption, lacking, false, &cost)) {
        return false;
    }
    preemption->chosen_count = 0;
    bundles_choose_taken(preemption);
    free_chosen(preemption, &pool->index, 1);
    bool fits = placement_plan_ahead(scheduler->placement, &pool->index, &gang, &scheduler->stock,
                                     &claim->pieces);
    for (const struct piece *piece = &claim->pieces; fits && piece != NULL; piece = piece->next) {
        node_index_change(&pool->index, piece->node, piece->gpus);
    }
    free_chosen(preemption, &pool->index, -1);
    return fits;
}

static bool search_gpus(struct preemption *preemption, const struct job *newcomer,
                        const struct shape_pool *where, struct claim *claim) {
    bool spreads =
        newcomer->shape->span == SPAN_ANY && pool_at(preemption, where)->index.free_host == NULL;
    return spreads ? search_spread(preemption, newcomer, where, claim)
                   : search_nodes(preemption, newcomer, where, claim);
}

/* --- A slot --- */

static bool may_serve(const struct slots *slots, const struct slot_ask *ask, int32_t device) {
    int32_t kind = slots->entries[device].kind;
    return kind >= 0 && !slots->entries[device].closed && slots->entries[device].barred == 0 &&
           (ask->kinds >> kind & 1) != 0;
}

/* Lists the victims that a slot of the device takes, be they its tenants or a gang that holds its
 * GPU; false: there is no room to be made. */
static bool try_device(struct preemption *preemption, const struct job *newcomer,
                       const struct shape_pool *where, struct device *device,
                       struct victim_cost *cost) {
    const struct slots *slots = pool_at(preemption, where)->slots;
    const struct node_index *index = slots->index;
    bundles_forget(preemption);
    if (slots->entries[device - slots->devices].blocked) {
        uint64_t gpu = UINT64_C(1) << device->gpu;
        collect_stays(preemption, newcomer, where, device->node);
        for (size_t i = 0; i < preemption->bundle_count; i++) {
            struct bundle *bundle = &preemption->bundles[i];
            const struct piece *piece = &preemption->jobs[bundle->first]->pieces;
            while (piece != NULL && !(piece->node == device->node && (piece->mask & gpu) != 0)) {
                piece = piece->next;
            }
            bundle->gpus = piece != NULL;
        }
        struct room lacking = {.gpus = 1,
                               .host = host_lacking(index, device->node, &where->slot.host)};
        return bundles_take(preemption, lacking, false, cost);
    }
    if (!collect_tenants(preemption, newcomer, &where->slot, device)) {
        return false;
    }
    struct room lacking;
    slots_lacking(slots, device, &where->slot, &lacking.memory, &lacking.compute, &lacking.slots);
    lacking.gpus = 0;
    lacking.host = host_lacking(index, device->node, &where->slot.host);
    bool all = preemption->spec->evict == EVICT_ALL_ON_GPU;
    return bundles_take(preemption, lacking, all, cost) && preemption->bundle_count > 0;
}

static bool search_devices(struct preemption *preemption, const struct job *newcomer,
                           const struct shape_pool *where, struct claim *claim) {
    struct pool_victims *victims = &preemption->pools[where->pool];
    struct slots *slots = pool_at(preemption, where)->slots;
    struct best best = {.position = -1};
    struct victim_cost cost;
    for (int32_t i = index_set_first(&victims->devices); i >= 0;
         i = index_set_next(&victims->devices, i)) {
        struct device *device = &slots->devices[i];
        if (may_serve(slots, &where->slot, i) &&
            try_device(preemption, newcomer, where, device, &cost)) {
            int64_t rank =
                slots->entries[i].kind * (INT64_C(1) << 48) +
                (slots->rank == NULL
                     ? 0
                     : slots->rank(
                           slots->free_on_node[device->node],
                           slots->free_on_gpu[device->node * slots->gpus_per_node + device->gpu]));
            if (is_better(&best, &cost, rank)) {
                best = (struct best){true, cost, rank, i};
            }
        }
    }
    /* Gangs on whole GPUs make way for slots of theirs. */
    for (int32_t node = index_set_first(&victims->nodes); best.position < 0 && node >= 0;
         node = index_set_next(&victims->nodes, node)) {
        int32_t first = node * slots->devices_per_node;
        for (int32_t i = first; i < first + slots->devices_per_node; i++) {
            if (slots->entries[i].blocked && may_serve(slots, &where->slot, i) &&
                try_device(preemption, newcomer, where, &slots->devices[i], &cost) &&
                is_better(&best, &cost, 0)) {
                best = (struct best){true, cost, 0, i};
            }
        }
    }
    if (best.position < 0) {
        return false;
    }
    preemption->chosen_count = 0;
    claim->device = &slots->devices[best.position];
    try_device(preemption, newcomer, where, claim->device, &cost);
    bundles_choose_taken(preemption);
    return true;
}

bool preemption_search(struct preemption *preemption, const struct job *newcomer,
                       struct claim *claim) {
    const struct shape *shape = newcomer->shape;
    preemption->newcomer = newcomer;
    for (size_t i = 0; i < shape->pool_count; i++) {
        const struct shape_pool *where = &shape->pools[i];
        claim->where = where;
        if (where->whole ? search_gpus(preemption, newcomer, where, claim)
                         : search_devices(preemption, newcomer, where, claim)) {
            return true;
        }
    }
    return false;
}
