#include "sim/arrival_streams.h"

#include <stdlib.h>

#include "sim/kernel/memory.h"

void arrival_streams_initialize(struct arrival_streams *streams, size_t workload_count) {
    *streams = (struct arrival_streams){
        .all = memory_zero(workload_count, sizeof(struct arrival_stream)),
        .heap = memory_zero(workload_count, sizeof(struct arrival_stream *))};
}

void arrival_streams_terminate(struct arrival_streams *streams) {
    for (size_t i = 0; i < streams->count; i++) {
        work_source_destroy(streams->all[i].source);
    }
    free(streams->all);
    free(streams->heap);
    *streams = (struct arrival_streams){0};
}

static bool stream_before(const struct arrival_stream *a, const struct arrival_stream *b) {
    return a->next.submit < b->next.submit ||
           (a->next.submit == b->next.submit && a->workload < b->workload);
}

static void put(struct arrival_streams *streams, size_t at, struct arrival_stream *stream) {
    streams->heap[at] = stream;
    stream->place = at;
}

static void sift_down(struct arrival_streams *streams, struct arrival_stream *moving) {
    size_t at = moving->place;
    for (size_t child = 2 * at + 1; child < streams->heap_count; child = 2 * at + 1) {
        if (child + 1 < streams->heap_count &&
            stream_before(streams->heap[child + 1], streams->heap[child])) {
            child++;
        }
        if (!stream_before(streams->heap[child], moving)) {
            break;
        }
        put(streams, at, streams->heap[child]);
        at = child;
    }
    put(streams, at, moving);
}

static void sift_up(struct arrival_streams *streams, struct arrival_stream *moving) {
    size_t at = moving->place;
    while (at > 0 && stream_before(moving, streams->heap[(at - 1) / 2])) {
        put(streams, at, streams->heap[(at - 1) / 2]);
        at = (at - 1) / 2;
    }
    put(streams, at, moving);
}

static void enter(struct arrival_streams *streams, struct arrival_stream *stream) {
    stream->place = streams->heap_count++;
    sift_up(streams, stream);
}

void arrival_streams_add(struct arrival_streams *streams, struct work_source *source) {
    struct arrival_stream *stream = &streams->all[streams->count];
    *stream = (struct arrival_stream){.source = source,
                                      .workload = (int32_t)streams->count++,
                                      .closed = work_source_is_closed(source)};
    if (work_source_next(source, &stream->next)) {
        enter(streams, stream);
    } else {
        stream->next.submit = SIM_TIME_NEVER;
    }
}

int32_t arrival_streams_take(struct arrival_streams *streams, struct arrival *job) {
    struct arrival_stream *first = streams->heap[0];
    *job = first->next;
    if (!work_source_next(first->source, &first->next)) {
        first->next.submit = SIM_TIME_NEVER;
        struct arrival_stream *last = streams->heap[--streams->heap_count];
        last->place = 0;
        if (streams->heap_count > 0) {
            sift_down(streams, last);
        }
    } else if (streams->heap_count > 1) {
        sift_down(streams, first);
    }
    return first->workload;
}

void arrival_streams_job_ended(struct arrival_streams *streams, int32_t workload, sim_time now) {
    struct arrival_stream *stream = &streams->all[workload];
    bool had_next = stream->next.submit != SIM_TIME_NEVER;
    if (!work_source_ended(stream->source, now, &stream->next)) {
        return;
    }
    if (had_next) {
        sift_up(streams, stream); /* it can only have become earlier */
    } else {
        enter(streams, stream);
    }
}
