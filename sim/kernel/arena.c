#include "sim/kernel/arena.h"

#include <stdalign.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "sim/kernel/memory.h"

enum { FIRST_BLOCK = 4096, LARGEST_BLOCK = 1 << 20, ALIGNMENT = alignof(max_align_t) };

struct arena_block {
    struct arena_block *older;
    size_t size;
    size_t used;
    alignas(ALIGNMENT) unsigned char bytes[];
};

/* Blocks double up to a megabyte, so that a small simulation stays small; a larger piece gets a
 * block of its own size. */
static struct arena_block *add_block(struct arena *arena, size_t wanted) {
    struct arena_block *newest = arena->newest;
    size_t size = newest == NULL ? FIRST_BLOCK : newest->size * 2;
    if (size > LARGEST_BLOCK) {
        size = LARGEST_BLOCK;
    }
    if (size < wanted) {
        size = wanted;
    }
    if (size > SIZE_MAX - sizeof(struct arena_block)) {
        memory_exhausted(size);
    }
    struct arena_block *block = memory_zero(1, sizeof(*block) + size);
    block->older = newest;
    block->size = size;
    arena->newest = block;
    return block;
}

void *arena_allocate(struct arena *arena, size_t count, size_t size) {
    size_t bytes = 0;
    if (__builtin_mul_overflow(count, size, &bytes) || bytes > SIZE_MAX - ALIGNMENT) {
        memory_exhausted(SIZE_MAX);
    }
    bytes = (bytes + ALIGNMENT - 1) & ~(size_t)(ALIGNMENT - 1);
    if (bytes == 0) {
        bytes = ALIGNMENT;
    }
    struct arena_block *block = arena->newest;
    if (block == NULL || block->size - block->used < bytes) {
        block = add_block(arena, bytes);
    }
    void *piece = block->bytes + block->used;
    block->used += bytes;
    arena->bytes += bytes;
    return piece;
}

char *arena_duplicate_string(struct arena *arena, const char *text) {
    size_t size = strlen(text) + 1;
    return memcpy(arena_allocate(arena, size, 1), text, size);
}

void arena_clear(struct arena *arena) {
    struct arena_block *block = arena->newest;
    while (block != NULL) {
        struct arena_block *older = block->older;
        free(block);
        block = older;
    }
    *arena = (struct arena){0};
}
