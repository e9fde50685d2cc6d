/* The inside of one run, shared by the files that make it up: simulation.c drives it, job_events.c
 * does what happens to jobs, measuring.c and stability.c watch it, results.c sums it up. */
#ifndef SIM_RUN_STATE_H
#define SIM_RUN_STATE_H

#include "sim/arrival_streams.h"
#include "sim/kernel/batch_series.h"
#include "sim/owner_figures.h"
#include "sim/ownership.h"
#include "sim/scheduling/job_figures.h"
#include "sim/scheduling/job_store.h"
#include "sim/scheduling/job_tenant.h"
#include "sim/scheduling/preference.h"
#include "sim/scheduling/scheduler.h"
#include "sim/scheduling/shape_table.h"
#include "sim/serving/service.h"
#include "sim/serving/service_figures.h"
#include "sim/simulation.h"
#include "sim/stability.h"

/* The jobs submitted at this instant that found their workload's queue full, in that order. Whether
 * it still is shows once the scheduler has passed. */
struct overflow {
    struct overflow_job {
        struct job *job;
        uint64_t sequence; /* tells whether it is still that job */
    } * jobs;
    size_t count;
    size_t capacity;
};

struct run_courses;      /* course_events.h */
struct run_dependencies; /* dependencies.h */
struct service_interval; /* service_timeline.h */
struct run_service;      /* service_events.h */
struct run_memory;       /* memory_events.h */
struct run_clock;        /* clock_events.h */
struct run_outages;      /* outage_events.h */

/* Replicas that have been made to leave, until all that leave together have. */
struct evicted_replicas {
    struct replica **items;
    size_t count;
    size_t capacity;
};

struct run_state {
    const struct run_request *request;
    const struct scenario *scenario;
    const struct recorder *recorder;
    struct results *results;
    struct error *error;
    bool failed;

    sim_time now;
    uint64_t events_done;
    struct event_queue *events;
    struct arrival_streams streams;
    bool pass_due;      /* something changed at this instant that may let a job start */
    bool gives_up;      /* work that is left will never be done: the run ends */
    bool relief_due;    /* jobs were withdrawn at this instant: a pass once all of them are */
    sim_time last_pass; /* -1: none yet */
    struct overflow overflow;
    struct evicted_replicas evicted;

    struct ownership ownership;
    struct pool *pools;
    struct device_host devices;
    struct preferences preferences;
    struct shape_table shapes;
    struct scheduler scheduler;
    struct job_store jobs;
    struct job_tenant_stock job_tenants;
    struct run_dependencies *dependencies; /* NULL: nobody waits for anybody */
    struct run_courses *courses;           /* NULL: nothing interrupts jobs */
    uint64_t sequence;

    struct run_service **services; /* by workload; NULL: jobs */
    struct service_listener service_listener;
    struct request_stock requests;
    size_t stuck_requests;       /* alive, of services that will never serve: nothing to wait for */
    size_t replica_jobs;         /* of the jobs alive */
    struct run_memory *memory;   /* NULL: everybody's memory is known and constant */
    struct run_clock *clock;     /* NULL: nothing goes by calendars */
    struct run_outages *outages; /* NULL: all machines are there all the time */

    struct job_figures *figures;        /* by workload */
    struct owner_figures owner_figures; /* by queue and user */
    struct backlog *backlogs;           /* by workload */
    struct batch_series *waits;         /* by workload, then of all: in order of start, ns */
    struct batch_series *all_waits;     /* the last of them, or a pilot's */
    int samples;                        /* of the backlogs, taken so far */
    struct pool_measure *measured_from; /* by pool: the integrals at the end of the warm-up */
    struct service_interval *service_intervals; /* by workload (service_timeline.h); NULL: none */
    struct pool_measure *timeline_from;         /* by pool: at the last timeline row */
    sim_time warmup; /* when measuring starts: the scenario's, or found by a pilot */
    sim_time measured_since;
    sim_time timeline_since;
    bool tick_pending;     /* the timeline's next row is among the events */
    sim_time first_submit; /* SIM_TIME_NEVER before the first */
    sim_time last_end;     /* -1: none yet */
};

/* Whether per-item figures cover an item submitted then: those of [warmup, horizon) do. */
static inline bool run_counts(const struct run_state *run, sim_time submit) {
    return submit >= run->warmup && submit < run->scenario->horizon;
}

/* What an account (ownership.h) has held of a pool since measured_since, as booked; the ledger's
 * units x ns. */
static inline gpu_time *run_account(const struct run_state *run, int32_t account, int32_t pool) {
    return &run->devices.accounts[(size_t)account * run->scenario->pool_count + (size_t)pool];
}

/* The shape of a job whose other fields are set; each: what it takes of a host with each GPU. */
struct shape *run_find_shape(struct run_state *run, const struct job *job, struct host_share each);

/* What the device of a job's slot has to know of it: all but the concurrency and whom to tell. */
void run_fill_tenant(const struct run_state *run, struct tenant *tenant, const struct job *job);

/* Fills in run->results once everything is booked up to run->now. False with *run->error if the
 * ledger does not balance: the run's numbers cannot be trusted then. */
bool run_summarize(struct run_state *run);

#endif
