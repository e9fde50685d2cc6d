/* What a scenario file says, as plain data: no clock, no state, nothing to run. Quantities are in
 * base units (nanoseconds, bytes, events per second, shares of 1); everything belongs to the
 * scenario. */
#ifndef SCENARIOS_SCENARIO_H
#define SCENARIOS_SCENARIO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "models/catalogue.h"
#include "scenarios/choice.h"
#include "scenarios/outage_spec.h"
#include "scenarios/place.h"
#include "scenarios/plan_spec.h"
#include "scenarios/preemption_spec.h"
#include "scenarios/price_spec.h"
#include "scenarios/queue_spec.h"
#include "scenarios/sharing_spec.h"
#include "sim/kernel/arena.h"
#include "sim/kernel/distribution.h"
#include "sim/kernel/sim_time.h"
#include "sim/kernel/weekly_calendar.h"

/* What saves, restores and loads of a pool go through. */
struct storage_spec {
    double bandwidth; /* bytes per second, shared by all of them; 0: no limit */
};

/* How fast a job on several nodes is, over one on a single node. */
struct interconnect_spec {
    double same_rack;
    double across;          /* racks */
    int32_t nodes_per_rack; /* INT32_MAX: all in one */
};

struct pool_spec {
    const char *name;
    struct place place;
    int gpu; /* row of the catalogue */
    int32_t nodes;
    int32_t gpus_per_node;   /* 1 to 64 */
    double cpus_per_node;    /* of the host; 0: not limited */
    int64_t memory_per_node; /* bytes of the host; 0: not limited */
    struct price_spec price;
    struct storage_spec storage;
    struct chosen sharing;      /* options: struct sharing_spec, NULL for exclusive */
    struct gpu_layout *layouts; /* GPUs that are shared in another way; disjoint */
    size_t layout_count;
    struct outage_spec outages;
    struct interconnect_spec interconnect;
};

struct scheduler_spec {
    struct chosen order;
    struct chosen backfill;
    struct chosen placement;
    sim_time head_of_line; /* having waited for so long, a job is not overtaken; NEVER: no limit */
    bool kill_at_estimate; /* jobs end at their estimate */
    struct preemption_spec preemption;
    struct queue_spec *queues;
    size_t queue_count;
    struct gpu_amount user_limit; /* that one user may hold */
};

/* A moment of a trace: on its own clock if that counts from zero, else wall-clock time as
 * nanoseconds since 1970-01-01T00:00:00 without a zone. */
struct trace_moment {
    enum moment_kind { MOMENT_NONE, MOMENT_CLOCK, MOMENT_WALL, MOMENT_FIRST, MOMENT_START } kind;
    int64_t ns;
};

/* `columns: {gpus: num_gpu}`: headroom's name and the file's. */
struct column_name {
    const char *ours;
    const char *theirs;
};

struct trace_spec {
    const char *file;   /* opened as it stands: already relative to the scenario file */
    struct place place; /* of the file's name */
    struct chosen format;
    struct trace_moment from; /* the first record kept: from <= t */
    struct trace_moment to;   /* t < to */
    int64_t limit;            /* keep the first so many records (in time); 0: all */
    double time_scale;        /* submit times after the origin are multiplied by this */
    int64_t time_unit;        /* nanoseconds per unit of the file's numbers; 0: the format's own */
    struct column_name *columns;
    size_t column_count;
    enum on_error { ON_ERROR_FAIL, ON_ERROR_SKIP } on_error;
    struct trace_moment origin; /* what is t = 0; MOMENT_FIRST by default */
};

/* A speed of a model: on another GPU, over that on the reference GPU; or on a MIG instance, over
 * that on the whole GPU. */
struct speed_spec {
    int gpu;             /* -1: of a profile */
    const char *profile; /* NULL: of a GPU; else the profile's name, 2g.20gb */
    double factor;
};

/* Where speeds come from that are not given. */
enum speed_rule {
    SPEED_GIVEN,    /* nowhere: another GPU needs a factor; slices follow the saturation */
    SPEED_MEASURED, /* slices: the catalogue's measured tables */
    SPEED_CATALOGUE /* other GPUs: the catalogue's ratio, an estimate */
};

/* GPU memory of a tenant: resident once per replica, or on each GPU of a job. */
struct memory_spec {
    struct distribution start; /* bytes, when it is placed */
    double growth_per_s;       /* bytes per second: a leak */
};

/* What a model needs and how it behaves: `models.NAME`, or the same keys in a workload. */
struct model_spec {
    const char *name; /* of the model; NULL: keys given inline only */
    struct place place;
    struct memory_spec memory;
    double saturation;             /* share of a GPU's SMs beyond which it gets no faster */
    struct distribution load_time; /* ns, before a replica serves */
    bool load_from_storage;        /* instead: it reads its memory from the pool's storage */
    enum speed_rule speed_rule;
    struct speed_spec *speeds;
    size_t speed_count;
    const char *measured_as; /* its name in the measured tables; "" if in none that is known */
    double measured_batch;   /* the batch size at which those are read */
};

/* What a slot must be like. */
enum slot_wish { SLOT_ANY, SLOT_SMALLEST, SLOT_GPU, SLOT_PROFILE };

/* How a job of several GPUs may be spread over nodes: up to a node's GPUs on one node, more on
 * whole nodes and one for the remainder; on one node only; over any nodes with free GPUs; on whole
 * nodes, also for less. */
enum gang_span { SPAN_DEFAULT, SPAN_NODE, SPAN_ANY, SPAN_WHOLE_NODES };

/* With whom a tenant shares: with all that say NONE, too; with its own tenant; with nobody but on a
 * MIG instance or GPU of its own; with nobody on a whole GPU. */
enum isolation { ISOLATION_NONE, ISOLATION_WEAK, ISOLATION_HARD, ISOLATION_FULL };

/* How long a request takes, alone on the reference GPU. */
struct service_time_spec {
    bool by_tokens; /* base + per_input_token x prompt tokens + per_output_token x output tokens */
    struct distribution time; /* ns, unless by_tokens; of no kind: a trace has to say it */
    double base_ns;
    double per_input_token_ns;
    double per_output_token_ns;
};

/* `kind: service`. */
struct service_spec {
    struct service_time_spec service_time;
    struct distribution prompt_tokens; /* synthetic requests with a time by tokens */
    struct distribution output_tokens;
    int32_t replicas;
    int32_t concurrency;    /* requests that one replica runs at once */
    struct chosen dispatch; /* registry "dispatch" */
    sim_time timeout;       /* longest time to start; SIM_TIME_NEVER: none */
    sim_time unload_after;  /* idle for so long a replica unloads; SIM_TIME_NEVER: never */
    sim_time slo;           /* latency to keep; SIM_TIME_NEVER: none given */
};

/* How a job goes on: it computes for a share of each iteration, and waits for its host, which gets
 * the next batch ready, for the rest. */
enum { PHASE_RANDOM = -1 };
struct iterations_spec {
    double gpu_active; /* the share; 1: it computes all the time */
    sim_time length;   /* of one iteration, on the reference GPU */
    sim_time phase;    /* how far into its first iteration it starts; PHASE_RANDOM: uniform */
};

/* Rows of the registry "workload kind". */
enum workload_kind { WORKLOAD_JOBS, WORKLOAD_SERVICE };

/* What a job is for: decides its priority where none is given. */
enum job_class { CLASS_INFERENCE, CLASS_FINETUNING, CLASS_TRAINING, JOB_CLASS_COUNT };
extern const char *const job_class_names[JOB_CLASS_COUNT];
extern const int32_t job_class_priorities[JOB_CLASS_COUNT];

struct workload_spec {
    const char *name;
    struct place place;
    struct chosen kind;
    enum job_class job_class;
    bool has_priority;
    int32_t priority; /* smaller is more urgent; see workload_priority */
    bool enabled;
    int32_t count;
    bool preemptible;
    struct checkpoint_spec checkpoint;
    struct iterations_spec iterations;
    bool has_trace;
    struct trace_spec trace;
    bool has_arrivals;
    struct chosen arrivals;       /* synthetic jobs or requests: when */
    int64_t limit;                /* of those: how many at most; 0: no limit */
    struct distribution gpus;     /* 1 of a service, or with a fraction */
    struct distribution duration; /* ns on the reference GPU */
    bool has_estimate;
    struct distribution estimate; /* ns; without one, an estimate is exact */
    bool has_estimate_factor;
    struct distribution estimate_factor; /* times the duration, instead */
    enum gang_span span;
    double cpus;         /* of its host, with each GPU */
    int64_t host_memory; /* bytes of its host's memory with each GPU */
    double fraction;   /* jobs: `gpus: 0.5`, a share of one GPU's SMs; 0: whole GPUs, see `gpus` */
    double compute;    /* share of a GPU's SMs that it asks for and is capped at; 0: not said */
    const char *model; /* the model it names; NULL: none */
    struct model_spec needs; /* the model's keys, overridden by the workload's own */
    enum { MEMORY_OVERFLOWS, MEMORY_STRICT } memory_policy;
    enum slot_wish slot;
    const char *slot_profile; /* SLOT_PROFILE: its name */
    const char *tenant;       /* its own name if not said */
    enum isolation isolation;
    struct service_spec service; /* of a service */
    struct weekly_span *window;  /* jobs: when they may start; none: at any time */
    size_t window_count;
    enum { WINDOW_RUN_ON, WINDOW_PREEMPT } at_end; /* what becomes of them when it closes */
    sim_time max_wait;                             /* SIM_TIME_NEVER: waits for ever */
    int64_t max_queue;       /* jobs or requests that may wait; INT64_MAX: any number */
    const char *queue;       /* of its jobs, unless a trace says it; NULL: DEFAULT_QUEUE */
    const char *user;        /* likewise; NULL: nobody */
    struct array_spec array; /* jobs; size 0 or 1: none */
    const char **after;      /* jobs: names of workloads that must have ended before, */
    size_t after_count;
    const char **afterok; /* and of those that must have completed, as written */
    size_t afterok_count;
    struct workload_dependency *dependencies; /* both, as they run */
    size_t dependency_count;
    int *pools; /* indices, in order of preference; none listed: all */
    size_t pool_count;
};

enum scope {
    SCOPE_RUN,
    SCOPE_POOL,
    SCOPE_WORKLOAD,
    SCOPE_MODEL,
    SCOPE_QUEUE,
    SCOPE_USER,
    SCOPE_COUNT
};
extern const char *const scope_names[SCOPE_COUNT];

enum relation { AT_MOST, AT_LEAST, LESS, MORE, RELATION_COUNT };
extern const char *const relation_signs[RELATION_COUNT]; /* <=, >=, <, > */

/* False for NaN, which has no value. */
bool relation_holds(enum relation relation, double value, double bound);

struct objective {
    const char *text; /* as written */
    struct place place;
    enum scope scope;
    const char *subject; /* "" for the run */
    const char *metric;  /* wait_s.p95 */
    enum relation relation;
    double value; /* seconds, shares of 1 or a bare number, as the metric has it */
};

struct record_spec {
    bool jobs;
    bool requests;
    bool events;
    sim_time timeline; /* 0: none */
};

enum { WARMUP_AUTO = -1 };

/* One way to run the file: the base or a variant, perhaps at a point of the sweep, after all
 * overrides. */
struct scenario {
    struct arena arena;
    const char *file;
    const char *name;
    const char *description;
    const char *variant;   /* "base" */
    const char *point;     /* of the sweep: cluster.pools.a100.nodes=2; "" outside sweeps */
    const char *canonical; /* the resolved scenario as canonical JSON, for inputs_sha256 */
    const struct catalogue *catalogue; /* the program's, or its own with the entries of a file */
    uint64_t seed;
    bool has_start;
    int64_t start; /* ns since 1970-01-01T00:00:00Z, wall clock of t = 0 */
    bool end_of_work;
    sim_time horizon;     /* SIM_TIME_NEVER under end_of_work */
    sim_time warmup;      /* WARMUP_AUTO: found by a pilot of each run */
    int32_t replications; /* at most, with a precision */
    double precision;  /* of the objectives' means, to stop at (a share of them); 0: fixed number */
    int reference_gpu; /* row of the catalogue */
    struct model_spec *models;
    size_t model_count;
    struct pool_spec *pools;
    size_t pool_count;
    struct power_spec power;
    struct scheduler_spec scheduler;
    struct workload_spec *workloads; /* enabled ones, counts multiplied out */
    size_t workload_count;
    struct objective *objectives;
    size_t objective_count;
    struct plan_spec plan;
    struct record_spec record;
    /* What all distributions read own outside the arena, for scenario_destroy. */
    struct distribution *distributions;
    size_t distribution_count;
    size_t distribution_capacity;
};

void scenario_destroy(struct scenario *scenario);

/* All its nodes, with those that stand by. */
int32_t pool_node_count(const struct pool_spec *pool);

/* How the GPU with this index (0-based) on every node of a pool is shared. */
const struct chosen *pool_sharing_of(const struct pool_spec *pool, int32_t gpu);

/* The priority of jobs that do not bring their own: the workload's, else that of its class. */
int32_t workload_priority(const struct workload_spec *workload);

/* Which measured speeds are its own: those of inference for a service, of training for jobs. */
enum measured_work workload_measured_work(const struct workload_spec *workload);

#endif
