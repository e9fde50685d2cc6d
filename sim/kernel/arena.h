/* Memory that is allocated piece by piece and released all at once: what lives as long as a
 * simulation does. */
#ifndef SIM_KERNEL_ARENA_H
#define SIM_KERNEL_ARENA_H

#include <stddef.h>

struct arena_block;

/* Zero-initialize; release everything with arena_clear, after which it can be used anew. */
struct arena {
    struct arena_block *newest;
    size_t bytes; /* handed out in all, with padding */
};

/* count x size zeroed bytes, aligned for any type; never NULL (see memory.h). */
void *arena_allocate(struct arena *arena, size_t count, size_t size)
    __attribute__((malloc, returns_nonnull));
char *arena_duplicate_string(struct arena *arena, const char *text)
    __attribute__((malloc, returns_nonnull));
void arena_clear(struct arena *arena);

#endif
