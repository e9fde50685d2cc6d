#include "sim/cluster/outages.h"

#include <assert.h>
#include <stdlib.h>

#include "sim/cluster/pool.h"
#include "sim/cluster/relayout.h"
#include "sim/kernel/memory.h"

struct outages *outages_create(struct pool *pool, int32_t gpus_per_node) {
    struct outages *outages = memory_zero(1, sizeof *outages);
    size_t nodes = (size_t)pool->index.nodes;
    size_t gpus = nodes * (size_t)gpus_per_node;
    *outages = (struct outages){.pool = pool, .gpus_per_node = gpus_per_node};
    outages->closed = memory_zero(nodes, sizeof *outages->closed);
    outages->reasons = memory_zero(gpus * OUTAGE_COUNT, sizeof *outages->reasons);
    outages->holders = memory_zero(gpus, sizeof *outages->holders);
    outages->held = memory_zero(nodes, sizeof *outages->held);
    outages->aside = memory_zero(nodes, sizeof *outages->aside);
    outages->watched = memory_zero(nodes, sizeof *outages->watched);
    outages->idle_nodes = pool->index.nodes;
    pool->index.out_gpus = memory_zero(nodes, sizeof *pool->index.out_gpus);
    if (pool->slots != NULL) {
        size_t devices = nodes * (size_t)pool->slots->devices_per_node;
        outages->instances = memory_zero(devices, sizeof *outages->instances);
    }
    return outages;
}

void outages_destroy(struct outages *outages) {
    if (outages != NULL) {
        free(outages->closed);
        free(outages->reasons);
        free(outages->instances);
        free(outages->holders);
        free(outages->held);
        free(outages->aside);
        free(outages->watched);
        free(outages);
    }
}

uint64_t outages_all(const struct outages *outages) {
    return UINT64_MAX >> (64 - outages->gpus_per_node);
}

bool outages_is_shut(const struct outages *outages, int32_t node) {
    return outages->closed[node] == outages_all(outages);
}

bool outages_is_idle(const struct outages *outages, int32_t node) {
    return outages->closed[node] == 0 && outages->held[node] == 0 && outages->aside[node] == 0;
}

/* The node is one of those that are idle or shut, if it is, or (-1) no longer. */
static void count_node(struct outages *outages, int32_t node, int32_t sign) {
    outages->idle_nodes += outages_is_idle(outages, node) ? sign : 0;
    outages->shut_nodes += outages_is_shut(outages, node) ? sign : 0;
}

static size_t place_of(const struct outages *outages, int32_t node, int32_t gpu) {
    return (size_t)node * (size_t)outages->gpus_per_node + (size_t)gpu;
}

static uint16_t *reasons_of(const struct outages *outages, int32_t node, int32_t gpu) {
    return &outages->reasons[place_of(outages, node, gpu) * OUTAGE_COUNT];
}

bool outages_is_shut_once(const struct outages *outages, int32_t node) {
    bool once = true;
    for (int32_t gpu = 0; gpu < outages->gpus_per_node; gpu++) {
        once &= reasons_of(outages, node, gpu)[OUTAGE_CLOSED] == 1;
    }
    return once;
}

bool outages_has_holder(const struct outages *outages, int32_t node, int32_t gpu) {
    const struct gpu_holder *holder = &outages->holders[place_of(outages, node, gpu)];
    return holder->gang != NULL || holder->alone != NULL;
}

bool outages_is_out(const struct outages *outages, int32_t node, int32_t gpu) {
    const uint16_t *reasons = reasons_of(outages, node, gpu);
    return reasons[OUTAGE_DOWN] > 0 || reasons[OUTAGE_ABSENT] > 0;
}

bool outages_device_is_out(const struct outages *outages, const struct device *device) {
    return outages != NULL && (outages_is_out(outages, device->node, device->gpu) ||
                               outages->instances[device - outages->pool->slots->devices] > 0);
}

static struct device *first_device(const struct slots *slots, int32_t node, int32_t gpu) {
    return &slots->devices[node * slots->devices_per_node + slots->first_of_gpu[gpu]];
}

static bool is_cut_on_demand(const struct pool *pool, int32_t gpu) {
    const struct recut *recut = pool->slots == NULL ? NULL : pool->slots->recut;
    return recut != NULL && recut->of_gpu[gpu] != NULL;
}

/* --- Who may get it --- */

/* What of the node a gang could have had for its own. */
static int32_t whole_gpus(const struct pool *pool, uint64_t gpus) {
    return __builtin_popcountll(pool->slots == NULL ? gpus : gpus & pool->slots->ever_whole_mask);
}

static void close_gpu(struct outages *outages, int32_t node, int32_t gpu) {
    struct pool *pool = outages->pool;
    uint64_t bit = UINT64_C(1) << gpu;
    count_node(outages, node, -1);
    outages->closed[node] |= bit;
    count_node(outages, node, 1);
    pool->index.out_gpus[node] = (uint8_t)whole_gpus(pool, outages->closed[node]);
    pool_withhold_gpu(pool, node, gpu);
    if (pool->slots != NULL) {
        slots_bar_gpu(pool->slots, node, gpu, 1);
    }
    if (is_cut_on_demand(pool, gpu)) {
        recut_shut(pool->slots, node, gpu);
    }
}

static void open_gpu(struct outages *outages, int32_t node, int32_t gpu) {
    struct pool *pool = outages->pool;
    uint64_t bit = UINT64_C(1) << gpu;
    count_node(outages, node, -1);
    outages->closed[node] &= ~bit;
    count_node(outages, node, 1);
    pool->index.out_gpus[node] = (uint8_t)whole_gpus(pool, outages->closed[node]);
    if (is_cut_on_demand(pool, gpu)) {
        recut_reopen(pool->slots, node, gpu);
    }
    if (pool->slots != NULL) {
        slots_bar_gpu(pool->slots, node, gpu, -1);
    }
    pool_release_gpu(pool, node, gpu);
}

/* --- The books --- */

static enum gpu_category category_of(const uint16_t *reasons, enum gpu_category present) {
    return reasons[OUTAGE_ABSENT] > 0 ? GPU_ABSENT : reasons[OUTAGE_DOWN] > 0 ? GPU_DOWN : present;
}

/* Units of a GPU that are in no instance, nor being cut. */
static int32_t stranded_units(const struct pool *pool, int32_t node, int32_t gpu) {
    const struct slots *slots = pool->slots;
    int32_t units = pool->units_per_gpu - slots_units_there(slots, node, gpu);
    if (slots->relayout != NULL) {
        units -= relayout_units_in_work(slots->relayout, node, gpu);
    }
    return units;
}

static void move(struct outages *outages, enum gpu_category from, enum gpu_category to,
                 int32_t units, sim_time now) {
    if (from != to && units > 0) {
        ledger_move(&outages->pool->ledger, now, from, to, units);
    }
}

/* What instances that are down by themselves are, while their GPU is not. */
static enum gpu_category present_category(const struct outages *outages, size_t device) {
    return outages->instances[device] > 0 ? GPU_DOWN : GPU_IDLE;
}

/* The same of a GPU that is cut on demand, with nobody there. */
static void rebook_cuts(struct outages *outages, int32_t node, int32_t gpu, const uint16_t *before,
                        sim_time now) {
    const struct slots *slots = outages->pool->slots;
    const uint16_t *after = reasons_of(outages, node, gpu);
    const struct device *first = first_device(slots, node, gpu);
    int32_t usable = recut_usable_units(slots, node, gpu);
    int32_t broken = 0;
    for (int32_t i = 0; i < slots->first_of_gpu[gpu + 1] - slots->first_of_gpu[gpu]; i++) {
        bool there = slots_is_there(slots, &first[i]);
        broken += there && outages->instances[&first[i] - slots->devices] > 0 ? first[i].units : 0;
    }
    move(outages, category_of(before, GPU_IDLE), category_of(after, GPU_IDLE), usable, now);
    move(outages, category_of(before, GPU_DOWN), category_of(after, GPU_DOWN), broken, now);
    move(outages, category_of(before, GPU_STRANDED), category_of(after, GPU_STRANDED),
         outages->pool->units_per_gpu - usable - broken, now);
}

/* The reasons of a GPU have changed: all of it that nobody holds is something else now. */
static void rebook(struct outages *outages, int32_t node, int32_t gpu, const uint16_t *before,
                   sim_time now) {
    const struct pool *pool = outages->pool;
    const struct slots *slots = pool->slots;
    const uint16_t *after = reasons_of(outages, node, gpu);
    if (slots == NULL) {
        move(outages, category_of(before, GPU_IDLE), category_of(after, GPU_IDLE),
             pool->units_per_gpu, now);
        return;
    }
    if (is_cut_on_demand(pool, gpu)) {
        rebook_cuts(outages, node, gpu, before, now);
        return;
    }
    size_t first = (size_t)node * (size_t)slots->devices_per_node;
    for (int32_t i = slots->first_of_gpu[gpu]; i < slots->first_of_gpu[gpu + 1]; i++) {
        size_t index = first + (size_t)i;
        if (slots->entries[index].kind >= 0) {
            enum gpu_category present = present_category(outages, index);
            assert(slots->devices[index].tenant_count == 0 && !slots->entries[index].blocked);
            move(outages, category_of(before, present), category_of(after, present),
                 slots->devices[index].units, now);
        }
    }
    move(outages, category_of(before, GPU_STRANDED), category_of(after, GPU_STRANDED),
         stranded_units(pool, node, gpu), now);
}

/* A GPU that goes down forgets how MIG has cut it: instances do not outlast a reset. */
static void reset(struct outages *outages, int32_t node, int32_t gpu, sim_time now) {
    struct slots *slots = outages->pool->slots;
    if (is_cut_on_demand(outages->pool, gpu) && !outages_is_out(outages, node, gpu)) {
        slots_unlist(slots, first_device(slots, node, gpu));
        recut_reset(slots, node, gpu, now);
        slots_list(slots, first_device(slots, node, gpu));
    }
}

/* What is down is not cut anew before it is up again. */
static void look_again(struct outages *outages, int32_t node, int32_t gpu) {
    struct slots *slots = outages->pool->slots;
    if (slots != NULL && slots->relayout != NULL) {
        relayout_look_again(slots->relayout, node, gpu);
    }
}

static void change(struct outages *outages, int32_t node, int32_t gpu, enum outage how, int delta,
                   sim_time now) {
    uint16_t *reasons = reasons_of(outages, node, gpu);
    uint16_t before[OUTAGE_COUNT];
    for (int i = 0; i < OUTAGE_COUNT; i++) {
        before[i] = reasons[i];
    }
    if (how != OUTAGE_CLOSED && delta > 0) {
        reset(outages, node, gpu, now);
    }
    reasons[how] = (uint16_t)(reasons[how] + delta);
    if (how == OUTAGE_CLOSED && delta > 0 && before[how] == 0) {
        close_gpu(outages, node, gpu);
    } else if (how == OUTAGE_CLOSED && reasons[how] == 0) {
        open_gpu(outages, node, gpu);
    } else if (how != OUTAGE_CLOSED) {
        rebook(outages, node, gpu, before, now);
        look_again(outages, node, gpu);
    }
}

void outages_begin(struct outages *outages, int32_t node, uint64_t gpus, enum outage how,
                   sim_time now) {
    for (uint64_t mask = gpus; mask != 0; mask &= mask - 1) {
        int32_t gpu = __builtin_ctzll(mask);
        assert(how == OUTAGE_CLOSED || (outages->closed[node] >> gpu & 1) != 0);
        change(outages, node, gpu, how, 1, now);
    }
}

void outages_end(struct outages *outages, int32_t node, uint64_t gpus, enum outage how,
                 sim_time now) {
    for (uint64_t mask = gpus; mask != 0; mask &= mask - 1) {
        change(outages, node, __builtin_ctzll(mask), how, -1, now);
    }
}

/* --- Instances --- */

/* Of a GPU that is cut on demand, what is broken is not cut anew. */
static void hold(struct outages *outages, struct device *device, bool broken, sim_time now) {
    struct slots *slots = outages->pool->slots;
    slots_unlist(slots, device);
    if (broken) {
        recut_break(slots, device, now);
    } else {
        recut_mend(slots, device, now);
    }
    slots_list(slots, device);
}

static void change_instance(struct outages *outages, struct device *device, enum outage how,
                            int delta, sim_time now) {
    const struct slots *slots = outages->pool->slots;
    size_t index = (size_t)(device - slots->devices);
    if (how == OUTAGE_CLOSED) {
        slots_bar(outages->pool->slots, device, delta);
        return;
    }
    enum gpu_category before = present_category(outages, index);
    outages->instances[index] = (uint16_t)(outages->instances[index] + delta);
    enum gpu_category after = present_category(outages, index);
    if (!outages_is_out(outages, device->node, device->gpu) && slots->entries[index].kind >= 0) {
        move(outages, before, after, device->units, now);
    }
    if (before != after && is_cut_on_demand(outages->pool, device->gpu)) {
        hold(outages, device, delta > 0, now);
    }
    look_again(outages, device->node, device->gpu);
}

void outages_begin_instance(struct outages *outages, struct device *device, enum outage how,
                            sim_time now) {
    change_instance(outages, device, how, 1, now);
}

void outages_end_instance(struct outages *outages, struct device *device, enum outage how,
                          sim_time now) {
    change_instance(outages, device, how, -1, now);
}

/* --- Who has what --- */

void outages_note_held(struct outages *outages, int32_t node, int32_t delta) {
    count_node(outages, node, -1);
    outages->held[node] += delta;
    count_node(outages, node, 1);
    assert(outages->held[node] >= 0);
    if (outages->held[node] == 0 && outages->watched[node]) {
        outages->left(outages->context, outages->pool, node);
    }
}

void outages_note_aside(struct outages *outages, int32_t node, int32_t delta) {
    count_node(outages, node, -1);
    outages->aside[node] += delta;
    count_node(outages, node, 1);
}

static void note_holder(struct outages *outages, const struct piece *piece,
                        struct gpu_holder holder) {
    for (uint64_t mask = piece->mask; mask != 0; mask &= mask - 1) {
        outages->holders[place_of(outages, piece->node, __builtin_ctzll(mask))] = holder;
    }
    outages_note_held(outages, piece->node, __builtin_popcountll(piece->mask));
}

void outages_note_gang(struct outages *outages, const struct piece *first) {
    for (const struct piece *piece = first; piece != NULL; piece = piece->next) {
        note_holder(outages, piece, (struct gpu_holder){.gang = first});
    }
}

void outages_note_alone(struct outages *outages, const struct piece *piece, struct tenant *tenant) {
    note_holder(outages, piece, (struct gpu_holder){.alone = tenant});
}

void outages_forget(struct outages *outages, int32_t node, uint64_t gpus) {
    int32_t forgotten = 0;
    for (uint64_t mask = gpus; mask != 0; mask &= mask - 1) {
        struct gpu_holder *holder =
            &outages->holders[place_of(outages, node, __builtin_ctzll(mask))];
        forgotten += holder->gang != NULL || holder->alone != NULL;
        *holder = (struct gpu_holder){0};
    }
    if (forgotten > 0) {
        outages_note_held(outages, node, -forgotten);
    }
}

void outages_note_cut(struct outages *outages, int32_t node, int32_t gpu, int32_t idle,
                      int32_t stranded, sim_time now) {
    const uint16_t *reasons = reasons_of(outages, node, gpu);
    move(outages, GPU_IDLE, category_of(reasons, GPU_IDLE), idle, now);
    move(outages, GPU_STRANDED, category_of(reasons, GPU_STRANDED), stranded, now);
}
