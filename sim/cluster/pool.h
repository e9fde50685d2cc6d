/* A pool at run time: nodes of equal GPUs, which GPUs of each are free, and the pool's ledger. */
#ifndef SIM_CLUSTER_POOL_H
#define SIM_CLUSTER_POOL_H

#include <stdint.h>

#include "sim/cluster/ledger.h"
#include "sim/cluster/node_index.h"
#include "sim/cluster/outages.h"
#include "sim/cluster/slots.h"
#include "sim/cluster/storage.h"
#include "sim/kernel/ramp_tally.h"
#include "sim/kernel/sim_time.h"
#include "sim/kernel/tally.h"

/* What a gang holds on one node. A gang of several nodes is a list: the first piece belongs to the
 * job, the others come from a stock. */
struct piece {
    struct piece *next;
    int32_t node;
    int32_t gpus;
    uint64_t mask; /* which GPUs of the node; 0 while only planned */
};

/* Pieces are used anew rather than freed: nothing is allocated per job once warm. */
struct piece_stock {
    struct piece *free_list;
    struct piece_block *blocks;
};

struct piece *piece_take(struct piece_stock *stock);
/* Returns what is listed behind the first piece. */
void piece_return_rest(struct piece_stock *stock, struct piece *first);
void piece_stock_clear(struct piece_stock *stock);

struct pool {
    const char *name;
    int32_t position; /* among the pools of the run */
    int64_t gpus;
    int64_t gpu_memory;      /* bytes of one GPU */
    int32_t units_per_gpu;   /* in the ledger */
    struct node_index index; /* of GPUs that a gang could take: all of one are free */
    uint64_t *free_mask;     /* by node: those GPUs */
    uint64_t *closed_mask;   /* by node: whole GPUs that nobody is to take; NULL: there are never */
    struct outages *outages; /* owned; NULL: all is there all the time */
    int32_t most_nodes;      /* that are in use at a time */
    struct interconnect_spec interconnect; /* zeroed: jobs on several nodes are no slower */
    struct slots *slots;                   /* NULL: all GPUs are exclusive */
    struct storage storage;                /* the run initializes it */
    /* Units x HOST_SHARE_UNIT: what gangs that the ledger has as computing wait for their hosts. */
    struct time_tally host_waits;
    struct ledger ledger;
    double sm_time;                    /* unit-ns computing x share of the SMs in use, as booked */
    struct time_tally memory_used;     /* bytes */
    struct time_tally memory_wasted;   /* bytes that tenants hold beside what they said they need */
    struct ramp_tally memory_grown;    /* by tenants since they were placed; bytes per day */
    struct ramp_tally memory_refilled; /* the part of it that counted as wasted */
    struct time_tally queued_jobs;     /* waiting jobs that may run here */
    struct time_tally tenants;         /* of devices */
    struct time_tally crash_takes;     /* by each of them: tenants that a fault of it takes down */
    gpu_time gang_time;                /* job-ns on whole GPUs, as booked */
};

/* A pool of exclusive GPUs. */
void pool_initialize(struct pool *pool, const char *name, int32_t nodes, int32_t gpus_per_node,
                     int64_t gpu_memory);
/* Shares its GPUs as the scenario says, if it does; at the start. See slots_create. */
void pool_share(struct pool *pool, const struct pool_spec *spec, const struct gpu_model *gpu,
                struct device_host *host, int32_t parties, slot_rank *rank);
void pool_terminate(struct pool *pool);

/* Whether an empty pool could hold a gang of whole GPUs with this much memory on each. */
bool pool_could_hold(const struct pool *pool, const struct gang *gang, int64_t memory);

/* The speed of a gang on these pieces, over one on a single node; and the least that a gang could
 * have. */
double pool_gang_speed(const struct pool *pool, const struct piece *pieces);
double pool_least_gang_speed(const struct pool *pool, const struct gang *gang);

/* Gives the planned pieces (already counted in the index) their GPUs, lowest first. */
void pool_take(struct pool *pool, struct piece *pieces);
/* Which ones those of a piece would be now. */
uint64_t pool_lowest_free(const struct pool *pool, int32_t node, int32_t gpus);
/* The same where each piece names its GPUs already, all of them free. */
void pool_take_named(struct pool *pool, const struct piece *pieces);
/* Frees the pieces' GPUs, in the index too. */
void pool_give_back(struct pool *pool, const struct piece *pieces);
/* A whole GPU is not to be taken any more, though it may be somebody's; or it is again. */
void pool_close_gpu(struct pool *pool, int32_t node, int32_t gpu);
void pool_open_gpu(struct pool *pool, int32_t node, int32_t gpu);
/* The same for the pool's outages, which know that already. */
void pool_withhold_gpu(struct pool *pool, int32_t node, int32_t gpu);
void pool_release_gpu(struct pool *pool, int32_t node, int32_t gpu);
/* How many GPUs of a piece that somebody holds others could take if he gave them back. */
int32_t pool_open_gpus(const struct pool *pool, const struct piece *piece);
/* Sets up to `most` free GPUs of the piece's node aside for it, lowest first: they are in its mask
 * and off the index then. Returns how many. pool_give_back_aside: all of the piece's mask again. */
int32_t pool_set_aside(struct pool *pool, struct piece *piece, int32_t most);
/* They are that somebody's now: to be begun to use. */
void pool_take_aside(struct pool *pool, const struct piece *pieces);
void pool_give_back_aside(struct pool *pool, struct piece *piece);
/* A job computes on GPUs taken from now on, or up to now: ledger and memory follow (and the GPUs
 * are given back). */
void pool_begin_use(struct pool *pool, const struct piece *pieces, int64_t memory, sim_time now);
void pool_vacate(struct pool *pool, const struct piece *pieces, int64_t memory, sim_time now);

/* Of GPUs in use so, a job leaves some idle (sign 1), or no longer so (-1), which is said before it
 * vacates them: it holds them, but has no memory there. */
void pool_leave_idle(struct pool *pool, int32_t gpus, int64_t memory, int sign, sim_time now);

/* Of the time of jobs that compute in iterations, what their GPUs wait for the host: a share, in
 * this part of 1. */
enum { HOST_SHARE_UNIT = 1000000000 };
/* Units that the ledger has as computing begin to wait for that share of their time, or cease to
 * (below 0). It is held idle then, and told by pool_measure_at as if it came evenly. */
void pool_change_host_waits(struct pool *pool, int64_t units, int32_t host_share, sim_time now);

/* Memory in use changes otherwise: by so many bytes at once, with growth (bytes per day) from now
 * on, some of which has been `grown` already; from_waste: it was counted as wasted before. */
void pool_change_memory(struct pool *pool, int64_t bytes, ramp_amount growth, ramp_amount grown,
                        bool from_waste, sim_time now);

/* An instance found by slots_find_place is being cut for somebody: it is held until pool_end_cut.
 * Then it is there, and who it was cut for sits down, or it is given up before it is. */
void pool_begin_cut(struct pool *pool, const struct slot_place *place, sim_time now);
void pool_end_cut(struct pool *pool, const struct device *device);
/* A tenant takes a slot, found by slots_find, or leaves it. */
void pool_seat(struct pool *pool, struct device *device, struct tenant *tenant, sim_time now);
void pool_unseat(struct pool *pool, struct tenant *tenant, sim_time now);
/* A job that has left its slot leaves its memory on the device (1), or comes back or gives it up
 * (-1): nobody gets the GPU whole meanwhile. */
void pool_keep_memory(struct pool *pool, struct device *device, int64_t bytes, int sign,
                      sim_time now);
/* A tenant takes the whole GPU of a piece: `device`, which is none now, becomes that GPU for it. */
void pool_seat_alone(struct pool *pool, const struct piece *piece, struct device_host *host,
                     struct device *device, struct tenant *tenant, sim_time now);
void pool_unseat_alone(struct pool *pool, struct tenant *tenant, sim_time now);

/* The integrals of a pool from 0 to a moment; the difference of two tells what lies between. */
struct pool_measure {
    gpu_time category[GPU_STATE_COUNT]; /* unit-ns */
    double sm_time;                     /* unit-ns */
    gpu_time memory;                    /* byte-ns */
    gpu_time memory_wasted;             /* byte-ns */
    gpu_time queued_jobs;               /* job-ns */
    gpu_time tenants;                   /* tenant-ns */
    gpu_time crash_takes; /* tenant-ns, each times those whom a fault of it takes down */
};

/* Brings the books of the pool's slots up to now, too. */
struct pool_measure pool_measure_at(struct pool *pool, sim_time now);
struct pool_measure pool_measure_between(const struct pool_measure *from,
                                         const struct pool_measure *to);

/* What tenants held: their computing, loading, switching and waiting. */
gpu_time pool_measure_held(const struct pool_measure *measure);

/* Programmer's check, O(nodes): masks, index and ledger tell the same story. */
bool pool_is_consistent(const struct pool *pool);

#endif
