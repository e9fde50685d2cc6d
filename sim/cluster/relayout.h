/* GPUs of a pool that a calendar cuts anew: which layout holds when, and how each GPU gets there.
 * What is not in the new layout (the same kind of instance at the same start) is touched: it lets
 * nobody in, and once all of it on a GPU is idle, the GPU is cut. What is in both stays in use.
 *
 * The run is told of what takes time and decisions (struct device_host): whom to evict, when a GPU
 * has drained, when its limit is over. It draws the times and pushes the events of their ends. */
#ifndef SIM_CLUSTER_RELAYOUT_H
#define SIM_CLUSTER_RELAYOUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "models/catalogue.h"
#include "scenarios/sharing_spec.h"
#include "sim/cluster/cut_states.h"
#include "sim/kernel/event_queue.h"
#include "sim/kernel/sim_time.h"
#include "sim/kernel/weekly_calendar.h"

struct device;
struct piece;
struct pool;
struct relayout;
struct slots;
struct tenant;

/* How a GPU is cut. */
struct cut_plan {
    int32_t kind_at[CUT_UNITS_LIMIT]; /* by unit: the kind of what begins there; -1: nothing */
    int32_t units;                    /* of all that, in the ledger */
    bool whole;                       /* it is not cut: one device, at 0 */
};

/* The GPUs of every node that follow one calendar. */
struct relayout_program {
    struct relayout *owner;
    const struct sharing_spec *spec;
    struct cut_plan *plans;    /* by way (sharing_way) */
    struct weekly_span *spans; /* of the calendar's entries */
    struct weekly_calendar calendar;
    uint64_t gpus;      /* of a node */
    int32_t way;        /* that is to hold now */
    sim_time next_turn; /* when that changes; for the run to keep */
    int64_t changing;   /* GPUs that drain or are being cut */
};

enum relayout_phase {
    RELAYOUT_SETTLED,
    RELAYOUT_WAITS, /* for its turn: in use as before */
    RELAYOUT_DRAINS,
    RELAYOUT_CUTS
};

struct relayout_gpu {
    struct relayout_program *program; /* NULL: it follows no calendar */
    int32_t node;
    int32_t gpu; /* within the node */
    enum relayout_phase phase;
    int32_t way;              /* that it is cut in */
    int32_t goal;             /* way that it drains for, or is being cut to */
    int32_t reconfiguring;    /* units, while it is being cut, */
    sim_time cut_until;       /* and when that is over; for the run to keep */
    bool listed;              /* among the host's changed ones */
    bool newcomers;           /* somebody had a claim to what drains, and has come */
    event_id limit;           /* of draining; 0: none */
    bool limit_is_over;       /* whoever is left, or comes, is killed */
    const struct piece *gang; /* the first piece of who has all of it, */
    struct tenant *alone;     /* or the tenant that has it alone */
};

struct relayout {
    struct pool *pool; /* borrowed, like the next */
    struct slots *slots;
    const struct gpu_model *catalogued;
    struct relayout_program *programs;
    size_t program_count;
    struct relayout_gpu *gpus; /* by node and GPU */
};

/* of_gpu: by GPU of a node, the way it is shared; NULL: by no calendar. The devices are there,
 * those of the calendars' GPUs by unit, cut in way 0. */
struct relayout *relayout_create(struct pool *pool, struct slots *slots,
                                 const struct gpu_model *gpu,
                                 const struct sharing_spec *const *of_gpu);
void relayout_destroy(struct relayout *relayout); /* NULL: nothing */

/* The run begins, at t = 0, with every GPU cut as its calendar says for that time of the week. */
void relayout_begin(struct relayout *relayout, int64_t week_position);
/* When the layout of a program changes next; SIM_TIME_NEVER: never. */
sim_time relayout_next(const struct relayout_program *program, sim_time now);
/* That moment has come: GPUs drain, as many as may at once. */
void relayout_turn(struct relayout_program *program, sim_time now);

/* The layout of a program at a moment: its way. */
int32_t relayout_way_at(const struct relayout_program *program, sim_time moment);
/* Whether what begins at a unit in one way is not there in another; whether two are alike. */
bool relayout_is_touched(const struct relayout_gpu *gpu, int32_t from, int32_t to, int unit);
bool relayout_is_alike(const struct relayout_gpu *gpu, int32_t from, int32_t to);
/* How long a cut from one way to another takes, as the scenario says. */
const struct distribution *relayout_time_between(const struct relayout_gpu *gpu, int32_t from,
                                                 int32_t to);

/* Somebody has come to what is to be cut anew, or has left it; a GPU is somebody's alone, or
 * nobody's. */
void relayout_note_change(struct relayout *relayout, const struct device *device, bool came);
void relayout_note_gang(struct relayout *relayout, const struct piece *first);
void relayout_note_alone(struct relayout *relayout, const struct piece *piece,
                         struct tenant *tenant);
void relayout_forget(struct relayout *relayout, int32_t node, uint64_t gpus);

/* An outage of a GPU has begun or ended: what is down is not cut. */
void relayout_look_again(struct relayout *relayout, int32_t node, int32_t gpu);
/* Units of it that are being cut. */
int32_t relayout_units_in_work(const struct relayout *relayout, int32_t node, int32_t gpu);

/* Of a GPU that the host lists as changed: who has come to it meanwhile is to go like the others.
 * True: it has drained, and is to be cut. */
bool relayout_has_drained(struct relayout_gpu *gpu);
/* Its limit is over: what is left there is killed. */
void relayout_end_limit(struct relayout_gpu *gpu);
/* How long the cut takes, as the scenario says. */
const struct distribution *relayout_cut_time(const struct relayout_gpu *gpu);
void relayout_begin_cut(struct relayout_gpu *gpu, sim_time now);
/* It is cut; others may follow. */
void relayout_end_cut(struct relayout_gpu *gpu, sim_time now);

#endif
