/* What a scenario file says, as plain data: no clock, no state, nothing to run. Quantities are in
 * base units (nanoseconds, bytes, events per second, shares of 1); everything belongs to the
 * scenario. */
#ifndef SCENARIOS_SCENARIO_H
#define SCENARIOS_SCENARIO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "scenarios/choice.h"
#include "sim/kernel/arena.h"
#include "sim/kernel/distribution.h"
#include "sim/kernel/sim_time.h"

/* Where something is written, for errors that are found after reading. */
struct place {
    const char *file;
    int line;
    int column;
};

struct price_spec {
    bool given;           /* else the catalogue's list price applies, if it has one */
    double per_gpu_hour;  /* per_gpu_month / 730 where that was given */
    const char *currency; /* "USD" unless said otherwise */
};

struct pool_spec {
    const char *name;
    struct place place;
    int gpu; /* row of the GPU catalogue */
    int32_t nodes;
    int32_t gpus_per_node; /* 1 to 64 */
    struct price_spec price;
    struct chosen sharing;
};

struct scheduler_spec {
    struct chosen order;
    struct chosen backfill;
    struct chosen placement;
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

struct speed_spec {
    int gpu;
    double factor; /* speed on that GPU over speed on the reference GPU */
};

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
    bool has_trace;
    struct trace_spec trace;
    bool has_arrivals;
    struct chosen arrivals; /* synthetic jobs: when */
    int64_t limit;          /* synthetic jobs: how many at most; 0: no limit */
    struct distribution gpus;
    struct distribution duration; /* ns on the reference GPU */
    bool has_estimate;
    struct distribution estimate; /* ns; without one, an estimate is exact */
    int64_t memory;               /* bytes per GPU; 0: none needed */
    sim_time max_wait;            /* SIM_TIME_NEVER: waits for ever */
    int64_t max_queue;            /* jobs that may wait at a time; INT64_MAX: any number */
    int *pools;                   /* indices, in order of preference; none listed: all */
    size_t pool_count;
    struct speed_spec *speeds;
    size_t speed_count;
};

enum scope { SCOPE_RUN, SCOPE_POOL, SCOPE_WORKLOAD, SCOPE_COUNT };
extern const char *const scope_names[SCOPE_COUNT];

struct objective {
    const char *text; /* as written */
    struct place place;
    enum scope scope;
    const char *subject; /* "" for the run */
    const char *metric;  /* wait_s.p95 */
    enum relation { AT_MOST, AT_LEAST, LESS, MORE } relation;
    double value; /* seconds, shares of 1 or a bare number, as the metric has it */
};

struct record_spec {
    bool jobs;
    sim_time timeline; /* 0: none */
};

enum { WARMUP_AUTO = -1 };

/* One way to run the file: the base or a variant, after all overrides. */
struct scenario {
    struct arena arena;
    const char *file;
    const char *name;
    const char *description;
    const char *variant;   /* "base" */
    const char *canonical; /* the resolved scenario as canonical JSON, for inputs_sha256 */
    uint64_t seed;
    bool has_start;
    int64_t start; /* ns since 1970-01-01T00:00:00Z, wall clock of t = 0 */
    bool end_of_work;
    sim_time horizon;     /* SIM_TIME_NEVER under end_of_work */
    sim_time warmup;      /* WARMUP_AUTO: found by a pilot of each run */
    int32_t replications; /* at most, with a precision */
    double precision;  /* of the objectives' means, to stop at (a share of them); 0: fixed number */
    int reference_gpu; /* row of the GPU catalogue */
    struct pool_spec *pools;
    size_t pool_count;
    struct scheduler_spec scheduler;
    struct workload_spec *workloads; /* enabled ones, counts multiplied out */
    size_t workload_count;
    struct objective *objectives;
    size_t objective_count;
    struct record_spec record;
    /* What all distributions read own outside the arena, for scenario_destroy. */
    struct distribution *distributions;
    size_t distribution_count;
    size_t distribution_capacity;
};

void scenario_destroy(struct scenario *scenario);

/* The priority of jobs that do not bring their own: the workload's, else that of its class. */
int32_t workload_priority(const struct workload_spec *workload);

#endif
