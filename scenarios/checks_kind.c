/* Whether the keys of a workload are those of its kind, and what it asks for goes together. */
#include <string.h>

#include "scenarios/checks.h"

/* Keys of one kind only, and what to write for the other. */
static const struct {
    const char *key;
    enum workload_kind kind;
    const char *instead;
} own_keys[] = {
    {"gpus", WORKLOAD_JOBS,
     "each of its replicas takes one slot; `compute` asks for a share of a GPU"},
    {"duration", WORKLOAD_JOBS, "how long a request takes is its `service_time`"},
    {"estimate", WORKLOAD_JOBS, "its replicas run as long as the scenario"},
    {"span", WORKLOAD_JOBS, "each of its replicas takes one slot, on one node"},
    {"array", WORKLOAD_JOBS, "`replicas` says how many copies serve"},
    {"after", WORKLOAD_JOBS, "its replicas run as long as the scenario"},
    {"afterok", WORKLOAD_JOBS, "its replicas run as long as the scenario"},
    {"gpu_active", WORKLOAD_JOBS, "its replicas compute while they have a request"},
    {"iteration", WORKLOAD_JOBS, "its replicas compute while they have a request"},
    {"phase", WORKLOAD_JOBS, "its replicas compute while they have a request"},
    {"preemptible", WORKLOAD_JOBS, "its replicas keep their slots"},
    {"checkpoint", WORKLOAD_JOBS, "its replicas have no progress to keep"},
    {"max_wait", WORKLOAD_JOBS, "how long a request waits at most is its `timeout`"},
    {"window", WORKLOAD_JOBS, "its replicas run as long as the scenario"},
    {"at_end", WORKLOAD_JOBS, "its replicas run as long as the scenario"},
    {"service_time", WORKLOAD_SERVICE, "how long a job runs is its `duration`"},
    {"prompt_tokens", WORKLOAD_SERVICE, "how long a job runs is its `duration`"},
    {"output_tokens", WORKLOAD_SERVICE, "how long a job runs is its `duration`"},
    {"replicas", WORKLOAD_SERVICE,
     "how many GPUs a job takes is its `gpus`, and `count` makes several such workloads"},
    {"concurrency", WORKLOAD_SERVICE, "each job runs in slots of its own"},
    {"dispatch", WORKLOAD_SERVICE, "the `scheduler` says which job goes where"},
    {"timeout", WORKLOAD_SERVICE, "how long a job waits at most is its `max_wait`"},
    {"unload_after", WORKLOAD_SERVICE, "a job gives its GPUs back when it ends"},
    {"slo", WORKLOAD_SERVICE, "objectives may speak of its jct_s or wait_s"},
};

static void check_keys(struct reading *reading, const struct subject *subject) {
    bool service = subject->workload->kind.index == WORKLOAD_SERVICE;
    for (size_t i = 0; i < sizeof(own_keys) / sizeof(own_keys[0]); i++) {
        const struct entry *entry = node_entry(subject->node, own_keys[i].key);
        if (entry != NULL && service != (own_keys[i].kind == WORKLOAD_SERVICE)) {
            reading_report(reading, entry->place, "workload %s is %s no %s: %s",
                           subject->workload->name,
                           service ? "a service, which has" : "made of jobs, which have",
                           own_keys[i].key, own_keys[i].instead);
        }
    }
}

/* Tokens cost time, so synthetic requests need a number of them. */
static void check_tokens(struct reading *reading, const struct subject *subject) {
    const struct workload_spec *workload = subject->workload;
    const struct service_time_spec *time = &workload->service.service_time;
    const struct {
        const char *key;
        double each;
    } tokens[] = {{"prompt_tokens", time->per_input_token_ns},
                  {"output_tokens", time->per_output_token_ns}};
    if (!workload->has_arrivals || !checks_sound(subject->node, "service_time")) {
        return;
    }
    for (size_t i = 0; time->by_tokens && i < sizeof(tokens) / sizeof(tokens[0]); i++) {
        if (tokens[i].each > 0 && node_entry(subject->node, tokens[i].key) == NULL) {
            reading_report(reading, node_entry(subject->node, "service_time")->place,
                           "the service_time of workload %s counts tokens, so it needs %s",
                           workload->name, tokens[i].key);
        }
    }
}

/* Unloaded replicas load for what waits in one queue. */
static void check_unloading(struct reading *reading, const struct subject *subject) {
    const struct service_spec *service = &subject->workload->service;
    const struct entry *entry = node_entry(subject->node, "unload_after");
    if (entry != NULL && checks_sound(subject->node, "dispatch") &&
        service->unload_after != SIM_TIME_NEVER && service->dispatch.index != 0) {
        reading_report(reading, entry->place,
                       "unload_after goes with `dispatch: central` only, and workload %s has "
                       "another dispatch",
                       subject->workload->name);
    }
}

/* What loads from storage needs one everywhere, and something to load. */
static void check_loading(struct reading *reading, const struct subject *subject) {
    const struct workload_spec *workload = subject->workload;
    const struct entry *own = node_entry(subject->node, "load_time");
    struct place place = own != NULL ? own->place : workload->needs.place;
    if (!workload->needs.load_from_storage || !checks_sound(subject->node, "pools") ||
        !checks_sound(subject->node, "memory")) {
        return;
    }
    if (distribution_mean(&workload->needs.memory.start) == 0) {
        reading_report(reading, place,
                       "workload %s loads its memory from storage, but no memory is given: say how "
                       "much, such as `memory: 14GB`",
                       workload->name);
    }
    for (size_t i = 0; i < checks_pool_count(reading, workload); i++) {
        size_t pool = checks_pool(workload, i);
        if (checks_sound(checks_pool_node(reading, pool), "storage") &&
            reading->scenario->pools[pool].storage.bandwidth == 0) {
            reading_report(
                reading, place,
                "workload %s loads from storage, but pool %s does not say how fast its "
                "storage is: add `storage: {bandwidth: 4GB/s}` there, or give a load_time",
                workload->name, reading->scenario->pools[pool].name);
            return;
        }
    }
}

/* How many GPUs its synthetic jobs ask for at least and at most. */
static void count_gpus(const struct workload_spec *workload, double *least, double *most) {
    const struct distribution *gpus = &workload->gpus;
    *least = *most = gpus->value_count > 0 ? gpus->values[0] : gpus->given[0];
    for (size_t i = 1; i < gpus->value_count; i++) {
        *least = gpus->values[i] < *least ? gpus->values[i] : *least;
        *most = gpus->values[i] > *most ? gpus->values[i] : *most;
    }
}

/* Shares of one GPU against several, or a whole one. */
static void check_shares(struct reading *reading, const struct subject *subject) {
    const struct workload_spec *workload = subject->workload;
    const struct entry *compute = node_entry(subject->node, "compute");
    const struct entry *slot = node_entry(subject->node, "slot");
    double least;
    double most;
    count_gpus(workload, &least, &most);
    if (!checks_sound(subject->node, "gpus") || !checks_sound(subject->node, "compute") ||
        !checks_sound(subject->node, "slot")) {
        return;
    }
    if (compute != NULL && workload->fraction > 0) {
        reading_report(reading, compute->place,
                       "workload %s asks for a share of a GPU twice, by gpus and by compute: leave "
                       "one out",
                       workload->name);
    } else if (compute != NULL && most > 1) {
        reading_report(reading, compute->place,
                       "compute is a share of one GPU, but jobs of workload %s ask for up to %.15g",
                       workload->name, most);
    }
    if (workload->slot == SLOT_GPU && workload->fraction > 0) {
        reading_report(reading, slot->place,
                       "workload %s asks for a part of a GPU (gpus: %.15g), but insists on a whole "
                       "one",
                       workload->name, workload->fraction);
    } else if (workload->slot == SLOT_PROFILE && least > 1) {
        reading_report(reading, slot->place,
                       "jobs of several GPUs take whole ones, so those of workload %s cannot run "
                       "on MIG instances",
                       workload->name);
    }
}

/* Iterations, which matter only to jobs that do not compute all the time. */
static void check_iterations(struct reading *reading, const struct subject *subject) {
    const struct iterations_spec *iterations = &subject->workload->iterations;
    const char *const keys[] = {"iteration", "phase"};
    for (size_t i = 0; i < 2 && checks_sound(subject->node, "gpu_active"); i++) {
        const struct entry *entry = node_entry(subject->node, keys[i]);
        if (entry != NULL && node_entry(subject->node, "gpu_active") == NULL) {
            reading_report(reading, entry->place,
                           "jobs of workload %s compute all the time, so it does not matter how "
                           "they iterate: give gpu_active, such as 60%%, or leave %s out",
                           subject->workload->name, keys[i]);
        }
    }
    if (checks_sound(subject->node, "iteration") && checks_sound(subject->node, "phase") &&
        iterations->phase >= iterations->length) {
        reading_report(reading, node_entry(subject->node, "phase")->place,
                       "the phase of workload %s must be shorter than its iteration",
                       subject->workload->name);
    }
}

/* Hours of the week, for which the scenario has to say where it begins. */
static void check_window(struct reading *reading, const struct subject *subject) {
    const struct entry *window = node_entry(subject->node, "window");
    const struct entry *at_end = node_entry(subject->node, "at_end");
    if (window != NULL && !window->value->bad && !reading->scenario->has_start &&
        checks_sound(reading->root, "start")) {
        reading_report(reading, window->place,
                       "the window of workload %s goes by the wall clock: say what that is at t = "
                       "0, such as `start: \"2026-03-02T00:00:00\"`, a Monday",
                       subject->workload->name);
    }
    if (window == NULL && at_end != NULL) {
        reading_report(reading, at_end->place,
                       "at_end says what becomes of jobs when their window ends, and workload %s "
                       "has none: add a `window`",
                       subject->workload->name);
    }
}

void checks_kind(struct reading *reading, const struct subject *subject) {
    if (!checks_sound(subject->node, "kind") || node_entry(subject->node, "kind") == NULL) {
        return;
    }
    check_keys(reading, subject);
    if (subject->workload->kind.index == WORKLOAD_SERVICE) {
        check_tokens(reading, subject);
        check_unloading(reading, subject);
        check_loading(reading, subject);
    } else {
        check_shares(reading, subject);
        check_iterations(reading, subject);
        check_window(reading, subject);
    }
}
