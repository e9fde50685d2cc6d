/* Inside the autoscaler of a pool: what its parts share. autoscale_events.c has nodes come and go,
 * autoscale_demand.c says what is lacking, autoscale_bound.c keeps to the calendar of `capacity`.
 */
#ifndef SIM_AUTOSCALE_PARTS_H
#define SIM_AUTOSCALE_PARTS_H

#include "sim/cluster/index_set.h"
#include "sim/kernel/stream.h"
#include "sim/outage_events.h"

struct scaled_node {
    struct pool_outages *of;
    int32_t node;
    int32_t others;      /* somebody else has GPUs of it: entries of `occupied` */
    bool up;             /* neither gone nor on its way, though perhaps out for another reason */
    bool drains;         /* it is to go, as the bound is lower now */
    event_id limit;      /* of draining; 0: none */
    sim_time idle_since; /* where nobody has anything of it */
    bool awaited;        /* the end of its idle time is among the events */
};

/* An entry of `capacity`. */
struct scale_bound {
    struct pool_outages *of;
    const struct capacity_spec *spec;
    struct weekly_calendar calendar;
    bool holds; /* now */
};

struct pool_scale {
    const struct autoscale_spec *spec;
    struct stream stream;
    int32_t most; /* nodes that may be in use or on their way now */
    int32_t ordered;
    struct index_set gone;
    struct index_set kept; /* nodes that have been idle for long enough, and had to stay */
    struct scaled_node *nodes;
    struct scale_bound *bounds;
};

/* Nodes that are up, and not all out of use. */
int32_t autoscale_in_use(const struct pool_outages *of);
/* Nodes that will be: ordered ones, and spares on their way into another's place. */
int32_t autoscale_to_come(const struct pool_outages *of);
/* The node, which is up and nobody's, is gone. */
void autoscale_let_go(struct run_state *run, struct scaled_node *scaled);
/* Whether nobody, in the run or beside it, has anything of a node that is up. */
bool autoscale_is_left(const struct scaled_node *scaled);

/* What one node counts in sums of what waits. */
int64_t autoscale_node(const struct pool_outages *of);
/* What waiting jobs lack beside idle and ordered nodes, if `without` were not there (-1: as it is);
 * below 0: there is as much too much. Free GPUs and slots of other nodes are only for jobs that
 * would fit there. */
int64_t autoscale_lacking(const struct run_state *run, const struct pool_outages *of,
                          int32_t without);

/* The bound as of the start, and what changes it. */
void autoscale_bound_begin(struct run_state *run, struct pool_outages *of);
/* Nobody has anything of a node that drains any more. */
void autoscale_bound_left(struct run_state *run, struct scaled_node *scaled);

#endif
