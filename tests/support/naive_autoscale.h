/* A pool with an autoscaler, stepped from instant to instant: at each, every job and every place of
 * every node is looked at, and what waits is summed up in nodes, as fractions. Nothing in common
 * with the simulation but the distribution of provision times. */
#ifndef TESTS_SUPPORT_NAIVE_AUTOSCALE_H
#define TESTS_SUPPORT_NAIVE_AUTOSCALE_H

#include <stdbool.h>
#include <stdint.h>

#include "sim/kernel/distribution.h"
#include "sim/kernel/sim_time.h"
#include "sim/kernel/stream.h"

enum { NAIVE_SCALE_JOBS = 60, NAIVE_SCALE_NODES = 8, NAIVE_SCALE_CELLS = 12 };

struct naive_scale_job {
    int32_t gpus;   /* whole ones; 0: one place of a shared one, with so much */
    int64_t memory; /* bytes */
    sim_time submit;
    sim_time duration;
    sim_time start; /* -1: not yet */
    int32_t node;
    uint32_t cells; /* of the node: those that it has, or has a place of */
};

/* A GPU or instance of a node. */
struct naive_scale_cell {
    int32_t places;
    int64_t memory;
    double gpus; /* what it is of GPUs */
};

enum naive_scale_state { NAIVE_GONE, NAIVE_ORDERED, NAIVE_UP };

struct naive_scale_node {
    enum naive_scale_state state;
    sim_time up_at;
    sim_time idle_since;
    int turn;  /* of those idle since one instant, the first goes first */
    bool kept; /* it was to go, and could not */
};

struct naive_scale {
    int32_t least;
    int32_t most;
    sim_time idle_time;
    struct distribution provision_time;
    bool strict; /* nobody overtakes */
    int32_t nodes;
    struct naive_scale_cell cells[NAIVE_SCALE_CELLS]; /* of each node */
    int32_t cell_count;
    double stranded_gpus;                          /* of a node: in no cell */
    struct naive_scale_job jobs[NAIVE_SCALE_JOBS]; /* in order of submission */
    struct stream stream;                          /* of the autoscaler */

    sim_time now;
    struct naive_scale_node node[NAIVE_SCALE_NODES];
    int turns;
    int orders;
    double used; /* GPU-seconds; of a GPU that any tenant has */
    double down;
    double idle;
    double stranded;
};

void naive_scale_run(struct naive_scale *naive);

#endif
