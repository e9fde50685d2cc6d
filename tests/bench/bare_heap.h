/* The yardstick of the benchmarks: a 4-ary heap of bare 16-byte keys, aligned and popped like the
 * kernel's, but of fixed capacity and without slots, ids, cancellation, growth or prefetching. */
#ifndef TESTS_BENCH_BARE_HEAP_H
#define TESTS_BENCH_BARE_HEAP_H

#include <stdint.h>
#include <stdlib.h>

typedef unsigned __int128 bare_key; /* time, then sequence */

struct bare_heap {
    bare_key *keys;
    uint64_t count;
    uint64_t sequence;
    void *block;
};

static inline void bare_heap_initialize(struct bare_heap *heap, uint64_t capacity) {
    *heap = (struct bare_heap){0};
    if (posix_memalign(&heap->block, 64, (capacity + 7) * sizeof(bare_key)) != 0) {
        abort();
    }
    heap->keys = (bare_key *)heap->block + 3;
    for (uint64_t i = 0; i < capacity + 4; i++) {
        heap->keys[i] = ~(bare_key)0;
    }
}

static inline void bare_heap_terminate(struct bare_heap *heap) {
    free(heap->block);
}

static inline uint64_t bare_heap_time(const struct bare_heap *heap) {
    return (uint64_t)(heap->keys[0] >> 64); /* UINT64_MAX when empty */
}

static inline void bare_heap_place(bare_key *keys, uint64_t i, bare_key key) {
    while (i > 0 && key < keys[(i - 1) / 4]) {
        keys[i] = keys[(i - 1) / 4];
        i = (i - 1) / 4;
    }
    keys[i] = key;
}

static inline void bare_heap_push(struct bare_heap *heap, uint64_t time) {
    bare_heap_place(heap->keys, heap->count++, (bare_key)time << 64 | heap->sequence++);
}

static inline uint64_t bare_heap_pop(struct bare_heap *heap) {
    bare_key *keys = heap->keys;
    uint64_t time = bare_heap_time(heap);
    uint64_t count = --heap->count;
    bare_key last = keys[count];
    keys[count] = ~(bare_key)0;
    uint64_t i = 0;
    for (uint64_t child; (child = 4 * i + 1) < count;) {
        uint64_t left = child + (keys[child + 1] < keys[child]);
        uint64_t right = child + 2 + (keys[child + 3] < keys[child + 2]);
        uint64_t earliest = keys[right] < keys[left] ? right : left;
        keys[i] = keys[earliest];
        i = earliest;
    }
    if (count > 0) {
        bare_heap_place(keys, i, last);
    }
    return time;
}

#endif
