/* A replica of a service: the tenant of one slot, which runs up to so many requests at once. */
#ifndef SIM_SERVING_REPLICA_H
#define SIM_SERVING_REPLICA_H

#include <stdint.h>

#include "sim/cluster/device.h"
#include "sim/cluster/storage.h"
#include "sim/kernel/event_queue.h"
#include "sim/serving/request_list.h"

struct dispatcher;
struct job;
struct service;

enum replica_state {
    REPLICA_WAITING, /* for a slot */
    REPLICA_LOADING,
    REPLICA_UP,
    REPLICA_COLD,    /* has a slot and has unloaded */
    REPLICA_RETIRING /* ends what it runs, and begins nothing more */
};

struct replica {
    struct tenant tenant; /* first: a device hands it back */
    struct service *service;
    struct request_list requests; /* that it runs, in order of start */
    struct request_list queue;    /* its own, under rules that give it one */
    struct request_list returned; /* that it has run, while it is being lost */
    int64_t load;                 /* requests that it runs or that wait in its own queue */
    int32_t running;
    int32_t limit; /* requests that it may run at once */
    int32_t index; /* among its service's replicas */
    enum replica_state state;
    double speed;             /* of its slot, over the reference GPU */
    sim_time up_at;           /* the end of its last loading, */
    event_id loaded;          /* and while it loads, its event, */
    struct transfer transfer; /* or what it reads from the storage of its pool, */
    event_handler *come_up;   /* and what comes then */
    sim_time unload_at;       /* while it is idle and would unload, */
    event_id unload;          /* and its event; 0: none */
    int32_t vain_starts;      /* in a row: killed before it had been up for any time */
    struct job *job;          /* that asks for its slot */
    struct device own;        /* of one that holds a whole GPU which is no device otherwise */
};
/* Of its service's dispatcher, which follows the load. */
void replica_change_load(struct replica *replica, int64_t change);

static_assert(offsetof(struct replica, tenant) == 0, "a tenant is its replica");

#endif
