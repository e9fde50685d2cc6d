#include "workloads/work_synthetic.h"

#include "workloads/arrivals.h"
#include "workloads/draws.h"

static bool at_limit(const struct synthetic *synthetic) {
    int64_t limit = synthetic->workload->limit;
    return limit > 0 && synthetic->count == limit;
}

static void draw_next(struct synthetic *synthetic, struct arrival *arrival) {
    synthetic->draw(synthetic, arrival);
    synthetic->count++;
}

static bool next(struct work_source *source, struct arrival *arrival) {
    struct synthetic *synthetic = (struct synthetic *)source;
    if (at_limit(synthetic)) {
        return false;
    }
    synthetic->last =
        arrival_process_next(synthetic->arrivals, synthetic->last, &synthetic->arrival_stream);
    if (synthetic->last == SIM_TIME_NEVER) {
        return false;
    }
    draw_next(synthetic, arrival);
    return true;
}

/* What a job or a request asks for belongs to its number, whichever client submits it. */
static bool ended(struct work_source *source, sim_time now, struct arrival *pending) {
    struct synthetic *synthetic = (struct synthetic *)source;
    bool is_new = pending->submit == SIM_TIME_NEVER;
    if (is_new && at_limit(synthetic)) {
        return false;
    }
    sim_time submit = arrival_process_ended(synthetic->arrivals, now, pending->submit,
                                            &synthetic->arrival_stream);
    synthetic->last = submit;
    if (is_new && submit != SIM_TIME_NEVER) {
        draw_next(synthetic, pending);
    }
    pending->submit = submit;
    return submit != SIM_TIME_NEVER;
}

static void clear(struct work_source *source) {
    arrival_process_destroy(((struct synthetic *)source)->arrivals);
}

struct work_source *work_source_synthetic(const struct workload_spec *workload,
                                          sim_time start_of_day, uint64_t seed,
                                          uint64_t replication) {
    struct synthetic *synthetic = workload->kind.index == WORKLOAD_SERVICE
                                      ? synthetic_requests(workload, seed, replication)
                                      : synthetic_jobs(workload, seed, replication);
    synthetic->source = (struct work_source){.next = next, .clear = clear};
    synthetic->workload = workload;
    synthetic->arrivals = arrival_process_create(&workload->arrivals, start_of_day);
    if (arrival_process_is_closed(synthetic->arrivals)) {
        synthetic->source.ended = ended;
    }
    draws_start_stream(&synthetic->arrival_stream, seed, replication, "arrivals", workload->name);
    return &synthetic->source;
}
