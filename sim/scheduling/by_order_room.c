#include "sim/scheduling/by_order_room.h"

#include <stdlib.h>
#include <string.h>

#include "sim/kernel/memory.h"
#include "sim/scheduling/course.h"
#include "sim/scheduling/scheduler.h"

void by_order_room_initialize(struct by_order_room *room, const struct scheduler *scheduler,
                              size_t level_count) {
    room->level_count = level_count;
    room->behind = memory_zero(scheduler->pool_count, sizeof *room->behind);
    room->pools = memory_zero(scheduler->pool_count, sizeof *room->pools);
    room->pool_count = scheduler->pool_count;
    for (size_t i = 0; i < room->pool_count; i++) {
        const struct node_index *index = &scheduler->pools[i].index;
        struct node_index *counts = &room->pools[i];
        counts->nodes = index->nodes;
        counts->gpus_per_node = index->gpus_per_node;
        counts->free_gpus = memory_zero((size_t)index->nodes, sizeof *counts->free_gpus);
        counts->node_count =
            memory_zero((size_t)index->gpus_per_node + 1, sizeof *counts->node_count);
        room->behind[i] = memory_zero(level_count * (size_t)index->nodes, sizeof **room->behind);
    }
}

void by_order_room_terminate(struct by_order_room *room) {
    for (size_t i = 0; i < room->pool_count; i++) {
        free(room->pools[i].free_gpus);
        free(room->pools[i].node_count);
        free(room->behind[i]);
    }
    free(room->behind);
    free(room->pools);
}

void by_order_room_note(struct by_order_room *room, const struct job *job, int sign) {
    size_t nodes = (size_t)room->pools[job->pool].nodes;
    size_t level = (size_t)job->course->level;
    for (size_t i = 0; i < level && i < room->level_count; i++) {
        uint8_t *behind = &room->behind[job->pool][i * nodes];
        for (const struct piece *piece = &job->pieces; piece != NULL; piece = piece->next) {
            behind[piece->node] = (uint8_t)(behind[piece->node] + sign * piece->gpus);
        }
    }
}

static void count(struct node_index *counts, const struct node_index *index,
                  const uint8_t *behind) {
    memset(counts->node_count, 0, ((size_t)index->gpus_per_node + 1) * sizeof *counts->node_count);
    counts->free_total = 0;
    counts->levels = 0;
    for (int32_t node = 0; node < index->nodes; node++) {
        uint8_t gpus = (uint8_t)(index->free_gpus[node] + (behind != NULL ? behind[node] : 0));
        counts->free_gpus[node] = gpus;
        counts->free_total += gpus;
        counts->node_count[gpus]++;
        counts->levels |= gpus > 0 ? UINT64_C(1) << (gpus - 1) : 0;
    }
}

void by_order_room_begin(struct by_order_room *room, const struct scheduler *scheduler, int after) {
    if (room->pass == scheduler->passes && room->after == after) {
        return;
    }
    room->pass = scheduler->passes;
    room->after = after;
    for (size_t i = 0; i < room->pool_count; i++) {
        const struct node_index *index = &scheduler->pools[i].index;
        size_t at = after == ROOM_OF_RUNNERS ? 0 : (size_t)after * (size_t)index->nodes;
        count(&room->pools[i], index, after == ROOM_OF_RUNNERS ? NULL : &room->behind[i][at]);
    }
}

static void change(struct node_index *counts, int32_t node, int32_t delta) {
    int32_t before = counts->free_gpus[node];
    int32_t after = before + delta;
    counts->free_gpus[node] = (uint8_t)after;
    counts->free_total += delta;
    if (--counts->node_count[before] == 0 && before > 0) {
        counts->levels &= ~(UINT64_C(1) << (before - 1));
    }
    if (counts->node_count[after]++ == 0 && after > 0) {
        counts->levels |= UINT64_C(1) << (after - 1);
    }
}

void by_order_room_take(struct by_order_room *room, const struct scheduler *scheduler, int32_t pool,
                        const struct piece *pieces, int sign) {
    const struct node_index *index = &scheduler->pools[pool].index;
    if (room->pass != scheduler->passes) {
        return; /* nobody has asked */
    }
    for (const struct piece *piece = pieces; piece != NULL; piece = piece->next) {
        if (node_index_usable(index, piece->node) > 0) {
            change(&room->pools[pool], piece->node, -sign * piece->gpus);
        }
    }
}

bool by_order_room_fits(const struct by_order_room *room, const struct job *job) {
    struct gang gang = shape_gang(job->shape);
    for (size_t i = 0; i < job->shape->pool_count; i++) {
        const struct shape_pool *where = &job->shape->pools[i];
        if (where->whole && placement_fits(&room->pools[where->pool], &gang)) {
            return true;
        }
    }
    return false;
}
