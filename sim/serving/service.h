/* A service of one workload: its queue of requests and the replicas that run them. What is measured
 * of requests is the listener's business. */
#ifndef SIM_SERVING_SERVICE_H
#define SIM_SERVING_SERVICE_H

#include <stdbool.h>
#include <stdint.h>

#include "scenarios/scenario.h"
#include "sim/cluster/index_set.h"
#include "sim/kernel/event_queue.h"
#include "sim/kernel/stream.h"
#include "sim/serving/dispatch.h"
#include "sim/serving/replica.h"
#include "sim/serving/request_stock.h"
#include "workloads/work_source.h"

struct service;

/* Hears what becomes of requests. */
struct service_listener {
    void *context;
    /* For the first time. */
    void (*started)(void *context, const struct service *service, const struct request *request,
                    sim_time now);
    /* It is about to be forgotten. task and parts: of a completed one, else NULL; the request's own
     * task is no longer to be read. */
    void (*left)(void *context, const struct service *service, const struct request *request,
                 enum request_state how, const struct task_parts *parts, sim_time now);
    /* A retiring replica has ended the last request that it ran. */
    void (*retired)(void *context, struct replica *replica, sim_time now);
};

struct service {
    const struct workload_spec *spec; /* borrowed, like the events, the stock and the listener */
    const struct service_listener *listener;
    struct event_queue *events;
    struct request_stock *stock;
    int32_t workload;
    int32_t replica_count;
    struct replica *replicas; /* owned */
    struct dispatcher dispatcher;
    struct request_list queue; /* without a replica: all that wait under `central`; else those for
                                  whom none is up */
    struct index_set idle;     /* replicas that are up and have room, under `central` */
    int32_t up_count;
    int32_t loading_count;
    struct index_set cold; /* replicas that have unloaded */
    int64_t waiting;
    int64_t running;
    bool counts_tokens;       /* its requests may have some */
    bool keeps_ages;          /* there is a timeout or a bound on the queue */
    struct request_list ages; /* of the waiting ones that have not started before, if kept */
    bool expiry_pending;      /* an event at `expiry`, no later than the timeout of the oldest */
    bool overflow_pending;    /* one at `overflow`, as the queue is too long */
    bool serving_pending;     /* an event at `serving_at`, after the ends of that instant */
    sim_time expiry;
    sim_time overflow;
    sim_time serving_at;
    sim_time cold_time;  /* without a replica up, but for the time since cold_since */
    sim_time cold_since; /* when the last one went, if none is up */
    struct stream load_stream;
    struct stream memory_stream;
};

/* All replicas wait for a slot; their tenants are filled in but for whose they are (party). Not to
 * be moved: it has streams. */
void service_initialize(struct service *service, const struct workload_spec *spec, int32_t workload,
                        struct event_queue *events, struct request_stock *stock,
                        const struct service_listener *listener, uint64_t seed,
                        uint64_t replication);
void service_terminate(struct service *service);

/* A request arrives at `now`, its time of submission: starts, waits, or is turned away when the
 * instant is over. */
void service_arrive(struct service *service, const struct arrival *arrival, sim_time now);

/* Draws what memory a replica takes when it starts next; bytes. */
int64_t service_draw_memory(struct service *service);

/* A replica's tenant has been given a slot, in which requests run at this speed over the reference
 * GPU. It loads, and then serves. */
void service_replica_seated(struct service *service, struct replica *replica, double speed,
                            sim_time now);

/* What becomes of the requests that a lost replica runs. */
enum running_requests { RUNNING_FAIL, RUNNING_RETURN };

/* The slot of a replica is taken away: it has no task and does not load when it is down, and is to
 * be unseated. It may be seated anew later. Once all are down that are lost together they are
 * cleared: requests that return keep their place by arrival and start again from the beginning;
 * they no longer time out; what waits in its own queue is dispatched anew, behind what waits there.
 */
void service_replica_down(struct service *service, struct replica *replica,
                          enum running_requests fate, sim_time now);
void service_replica_clear(struct service *service, struct replica *replica, sim_time now);

/* A replica is to give its slot back in its own time: it serves for no longer, and ends what it
 * runs; what waits in its own queue is dispatched anew. False: it runs nothing, and can be taken
 * down now. */
bool service_replica_retire(struct service *service, struct replica *replica, sim_time now);

/* How long the service has had no replica up in [0, now]. */
static inline sim_time service_cold_time(const struct service *service, sim_time now) {
    return service->cold_time + (service->up_count == 0 ? now - service->cold_since : 0);
}

/* Requests queued or running. */
static inline int64_t service_alive(const struct service *service) {
    return service->waiting + service->running;
}
/* All of them in order of arrival: service_alive of them. Free with free(). */
struct live_request {
    const struct request *request;
    bool runs; /* else it waits */
};
struct live_request *service_list(const struct service *service);

#endif
