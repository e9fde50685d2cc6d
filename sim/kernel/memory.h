/* Checked allocation, the one place from which the project allocates: a simulation that runs out of
 * memory cannot go on, so these never return NULL but stop the program with a message. Everything
 * returned is released with free(). */
#ifndef SIM_KERNEL_MEMORY_H
#define SIM_KERNEL_MEMORY_H

#include <stdarg.h>
#include <stddef.h>

void *memory_allocate(size_t size) __attribute__((malloc, returns_nonnull));
/* count x size zeroed bytes; a product beyond size_t counts as out of memory. */
void *memory_zero(size_t count, size_t size) __attribute__((malloc, returns_nonnull));
/* Resizes to count x size bytes; block may be NULL. */
void *memory_reallocate(void *block, size_t count, size_t size) __attribute__((returns_nonnull));
/* Uninitialized and aligned to a cache line at least; large blocks ask for huge pages, since memory
 * that is touched at random costs as much in address look-ups as in cache misses. */
void *memory_allocate_scattered(size_t count, size_t size) __attribute__((malloc, returns_nonnull));
/* Uninitialized; alignment is a power of two and at least sizeof(void *). */
void *memory_allocate_aligned(size_t alignment, size_t count, size_t size)
    __attribute__((malloc, returns_nonnull));
char *memory_duplicate_string(const char *text) __attribute__((malloc, returns_nonnull));
/* What printf would print. */
char *memory_format(const char *format, va_list arguments)
    __attribute__((format(printf, 1, 0), malloc, returns_nonnull));
void *memory_duplicate(const void *bytes, size_t size) __attribute__((malloc, returns_nonnull));

/* Makes room for at least `wanted` items of `size` bytes in a growing array: doubles *capacity as
 * needed and returns the array, moved or not. */
void *memory_grow(void *array, size_t *capacity, size_t wanted, size_t size)
    __attribute__((returns_nonnull));

/* Says on stderr that `size` bytes could not be had (0: an unknown number), and aborts. */
_Noreturn void memory_exhausted(size_t size);

#endif
