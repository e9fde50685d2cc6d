/* What the figures of one subject (the run, a pool, a workload, a model) are computed from. */
#ifndef SIM_MEASURED_H
#define SIM_MEASURED_H

#include "sim/cluster/pool.h"
#include "sim/kernel/batch_series.h"
#include "sim/model_figures.h"
#include "sim/scheduling/job_figures.h"
#include "sim/serving/service_figures.h"
#include "sim/simulation.h"
#include "sim/stability.h"

struct run_state;

/* Where the time of GPUs went, in GPU-ns. */
struct gpu_use {
    double category[GPU_CATEGORY_COUNT];
    double absent;        /* GPUs that were not there, beside all these */
    double held;          /* by tenants */
    double sm_time;       /* computing x share of the SMs in use */
    double memory;        /* byte-ns */
    double memory_wasted; /* byte-ns */
    double tenant_time;   /* tenants x ns */
    double crash_time;    /* the same, each tenant times those whom a fault of it takes down */
};

/* What became of the items (jobs and requests alike) submitted in the measured time. */
struct item_counts {
    int64_t submitted;
    int64_t completed;
    int64_t timed_out;
    int64_t rejected;
    int64_t failed;
    int64_t running;            /* at the end of the run */
    int64_t queued;             /* likewise */
    int64_t killed_at_estimate; /* jobs */
    int64_t oom_kills;          /* in the measured time: jobs and replicas */
};

/* Of one service, or of all of the run. */
struct serving {
    int64_t services;
    int64_t with_slo;     /* those that have an slo and had a request */
    int64_t slo_missed;   /* of these: less than SLO_KEPT of their requests kept it */
    double slo_s;         /* of one service; NaN: none */
    int64_t replicas;     /* asked for */
    int64_t without_slot; /* of these: at the end of the run */
    double usd;           /* for the measured time, idle time included */
    double usd_of_tokens; /* what of it is for services whose requests have tokens */
    double usd_per_month; /* likewise */
    double
        latency_parts[LATENCY_PART_COUNT]; /* ns, of the requests at or above the 99th percentile */
};

#define HOURS_PER_MONTH 730.0

/* A service keeps its slo if this share of its requests does. */
#define SLO_KEPT 0.99

/* In the measured time. */
struct outage_counts {
    bool any; /* there are outages at all */
    int64_t faults[FAULT_KIND_COUNT];
    int64_t reclaims; /* of nodes */
    bool scaled;      /* there is an autoscaler */
    int64_t orders;   /* of nodes, by it */
};

/* What does not apply is NULL or 0. */
struct measured {
    struct item_counts counts;              /* the run's, a workload's */
    const struct job_figures *jobs;         /* NULL: it has none */
    const struct service_figures *requests; /* NULL: it serves none */
    struct serving serving;                 /* likewise */
    struct gpu_use use;                     /* the run's, a pool's: over the measured time */
    struct outage_counts outages;           /* likewise */
    int64_t gpus;                           /* likewise */
    double energy_kwh;                      /* likewise; NaN: the power of the GPUs is unknown */
    double memory_byte_ns;                  /* likewise: memory that was there x measured time */
    double measured_ns;
    double gpu_hours; /* used by it, or in it */
    double makespan_s;
    double warmup_s;
    const struct cost *cost;
    const struct batch_series *waits;  /* of its items, in order of start; NULL: of two kinds */
    const struct stability *stability; /* of its queue: the run's, a workload's */
};

/* What run_summarize works with: each pool over the measured time, the money, and what is measured
 * of the items of all workloads. */
struct run_summary {
    struct gpu_use *pools;   /* by pool */
    gpu_time *pool_accounts; /* by pool: what all accounts held of it, in units */
    struct held_by {         /* the same of each subject: by subject and pool */
        gpu_time *workloads;
        gpu_time *models;
        gpu_time *queues;
        gpu_time *users; /* the last one: nobody */
    } held_by;
    struct model_list models;
    struct stability *queues; /* by workload, then the run's */
    double *prices;           /* by pool: money per GPU-hour; NaN: unknown */
    double measured_ns;
    const struct cost *costs; /* the run's, the pools', the workloads', the models', the queues',
                                 the users' */
    bool any_jobs;            /* whether there are workloads of jobs, */
    bool any_services;        /* and services */
    struct job_figures jobs;
    struct service_figures requests;
};

/* Merges the figures of all workloads; free with measured_terminate. */
void measured_initialize(struct run_summary *summary, const struct run_state *run);
void measured_terminate(struct run_summary *summary);

/* What the GPUs of a pool drew in the measured time; NaN: their power is unknown. */
double measured_energy_kwh(const struct run_state *run, const struct run_summary *summary,
                           size_t i);

struct measured measured_run(const struct run_state *run, const struct run_summary *summary);
struct measured measured_pool(const struct run_state *run, const struct run_summary *summary,
                              size_t pool);
struct measured measured_workload(struct run_state *run, const struct run_summary *summary,
                                  size_t workload);
/* Of all workloads of a model. */
struct measured measured_model(const struct run_state *run, const struct run_summary *summary,
                               size_t model);
/* Of the jobs of a queue, or of a user. */
struct measured measured_queue(const struct run_state *run, const struct run_summary *summary,
                               size_t queue);
struct measured measured_user(const struct run_state *run, const struct run_summary *summary,
                              size_t user);

/* The measure in GPUs instead of the ledger's units. */
struct gpu_use gpu_use_of(const struct pool *pool, const struct pool_measure *measure);

#endif
