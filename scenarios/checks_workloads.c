/* Whether the keys of a workload go together, and the workloads with each other. */
#include <stdlib.h>
#include <string.h>

#include "scenarios/checks.h"
#include "scenarios/expansion.h"

static void check_source(struct reading *reading, const struct subject *subject) {
    const struct entry *trace = node_entry(subject->node, "trace");
    const struct entry *arrivals = node_entry(subject->node, "arrivals");
    const char *name = subject->workload->name;
    bool service = subject->workload->kind.index == WORKLOAD_SERVICE;
    const char *time = service ? "service_time" : "duration";
    const char *items = service ? "requests" : "jobs";
    if (!checks_sound(subject->node, "kind")) {
        return; /* another kind may have other sources */
    }
    if (trace != NULL && arrivals != NULL) {
        const struct entry *second = trace > arrivals ? trace : arrivals;
        reading_report(reading, second->place,
                       "workload %s has a trace and arrivals: leave one of them out", name);
    } else if (trace == NULL && arrivals == NULL && !subject->node->strange) {
        reading_report(reading, subject->node->place,
                       "workload %s needs a trace, or arrivals for synthetic %s", name, items);
    } else if (arrivals != NULL && node_entry(subject->node, time) == NULL &&
               !subject->node->strange) {
        reading_report(reading, subject->node->place,
                       "workload %s has arrivals, so it needs a %s for its %s", name, time, items);
    }
}

/* Keys that say what a trace says itself, but for a factor to make estimates by. */
static void check_trace_keys(struct reading *reading, const struct subject *subject) {
    static const char *const synthetic[] = {"gpus", "duration", "estimate"};
    bool jobs = subject->workload->kind.index == WORKLOAD_JOBS;
    if (!subject->workload->has_trace || subject->workload->has_arrivals) {
        return;
    }
    for (size_t i = 0; i < sizeof(synthetic) / sizeof(synthetic[0]); i++) {
        const struct entry *entry = node_entry(subject->node, synthetic[i]);
        bool factor = i == 2 && subject->workload->has_estimate_factor;
        if (jobs && entry != NULL && !factor) {
            reading_report(reading, entry->place,
                           "workload %s replays a trace, which says %s of every job itself: leave "
                           "it out here",
                           subject->workload->name, synthetic[i]);
        }
    }
    const struct entry *limit = node_entry(subject->node, "limit");
    if (limit != NULL) {
        reading_report(reading, limit->place,
                       "workload %s replays a trace: its limit goes inside `trace`",
                       subject->workload->name);
    }
}

static void check_end(struct reading *reading, const struct subject *subject) {
    const struct workload_spec *workload = subject->workload;
    bool endless =
        workload->has_arrivals && workload->limit == 0 && checks_sound(subject->node, "limit");
    if (endless && reading->scenario->horizon == SIM_TIME_NEVER) {
        reading_report(reading, node_entry(subject->node, "arrivals")->place,
                       "the arrivals of workload %s never end, and neither would the run: give it "
                       "a `limit`, or the scenario a horizon such as 7d",
                       workload->name);
    }
}

static bool has_clock(const struct trace_moment *moment) {
    return moment->kind == MOMENT_CLOCK || moment->kind == MOMENT_WALL;
}

/* The moments of one trace are on one clock: its own, or that of the wall. */
static void check_clocks(struct reading *reading, const struct subject *subject,
                         const struct node *trace) {
    const struct trace_spec *spec = &subject->workload->trace;
    const struct {
        const char *key;
        const struct trace_moment *moment;
    } moments[] = {{"from", &spec->from}, {"to", &spec->to}, {"origin", &spec->origin}};
    const char *first = NULL;
    int clock = MOMENT_NONE;
    for (size_t i = 0; i < sizeof(moments) / sizeof(moments[0]); i++) {
        const struct node *value = node_member(trace, moments[i].key);
        int kind = (int)moments[i].moment->kind;
        kind = kind == MOMENT_START ? MOMENT_WALL : kind;
        if (value == NULL || value->bad || kind == MOMENT_FIRST) {
            continue;
        }
        if (first == NULL) {
            first = moments[i].key;
            clock = kind;
        } else if (kind != clock) {
            reading_report(reading, value->place,
                           "%s is a time on the %s, but %s is one on the %s: a trace has one clock",
                           moments[i].key, kind == MOMENT_WALL ? "wall clock" : "trace's own clock",
                           first, clock == MOMENT_WALL ? "wall clock" : "trace's own clock");
            return;
        }
    }
}

static void check_trace(struct reading *reading, const struct subject *subject) {
    const struct node *trace = node_member(subject->node, "trace");
    const struct trace_spec *spec = &subject->workload->trace;
    if (trace == NULL || trace->kind != NODE_MAP) {
        return;
    }
    check_clocks(reading, subject, trace);
    if (checks_sound(trace, "from") && checks_sound(trace, "to") && has_clock(&spec->from) &&
        spec->from.kind == spec->to.kind && spec->from.ns >= spec->to.ns) {
        reading_report(reading, node_member(trace, "to")->place,
                       "the trace of workload %s ends (to) before it begins (from): nothing would "
                       "be kept",
                       subject->workload->name);
    }
    if (spec->origin.kind == MOMENT_START && !reading->scenario->has_start) {
        reading_report(reading, node_member(trace, "origin")->place,
                       "origin: start needs the scenario's `start`");
    }
}

static void check_pools(struct reading *reading, const struct subject *subject) {
    const struct node *pools = node_member(subject->node, "pools");
    for (size_t i = 0; pools != NULL && !pools->bad && i < pools->count; i++) {
        for (size_t j = 0; j < i; j++) {
            if (subject->workload->pools[i] == subject->workload->pools[j]) {
                reading_report(reading, pools->entries[i].value->place, "pool %s is listed twice",
                               pools->entries[i].value->text);
                return;
            }
        }
    }
}

/* `train` with a count of 3 makes a train-2, which may be the name of another. */
static void check_name(struct reading *reading, const struct workload_spec *workload) {
    const struct workload_spec *family = expansion_find_family(reading->scenario, workload->name);
    if (workload->count == 1 && family != NULL) {
        reading_report(reading, workload->place,
                       "workload %s has the name of one of the %d that workload %s stands for",
                       workload->name, (int)family->count, family->name);
    }
}

/* What runs at all, and how many that makes. */
static void check_counts(struct reading *reading, const struct node *workloads) {
    enum { MOST_WORKLOADS = 1000000 };
    const struct scenario *scenario = reading->scenario;
    int64_t total = 0;
    bool any_bad = false;
    for (size_t i = 0; i < scenario->workload_count; i++) {
        any_bad |= workloads->entries[i].value->bad;
        total += scenario->workloads[i].enabled ? scenario->workloads[i].count : 0;
    }
    struct place place = node_entry(reading->root, "workloads")->place;
    if (total == 0 && !any_bad) {
        reading_report(reading, place, "every workload is disabled: nothing would run");
    } else if (total > MOST_WORKLOADS) {
        reading_report(reading, place, "there are %lld workloads; at most %d are possible",
                       (long long)total, MOST_WORKLOADS);
    }
}

void checks_workloads(struct reading *reading) {
    const struct scenario *scenario = reading->scenario;
    const struct node *workloads = node_member(reading->root, "workloads");
    if (workloads == NULL || scenario->workload_count == 0) {
        return;
    }
    check_counts(reading, workloads);
    bool any_counted = false;
    for (size_t i = 0; i < scenario->workload_count; i++) {
        any_counted |= scenario->workloads[i].count > 1;
    }
    for (size_t i = 0; i < scenario->workload_count; i++) {
        struct subject subject;
        if (!checks_subject(reading, i, &subject)) {
            continue;
        }
        checks_kind(reading, &subject);
        check_source(reading, &subject);
        check_trace_keys(reading, &subject);
        check_end(reading, &subject);
        check_trace(reading, &subject);
        check_pools(reading, &subject);
        if (any_counted) {
            check_name(reading, subject.workload);
        }
    }
}
