/* What each node of a pool will have free from now on, if running jobs end as estimated and waiting
 * ones start where and when it is reserved for them: what conservative backfill asks of it, and a
 * reservation for gangs that the tree of availability.h knows too little of. A pool of exclusive
 * GPUs; a job past its estimate counts as ending now. Nodes are looked at as they are asked for,
 * each with its steps: one for each job running there, two for each reservation. */
#ifndef SIM_SCHEDULING_PROFILE_H
#define SIM_SCHEDULING_PROFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sim/cluster/pool.h"
#include "sim/scheduling/availability.h"
#include "sim/scheduling/placement.h"

/* GPUs and room on the host of one node. */
struct node_room {
    int32_t gpus;
    struct host_share host;
};

/* What is free from a moment up to the next step; the last lasts for ever. */
struct profile_step {
    sim_time from;
    struct node_room room;
};

struct node_profile {
    struct profile_step *steps;
    size_t count;
    size_t capacity;
    uint64_t made_for; /* the profile's round */
};

struct profile {
    struct availability *availability; /* borrowed, like the index */
    struct node_index *index;
    struct node_profile *nodes;
    uint64_t round;
    sim_time now;
    sim_time *moments;        /* scratch: as many as nodes */
    struct node_room *before; /* scratch: by node */
};

void profile_initialize(struct profile *profile, struct availability *availability,
                        struct node_index *index);
void profile_terminate(struct profile *profile);

/* Begins anew at `now`, with no reservations. Jobs may start and end while they are told so. */
void profile_begin(struct profile *profile, sim_time now);

/* The first moment, now or later, at which the gang fits for so long (at least 1 ns) on the same
 * nodes; SIM_TIME_NEVER: none. On one node: O(nodes that have the GPUs by then x steps of one);
 * on several: O(nodes x steps of one) for each moment that is tried. */
sim_time profile_first(struct profile *profile, const struct gang *gang, sim_time duration);

/* Where the placement rule puts the gang then, by the least that each node has free meanwhile; not
 * by what overdue jobs still hold, if it is to start now. False: nowhere, which with `starts` false
 * and a moment found by profile_first cannot be. Nothing is taken off the index. */
bool profile_plan(struct profile *profile, const struct placement_rule *rule,
                  struct piece_stock *stock, const struct gang *gang, sim_time from,
                  sim_time duration, bool starts, struct piece *first);
/* Whether it fits on these pieces then; and whether they are free now. */
bool profile_holds(struct profile *profile, const struct gang *gang, const struct piece *pieces,
                   sim_time from, sim_time duration);
bool profile_is_free_now(const struct profile *profile, const struct gang *gang,
                         const struct piece *pieces);

/* Reserves the pieces for the gang. A job that starts now is told so before it does. */
void profile_reserve(struct profile *profile, const struct gang *gang, const struct piece *pieces,
                     sim_time from, sim_time duration);

/* The least that a node has free for so long. */
struct node_room profile_room(struct profile *profile, int32_t node, sim_time from,
                              sim_time duration);

#endif
