#include "sim/stability.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>

#include "sim/kernel/memory.h"
#include "sim/run_state.h"

static void take_sample(void *context, void *subject);

static void schedule_sample(struct run_state *run) {
    sim_time since = run->warmup;
    __int128 measured = run->scenario->horizon - since;
    sim_time time = since + (sim_time)(measured * run->samples / GROWTH_INTERVALS);
    event_queue_push(run->events, time, RANK_END, take_sample, NULL);
}

static void take_sample(void *context, void *subject) {
    (void)subject;
    struct run_state *run = context;
    for (size_t w = 0; w < run->scenario->workload_count; w++) {
        struct backlog *backlog = &run->backlogs[w];
        backlog->lengths[run->samples] = backlog->waiting;
        backlog->entered = run->samples == 0 ? 0 : backlog->entered;
    }
    if (++run->samples < GROWTH_SAMPLES) {
        schedule_sample(run);
    }
}

void stability_watch(struct run_state *run) {
    if (!run->scenario->end_of_work) {
        schedule_sample(run);
    }
}

static struct stability judge(const struct run_state *run, const struct backlog *backlog) {
    struct growth growth = growth_judge(backlog->lengths, backlog->entered);
    double hours = sim_time_to_seconds(run->scenario->horizon - run->measured_since) / 3600;
    return (struct stability){.unstable = growth.unstable, .growth_per_h = growth.total / hours};
}

static void add(struct backlog *total, const struct backlog *part) {
    total->entered += part->entered;
    for (size_t i = 0; i < GROWTH_SAMPLES; i++) {
        total->lengths[i] += part->lengths[i];
    }
}

struct stability *stability_judge(const struct run_state *run) {
    size_t workloads = run->scenario->workload_count;
    struct stability *all = memory_zero(workloads + 1, sizeof *all);
    for (size_t i = 0; i <= workloads; i++) {
        all[i].growth_per_h = NAN;
    }
    if (run->samples < GROWTH_SAMPLES) {
        return all;
    }
    struct backlog total = {0};
    bool any_unstable = false;
    /* The streams left are those of the workloads that go on beyond the horizon. */
    for (size_t i = 0; i < run->streams.heap_count; i++) {
        int32_t workload = run->streams.heap[i]->workload;
        all[workload] = judge(run, &run->backlogs[workload]);
        add(&total, &run->backlogs[workload]);
        any_unstable = any_unstable || all[workload].unstable;
    }
    all[workloads] = judge(run, &total);
    all[workloads].unstable = all[workloads].unstable || any_unstable;
    return all;
}
