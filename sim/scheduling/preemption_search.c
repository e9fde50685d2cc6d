#include "sim/scheduling/preemption_search.h"

#include <stdlib.h>

#include "sim/scheduling/preemption_bundles.h"
#include "sim/scheduling/preemption_places.h"

/* The best place found so far. */
struct best {
    bool found;
    struct victim_cost cost;
    int64_t rank; /* ties: by the placement rule, then by position */
    int32_t position;
};

static bool is_better(const struct best *best, const struct victim_cost *cost, int64_t rank,
                      int32_t position) {
    int compared = best->found ? victim_cost_compare(cost, &best->cost) : -1;
    if (compared == 0 && rank == best->rank) {
        return position < best->position;
    }
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

/* Whether a node may be better than the best so far, or as good: no victims cost less than the
 * cheapest of them, since costs add up or are a maximum. Mostly not, which saves bundling. */
static bool is_worth_bundling(struct preemption *preemption, const struct job *newcomer,
                              const struct shape_pool *where, int32_t node, int32_t gpus,
                              const struct best *best) {
    const struct pool *pool = preemption_pool(preemption, where);
    int32_t lacking = gpus - pool->index.free_gpus[node];
    struct victim_cost least = {{0}};
    int32_t freed = 0;
    if (lacking <= 0 || node_index_usable(&pool->index, node) < gpus) {
        return lacking <= 0;
    }
    for (const struct stay *stay = preemption->pools[where->pool].stays[node]; stay != NULL;
         stay = stay->next) {
        int32_t frees = places_freed_by(pool, stay);
        if (frees > 0 && preemption_may_take(preemption, newcomer, stay->job)) {
            struct victim_cost cost =
                preemption->rule->cost(preemption, stay->job, preemption->scheduler->now);
            least = freed == 0 || victim_cost_compare(&cost, &least) < 0 ? cost : least;
            freed += frees;
        }
    }
    return freed >= lacking && (!best->found || victim_cost_compare(&least, &best->cost) <= 0);
}

/* Lists the victims that `gpus` of a node take; false: they cannot be had. */
static bool try_node(struct preemption *preemption, const struct job *newcomer,
                     const struct shape_pool *where, int32_t node, int32_t gpus,
                     struct victim_cost *cost) {
    const struct pool *pool = preemption_pool(preemption, where);
    if (node_index_usable(&pool->index, node) < gpus) {
        return false;
    }
    bundles_forget(preemption);
    places_collect_stays(preemption, newcomer, where, node);
    if (pool->slots != NULL) {
        places_collect_gpus(preemption, newcomer, where, node);
    }
    discount(preemption);
    struct host_share host = places_host_held(&pool->index, newcomer, gpus);
    struct room lacking = {.gpus = gpus - pool->index.free_gpus[node],
                           .host = places_host_lacking(&pool->index, node, &host)};
    return bundles_take(preemption, lacking, false, cost);
}

/* The node where `gpus` cost the least, that has no piece yet; -1: none. */
static int32_t find_node(struct preemption *preemption, const struct job *newcomer,
                         const struct shape_pool *where, int32_t gpus, const struct piece *taken) {
    const struct pool *pool = preemption_pool(preemption, where);
    struct best best = {.position = -1};
    /* One node is only worth a look if somebody can be preempted there. */
    bool any = taken != NULL || pool->slots != NULL || newcomer->gpus > gpus;
    /* Tenants, and victims chosen for another node, cost less than what is listed here. */
    bool bounds = taken == NULL && pool->slots == NULL;
    const struct index_set *nodes = &preemption->pools[where->pool].nodes;
    for (int32_t node = any ? 0 : index_set_first(nodes); node >= 0 && node < pool->index.nodes;
         node = any ? node + 1 : index_set_next(nodes, node)) {
        struct victim_cost cost;
        bool skip = has_node(taken, node) ||
                    (bounds && !is_worth_bundling(preemption, newcomer, where, node, gpus, &best));
        if (!skip && try_node(preemption, newcomer, where, node, gpus, &cost)) {
            int64_t rank = node_rank(preemption, pool, node);
            if (is_better(&best, &cost, rank, node) &&
                promises_allow_node(preemption, newcomer, where, node, gpus)) {
                best = (struct best){true, cost, rank, node};
            }
        }
    }
    return best.position;
}

static bool search_nodes(struct preemption *preemption, const struct job *newcomer,
                         const struct shape_pool *where, struct claim *claim) {
    struct scheduler *scheduler = preemption->scheduler;
    int32_t per_node = preemption_pool(preemption, where)->index.gpus_per_node;
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

/* A job on whole GPUs is listed once, with all that it would free anywhere. */
static void collect_jobs(struct preemption *preemption, const struct job *newcomer,
                         const struct shape_pool *where, int32_t node) {
    const struct pool *pool = preemption_pool(preemption, where);
    for (const struct stay *stay = preemption->pools[where->pool].stays[node]; stay != NULL;
         stay = stay->next) {
        int32_t gpus = 0;
        for (const struct piece *piece = &stay->job->pieces; piece != NULL; piece = piece->next) {
            gpus += pool_open_gpus(pool, piece);
        }
        if (gpus > 0 && stay == &stay->job->course->stay &&
            preemption_may_take(preemption, newcomer, stay->job)) {
            struct bundle *bundle = bundle_add(preemption);
            bundle->gpus = gpus;
            bundle_add_job(preemption, bundle, stay->job);
        }
    }
}

/* The index as it is once those chosen have left, or (sign -1) as it was. */
static void free_chosen(const struct preemption *preemption, struct pool *pool, int sign) {
    for (size_t i = 0; i < preemption->bundle_count; i++) {
        const struct bundle *bundle = &preemption->bundles[i];
        const struct job *job = preemption->jobs[bundle->first];
        if (bundle->taken && job->tenant != NULL) {
            node_index_change(&pool->index, job->tenant->device->node, sign);
        }
        for (const struct piece *piece = &job->pieces;
             bundle->taken && job->tenant == NULL && piece != NULL; piece = piece->next) {
            node_index_change(&pool->index, piece->node, sign * pool_open_gpus(pool, piece));
        }
    }
}

/* A gang with span `any` takes from whomever it costs the least, wherever that is, and has the
 * place that it would have without them. Hosts are not limited. */
static bool search_spread(struct preemption *preemption, const struct job *newcomer,
                          const struct shape_pool *where, struct claim *claim) {
    struct scheduler *scheduler = preemption->scheduler;
    struct pool *pool = preemption_pool(preemption, where);
    struct gang gang = shape_gang(newcomer->shape);
    struct victim_cost cost;
    bundles_forget(preemption);
    for (int32_t node = 0; node < pool->index.nodes; node++) {
        collect_jobs(preemption, newcomer, where, node);
        if (pool->slots != NULL && node_index_usable(&pool->index, node) > 0) {
            places_collect_gpus(preemption, newcomer, where, node);
        }
    }
    struct room lacking = {.gpus = newcomer->gpus - (int32_t)pool->index.free_total};
    if (!bundles_take(preemption, lacking, false, &cost)) {
        return false;
    }
    preemption->chosen_count = 0;
    bundles_choose_taken(preemption);
    free_chosen(preemption, pool, 1);
    bool fits = placement_plan_ahead(scheduler->placement, &pool->index, &gang, &scheduler->stock,
                                     &claim->pieces);
    for (const struct piece *piece = &claim->pieces; fits && piece != NULL; piece = piece->next) {
        node_index_change(&pool->index, piece->node, piece->gpus);
    }
    free_chosen(preemption, pool, -1);
    bool allowed = true;
    for (const struct piece *piece = &claim->pieces; fits && piece != NULL; piece = piece->next) {
        allowed &= promises_allow_node(preemption, newcomer, where, piece->node, piece->gpus);
    }
    if (!allowed) {
        piece_return_rest(&scheduler->stock, &claim->pieces);
        claim->pieces = (struct piece){0};
    }
    return fits && allowed;
}

static bool search_gpus(struct preemption *preemption, const struct job *newcomer,
                        const struct shape_pool *where, struct claim *claim) {
    bool spreads = newcomer->shape->span == SPAN_ANY &&
                   preemption_pool(preemption, where)->index.free_host == NULL;
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
    const struct slots *slots = preemption_pool(preemption, where)->slots;
    const struct node_index *index = slots->index;
    bundles_forget(preemption);
    if (slots->entries[device - slots->devices].blocked) {
        uint64_t gpu = UINT64_C(1) << device->gpu;
        places_collect_stays(preemption, newcomer, where, device->node);
        for (size_t i = 0; i < preemption->bundle_count; i++) {
            struct bundle *bundle = &preemption->bundles[i];
            const struct piece *piece = &preemption->jobs[bundle->first]->pieces;
            while (piece != NULL && !(piece->node == device->node && (piece->mask & gpu) != 0)) {
                piece = piece->next;
            }
            bundle->gpus = piece != NULL;
        }
        struct room lacking = {.gpus = 1,
                               .host = places_host_lacking(index, device->node, &where->slot.host)};
        return bundles_take(preemption, lacking, false, cost);
    }
    if (!places_collect_tenants(preemption, newcomer, &where->slot, device)) {
        return false;
    }
    struct room lacking;
    slots_lacking(slots, device, &where->slot, &lacking.memory, &lacking.compute, &lacking.slots);
    lacking.gpus = 0;
    lacking.host = places_host_lacking(index, device->node, &where->slot.host);
    bool all = preemption->spec->evict == EVICT_ALL_ON_GPU;
    return bundles_take(preemption, lacking, all, cost) && preemption->bundle_count > 0;
}

static int64_t device_rank(const struct slots *slots, const struct device *device) {
    const struct slot_entry *entry = &slots->entries[device - slots->devices];
    int32_t on_gpu = slots->free_on_gpu[device->node * slots->gpus_per_node + device->gpu];
    return entry->kind * (INT64_C(1) << 48) +
           (slots->rank == NULL ? 0 : slots->rank(slots->free_on_node[device->node], on_gpu));
}

static void consider_device(struct preemption *preemption, const struct job *newcomer,
                            const struct shape_pool *where, int32_t position, struct best *best) {
    struct slots *slots = preemption_pool(preemption, where)->slots;
    struct device *device = &slots->devices[position];
    struct victim_cost cost;
    if (may_serve(slots, &where->slot, position) &&
        try_device(preemption, newcomer, where, device, &cost)) {
        int64_t rank = device_rank(slots, device);
        if (is_better(best, &cost, rank, position) &&
            promises_allow_slot(preemption, newcomer, where, device)) {
            *best = (struct best){true, cost, rank, position};
        }
    }
}

static bool search_devices(struct preemption *preemption, const struct job *newcomer,
                           const struct shape_pool *where, struct claim *claim) {
    struct pool_victims *victims = &preemption->pools[where->pool];
    struct slots *slots = preemption_pool(preemption, where)->slots;
    struct best best = {.position = -1};
    struct victim_cost cost;
    for (int32_t i = index_set_first(&victims->devices); i >= 0;
         i = index_set_next(&victims->devices, i)) {
        consider_device(preemption, newcomer, where, i, &best);
    }
    /* Gangs on whole GPUs make way for slots of theirs, too. */
    for (int32_t node = index_set_first(&victims->nodes); node >= 0;
         node = index_set_next(&victims->nodes, node)) {
        int32_t first = node * slots->devices_per_node;
        for (int32_t i = first; i < first + slots->devices_per_node; i++) {
            if (slots->entries[i].blocked) {
                consider_device(preemption, newcomer, where, i, &best);
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
