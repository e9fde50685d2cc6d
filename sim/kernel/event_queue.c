/* The rarer paths of the event queue: growing, heaps of several keys, cancellation. */
#include "sim/kernel/event_queue.h"

#include <stdlib.h>
#include <string.h>

#include "sim/kernel/event_queue_far.h"
#include "sim/kernel/memory.h"

/* MANY_EVENTS: so many that their slots outgrow the nearer caches. */
enum { CACHE_LINE = 64, FIRST_CAPACITY = 64, MOST_NEAR = 32768, MANY_EVENTS = 1024 };

static size_t first_child(size_t i) {
    return EVENT_CHILDREN * i + 1;
}

/* The four groups of grandchildren lie side by side; which of them the hole takes is known only a
 * level later, too late for a heap that no longer fits the cache. (Always inline: GCC takes a
 * function that only prefetches for one without effect, and drops calls of it.) */
static inline __attribute__((always_inline)) void
prefetch_grandchildren(const event_key *keys, size_t count, size_t child) {
    size_t grandchild = first_child(child);
    if (grandchild < count) {
        __builtin_prefetch(&keys[grandchild]);
        __builtin_prefetch(&keys[grandchild + EVENT_CHILDREN]);
        __builtin_prefetch(&keys[grandchild + 2 * EVENT_CHILDREN]);
        __builtin_prefetch(&keys[grandchild + 3 * EVENT_CHILDREN]);
    }
}

/* The earliest of the group of children that begins at `child`. */
static inline size_t earliest_of(const event_key *keys, size_t child) {
    size_t left = child + (keys[child + 1] < keys[child]);
    size_t right = child + 2 + (keys[child + 3] < keys[child + 2]);
    return keys[right] < keys[left] ? right : left;
}

/* The next event's slot is a cache miss on a large heap: it can arrive while this one is handled.
 */
void event_queue_open(struct event_queue *queue) {
    queue->first = &queue->keys[earliest_of(queue->keys, 1)];
    __builtin_prefetch(&queue->slots[event_key_slot(*queue->first)]);
}

/* Moves the hole at i to the bottom along the earliest children, and returns where it ends. */
static size_t sink_hole(struct event_queue *queue, size_t i) {
    event_key *keys = queue->keys;
    size_t count = queue->count;
    size_t child;
    while ((child = first_child(i)) < count) {
        prefetch_grandchildren(keys, count, child);
        size_t earliest = earliest_of(keys, child);
        keys[i] = keys[earliest]; /* a rise: see event_queue_inline.h */
        i = earliest;
    }
    return i;
}

/* The next root but one is among the root's children: have their slots at hand by then. */
static inline __attribute__((always_inline)) void
prefetch_next_slots(const struct event_queue *queue) {
    for (size_t i = 1; i <= EVENT_CHILDREN; i++) {
        __builtin_prefetch(&queue->slots[event_key_slot(queue->keys[i])]);
    }
}

/* The key came from the bottom and most likely belongs there: so to the bottom first, then up,
 * which saves the comparisons with it on the way down. It may rise above i, if i is not the root.
 */
static void fill(struct event_queue *queue, size_t i, event_key key) {
    event_heap_sift_up(queue, sink_hole(queue, i), key);
    if (queue->count > MANY_EVENTS) {
        prefetch_next_slots(queue);
    }
}

/* Puts key into the open root, or to where the heap wants it from there. */
static void fill_root(struct event_queue *queue, event_key key) {
    size_t first = (size_t)(queue->first - queue->keys);
    queue->first = queue->keys;
    if (first < queue->count) {
        queue->keys[0] = queue->keys[first];
        fill(queue, first, key);
    } else {
        event_heap_place(queue, 0, key);
    }
}

static event_key take_last(struct event_queue *queue) {
    size_t count = --queue->count;
    event_key last = queue->keys[count];
    queue->keys[count] = EVENT_LAST_KEY;
    return last;
}

/* Removes the key at i. */
static void remove_key(struct event_queue *queue, size_t i) {
    event_key last = take_last(queue);
    if (i < queue->count) {
        fill(queue, i, last);
    } else if (queue->count == 0) {
        event_queue_refill(queue);
    }
}

static void remove_root(struct event_queue *queue) {
    event_key last = take_last(queue);
    if (queue->count > 0) {
        fill_root(queue, last);
    } else {
        queue->first = queue->keys;
        event_queue_refill(queue);
    }
}

void event_queue_replace(struct event_queue *queue, event_key key) {
    if (key < queue->near_limit) {
        fill_root(queue, key);
    } else {
        remove_root(queue);
        event_queue_push_far(queue, key);
    }
}

static void release_slot(struct event_queue *queue, uint32_t number) {
    struct event_slot *slot = &queue->slots[number];
    slot->id += EVENT_GENERATION;
    slot->handle = NULL;
    slot->position = queue->free_slot;
    queue->free_slot = number;
}

void event_queue_close(struct event_queue *queue) {
    release_slot(queue, event_key_slot(queue->keys[0]));
    remove_root(queue);
}

static void allocate_keys(struct event_queue *queue, size_t capacity) {
    /* Room before keys[0], so that keys[1] begins a cache line, and past the end for the groups
     * that are looked at or prefetched there. */
    size_t before = CACHE_LINE / sizeof(event_key) - 1;
    size_t length = capacity + 4 * EVENT_CHILDREN;
    event_key *block = memory_allocate_aligned(CACHE_LINE, before + length, sizeof(event_key));
    event_key *keys = block + before;
    if (queue->count > 0) {
        memcpy(keys, queue->keys, queue->count * sizeof(event_key));
    }
    for (size_t i = queue->count; i < length; i++) {
        keys[i] = EVENT_LAST_KEY;
    }
    free(queue->key_block);
    queue->key_block = block;
    queue->keys = keys;
    queue->first = keys;
}

static void allocate_slots(struct event_queue *queue, size_t capacity) {
    struct event_slot *slots = memory_allocate_scattered(capacity, sizeof(struct event_slot));
    if (queue->capacity > 0) {
        memcpy(slots, queue->slots, queue->capacity * sizeof(struct event_slot));
    }
    for (size_t i = capacity; i-- > queue->capacity;) {
        slots[i] = (struct event_slot){.id = i + 1, .position = queue->free_slot};
        queue->free_slot = (uint32_t)i;
    }
    free(queue->slots);
    queue->slots = slots;
}

static void grow_slots(struct event_queue *queue) {
    size_t capacity = queue->capacity > 0 ? 2 * queue->capacity : FIRST_CAPACITY;
    if (capacity > EVENT_SLOT_MASK) {
        memory_exhausted(capacity * sizeof(struct event_slot));
    }
    allocate_slots(queue, capacity);
    queue->capacity = capacity;
}

void event_queue_grow_keys(struct event_queue *queue) {
    if (queue->key_capacity == MOST_NEAR) {
        event_queue_spill(queue);
        return;
    }
    size_t capacity = queue->key_capacity > 0 ? 2 * queue->key_capacity : FIRST_CAPACITY;
    allocate_keys(queue, capacity);
    queue->key_capacity = capacity;
}

event_id event_queue_append(struct event_queue *queue, sim_time time, enum event_rank rank,
                            event_handler *handle, void *subject) {
    if (queue->next_sequence == EVENT_SEQUENCE_END) {
        event_queue_renumber(queue);
    }
    if (queue->free_slot == EVENT_NO_SLOT) {
        grow_slots(queue);
    }
    if (queue->count == queue->key_capacity) {
        event_queue_grow_keys(queue);
    }
    uint32_t number = queue->free_slot;
    struct event_slot *slot = &queue->slots[number];
    queue->free_slot = slot->position;
    slot->handle = handle;
    slot->subject = subject;
    event_key key = event_key_make(time, rank, queue->next_sequence++, number);
    if (key < queue->near_limit) {
        event_heap_sift_up(queue, queue->count++, key);
    } else {
        event_queue_push_far(queue, key);
    }
    return slot->id;
}

struct event_queue *event_queue_create(void) {
    struct event_queue *queue = memory_zero(1, sizeof(*queue));
    queue->free_slot = EVENT_NO_SLOT;
    queue->now = INT64_MIN;
    queue->near_limit = EVENT_LAST_KEY;
    grow_slots(queue);
    event_queue_grow_keys(queue);
    return queue;
}

void event_queue_destroy(struct event_queue *queue) {
    if (queue != NULL) {
        event_queue_free_far(queue);
        free(queue->key_block);
        free(queue->slots);
        free(queue);
    }
}

bool event_queue_cancel(struct event_queue *queue, event_id id) {
    uint64_t number = (id & EVENT_SLOT_MASK) - 1; /* of id 0: none */
    if (number >= queue->capacity) {
        return false;
    }
    struct event_slot *slot = &queue->slots[number];
    if (slot->id != id || slot->handle == NULL) {
        return false;
    }
    if (slot->position == EVENT_FAR) {
        event_queue_cancel_far(queue, slot);
        return true;
    }
    if (queue->first != queue->keys) {
        if (event_key_slot(queue->keys[0]) == number) {
            return false; /* popped */
        }
        event_queue_close(queue);
    }
    size_t position = slot->position;
    while (event_key_slot(queue->keys[position]) != number) {
        position = event_heap_parent(position);
    }
    release_slot(queue, (uint32_t)number);
    remove_key(queue, position);
    return true;
}
