#include "sim/eviction.h"

#include <stddef.h>

#include "sim/course_events.h"
#include "sim/kernel/memory.h"
#include "sim/service_events.h"

static_assert(offsetof(struct job, pieces) == 0, "the first piece of a gang is its job");

void eviction_of_job(struct run_state *run, struct job *job, const struct eviction *eviction) {
    if (eviction->jobs == DRAIN_KILL) {
        course_events_leave(run, job, PREEMPT_KILL, 0, eviction->reason, NULL);
    } else if (eviction->jobs == DRAIN_PREEMPT && job->course->leaving == LEAVING_NOT) {
        course_events_leave(run, job, PREEMPT_CHECKPOINT, eviction->grace, eviction->reason, NULL);
    }
}

static void evict_replica(struct run_state *run, struct replica *replica, enum drain how) {
    struct evicted_replicas *evicted = &run->evicted;
    if (how == DRAIN_WAIT && service_replica_retire(replica->service, replica, run->now)) {
        return;
    }
    service_events_take_down(run, replica, how == DRAIN_KILL ? RUNNING_FAIL : RUNNING_RETURN);
    evicted->items = memory_grow(evicted->items, &evicted->capacity, evicted->count + 1,
                                 sizeof(struct replica *));
    evicted->items[evicted->count++] = replica;
}

void eviction_of_gang(struct run_state *run, const struct piece *first,
                      const struct eviction *eviction) {
    eviction_of_job(run, (struct job *)first, eviction);
}

void eviction_of_tenant(struct run_state *run, struct tenant *tenant,
                        const struct eviction *eviction) {
    if (run_is_service(run, tenant->workload)) {
        evict_replica(run, (struct replica *)tenant, eviction->replicas);
    } else {
        eviction_of_job(run, ((struct job_tenant *)tenant)->job, eviction);
    }
}

void eviction_is_over(struct run_state *run) {
    for (size_t i = 0; i < run->evicted.count; i++) {
        service_events_replace(run, run->evicted.items[i]);
    }
    run->evicted.count = 0;
}
