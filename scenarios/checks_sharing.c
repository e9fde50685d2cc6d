/* Whether GPUs can be shared as a pool says, and whether workloads find the slots they ask for. */
#include <string.h>

#include "models/mig.h"
#include "scenarios/checks.h"

static const struct gpu_model *gpu_of(const struct reading *reading, const struct pool_spec *pool) {
    return &reading->scenario->catalogue->gpus[pool->gpu];
}

bool checks_sharing_known(const struct reading *reading, size_t index) {
    const struct node *node = checks_pool_node(reading, index);
    return checks_gpu_known(reading, index) && checks_sound(node, "sharing") &&
           checks_sound(node, "layouts") && checks_sound(node, "gpus_per_node");
}

const struct chosen *checks_shared(const struct pool_spec *pool, size_t k) {
    size_t apart = 0;
    for (size_t i = 0; i < pool->layout_count; i++) {
        apart += pool->layouts[i].gpu_count;
    }
    if (k == 0) {
        return apart < (size_t)pool->gpus_per_node ? &pool->sharing : NULL;
    }
    return &pool->layouts[k - 1].sharing;
}

void checks_layout(struct reading *reading, const struct gpu_model *gpu, struct layout_item *items,
                   size_t item_count, struct node *layout) {
    struct error error;
    size_t count = 0;
    bool sound = true;
    for (size_t i = 0; i < item_count; i++) {
        struct layout_item *item = &items[i];
        item->profile_row = mig_find_profile(gpu, item->profile, &error);
        if (item->profile_row < 0) {
            reading_report(reading, item->place, "%s", error.message);
            sound = false;
        }
        count += (size_t)item->count;
    }
    int *profiles = arena_allocate(&reading->scenario->arena, count, sizeof(profiles[0]));
    struct mig_instance *instances =
        arena_allocate(&reading->scenario->arena, count, sizeof(instances[0]));
    count = 0;
    for (size_t i = 0; i < item_count; i++) {
        for (int32_t k = 0; k < items[i].count; k++) {
            profiles[count++] = items[i].profile_row;
        }
    }
    if (sound && !mig_place(gpu, profiles, count, instances, &error)) {
        sound = reading_report(reading, layout->place, "%s", error.message);
    }
    layout->bad = !sound;
}

/* What goes with `dynamic`, and only with it. */
static void check_demand(struct reading *reading, const struct sharing_spec *spec,
                         const struct node *node) {
    const struct node *drain = node_at(node, "reconfigure", "drain", NULL);
    const struct node *hysteresis = node_member(node, "hysteresis");
    if (spec->dynamic && drain != NULL && !drain->bad && spec->reconfigure.drain != DRAIN_WAIT) {
        reading_report(reading, drain->place,
                       "with `dynamic` only idle instances are cut anew, so nothing is drained: "
                       "write drain: wait, or have the GPUs cut by a `calendar`");
    }
    if (!spec->dynamic && hysteresis != NULL && !hysteresis->bad && spec->hysteresis > 0) {
        reading_report(reading, hysteresis->place,
                       "hysteresis is for GPUs that are cut for what waits: add `dynamic: true`, "
                       "or leave it out");
    }
}

/* How some GPUs of a pool are shared: `node` is marked where it is not possible. */
static void check_mode(struct reading *reading, size_t index, const struct chosen *sharing,
                       struct node *node) {
    const struct pool_spec *pool = &reading->scenario->pools[index];
    if (node == NULL || node->bad || sharing->index != SHARING_MIG) {
        return;
    }
    const struct sharing_spec *spec = sharing->options;
    const struct gpu_model *gpu = gpu_of(reading, pool);
    struct node *layout = node_member(node, "layout");
    if (layout == NULL && !spec->dynamic) {
        reading_report(reading, node->place,
                       "mig needs a `layout` such as [3g.40gb, 2g.20gb, 2g.20gb], the instances "
                       "that each GPU is cut into, or `dynamic: true` (`headroom catalog mig %s` "
                       "lists what is possible)",
                       checks_gpu_known(reading, index) ? gpu->name : "GPU");
        node->bad = true;
        return;
    }
    if (!checks_gpu_known(reading, index)) {
        return;
    }
    if (gpu->compute_slices == 0) {
        reading_report(reading, node->place,
                       "%s (pool %s) has no MIG: share it by mps or timeslice, or make it "
                       "exclusive",
                       gpu->name, pool->name);
        node->bad = true;
        return;
    }
    if (layout != NULL) {
        checks_layout(reading, gpu, spec->layout, spec->layout_count, layout);
        node->bad = layout->bad;
    }
    check_demand(reading, spec, node);
    checks_calendar(reading, gpu, spec, node);
}

/* Whether the indices are those of GPUs, each in one layout only. */
static bool check_indices(struct reading *reading, const struct pool_spec *pool,
                          const struct gpu_layout *layout, const struct node *node,
                          uint64_t *taken) {
    const struct node *gpus = node_member(node, "gpus");
    for (size_t i = 0; !gpus->bad && i < layout->gpu_count; i++) {
        int gpu = layout->gpus[i];
        struct place place = gpus->entries[i].value->place;
        if (gpu >= pool->gpus_per_node) {
            return reading_report(reading, place,
                                  "there is no GPU %d on the nodes of pool %s: they have %d, "
                                  "counted from 0",
                                  gpu, pool->name, (int)pool->gpus_per_node);
        }
        if ((*taken >> gpu & 1) != 0) {
            return reading_report(reading, place,
                                  "GPU %d of pool %s is listed twice in its layouts", gpu,
                                  pool->name);
        }
        *taken |= UINT64_C(1) << gpu;
    }
    return true;
}

static void check_layouts(struct reading *reading, size_t index, const struct node *pool_node,
                          struct node *layouts) {
    const struct pool_spec *pool = &reading->scenario->pools[index];
    const struct node *gpus_per_node = node_member(pool_node, "gpus_per_node");
    uint64_t taken = 0;
    for (size_t i = 0; i < pool->layout_count; i++) {
        struct node *node = layouts->entries[i].value;
        if (node->kind != NODE_MAP) {
            continue;
        }
        if (gpus_per_node != NULL && !gpus_per_node->bad && node_member(node, "gpus") != NULL) {
            layouts->bad |= !check_indices(reading, pool, &pool->layouts[i], node, &taken);
        }
        struct node *sharing = node_member(node, "sharing");
        check_mode(reading, index, &pool->layouts[i].sharing, sharing);
        layouts->bad |= sharing == NULL || sharing->bad;
    }
}

enum { MOST_KINDS = 64 }; /* of slots in a pool: the simulation has a bit for each */

/* How many kinds of slots a pool may come to. */
static size_t count_kinds(const struct reading *reading, const struct pool_spec *pool) {
    uint64_t profiles = 0; /* of instances that are exclusive, which are alike wherever they are */
    size_t kinds = 1;      /* exclusive GPUs */
    for (size_t k = 0; k <= pool->layout_count; k++) {
        const struct chosen *sharing = checks_shared(pool, k);
        const struct sharing_spec *spec = sharing == NULL ? NULL : sharing->options;
        if (spec == NULL) {
            continue;
        }
        kinds += sharing->index != SHARING_MIG;
        kinds += spec->dynamic ? gpu_of(reading, pool)->profile_count : 0;
        for (size_t n = 0; n < sharing_way_count(spec); n++) {
            struct layout_way way = sharing_way(spec, n);
            for (size_t i = 0; i < way.count; i++) {
                bool alone = way.items[i].sharing.index == SHARING_EXCLUSIVE;
                profiles |= alone ? UINT64_C(1) << way.items[i].profile_row : 0;
                kinds += !alone;
            }
        }
    }
    return kinds + (size_t)__builtin_popcountll(profiles);
}

static void check_kinds(struct reading *reading, const struct pool_spec *pool,
                        const struct node *pool_node) {
    size_t kinds = count_kinds(reading, pool);
    if (kinds > MOST_KINDS) {
        reading_report(reading, pool_node->place,
                       "the GPUs of pool %s are shared in up to %zu ways; at most %d are possible: "
                       "make pools of their own of some",
                       pool->name, kinds, (int)MOST_KINDS);
    }
}

void checks_sharing(struct reading *reading) {
    for (size_t i = 0; i < reading->scenario->pool_count; i++) {
        const struct pool_spec *pool = &reading->scenario->pools[i];
        const struct node *node = checks_pool_node(reading, i);
        struct node *layouts = node_member(node, "layouts");
        if (pool->name == NULL || node->kind != NODE_MAP) {
            continue;
        }
        check_mode(reading, i, &pool->sharing, node_member(node, "sharing"));
        if (layouts != NULL && layouts->kind == NODE_LIST) {
            check_layouts(reading, i, node, layouts);
        }
        if (checks_sharing_known(reading, i)) {
            check_kinds(reading, pool, node);
        }
    }
}
