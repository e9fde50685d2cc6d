/* A small scenario put together in C, run by the real simulation, with all its rows kept. */
#ifndef TESTS_SUPPORT_SIM_CASE_H
#define TESTS_SUPPORT_SIM_CASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sim/simulation.h"

enum { SIM_CASE_POOLS = 4, SIM_CASE_WORKLOADS = 4 };

/* A job_record with texts of its own. */
struct job_row {
    char workload[32];
    char id[64];
    char queue[64]; /* "": none */
    int32_t gpus;
    sim_time submit;
    sim_time start;
    sim_time end;
    sim_time run;
    int32_t preemptions;
    enum job_state state;
};

/* A job_event_record with texts of its own. */
struct event_row {
    sim_time time;
    enum job_event_kind kind;
    char workload[32];
    char id[64];
    char pool[32]; /* "": none, as the slot */
    int32_t node;
    int32_t gpu;
    char slot[48];
};

/* A request_record with a text of its own. */
struct request_row {
    char workload[32];
    int64_t seq;
    sim_time arrival;
    sim_time start;
    sim_time end;
    enum request_state state;
};

struct timeline_row {
    sim_time time;
    char pool[32];
    double allocated;
    double busy;
    double shares[GPU_CATEGORY_COUNT];
    double memory_used_gib;
    double queued_jobs;
};

/* All rows of a run, in the order recorded. */
struct recording {
    struct job_row *jobs;
    size_t job_count;
    size_t job_capacity;
    struct event_row *events;
    size_t event_count;
    size_t event_capacity;
    struct request_row *requests;
    size_t request_count;
    size_t request_capacity;
    struct timeline_row *timeline;
    size_t timeline_count;
    size_t timeline_capacity;
};

/* A recorder whose context is a zeroed recording. */
struct recorder recording_recorder(struct recording *recording);
void recording_clear(struct recording *recording);
/* The one row of a job; fails the test if there is none or more than one. */
const struct job_row *recording_job(const struct recording *recording, const char *workload,
                                    const char *id);
/* Likewise of a request. */
const struct request_row *recording_request(const struct recording *recording, const char *workload,
                                            int64_t seq);

struct sim_case {
    struct catalogue *catalogue;
    struct pool_spec pools[SIM_CASE_POOLS];
    struct workload_spec workloads[SIM_CASE_WORKLOADS];
    struct trace *traces[SIM_CASE_WORKLOADS];
    struct scenario scenario;
    const atomic_bool *stop;
    enum run_outcome outcome;
    struct recording recording;
    struct results results; /* of a run that was done */
    struct error error;     /* of a run that failed */
};

/* The language's defaults, until all work has ended; no pools or workloads yet. */
void sim_case_initialize(struct sim_case *sim_case);
void sim_case_terminate(struct sim_case *sim_case);

void sim_case_rules(struct sim_case *sim_case, const char *order, const char *backfill,
                    const char *placement);
/* Preemption with these victims, whatever they have run for, in mode checkpoint. */
struct preemption_spec *sim_case_preemption(struct sim_case *sim_case, const char *victims);
void sim_case_horizon(struct sim_case *sim_case, sim_time horizon);
struct pool_spec *sim_case_pool(struct sim_case *sim_case, const char *name, const char *gpu,
                                int32_t nodes, int32_t gpus_per_node);
/* Jobs from the text of a csv trace whose clock is the simulation's. */
struct workload_spec *sim_case_workload(struct sim_case *sim_case, const char *name,
                                        const char *csv);
/* Its jobs can be preempted, and save and restore in these times; -1: by the size, which is 0. */
struct checkpoint_spec *sim_case_preemptible(struct workload_spec *workload, int32_t priority,
                                             double save_s, double restore_s);
/* Runs (again: the rows and results of the last run are dropped). */
void sim_case_run(struct sim_case *sim_case);
/* The same, and fails the test if the run does not come to its end. */
void sim_case_run_to_end(struct sim_case *sim_case);

/* Each fails the test unless this is what became of the job, to the nanosecond. */
void sim_case_expect_completed(const struct sim_case *sim_case, const char *workload,
                               const char *id, double start_s, double end_s);
void sim_case_expect_running(const struct sim_case *sim_case, const char *workload, const char *id,
                             double start_s);
void sim_case_expect_queued(const struct sim_case *sim_case, const char *workload, const char *id);
/* GPU-seconds of a pool in a category. */
void sim_case_expect_time(const struct sim_case *sim_case, const char *pool,
                          enum gpu_category category, double gpu_s);
/* Timed out or rejected. */
void sim_case_expect_turned_away(const struct sim_case *sim_case, const char *workload,
                                 const char *id, enum job_state how, double at_s);

#endif
