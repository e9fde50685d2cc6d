#include "sim/scheduling/availability.h"

#include <assert.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "sim/kernel/memory.h"

/* A tree node whose least moment is known, on the way to the k-th smallest leaf. */
struct frontier_entry {
    sim_time moment;
    size_t at;
};

static sim_time *moments(const struct availability *availability, size_t at) {
    return &availability->first_moment[at * (size_t)availability->gpus_per_node];
}

static struct held *held_on(const struct availability *availability, int32_t node) {
    return &availability->held[(size_t)node * (size_t)availability->gpus_per_node];
}

static void refresh_parent(const struct availability *availability, size_t at) {
    sim_time *parent = moments(availability, at);
    const sim_time *left = moments(availability, 2 * at);
    const sim_time *right = moments(availability, 2 * at + 1);
    for (int32_t i = 0; i < availability->gpus_per_node; i++) {
        parent[i] = left[i] < right[i] ? left[i] : right[i];
    }
}

void availability_initialize(struct availability *availability, const struct node_index *index) {
    size_t nodes = (size_t)index->nodes;
    size_t gpus = (size_t)index->gpus_per_node;
    *availability = (struct availability){
        .index = index, .gpus_per_node = index->gpus_per_node, .leaf_count = 1};
    while (availability->leaf_count < nodes) {
        availability->leaf_count *= 2;
    }
    availability->held = memory_zero(nodes * gpus, sizeof *availability->held);
    availability->held_count = memory_zero(nodes, sizeof *availability->held_count);
    availability->first_moment =
        memory_zero(2 * availability->leaf_count * gpus, sizeof *availability->first_moment);
    /* Leaves that stand for no node. */
    for (size_t leaf = nodes; leaf < availability->leaf_count; leaf++) {
        for (size_t i = 0; i < gpus; i++) {
            moments(availability, availability->leaf_count + leaf)[i] = SIM_TIME_NEVER;
        }
    }
    for (size_t at = availability->leaf_count - 1; at > 0; at--) {
        refresh_parent(availability, at);
    }
}

void availability_terminate(struct availability *availability) {
    free(availability->held);
    free(availability->held_count);
    free(availability->first_moment);
    free(availability->frontier);
    free(availability->nodes);
}

/* Recomputes a leaf: n GPUs are free once those free now and those given back make n, of those that
 * are not out of use: when these come back, nobody knows. */
static void refresh_leaf(const struct availability *availability, int32_t node) {
    sim_time *leaf = moments(availability, availability->leaf_count + (size_t)node);
    const struct held *held = held_on(availability, node);
    int32_t usable = node_index_usable(availability->index, node);
    int32_t n = 0;
    for (; n < availability->index->free_gpus[node]; n++) {
        leaf[n] = 0;
    }
    for (int32_t i = 0; i < availability->held_count[node]; i++) {
        for (int32_t end = n + held[i].gpus; n < end && n < usable; n++) {
            leaf[n] = held[i].end;
        }
    }
    assert(n <= usable);
    for (; n < availability->gpus_per_node; n++) {
        leaf[n] = SIM_TIME_NEVER;
    }
}

static void refresh(const struct availability *availability, int32_t node) {
    refresh_leaf(availability, node);
    for (size_t at = (availability->leaf_count + (size_t)node) / 2; at > 0; at /= 2) {
        refresh_parent(availability, at);
    }
}

void availability_hold(struct availability *availability, int32_t node, const struct held *what) {
    struct held *held = held_on(availability, node);
    int32_t place = availability->held_count[node]++;
    while (place > 0 && held[place - 1].end > what->end) {
        held[place] = held[place - 1];
        place--;
    }
    held[place] = *what;
    refresh(availability, node);
}

void availability_look_again(struct availability *availability, int32_t node) {
    refresh(availability, node);
}

static bool is_same(const struct held *a, const struct held *b) {
    return a->end == b->end && a->gpus == b->gpus && a->host.cpus == b->host.cpus &&
           a->host.memory == b->host.memory;
}

void availability_release(struct availability *availability, int32_t node,
                          const struct held *what) {
    struct held *held = held_on(availability, node);
    int32_t place = 0;
    while (!is_same(&held[place], what)) {
        place++;
        assert(place < availability->held_count[node]);
    }
    int32_t behind = --availability->held_count[node] - place;
    memmove(&held[place], &held[place + 1], (size_t)behind * sizeof *held);
    refresh(availability, node);
}

const struct held *availability_held(const struct availability *availability, int32_t node,
                                     size_t *count) {
    *count = availability->held_count[node];
    return held_on(availability, node);
}

/* A binary heap, the least moment on top. */
static void frontier_push(struct availability *availability, size_t count, size_t at, size_t n) {
    availability->frontier = memory_grow(availability->frontier, &availability->frontier_capacity,
                                         count + 1, sizeof *availability->frontier);
    struct frontier_entry *heap = availability->frontier;
    sim_time moment = moments(availability, at)[n - 1];
    while (count > 0 && moment < heap[(count - 1) / 2].moment) {
        heap[count] = heap[(count - 1) / 2];
        count = (count - 1) / 2;
    }
    heap[count] = (struct frontier_entry){.moment = moment, .at = at};
}

static struct frontier_entry frontier_pop(struct frontier_entry *heap, size_t count) {
    struct frontier_entry top = heap[0];
    struct frontier_entry last = heap[count - 1];
    size_t hole = 0;
    for (size_t child = 1; child < count - 1; child = 2 * hole + 1) {
        child += child + 1 < count - 1 && heap[child + 1].moment < heap[child].moment;
        if (heap[child].moment >= last.moment) {
            break;
        }
        heap[hole] = heap[child];
        hole = child;
    }
    heap[hole] = last;
    return top;
}

/* When at least `rank` nodes have n GPUs free: the rank-th smallest of the leaves. */
static sim_time moment_of_rank(struct availability *availability, int32_t n, int32_t rank) {
    size_t count = 0;
    frontier_push(availability, count++, 1, (size_t)n);
    for (;;) {
        struct frontier_entry least = frontier_pop(availability->frontier, count--);
        if (least.at >= availability->leaf_count) {
            if (--rank == 0 || least.moment == SIM_TIME_NEVER) {
                return least.moment;
            }
        } else {
            frontier_push(availability, count++, 2 * least.at, (size_t)n);
            frontier_push(availability, count++, 2 * least.at + 1, (size_t)n);
        }
    }
}

sim_time availability_first_fit(struct availability *availability, int32_t gpus) {
    int32_t per_node = availability->gpus_per_node;
    if (gpus <= per_node) {
        return moments(availability, 1)[gpus - 1];
    }
    int32_t whole = gpus / per_node;
    int32_t remainder = gpus % per_node;
    sim_time moment = moment_of_rank(availability, per_node, whole);
    if (remainder > 0) {
        /* A node that is wholly free has the remainder free, too, so one more node must have it. */
        sim_time other = moment_of_rank(availability, remainder, whole + 1);
        moment = other > moment ? other : moment;
    }
    return moment;
}

static size_t collect(struct availability *availability, size_t at, size_t n, sim_time moment,
                      size_t count) {
    if (moments(availability, at)[n - 1] > moment) {
        return count;
    }
    if (at < availability->leaf_count) {
        count = collect(availability, 2 * at, n, moment, count);
        return collect(availability, 2 * at + 1, n, moment, count);
    }
    size_t node = at - availability->leaf_count;
    if (node < (size_t)availability->index->nodes) {
        availability->nodes = memory_grow(availability->nodes, &availability->node_capacity,
                                          count + 1, sizeof *availability->nodes);
        availability->nodes[count++] = (int32_t)node;
    }
    return count;
}

const int32_t *availability_nodes(struct availability *availability, int32_t gpus, sim_time moment,
                                  size_t *count) {
    /* The least that a node must have to be of use. */
    int32_t remainder = gpus % availability->gpus_per_node;
    int32_t n = remainder > 0 ? remainder : availability->gpus_per_node;
    *count = collect(availability, 1, (size_t)n, moment, 0);
    return availability->nodes;
}

int32_t availability_returned(const struct availability *availability, int32_t node,
                              sim_time moment) {
    const struct held *held = held_on(availability, node);
    int32_t gpus = 0;
    bool usable = node_index_usable(availability->index, node) > 0; /* else nobody else gets them */
    for (int32_t i = 0; usable && i < availability->held_count[node] && held[i].end <= moment;
         i++) {
        gpus += held[i].gpus;
    }
    return gpus;
}
