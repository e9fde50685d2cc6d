/* Services over time: for each interval of the timeline the latencies of the requests that were
 * answered in it, how many kept the slo, and how many waited. Costs nothing where no timeline is
 * recorded. */
#ifndef SIM_SERVICE_TIMELINE_H
#define SIM_SERVICE_TIMELINE_H

#include "sim/kernel/interval_histogram.h"
#include "sim/run_state.h"

/* One service since the last row. */
struct service_interval {
    struct interval_histogram latency; /* ns, of requests completed */
    int64_t slo_due;                   /* requests that have left, if there is an slo */
    int64_t slo_met;
    double queued_ns; /* requests that have not started x time, up to queue_since */
    sim_time queue_since;
};

void service_timeline_begin(struct run_state *run);
void service_timeline_terminate(struct run_state *run);

/* The number of requests of the workload that wait is about to change. */
static inline void service_timeline_queue_changes(struct run_state *run, int32_t workload) {
    struct service_interval *interval = &run->service_intervals[workload];
    interval->queued_ns +=
        (double)run->backlogs[workload].waiting * (double)(run->now - interval->queue_since);
    interval->queue_since = run->now;
}
/* A request has left. */
void service_timeline_left(struct run_state *run, int32_t workload, const struct request *request,
                           enum request_state how);
/* Records a row of each service over [run->timeline_since, now), and begins anew. */
void service_timeline_record(struct run_state *run);

#endif
