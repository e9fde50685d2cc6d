/* What the jobs that wait for a pool lack, summed up shape by shape: a whole GPU counts as a part
 * of the node, a slot as one of those that an empty node has for such asks. */
#include "sim/autoscale_parts.h"
#include "sim/cluster/slots_capacity.h"
#include "sim/scheduling/placement.h"

enum { UNITS_PER_GPU = 1000000000 };

int64_t autoscale_node(const struct pool_outages *of) {
    return (int64_t)of->pool->index.gpus_per_node * UNITS_PER_GPU;
}

/* A shape that waits for the pool, and its way to ask there. */
struct waiting {
    const struct shape *shape;
    const struct shape_pool *ask;
    int64_t needs;
};

static const struct shape_pool *ask_of(const struct shape *shape, const struct pool *pool) {
    for (size_t i = 0; i < shape->pool_count; i++) {
        if (shape->pools[i].pool == pool->position) {
            return &shape->pools[i];
        }
    }
    return NULL;
}

/* So many places of those that a node has for such an ask. */
static int64_t in_places(const struct pool_outages *of, const struct shape_pool *ask,
                         int64_t places) {
    int32_t most = slots_most_on_node(of->pool->slots, &ask->slot);
    return most > 0 ? places * autoscale_node(of) / most : 0;
}

/* The same of whole GPUs. */
static int64_t in_gpus(const struct pool_outages *of, int64_t gpus) {
    const struct pool *pool = of->pool;
    int32_t most =
        pool->slots == NULL ? pool->index.gpus_per_node : slots_whole_gpus_of_node(pool->slots);
    return most > 0 ? gpus * autoscale_node(of) / most : 0;
}

static int64_t needs_of(const struct pool_outages *of, const struct waiting *waiting) {
    int64_t jobs = (int64_t)waiting->shape->waiting.count;
    struct gang gang = shape_gang(waiting->shape);
    return waiting->ask->whole ? in_gpus(of, jobs * gang_held(&gang, of->pool->index.gpus_per_node))
                               : in_places(of, waiting->ask, jobs);
}

static bool fits(const struct pool *pool, const struct waiting *waiting) {
    struct gang gang = shape_gang(waiting->shape);
    struct slot_place place;
    return waiting->ask->whole ? placement_fits(&pool->index, &gang)
                               : slots_find_place(pool->slots, &waiting->ask->slot, &place);
}

/* Together, or else each of them; `than`: perhaps no shape. */
static bool needs_more(const struct waiting *waiting, const struct waiting *than) {
    return waiting->needs > than->needs ||
           (waiting->needs == than->needs && than->shape != NULL &&
            waiting->shape->waiting.count < than->shape->waiting.count);
}

/* Idle nodes count as a whole, `without` for nothing. */
static bool has_fill(const struct pool_outages *of, int32_t node, int32_t without) {
    return node != without && !outages_is_shut(of->pool->outages, node) &&
           !outages_is_idle(of->pool->outages, node);
}

/* What of the other nodes such jobs could have. */
static int64_t fill_for(const struct pool_outages *of, const struct shape_pool *ask,
                        int32_t without) {
    const struct node_index *index = &of->pool->index;
    int64_t idle = of->pool->outages->idle_nodes;
    if (ask->whole) {
        bool counts = without >= 0 && has_fill(of, without, -1);
        int64_t gone = counts ? index->free_gpus[without] : 0;
        int64_t gpus = index->free_total - gone - idle * index->gpus_per_node;
        return in_gpus(of, gpus > 0 ? gpus : 0);
    }
    int64_t places = 0;
    for (int32_t node = 0; node < index->nodes; node++) {
        if (has_fill(of, node, without)) {
            places += slots_left_on_node(of->pool->slots, &ask->slot, node);
        }
    }
    return in_places(of, ask, places);
}

int64_t autoscale_lacking(const struct run_state *run, const struct pool_outages *of,
                          int32_t without) {
    const struct job_queue *queue = &run->scheduler.queue;
    const struct outages *outages = of->pool->outages;
    struct waiting largest = {.needs = 0}; /* of those that fit */
    int64_t fitting = 0;
    int64_t others = 0;
    for (size_t i = 0; i < queue->active_count; i++) {
        struct waiting waiting = {.shape = queue->active[i],
                                  .ask = ask_of(queue->active[i], of->pool)};
        if (waiting.ask == NULL || !job_queue_admits(queue, waiting.shape)) {
            continue;
        }
        waiting.needs = needs_of(of, &waiting);
        bool may_have = fits(of->pool, &waiting);
        *(may_have ? &fitting : &others) += waiting.needs;
        largest = may_have && needs_more(&waiting, &largest) ? waiting : largest;
    }
    int64_t fill = fitting > 0 ? fill_for(of, largest.ask, without) : 0;
    int64_t idle = outages->idle_nodes - (without >= 0 && outages_is_idle(outages, without));
    fitting = fitting > fill ? fitting - fill : 0;
    return fitting + others - (idle + autoscale_to_come(of)) * autoscale_node(of);
}
