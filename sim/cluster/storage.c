#include "sim/cluster/storage.h"

#include <assert.h>
#include <math.h>

void storage_initialize(struct storage *storage, double bandwidth, struct event_queue *events) {
    assert(bandwidth >= 0);
    *storage = (struct storage){.bandwidth = bandwidth, .events = events};
    processor_sharing_initialize(&storage->sharing, 1, 0);
    processor_sharing_seat(&storage->sharing, 0, 1, 1);
}

void storage_terminate(struct storage *storage) {
    processor_sharing_terminate(&storage->sharing);
}

static void ends(void *context, void *subject);

/* The event of the next end follows the transfers under way. */
static void reschedule(struct storage *storage) {
    sim_time next = processor_sharing_next(&storage->sharing);
    if (storage->event != 0) {
        if (storage->event_time == next) {
            return;
        }
        event_queue_cancel(storage->events, storage->event);
    }
    storage->event = next == SIM_TIME_NEVER
                         ? 0
                         : event_queue_push(storage->events, next, RANK_END, ends, storage);
    storage->event_time = next;
}

static void ends(void *context, void *subject) {
    struct storage *storage = subject;
    sim_time now = storage->event_time;
    storage->event = 0;
    struct transfer *transfer = (struct transfer *)processor_sharing_end(&storage->sharing, now);
    transfer->under_way = false;
    reschedule(storage);
    transfer->done(context, transfer, now);
}

sim_time storage_time_alone(const struct storage *storage, int64_t bytes) {
    if (storage->bandwidth == 0) {
        return 0;
    }
    long double ns = nearbyintl((long double)bytes * 1e9L / storage->bandwidth);
    return ns < (long double)SIM_TIME_LONGEST ? (sim_time)ns : SIM_TIME_LONGEST;
}

void storage_begin(struct storage *storage, struct transfer *transfer, int64_t bytes,
                   sim_time now) {
    assert(!transfer->under_way && bytes >= 0);
    transfer->under_way = true;
    processor_sharing_begin(&storage->sharing, 0, &transfer->shared,
                            storage_time_alone(storage, bytes), now);
    reschedule(storage);
}

void storage_cancel(struct storage *storage, struct transfer *transfer, sim_time now) {
    assert(transfer->under_way);
    transfer->under_way = false;
    processor_sharing_withdraw(&storage->sharing, 0, &transfer->shared, now);
    reschedule(storage);
}

sim_time storage_time_now(const struct storage *storage, int64_t bytes, sim_time now) {
    sim_time alone = storage_time_alone(storage, bytes);
    return sim_time_add(alone, processor_sharing_work_ahead(&storage->sharing, 0, alone, now));
}
