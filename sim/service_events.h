/* What happens to services in a run: their replicas ask for slots, their requests arrive, start,
 * end or are turned away. */
#ifndef SIM_SERVICE_EVENTS_H
#define SIM_SERVICE_EVENTS_H

#include "sim/run_state.h"

/* A service with what is measured of it. */
struct run_service {
    struct service service; /* first: a listener is told of it */
    struct service_figures figures;
    int32_t lost_replicas; /* that no slot could hold, or that gave up */
    bool stuck;            /* all of them, and its requests do not time out */
};

/* Before anything else: the services, and the jobs that ask for a slot for each of their replicas,
 * in order of declaration. */
void service_events_begin(struct run_state *run);
void service_events_terminate(struct run_state *run);

static inline bool run_is_service(const struct run_state *run, int32_t workload) {
    return run->services[workload] != NULL;
}

/* The next item of the streams, a request of a service, arrives, at run->now. */
void service_events_arrive(struct run_state *run);

/* The scheduler has started the job of a replica: in a slot of `device` or, if that is NULL, on the
 * whole GPU of its first piece. */
void service_events_replica_started(struct run_state *run, struct job *job, struct device *device);

/* A replica that is killed before it had been up for any time has started in vain: it waits before
 * it asks for a slot again, each time in a row twice as long, and then gives up, after nearly a
 * day of waiting. */
#define REPLICA_RESTART_WAIT (10 * NANOSECONDS_PER_SECOND)
enum { REPLICA_RESTARTS_IN_VAIN = 13 };

/* A replica that holds a slot dies; what it runs fails. Once all are dead that die together, it is
 * to restart: what waits for it is dispatched anew, and it asks for a slot again. */
void service_events_kill(struct run_state *run, struct replica *replica);
void service_events_restart(struct run_state *run, struct replica *replica);

/* A replica gives its slot back, as that is cut anew; once all have that do so together, each asks
 * for another. */
void service_events_take_down(struct run_state *run, struct replica *replica,
                              enum running_requests fate);
void service_events_replace(struct run_state *run, struct replica *replica);

/* The run is over: counts and records the requests still alive, and takes the replicas' jobs off
 * the jobs alive, which are counted after that. */
void service_events_finish(struct run_state *run);

#endif
