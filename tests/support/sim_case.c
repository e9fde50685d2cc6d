#include "tests/support/sim_case.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sim/kernel/memory.h"
#include "sim/scheduling/backfill.h"
#include "sim/scheduling/order.h"
#include "sim/scheduling/placement.h"
#include "sim/scheduling/victims.h"
#include "tests/support/spec.h"
#include "tests/support/unit.h"
#include "workloads/trace_format.h"

/* --- Recording --- */

static void copy_text(char *to, size_t size, const char *text) {
    assert_true(strlen(text) < size);
    strcpy(to, text);
}

static bool keep_job(void *context, const struct job_record *record, struct error *error) {
    (void)error;
    struct recording *recording = context;
    recording->jobs = memory_grow(recording->jobs, &recording->job_capacity,
                                  recording->job_count + 1, sizeof *recording->jobs);
    struct job_row *row = &recording->jobs[recording->job_count++];
    *row = (struct job_row){.gpus = record->gpus,
                            .submit = record->submit,
                            .start = record->start,
                            .end = record->end,
                            .run = record->run,
                            .preemptions = record->preemptions,
                            .state = record->state};
    copy_text(row->workload, sizeof row->workload, record->workload);
    copy_text(row->id, sizeof row->id, record->id);
    copy_text(row->queue, sizeof row->queue, record->queue == NULL ? "" : record->queue);
    return true;
}

static bool keep_event(void *context, const struct job_event_record *record, struct error *error) {
    (void)error;
    struct recording *recording = context;
    recording->events = memory_grow(recording->events, &recording->event_capacity,
                                    recording->event_count + 1, sizeof *recording->events);
    struct event_row *row = &recording->events[recording->event_count++];
    *row = (struct event_row){
        .time = record->time, .kind = record->kind, .node = record->node, .gpu = record->gpu};
    copy_text(row->workload, sizeof row->workload, record->workload);
    copy_text(row->id, sizeof row->id, record->id);
    copy_text(row->pool, sizeof row->pool, record->pool == NULL ? "" : record->pool);
    copy_text(row->slot, sizeof row->slot, record->slot == NULL ? "" : record->slot);
    return true;
}

static bool keep_request(void *context, const struct request_record *record, struct error *error) {
    (void)error;
    struct recording *recording = context;
    recording->requests = memory_grow(recording->requests, &recording->request_capacity,
                                      recording->request_count + 1, sizeof *recording->requests);
    struct request_row *row = &recording->requests[recording->request_count++];
    *row = (struct request_row){.seq = record->seq,
                                .arrival = record->arrival,
                                .start = record->start,
                                .end = record->end,
                                .state = record->state};
    copy_text(row->workload, sizeof row->workload, record->workload);
    return true;
}

static bool keep_timeline(void *context, const struct timeline_record *record,
                          struct error *error) {
    (void)error;
    struct recording *recording = context;
    recording->timeline = memory_grow(recording->timeline, &recording->timeline_capacity,
                                      recording->timeline_count + 1, sizeof *recording->timeline);
    struct timeline_row *row = &recording->timeline[recording->timeline_count++];
    *row = (struct timeline_row){.time = record->time,
                                 .allocated = record->allocated,
                                 .busy = record->busy,
                                 .memory_used_gib = record->memory_used_gib,
                                 .queued_jobs = record->queued_jobs};
    memcpy(row->shares, record->shares, sizeof row->shares);
    copy_text(row->pool, sizeof row->pool, record->pool);
    return true;
}

struct recorder recording_recorder(struct recording *recording) {
    return (struct recorder){.context = recording,
                             .job = keep_job,
                             .event = keep_event,
                             .request = keep_request,
                             .timeline = keep_timeline};
}

void recording_clear(struct recording *recording) {
    free(recording->jobs);
    free(recording->events);
    free(recording->requests);
    free(recording->timeline);
    *recording = (struct recording){0};
}

const struct job_row *recording_job(const struct recording *recording, const char *workload,
                                    const char *id) {
    const struct job_row *found = NULL;
    for (size_t i = 0; i < recording->job_count; i++) {
        const struct job_row *row = &recording->jobs[i];
        if (strcmp(row->workload, workload) == 0 && strcmp(row->id, id) == 0) {
            if (found != NULL) {
                fail_msg("job %s of workload %s is recorded twice", id, workload);
            }
            found = row;
        }
    }
    if (found == NULL) {
        fail_msg("job %s of workload %s is not recorded", id, workload);
    }
    return found;
}

const struct request_row *recording_request(const struct recording *recording, const char *workload,
                                            int64_t seq) {
    const struct request_row *found = NULL;
    for (size_t i = 0; i < recording->request_count; i++) {
        const struct request_row *row = &recording->requests[i];
        if (strcmp(row->workload, workload) == 0 && row->seq == seq) {
            assert_null(found);
            found = row;
        }
    }
    if (found == NULL) {
        fail_msg("request %lld of workload %s is not recorded", (long long)seq, workload);
    }
    return found;
}

/* --- Building --- */

#define INDEX_OF(TABLE, COUNT, NAME) index_of(&(TABLE)[0].choice, sizeof(TABLE)[0], COUNT, NAME)

/* Rows begin with their choice. */
static int index_of(const struct choice *first, size_t stride, size_t count, const char *name) {
    for (size_t i = 0; i < count; i++) {
        const struct choice *row = (const void *)((const char *)first + i * stride);
        if (strcmp(row->name, name) == 0) {
            return (int)i;
        }
    }
    fail_msg("nothing is named %s", name);
    return -1;
}

void sim_case_initialize(struct sim_case *sim_case) {
    *sim_case = (struct sim_case){.catalogue = catalogue_create()};
    sim_case->scenario = (struct scenario){.file = "case.yaml",
                                           .name = "case",
                                           .variant = "base",
                                           .catalogue = sim_case->catalogue,
                                           .seed = 1,
                                           .end_of_work = true,
                                           .horizon = SIM_TIME_NEVER,
                                           .replications = 1,
                                           .pools = sim_case->pools,
                                           .workloads = sim_case->workloads,
                                           .scheduler = {.head_of_line = SIM_TIME_NEVER},
                                           .record = {.jobs = true}};
    sim_case_rules(sim_case, "fifo", "none", "first_fit");
}

void sim_case_terminate(struct sim_case *sim_case) {
    recording_clear(&sim_case->recording);
    results_clear(&sim_case->results);
    for (size_t i = 0; i < sim_case->scenario.workload_count; i++) {
        trace_destroy(sim_case->traces[i]);
    }
    catalogue_destroy(sim_case->catalogue);
}

void sim_case_rules(struct sim_case *sim_case, const char *order, const char *backfill,
                    const char *placement) {
    struct scheduler_spec *scheduler = &sim_case->scenario.scheduler;
    scheduler->order.index = INDEX_OF(queue_orders, queue_order_count, order);
    scheduler->backfill.index = INDEX_OF(backfill_rules, backfill_rule_count, backfill);
    scheduler->placement.index = INDEX_OF(placement_rules, placement_rule_count, placement);
}

struct preemption_spec *sim_case_preemption(struct sim_case *sim_case, const char *victims) {
    struct preemption_spec *spec = &sim_case->scenario.scheduler.preemption;
    *spec = (struct preemption_spec){
        .given = true, .mode = PREEMPT_CHECKPOINT, .grace = SIM_TIME_NEVER};
    spec->victims.index = INDEX_OF(victim_rules, victim_rule_count, victims);
    return spec;
}

void sim_case_horizon(struct sim_case *sim_case, sim_time horizon) {
    sim_case->scenario.end_of_work = false;
    sim_case->scenario.horizon = horizon;
}

struct pool_spec *sim_case_pool(struct sim_case *sim_case, const char *name, const char *gpu,
                                int32_t nodes, int32_t gpus_per_node) {
    int candidates[1];
    size_t candidate_count = 0;
    int row = catalogue_find_gpu(sim_case->catalogue, gpu, candidates, 1, &candidate_count);
    assert_true(row >= 0 && sim_case->scenario.pool_count < SIM_CASE_POOLS);
    struct pool_spec *pool = &sim_case->pools[sim_case->scenario.pool_count++];
    *pool = (struct pool_spec){
        .name = name, .gpu = row, .nodes = nodes, .gpus_per_node = gpus_per_node};
    return pool;
}

/* The trace is kept elsewhere once prepared, so its file is gone before the run. */
static struct trace *prepare(const struct workload_spec *workload, char *path, const char *csv) {
    int descriptor = mkstemp(path);
    assert_true(descriptor >= 0);
    assert_int_equal(write(descriptor, csv, strlen(csv)), strlen(csv));
    assert_int_equal(close(descriptor), 0);
    struct error error = {.message = ""};
    struct trace *trace = trace_prepare(workload, false, 0, &error);
    assert_int_equal(unlink(path), 0);
    if (trace == NULL) {
        fail_msg("%s", error.message);
    }
    return trace;
}

struct workload_spec *sim_case_workload(struct sim_case *sim_case, const char *name,
                                        const char *csv) {
    char path[] = "/tmp/headroom-case-XXXXXX";
    size_t place = sim_case->scenario.workload_count;
    assert_true(place < SIM_CASE_WORKLOADS);
    struct workload_spec *workload = &sim_case->workloads[place];
    *workload = (struct workload_spec){
        .name = name,
        .enabled = true,
        .count = 1,
        .has_trace = true,
        .trace = {.file = path, .time_scale = 1, .origin = {.kind = MOMENT_CLOCK, .ns = 0}},
        .needs = test_needs(),
        .tenant = name,
        .max_wait = SIM_TIME_NEVER,
        .max_queue = INT64_MAX,
    };
    workload->trace.format.index = INDEX_OF(trace_formats, trace_format_count, "csv");
    sim_case->traces[place] = prepare(workload, path, csv);
    workload->trace.file = "case.csv";
    sim_case->scenario.workload_count++;
    return workload;
}

struct checkpoint_spec *sim_case_preemptible(struct workload_spec *workload, int32_t priority,
                                             double save_s, double restore_s) {
    workload->preemptible = true;
    workload->has_priority = true;
    workload->priority = priority;
    workload->checkpoint = (struct checkpoint_spec){
        .given = true,
        .save_time = save_s < 0 ? -1 : sim_time_from_seconds(save_s),
        .restore_time = restore_s < 0 ? -1 : sim_time_from_seconds(restore_s),
        .interval = SIM_TIME_NEVER,
        .overhead = -1};
    return &workload->checkpoint;
}

void sim_case_run(struct sim_case *sim_case) {
    recording_clear(&sim_case->recording);
    results_clear(&sim_case->results);
    struct recorder recorder = recording_recorder(&sim_case->recording);
    struct run_request request = {.scenario = &sim_case->scenario,
                                  .traces = sim_case->traces,
                                  .seed = sim_case->scenario.seed,
                                  .stop = sim_case->stop};
    sim_case->error = (struct error){.message = ""};
    sim_case->outcome = simulation_run(&request, &recorder, &sim_case->results, &sim_case->error);
}

void sim_case_run_to_end(struct sim_case *sim_case) {
    sim_case_run(sim_case);
    if (sim_case->outcome != RUN_DONE) {
        fail_msg("the run did not come to its end: %s", sim_case->error.message);
    }
}

/* --- Expecting --- */

static void assert_moment(const char *id, const char *what, sim_time actual, sim_time expected) {
    if (actual != expected) {
        fail_msg("job %s: %s at %.9f s, not at %.9f s", id, what, sim_time_to_seconds(actual),
                 sim_time_to_seconds(expected));
    }
}

static void expect(const struct sim_case *sim_case, const char *workload, const char *id,
                   const struct job_row *expected) {
    const struct job_row *row = recording_job(&sim_case->recording, workload, id);
    if (row->state != expected->state) {
        fail_msg("job %s: %s, not %s", id, job_state_names[row->state],
                 job_state_names[expected->state]);
    }
    assert_moment(id, "started", row->start, expected->start);
    assert_moment(id, "ended", row->end, expected->end);
}

static sim_time moment(double seconds) {
    return sim_time_from_seconds(seconds);
}

void sim_case_expect_completed(const struct sim_case *sim_case, const char *workload,
                               const char *id, double start_s, double end_s) {
    expect(
        sim_case, workload, id,
        &(struct job_row){.state = JOB_COMPLETED, .start = moment(start_s), .end = moment(end_s)});
}

void sim_case_expect_running(const struct sim_case *sim_case, const char *workload, const char *id,
                             double start_s) {
    expect(
        sim_case, workload, id,
        &(struct job_row){.state = JOB_RUNNING, .start = moment(start_s), .end = SIM_TIME_NEVER});
}

void sim_case_expect_time(const struct sim_case *sim_case, const char *pool,
                          enum gpu_category category, double gpu_s) {
    double sum = 0;
    for (size_t i = 0; i < sim_case->results.gpu_hours_count; i++) {
        const struct gpu_hours *hours = &sim_case->results.gpu_hours[i];
        bool wanted = hours->category == category && strcmp(hours->pool, pool) == 0;
        sum += wanted ? 3600 * hours->hours : 0;
    }
    if (fabs(sum - gpu_s) > 1e-9 * (1 + gpu_s)) {
        fail_msg("pool %s, category %d: %.9f GPU-seconds, not %.9f", pool, (int)category, sum,
                 gpu_s);
    }
}

void sim_case_expect_queued(const struct sim_case *sim_case, const char *workload, const char *id) {
    expect(sim_case, workload, id,
           &(struct job_row){.state = JOB_QUEUED, .start = SIM_TIME_NEVER, .end = SIM_TIME_NEVER});
}

void sim_case_expect_turned_away(const struct sim_case *sim_case, const char *workload,
                                 const char *id, enum job_state how, double at_s) {
    expect(sim_case, workload, id,
           &(struct job_row){.state = how, .start = SIM_TIME_NEVER, .end = moment(at_s)});
}
