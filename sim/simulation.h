/* One run: built from a scenario, driven to its end, owning all it allocates; several run side by
 * side in threads. */
#ifndef SIM_SIMULATION_H
#define SIM_SIMULATION_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "scenarios/scenario.h"
#include "sim/cluster/ledger.h"
#include "sim/kernel/error.h"
#include "sim/kernel/sim_time.h"
#include "sim/serving/request_state.h"
#include "workloads/work_source.h"

enum job_state {
    JOB_COMPLETED,
    JOB_RUNNING,
    JOB_QUEUED,
    JOB_TIMED_OUT,
    JOB_REJECTED,
    JOB_FAILED,
    JOB_STATE_COUNT
};
extern const char *const job_state_names[JOB_STATE_COUNT];

/* What became of one job. Times are SIM_TIME_NEVER where it did not come to that. */
struct job_record {
    const char *workload;
    const char *id;    /* never NULL */
    const char *queue; /* NULL: none */
    const char *user;  /* NULL: nobody's */
    int32_t gpus;
    sim_time submit;
    sim_time start; /* the first one */
    sim_time end;   /* completed, timed out, rejected or failed at */
    sim_time run;   /* ns that it has held its GPUs, from each start until it left them */
    int32_t preemptions;
    enum job_state state;
};

/* What happens to a job, in the order of its life. */
enum job_event_kind {
    JOB_SUBMITTED,
    JOB_STARTED, /* one for each GPU or slot that it gets */
    JOB_RESTORES,
    JOB_COMPUTES,
    JOB_SAVES,
    JOB_SAVED,
    JOB_TOLD_TO_LEAVE, /* by a more urgent job, or for a drain */
    JOB_PREEMPTED,     /* it has left its GPUs, and waits again */
    JOB_INTERRUPTED,   /* likewise, by a fault */
    JOB_ENDED,
    JOB_DIED,
    JOB_GAVE_UP,
    JOB_TURNED_AWAY,
    /* Why it still waits when the run ends. */
    JOB_WAITS_FOR_ROOM,
    JOB_WAITS_FOR_TURN, /* it would fit, but another is before it */
    JOB_WAITS_FOR_VICTIMS,
    JOB_IS_SUSPENDED, /* its memory is on a GPU, where it waits for a slot */
    JOB_WAITS_FOR_QUOTA,
    JOB_IS_HELD, /* by what it depends on */
    JOB_EVENT_COUNT
};
extern const char *const job_event_names[JOB_EVENT_COUNT];

struct job_event_record {
    sim_time time;
    enum job_event_kind kind;
    const char *workload;
    const char *id;
    const char *pool;        /* NULL: it has none yet */
    int32_t node;            /* -1: not of one GPU */
    int32_t gpu;             /* within the node */
    const char *slot;        /* of the GPU: "2g.20gb@4", "3" of several shares; NULL: all of it */
    const char *by_workload; /* with `by`: another job that it is about; NULL: none */
    const char *by;
};

/* What became of one request. Times are SIM_TIME_NEVER where it did not come to that. */
struct request_record {
    const char *workload;
    int64_t seq; /* 1-based, in order of arrival */
    sim_time arrival;
    sim_time start; /* the first one */
    sim_time end;   /* completed, timed out, rejected or failed at */
    enum request_state state;
};

/* The mean state of one pool over [time, time + interval). */
struct timeline_record {
    sim_time time;
    const char *pool;
    double allocated; /* share of the pool's GPUs */
    double busy;      /* likewise: computing, also what was lost later */
    /* Likewise; useful and redone are as they were booked during the interval: a loss moves what
     * was computed before it, too. */
    double shares[GPU_CATEGORY_COUNT];
    double memory_used_gib; /* mean */
    double queued_jobs;     /* mean number of waiting jobs that may run in this pool */
};

/* One service over the same interval; NaN: of nothing. */
struct service_timeline_record {
    sim_time time;
    const char *workload;
    int64_t completed; /* requests answered in it, whose latencies these are: */
    double latency_p50_s;
    double latency_p99_s;
    double latency_max_s;
    double slo_attainment; /* share of those that left in it, however, within the slo */
    double queued;         /* mean number of requests that have not started */
};

/* Where a run sends its rows while it goes. Each returns false with an error to stop the run. */
struct recorder {
    void *context;
    bool (*job)(void *context, const struct job_record *record, struct error *error);
    /* NULL: not recorded. */
    bool (*request)(void *context, const struct request_record *record, struct error *error);
    bool (*event)(void *context, const struct job_event_record *record, struct error *error);
    bool (*timeline)(void *context, const struct timeline_record *record, struct error *error);
    /* NULL: not recorded. */
    bool (*service)(void *context, const struct service_timeline_record *record,
                    struct error *error);
};

/* One figure. A value that does not exist (a mean over nothing, a price unknown) is NaN. */
struct metric {
    enum scope scope;
    const char *subject; /* "" for the run */
    const char *name;
    double value;
    const char *unit; /* "s", "share", "count", "gpu_hours", "usd", "usd_per_month" */
};

/* Money of one subject over the measured time. NaN: no price known. */
struct cost {
    enum scope scope;
    const char *subject;
    double usd;            /* of its own use */
    double usd_reserved;   /* what of it is for time held but not used: the run's, a pool's */
    double usd_idle_share; /* of time nobody used */
    double usd_energy;     /* for electricity, if that has a price of its own */
    double usd_per_month;  /* all together, at 730 hours a month */
};

/* The requests of a service whose latencies are in one step of a grid: neighbouring buckets of its
 * histogram, whose upper bounds differ by less than LATENCY_GRID. */
#define LATENCY_GRID 0.01
struct latency_bucket {
    const char *workload;
    double upper_s; /* the longest that would be in the last one that holds any */
    int64_t count;  /* at least 1 */
};

struct gpu_hours {
    const char *pool;
    enum gpu_category category;
    double hours;
};

/* What a run leaves when it ends. Everything belongs to it; names are borrowed from the scenario,
 * but for those of queues and users. */
struct results {
    struct arena names;
    sim_time end;            /* when the run ended */
    sim_time measured_since; /* the end of the warm-up */
    uint64_t events;
    struct metric *metrics;
    size_t metric_count;
    struct cost *costs;
    size_t cost_count;
    struct gpu_hours *gpu_hours; /* every pool x every category of the build */
    size_t gpu_hours_count;
    struct latency_bucket *latencies; /* by service, upwards */
    size_t latency_count;
    const struct objective *objectives; /* the scenario's; borrowed */
    size_t objective_count;
    int64_t rejected;
    char first_rejected[256]; /* why the first rejected job was, "" if none */
    int64_t overflows;        /* how often memory ran out */
    char first_overflow[256]; /* of whom first, "" if never */
    int64_t given_up;         /* replicas that do not ask for a slot any more */
    char first_given_up[256]; /* which did first, "" if none */
    int64_t stuck;            /* jobs that were sent back too often to get anywhere */
    char first_stuck[256];    /* which was first, "" if none */
};

struct batch_series;

/* How far a run has come, for other threads to look at while it goes. */
struct run_progress {
    atomic_int_least64_t now; /* sim_time */
    atomic_uint_least64_t events;
};

struct run_request {
    const struct scenario *scenario;
    struct trace *const *traces; /* one per workload, NULL for synthetic ones; borrowed */
    uint64_t seed;
    uint64_t replication;    /* 0-based */
    const atomic_bool *stop; /* set from outside to interrupt; may be NULL */
    /* Told how far it is, now and then; may be NULL. */
    struct run_progress *progress;
    /* Of a pilot (sim/warmup.h), which has neither rows nor a warm-up: takes the waits of its jobs
     * in the order they started. NULL: an ordinary run. */
    struct batch_series *pilot_waits;
};

enum run_outcome { RUN_DONE, RUN_FAILED, RUN_INTERRUPTED };

/* Runs to the end. On RUN_DONE *results is filled in (free with results_clear); on RUN_FAILED
 * *error says why. */
enum run_outcome simulation_run(const struct run_request *request, const struct recorder *recorder,
                                struct results *results, struct error *error);
void results_clear(struct results *results);

/* The value of one figure, NaN if the run has none of that name; subject "" for the run. */
double results_metric(const struct results *results, enum scope scope, const char *subject,
                      const char *name);

#endif
