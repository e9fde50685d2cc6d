/* What tenants share: a GPU, or a MIG instance of one. A tenant (a replica, or a job) holds one of
 * the device's slots; what it computes are tasks (a request, or a job's work). The engine of the
 * sharing mode says how fast; the device keeps the books: the pool's ledger, each tenant's account,
 * and the event of the next end.
 *
 * Begins and ends are collected during an instant and decided when it is over
 * (device_host_settle): so an arrival at the very end of a slice finds its turn. */
#ifndef SIM_CLUSTER_DEVICE_H
#define SIM_CLUSTER_DEVICE_H

#include <stdbool.h>
#include <stdint.h>

#include "scenarios/sharing_spec.h"
#include "sim/cluster/ledger.h"
#include "sim/cluster/processor_sharing.h"
#include "sim/cluster/time_slicer.h"
#include "sim/kernel/event_queue.h"
#include "sim/kernel/ramp_tally.h"
#include "sim/kernel/sim_time.h"

struct device;
struct piece;
struct pool;
struct relayout_gpu;
struct tenant;

/* Something being computed, embedded in a request or a job. */
struct task {
    struct sharing_task shared; /* first: an engine hands it back */
    sim_time begun;
    sim_time work;  /* ns, alone in its slot */
    double counter; /* of the engine, when it began */
    struct tenant *tenant;
};

/* Where the time of a task between begin and end went, beside its work; ns. */
struct task_parts {
    double others;       /* slices of other tenants */
    double switching;    /* changing tenants */
    double interference; /* slower because other tenants compute, too */
    double batching;     /* slower because other tasks of its own tenant compute, too */
    double capped;       /* slower because its tenant may not use all SMs that it could */
};

/* What a tenant does beside what it computes, in the order in which later ones go first
 * (device_set_state): one that saves may compute meanwhile. */
enum tenant_state {
    TENANT_WAITS,    /* nothing */
    TENANT_LOADS,    /* a model, before it serves */
    TENANT_RESTORES, /* reads back what it has saved */
    TENANT_SAVES,
    TENANT_STATE_COUNT
};

/* Who holds a slot. Its owner fills in the first part before it is seated, and hears of the ends.
 * The task is no longer the device's then, and the tenant may begin another at once. */
struct tenant {
    void (*task_ended)(void *context, struct tenant *tenant, struct task *task,
                       const struct task_parts *parts, sim_time now);
    int32_t workload;
    int32_t account;     /* on which its time is booked */
    int32_t concurrency; /* tasks that it may have begun at a time */
    /* Of the time that it computes, as far as its device can tell, it waits for its host: in
     * HOST_SHARE_UNIT. Only of one that has its device alone. */
    int32_t host_share;
    double saturation; /* share of a whole GPU's SMs beyond which it gets no faster */
    double compute;    /* share of a whole GPU's SMs that it asked for and is held to; 0: none */
    int64_t memory;    /* bytes that it was placed with */
    int64_t memory_excess; /* bytes that it really takes beyond them when it starts; also below 0 */
    int64_t memory_growth; /* bytes per day since then: a leak */
    int32_t party;         /* whom it belongs to (the scenario's `tenant`), interned */
    bool exclusive_party;  /* isolation: weak: meets only its own party */
    sim_time expected_end; /* as its job is estimated, alone in its slot */

    struct device *device; /* NULL: it holds no slot; also unused if zeroed */
    int32_t slot;
    int32_t tasks; /* begun and not ended */
    enum tenant_state state;
    bool memory_watched;     /* its device's memory varied when it came (device_memory.h), */
    bool memory_refused;     /* and could not hold it */
    sim_time seated;         /* when that was */
    double booked_computing; /* what of the counters is on its account already */
    double booked_switching;
    double booked_state[TENANT_STATE_COUNT];
    double computed;         /* its part of device time not taken yet, as booked; ns */
    double moved;            /* likewise, of the time in which it saves or restores */
    uint32_t computed_epoch; /* when that began to count, as its host counts */
};

/* What the devices of a run have in common. */
struct device_host {
    struct event_queue *events;
    event_handler *overflows; /* told of a device whose memory runs out */
    gpu_time *accounts;       /* by account and pool: what they held, in the ledger's units x ns */
    size_t pool_count;
    uint32_t epoch;            /* of what tenants have computed (device_host_forget_computed) */
    struct device *singles;    /* GPUs that a tenant has alone, outside any pool's slots */
    struct device **unsettled; /* to be settled when the instant is over */
    size_t unsettled_count;
    size_t unsettled_capacity;

    /* Told of an instance, cut on demand, that has been idle for so long that it gives way. */
    event_handler *gives_way;

    /* Of GPUs that a calendar cuts anew (relayout.h). A tenant, or the gang whose first piece this
     * is, is to leave; DRAIN_WAIT: in its own time. It may be told of that again. */
    void (*evict)(void *context, struct tenant *tenant, const struct piece *gang, enum drain how);
    void *context;
    event_handler *drain_limit;    /* told of one that has drained for so long */
    struct relayout_gpu **changed; /* those with comings and goings: to be looked at before the */
    size_t changed_count;          /* instant is over */
    size_t changed_capacity;
};

/* How a mode divides a device (the rows are in sharing.h). Counters are ns since the start. */
struct device_engine {
    void (*initialize)(struct device *device, const struct sharing_spec *spec);
    void (*terminate)(struct device *device);
    void (*seat)(struct device *device, const struct tenant *tenant, sim_time now);
    void (*begin)(struct device *device, struct tenant *tenant, struct task *task, sim_time now);
    /* Returns how much of its work was done. */
    sim_time (*withdraw)(struct device *device, struct tenant *tenant, struct task *task,
                         sim_time now);
    void (*settle)(struct device *device, sim_time now); /* NULL: nothing to decide */
    sim_time (*next)(const struct device *device);
    /* At that time: takes what ends; NULL if it takes a settle first. */
    struct task *(*end)(struct device *device, sim_time now, struct tenant **tenant,
                        struct task_parts *parts);
    void (*advance)(struct device *device, sim_time now);          /* counters up to now */
    double (*computed)(const struct device *device, int32_t slot); /* its part of device time */
    /* Towards a slot, and in all; NULL: switching costs nothing in this mode. */
    double (*switched)(const struct device *device, int32_t slot);
    double (*switched_in_all)(const struct device *device);
    /* Computing time x share of the device's SMs in use; NULL: tenants compute one at a time. */
    double (*occupied)(const struct device *device);
};

/* The state of the engine for a GPU or instance that one tenant has alone. */
struct alone {
    struct task *task;
    struct tenant *tenant;
    sim_time end;
    sim_time computed; /* up to the last end or advance */
    sim_time since;
    bool several; /* the tenant begins several tasks at once: they are in `tasks` */
    struct processor_sharing *tasks; /* owned; NULL: never needed */
};

/* That for tenants that take turns. */
struct turns {
    struct time_slicer slicer;
    struct task **tasks; /* by slot: the one begun; owned */
};

struct device {
    const struct device_engine *engine;
    struct device_host *host;
    struct pool *pool;
    struct device *next_single; /* in the host's list */
    struct device *previous_single;
    int32_t node;
    int32_t gpu;              /* within the node */
    int32_t profile;          /* row of the GPU's MIG profiles; -1: a whole GPU */
    int32_t units;            /* what it counts for in the ledger */
    double sm_share;          /* its SMs over those of the GPU */
    int64_t memory;           /* bytes */
    int64_t memory_limit;     /* bytes each tenant may have; 0: no limit */
    enum oom_scope oom;       /* what running out of memory kills, within the instance or GPU */
    double thread_percentage; /* share of its SMs each tenant may use at most */

    struct tenant **tenants; /* by slot, NULL: free; owned */
    int32_t slots;
    int32_t tenant_count;
    int32_t in_state[TENANT_STATE_COUNT]; /* of them */
    int32_t task_count;
    int64_t memory_used; /* what its tenants were placed with */
    double compute_used;
    struct {
        int64_t memory;
        int32_t compute; /* 1e-9 of a GPU's SMs */
        int32_t slots;
    } promised;    /* to tenants that come once others have left: slots_promise */
    int32_t keeps; /* jobs that have left their slots, and not their memory (promised, too) */
    struct device *next_emptied; /* of those whose tenants leave for one newcomer on whole GPUs */

    /* Beyond that (device_memory.h). */
    int32_t memory_watched;         /* tenants */
    int64_t memory_excess;          /* of them, when they started; bytes */
    struct ramp_tally memory_grown; /* since then; bytes */
    event_id memory_event;          /* when it runs out; 0: never */
    sim_time memory_time;

    union {
        struct alone alone;
        struct turns turns;
        struct processor_sharing sharing;
    };
    event_id event; /* of the next end, 0: none */
    sim_time event_time;
    bool unsettled;

    enum gpu_category category; /* its units are in, since `since` */
    sim_time since;
    /* Counters: ns of device time for each tenant in a state, while nobody computed or was in one
     * that goes first. */
    double each_in[TENANT_STATE_COUNT];
    double booked_switching;
    double booked_occupied;
};

/* A device of a pool with all slots free and its units idle. The caller has zeroed it and set host,
 * pool, node, gpu, profile, units, sm_share, memory and slots. spec: NULL for exclusive. */
void device_initialize(struct device *device, const struct device_engine *engine,
                       const struct sharing_spec *spec);
void device_terminate(struct device *device);

/* The tenant takes the first free slot, or gives its slot back, with no task left. Whether what it
 * is placed with fits is for others to see to. */
void device_seat(struct device *device, struct tenant *tenant, sim_time now);
void device_unseat(struct tenant *tenant, sim_time now);

/* A moment of a device is in the first category that any of its tenants is in: computing,
 * checkpoint, restore, loading, switch, held_idle; and belongs to the tenants in it. */
void device_set_state(struct tenant *tenant, enum tenant_state state, sim_time now);

/* Begins a task: `work` ns of computing, alone in the slot. Its end is told to task_ended. */
void device_begin(struct tenant *tenant, struct task *task, sim_time work, sim_time now);
/* Takes a task back: killed, or preempted. Returns how much of its work was done: ns of computing
 * alone in the slot, rounded down, from 0 to task->work. */
sim_time device_withdraw(struct tenant *tenant, struct task *task, sim_time now);

/* What the tenant has computed since the last call, or since it was seated, or since that was
 * forgotten: its own part of the pool's useful time, in the ledger's units x ns. Books the device.
 */
gpu_time device_take_computed(struct tenant *tenant, sim_time now);
/* Likewise, its part of the time that the device saves or restores: none while others compute
 * there. Of a device that has just been booked. */
double device_take_moved(struct tenant *tenant);
/* Measuring starts anew: what tenants have computed so far, all of it just booked, no longer
 * counts. */
static inline void device_host_forget_computed(struct device_host *host) {
    host->epoch++;
}

/* The instant is over: whoever computes next is decided. May bring events for this very instant. */
void device_host_settle(struct device_host *host, sim_time now);
static inline bool device_host_is_settled(const struct device_host *host) {
    return host->unsettled_count == 0;
}

void device_host_add(struct device_host *host, struct device *single);
void device_host_remove(struct device_host *host, struct device *single);

/* Brings the pool's ledger, its sm_time and the tenants' accounts up to now. */
void device_book(struct device *device, sim_time now);
/* The same for all singles; slots_book does it for the devices of a pool's slots. */
void device_host_book_singles(struct device_host *host, sim_time now);

#endif
