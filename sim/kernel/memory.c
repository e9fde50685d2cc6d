#include "sim/kernel/memory.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

void memory_exhausted(size_t size) {
    if (size > 0) {
        fprintf(stderr, "headroom: out of memory (could not allocate %zu bytes)\n", size);
    } else {
        fprintf(stderr, "headroom: out of memory\n");
    }
    abort();
}

static size_t checked_product(size_t count, size_t size) {
    size_t bytes = 0;
    if (__builtin_mul_overflow(count, size, &bytes)) {
        memory_exhausted(SIZE_MAX);
    }
    return bytes;
}

/* A request for nothing still gets an address of its own, so that NULL always means failure. */
static size_t at_least_one(size_t size) {
    return size > 0 ? size : 1;
}

void *memory_allocate(size_t size) {
    void *block = malloc(at_least_one(size));
    if (block == NULL) {
        memory_exhausted(size);
    }
    return block;
}

void *memory_zero(size_t count, size_t size) {
    size_t bytes = checked_product(count, size);
    void *block = calloc(at_least_one(bytes), 1);
    if (block == NULL) {
        memory_exhausted(bytes);
    }
    return block;
}

void *memory_reallocate(void *block, size_t count, size_t size) {
    size_t bytes = checked_product(count, size);
    void *moved = realloc(block, at_least_one(bytes));
    if (moved == NULL) {
        memory_exhausted(bytes);
    }
    return moved;
}

void *memory_allocate_aligned(size_t alignment, size_t count, size_t size) {
    size_t bytes = checked_product(count, size);
    void *block = NULL;
    if (posix_memalign(&block, alignment, at_least_one(bytes)) != 0) {
        memory_exhausted(bytes);
    }
    return block;
}

void *memory_allocate_scattered(size_t count, size_t size) {
    const size_t cache_line = 64;
    const size_t huge_page = (size_t)2 << 20;
    size_t bytes = checked_product(count, size);
    if (bytes < huge_page) {
        return memory_allocate_aligned(cache_line, count, size);
    }
    void *block = memory_allocate_aligned(huge_page, count, size);
    madvise(block, bytes, MADV_HUGEPAGE); /* a wish: no harm if it is not granted */
    return block;
}

void *memory_duplicate(const void *bytes, size_t size) {
    void *copy = memory_allocate(size);
    if (size > 0) {
        memcpy(copy, bytes, size);
    }
    return copy;
}

char *memory_duplicate_string(const char *text) {
    return memory_duplicate(text, strlen(text) + 1);
}

char *memory_format(const char *format, va_list arguments) {
    char *text = NULL;
    if (vasprintf(&text, format, arguments) < 0) {
        memory_exhausted(0);
    }
    return text;
}

void *memory_grow(void *array, size_t *capacity, size_t wanted, size_t size) {
    if (array != NULL && wanted <= *capacity) {
        return array;
    }
    size_t room = *capacity > 0 ? *capacity : 8;
    while (room < wanted) {
        room = checked_product(room, 2);
    }
    array = memory_reallocate(array, room, size);
    *capacity = room;
    return array;
}
