/* How the event queue is laid out, and the paths that every event takes. Inlining them saves an
 * M/M/1 customer a tenth of its time. Nobody includes this but event_queue.h.
 *
 * The heap holds keys, not events: 16 bytes, so that the four children of a node fill one cache
 * line and two keys compare in a pair of instructions. A key's last bits name the slot with the
 * rest of the event.
 *
 * To cancel an event is to remove its key, so a slot knows where its key was last put down. Keys
 * that rise take their parent's place, one level after the other, and this is not written down: a
 * key is where its slot says or at an ancestor of that place. (Following every move instead costs
 * a fifth more per hold at a million events. Marking cancelled keys, to drop them when they
 * surface, gains nothing there and makes a push and its cancellation, the daily bread of timeouts
 * and of shared GPUs, 25 to 50 % slower.)
 *
 * Mostly, an event that was popped begets another. So a pop leaves its key and its slot where they
 * are, and the root is "open": a push puts the new event into both, and saves moving the last key
 * to the root and another to the end. Until then the first event is one of the root's children.
 * What cannot go on like this (another pop, a cancellation) closes the root.
 *
 * A heap that outgrows the nearer caches costs a miss per level, so only the earliest events are in
 * it; later ones lie in far segments, unsorted, each for one stretch of time (event_queue_far.c).
 */
#ifndef SIM_KERNEL_EVENT_QUEUE_INLINE_H
#define SIM_KERNEL_EVENT_QUEUE_INLINE_H

#include <assert.h>
#include <stddef.h>

/* From the top: the time, the rank, the order of insertion, the slot. */
typedef unsigned __int128 event_key;

enum { EVENT_RANK_BITS = 3, EVENT_SEQUENCE_BITS = 32, EVENT_SLOT_BITS = 29 };
static_assert(EVENT_RANK_BITS + EVENT_SEQUENCE_BITS + EVENT_SLOT_BITS == 64, "half a key");
static_assert(RANK_COUNT < 1 << EVENT_RANK_BITS, "room for a rank past all others");

#define EVENT_SLOT_MASK ((UINT64_C(1) << EVENT_SLOT_BITS) - 1)
#define EVENT_SEQUENCE_END (UINT64_C(1) << EVENT_SEQUENCE_BITS)
#define EVENT_GENERATION (UINT64_C(1) << EVENT_SLOT_BITS)
#define EVENT_NO_SLOT UINT32_MAX
/* Later than every event: of time SIM_TIME_NEVER. */
#define EVENT_LAST_KEY (~(event_key)0)

enum { EVENT_CHILDREN = 4 };

struct event_slot {
    event_handler *handle; /* NULL: free */
    void *subject;
    event_id id;       /* generation and slot number + 1, so never 0; any other id is a stale one */
    uint32_t position; /* where its key was put down; of a free slot: the next free one */
};
static_assert(sizeof(struct event_slot) == 32, "two slots fill a cache line");

/* The far events. A cancelled one stays, its slot without a handler, until its segment comes near
 * or half of all are cancelled. */
struct event_far {
    struct event_segment *segments; /* the latest first; past the end, ones to use anew */
    size_t segment_count;
    size_t segments_made;
    size_t segment_capacity;
    event_key *spare; /* an array to use anew */
    size_t spare_capacity;
    size_t count; /* with the cancelled ones */
    size_t cancelled;
};

/* As a position: far. */
#define EVENT_FAR UINT32_MAX

struct event_queue {
    /* The near events, those before near_limit: at least one, if there is any event. keys[1] begins
     * a cache line, and so then does every group of children, keys[4i + 1] to keys[4i + 4]. Those
     * past the end are EVENT_LAST_KEY, so that neither the last group nor an empty queue is a
     * special case. */
    event_key *keys;
    size_t count; /* with an open root */
    /* The first pending event: at the root or, while that is open, among its children (of which
     * those past the end will do). */
    const event_key *first;
    size_t key_capacity;
    event_key near_limit; /* EVENT_LAST_KEY if nothing is far */
    struct event_slot *slots;
    uint32_t free_slot;
    uint64_t next_sequence;
    sim_time now; /* of the last pop */
    void *key_block;
    size_t capacity; /* of slots */
    struct event_far far;
};

/* Makes room for one more near event, if need be by moving later ones far. */
void event_queue_grow_keys(struct event_queue *queue);
void event_queue_push_far(struct event_queue *queue, event_key key);
/* Brings the earliest far events near, when none is near. */
void event_queue_refill(struct event_queue *queue);
void event_queue_renumber(struct event_queue *queue);
/* Pushes with a slot and a place of its own. */
event_id event_queue_append(struct event_queue *queue, sim_time time, enum event_rank rank,
                            event_handler *handle, void *subject);
/* Finds the first event among the children of an open root. */
void event_queue_open(struct event_queue *queue);
/* Takes what was popped out of an open root and out of its slot. */
void event_queue_close(struct event_queue *queue);
/* Puts key, of the slot of an open root, where it belongs. */
void event_queue_replace(struct event_queue *queue, event_key key);

/* Flipping the sign bit makes unsigned order the order of times. */
static inline event_key event_key_make(sim_time time, enum event_rank rank, uint64_t sequence,
                                       uint32_t slot) {
    uint64_t order = (uint64_t)rank << (EVENT_SEQUENCE_BITS + EVENT_SLOT_BITS) |
                     sequence << EVENT_SLOT_BITS | slot;
    return (event_key)((uint64_t)time ^ (UINT64_C(1) << 63)) << 64 | order;
}

static inline sim_time event_key_time(event_key key) {
    return (sim_time)((uint64_t)(key >> 64) ^ (UINT64_C(1) << 63));
}

static inline enum event_rank event_key_rank(event_key key) {
    return (enum event_rank)((uint64_t)key >> (EVENT_SEQUENCE_BITS + EVENT_SLOT_BITS));
}

static inline uint32_t event_key_slot(event_key key) {
    return (uint32_t)((uint64_t)key & EVENT_SLOT_MASK);
}

static inline size_t event_heap_parent(size_t i) {
    return (i - 1) / EVENT_CHILDREN;
}

/* Puts key down at i. */
static inline void event_heap_place(struct event_queue *queue, size_t i, event_key key) {
    queue->keys[i] = key;
    queue->slots[event_key_slot(key)].position = (uint32_t)i;
}

/* Puts key into the hole at i or, while its parent there is later, moves the hole up. */
static inline void event_heap_sift_up(struct event_queue *queue, size_t i, event_key key) {
    while (i > 0 && key < queue->keys[event_heap_parent(i)]) {
        event_heap_place(queue, i, queue->keys[event_heap_parent(i)]);
        i = event_heap_parent(i);
    }
    event_heap_place(queue, i, key);
}

static inline event_id event_queue_push(struct event_queue *queue, sim_time time,
                                        enum event_rank rank, event_handler *handle,
                                        void *subject) {
    assert(time >= queue->now && time < SIM_TIME_NEVER && handle != NULL);
    event_key *root = queue->keys;
    if (queue->first == root ||
        __builtin_expect(queue->next_sequence >> EVENT_SEQUENCE_BITS != 0, 0)) {
        return event_queue_append(queue, time, rank, handle, subject);
    }
    uint32_t number = event_key_slot(*root);
    struct event_slot *slot = &queue->slots[number];
    event_id id = slot->id + EVENT_GENERATION;
    slot->id = id;
    slot->handle = handle;
    slot->subject = subject;
    event_key key = event_key_make(time, rank, queue->next_sequence++, number);
    if (key < *queue->first) { /* so it is near: see near_limit */
        queue->first = root;
        *root = key;
        slot->position = 0;
    } else {
        event_queue_replace(queue, key);
    }
    return id;
}

static inline bool event_queue_pop(struct event_queue *queue, struct event *event) {
    if (queue->first != queue->keys) {
        event_queue_close(queue);
    }
    const event_key *keys = queue->keys;
    if (queue->count == 0) {
        *event = (struct event){SIM_TIME_NEVER, NULL, NULL};
        return false;
    }
    const struct event_slot *slot = &queue->slots[event_key_slot(keys[0])];
    *event = (struct event){event_key_time(keys[0]), slot->handle, slot->subject};
    queue->now = event->time;
    queue->first = &keys[1];
    if (queue->count > 1) {
        event_queue_open(queue);
    } else if (__builtin_expect(queue->far.count > 0, 0)) {
        event_queue_close(queue);
    }
    return true;
}

static inline __attribute__((always_inline)) void
event_queue_prefetch(const struct event_queue *queue) {
    if (queue->count > (queue->first != queue->keys)) {
        __builtin_prefetch(queue->slots[event_key_slot(*queue->first)].subject);
    }
}

static inline sim_time event_queue_peek(struct event_queue *queue, enum event_rank *rank) {
    if (rank != NULL) {
        *rank = event_key_rank(*queue->first);
    }
    return event_key_time(*queue->first);
}

static inline uint64_t event_queue_size(const struct event_queue *queue) {
    return queue->count - (queue->first != queue->keys) + queue->far.count - queue->far.cancelled;
}

#endif
