#include "sim/service_timeline.h"

#include <math.h>
#include <stdlib.h>

#include "sim/kernel/memory.h"
#include "sim/service_events.h"

void service_timeline_begin(struct run_state *run) {
    size_t workloads = run->scenario->workload_count;
    run->service_intervals = memory_zero(workloads, sizeof *run->service_intervals);
    for (size_t w = 0; w < workloads; w++) {
        if (run->services[w] != NULL) {
            interval_histogram_initialize(&run->service_intervals[w].latency, HISTOGRAM_FAST);
        }
    }
}

void service_timeline_terminate(struct run_state *run) {
    for (size_t w = 0; run->service_intervals != NULL && w < run->scenario->workload_count; w++) {
        interval_histogram_terminate(&run->service_intervals[w].latency);
    }
    free(run->service_intervals);
}

void service_timeline_left(struct run_state *run, int32_t workload, const struct request *request,
                           enum request_state how) {
    struct service_interval *interval = &run->service_intervals[workload];
    sim_time slo = run->scenario->workloads[workload].service.slo;
    sim_time latency = run->now - request->arrival;
    interval->slo_due += slo != SIM_TIME_NEVER;
    if (how == REQUEST_COMPLETED) {
        interval->slo_met += slo != SIM_TIME_NEVER && latency <= slo;
        interval_histogram_add(&interval->latency, (uint64_t)latency);
    }
}

static struct service_timeline_record row_of(const struct run_state *run, size_t workload,
                                             struct service_interval *interval) {
    struct interval_histogram *latency = &interval->latency;
    bool any = latency->values.count > 0;
    struct service_timeline_record record = {
        .time = run->timeline_since,
        .workload = run->scenario->workloads[workload].name,
        .completed = (int64_t)latency->values.count,
        .latency_p50_s = any ? interval_histogram_quantile(latency, 0.5) * 1e-9 : (double)NAN,
        .latency_p99_s = any ? interval_histogram_quantile(latency, 0.99) * 1e-9 : (double)NAN,
        .latency_max_s = any ? (double)latency->values.maximum * 1e-9 : (double)NAN,
        .slo_attainment = interval->slo_due > 0
                              ? (double)interval->slo_met / (double)interval->slo_due
                              : (double)NAN,
        .queued = interval->queued_ns / (double)(run->now - run->timeline_since),
    };
    return record;
}

void service_timeline_record(struct run_state *run) {
    for (size_t w = 0; w < run->scenario->workload_count && !run->failed; w++) {
        struct service_interval *interval = &run->service_intervals[w];
        if (run->services[w] == NULL) {
            continue;
        }
        service_timeline_queue_changes(run, (int32_t)w);
        struct service_timeline_record record = row_of(run, w, interval);
        run->failed = !run->recorder->service(run->recorder->context, &record, run->error);
        interval_histogram_clear(&interval->latency);
        interval->slo_due = interval->slo_met = 0;
        interval->queued_ns = 0;
    }
}
