/* Far events lie in segments, each an unsorted array for one stretch of time, so that adding one is
 * a store at the end of an array. When no event is near, the earliest segment becomes the heap, or
 * is first split into shorter stretches if it is too large. Every key is moved a few times, in
 * sequence: a million pending events cost little more than a thousand. Source: after Tang, Goh and
 * Thng, Ladder queue, ACM TOMACS 15(3), 2005; with stretches cut at sampled keys, so that neither
 * ties nor uneven times make a segment that cannot be split. */
#include "sim/kernel/event_queue_far.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "sim/kernel/memory.h"

enum {
    LARGEST_NEAR = 2048, /* a segment up to this size becomes the heap */
    PARTS = 16,          /* into which a larger one is split */
    SAMPLES = 16 * PARTS,
    FEW_CANCELLED = 64,
    PREFETCHED = 12, /* slots asked for ahead of the one looked at */
};

struct event_segment {
    event_key low; /* all keys are at least this, and less than the low of the next later segment */
    event_key *keys;
    size_t count;
    size_t capacity;
};

static struct event_segment *add_segment(struct event_far *far, event_key low) {
    if (far->segment_count == far->segments_made) {
        far->segments = memory_grow(far->segments, &far->segment_capacity, far->segments_made + 1,
                                    sizeof *far->segments);
        far->segments[far->segments_made++] = (struct event_segment){0};
    }
    struct event_segment *segment = &far->segments[far->segment_count++];
    segment->low = low;
    segment->count = 0;
    return segment;
}

/* Takes the earliest segment off the list, which keeps the spare array in its place; the segment's
 * own array is the next spare one. */
static struct event_segment take_earliest(struct event_far *far) {
    struct event_segment *place = &far->segments[--far->segment_count];
    struct event_segment segment = *place;
    place->keys = far->spare;
    place->capacity = far->spare_capacity;
    far->spare = segment.keys;
    far->spare_capacity = segment.capacity;
    return segment;
}

static void add_key(struct event_segment *segment, event_key key) {
    if (segment->count == segment->capacity) {
        segment->keys = memory_grow(segment->keys, &segment->capacity, segment->count + 1,
                                    sizeof *segment->keys);
    }
    segment->keys[segment->count++] = key;
}

/* Gives the slot of a cancelled key back, once the key is gone. */
static void release_slot(struct event_queue *queue, uint32_t number) {
    queue->slots[number].position = queue->free_slot;
    queue->free_slot = number;
    queue->far.cancelled--;
}

/* Whether a far key is still wanted; if not, it is forgotten. */
static bool keep(struct event_queue *queue, event_key key) {
    uint32_t number = event_key_slot(key);
    if (queue->slots[number].handle != NULL) {
        return true;
    }
    release_slot(queue, number);
    queue->far.count--;
    return false;
}

void event_queue_push_far(struct event_queue *queue, event_key key) {
    struct event_far *far = &queue->far;
    assert(queue->count > 0 && far->segment_count > 0);
    size_t i = far->segment_count - 1;
    while (i > 0 && key >= far->segments[i - 1].low) {
        i--;
    }
    add_key(&far->segments[i], key);
    queue->slots[event_key_slot(key)].position = EVENT_FAR;
    far->count++;
}

static int compare_keys(const void *left, const void *right) {
    event_key a = *(const event_key *)left;
    event_key b = *(const event_key *)right;
    return (a > b) - (a < b);
}

/* Cuts a segment (taken out of the list) at keys sampled from it: as keys are distinct, every part
 * gets some. */
static void split(struct event_queue *queue, struct event_segment *segment) {
    struct event_far *far = &queue->far;
    event_key samples[SAMPLES];
    for (size_t i = 0; i < SAMPLES; i++) {
        samples[i] = segment->keys[i * segment->count / SAMPLES];
    }
    qsort(samples, SAMPLES, sizeof samples[0], compare_keys);
    size_t first = far->segment_count;
    for (size_t part = PARTS; part-- > 1;) {
        add_segment(far, samples[part * SAMPLES / PARTS]);
    }
    add_segment(far, segment->low);
    size_t last = far->segment_count - 1;
    for (size_t i = 0; i < segment->count; i++) {
        event_key key = segment->keys[i];
        size_t low = first; /* the parts are in falling order: the first whose low is not above */
        size_t high = last;
        while (low < high) {
            size_t middle = (low + high) / 2;
            if (far->segments[middle].low <= key) {
                high = middle;
            } else {
                low = middle + 1;
            }
        }
        add_key(&far->segments[low], key);
    }
}

/* To where the far events begin. If there are none, be it that empty segments are left, then past
 * all: a push relies on that. */
static void set_near_limit(struct event_queue *queue) {
    struct event_far *far = &queue->far;
    if (far->count == 0) {
        far->segment_count = 0;
    }
    queue->near_limit =
        far->segment_count == 0 ? EVENT_LAST_KEY : far->segments[far->segment_count - 1].low;
}

/* The keys of the last segment become the heap. */
static void bring_near(struct event_queue *queue, const struct event_segment *segment) {
    struct event_far *far = &queue->far;
    size_t count = 0;
    for (size_t i = 0; i < segment->count; i++) {
        size_t ahead = i + PREFETCHED < segment->count ? i + PREFETCHED : i;
        __builtin_prefetch(&queue->slots[event_key_slot(segment->keys[ahead])]);
        if (keep(queue, segment->keys[i])) {
            segment->keys[count++] = segment->keys[i];
        }
    }
    while (queue->key_capacity < count) {
        event_queue_grow_keys(queue);
    }
    for (size_t i = 0; i < count; i++) {
        event_heap_sift_up(queue, queue->count++, segment->keys[i]);
    }
    far->count -= count;
    set_near_limit(queue);
}

void event_queue_refill(struct event_queue *queue) {
    struct event_far *far = &queue->far;
    while (queue->count == 0 && far->segment_count > 0) {
        struct event_segment segment = take_earliest(far);
        if (segment.count > LARGEST_NEAR) {
            split(queue, &segment);
        } else {
            bring_near(queue, &segment);
        }
    }
}

void event_queue_spill(struct event_queue *queue) {
    struct event_segment *segment = add_segment(&queue->far, 0);
    for (size_t i = 0; i < queue->count; i++) {
        add_key(segment, queue->keys[i]);
        queue->slots[event_key_slot(queue->keys[i])].position = EVENT_FAR;
        queue->keys[i] = EVENT_LAST_KEY;
    }
    queue->far.count += queue->count;
    queue->count = 0;
    event_queue_refill(queue);
}

static void sweep(struct event_queue *queue) {
    for (size_t s = 0; s < queue->far.segment_count; s++) {
        struct event_segment *segment = &queue->far.segments[s];
        size_t count = 0;
        for (size_t i = 0; i < segment->count; i++) {
            if (keep(queue, segment->keys[i])) {
                segment->keys[count++] = segment->keys[i];
            }
        }
        segment->count = count;
    }
    set_near_limit(queue);
}

void event_queue_cancel_far(struct event_queue *queue, struct event_slot *slot) {
    slot->id += EVENT_GENERATION;
    slot->handle = NULL;
    queue->far.cancelled++;
    if (queue->far.cancelled > FEW_CANCELLED + queue->far.count / 2) {
        sweep(queue);
    }
}

void event_queue_free_far(struct event_queue *queue) {
    for (size_t i = 0; i < queue->far.segments_made; i++) {
        free(queue->far.segments[i].keys);
    }
    free(queue->far.segments);
    free(queue->far.spare);
}

/* Numbers the pending keys from 0 in their order, once in four thousand million pushes. */
void event_queue_renumber(struct event_queue *queue) {
    struct event_far *far = &queue->far;
    if (queue->first != queue->keys) {
        event_queue_close(queue);
    }
    sweep(queue);
    event_key *keys = memory_zero(queue->count + far->count + 1, sizeof *keys);
    size_t count = queue->count;
    memcpy(keys, queue->keys, count * sizeof *keys);
    for (size_t i = 0; i < queue->count; i++) {
        queue->keys[i] = EVENT_LAST_KEY;
    }
    for (size_t s = 0; s < far->segment_count; s++) {
        memcpy(&keys[count], far->segments[s].keys, far->segments[s].count * sizeof *keys);
        count += far->segments[s].count;
    }
    qsort(keys, count, sizeof *keys, compare_keys);
    far->segment_count = 0;
    struct event_segment *all = add_segment(far, 0);
    for (size_t i = 0; i < count; i++) {
        add_key(all, event_key_make(event_key_time(keys[i]), event_key_rank(keys[i]), i,
                                    event_key_slot(keys[i])));
        queue->slots[event_key_slot(keys[i])].position = EVENT_FAR;
    }
    free(keys);
    queue->count = 0;
    far->count = count;
    queue->next_sequence = count;
    event_queue_refill(queue);
}
