#include "sim/scheduling/job_store.h"

#include <stdlib.h>
#include <string.h>

#include "sim/kernel/memory.h"

/* Each block is twice as large as the one before, up to 6 MiB. */
enum { SMALLEST_BLOCK = 256, LARGEST_BLOCK = 32768 };

struct job_block {
    struct job *jobs;
    size_t count;
    struct job_block *next;
};

static void grow(struct job_store *store) {
    struct job_block *block = memory_zero(1, sizeof *block);
    block->count = store->blocks == NULL ? SMALLEST_BLOCK : 2 * store->blocks->count;
    block->count = block->count > LARGEST_BLOCK ? LARGEST_BLOCK : block->count;
    block->jobs = memory_allocate_scattered(block->count, sizeof *block->jobs);
    memset(block->jobs, 0, block->count * sizeof *block->jobs);
    block->next = store->blocks;
    store->blocks = block;
    for (size_t i = block->count; i-- > 0;) {
        block->jobs[i].next_free = store->free_list;
        store->free_list = &block->jobs[i];
    }
}

/* The job that will be taken next is written all over then, and on a large cluster none of it is in
 * the cache. (Always inline: GCC drops calls of a function that only prefetches.) */
static inline __attribute__((always_inline)) void prefetch_job(const struct job *job) {
    __builtin_prefetch(&job->link, 1);
    __builtin_prefetch(&job->shape, 1);
}

struct job *job_store_take(struct job_store *store) {
    if (store->free_list == NULL) {
        grow(store);
    }
    struct job *job = store->free_list;
    store->free_list = job->next_free;
    *job = (struct job){0};
    __builtin_prefetch(store->free_list, 1);
    if (store->free_list != NULL) {
        prefetch_job(store->free_list);
    }
    store->alive++;
    return job;
}

void job_store_return(struct job_store *store, struct job *job) {
    prefetch_job(job);
    job->gpus = 0;
    job->next_free = store->free_list;
    store->free_list = job;
    store->alive--;
}

void job_store_clear(struct job_store *store) {
    while (store->blocks != NULL) {
        struct job_block *next = store->blocks->next;
        free(store->blocks->jobs);
        free(store->blocks);
        store->blocks = next;
    }
    *store = (struct job_store){0};
}

static int compare_sequence(const void *a, const void *b) {
    uint64_t left = (*(struct job *const *)a)->sequence;
    uint64_t right = (*(struct job *const *)b)->sequence;
    return (left > right) - (left < right);
}

struct job **job_store_list(const struct job_store *store) {
    struct job **jobs = memory_zero(store->alive, sizeof(struct job *));
    size_t count = 0;
    for (struct job_block *block = store->blocks; block != NULL; block = block->next) {
        for (size_t i = 0; i < block->count; i++) {
            if (block->jobs[i].gpus > 0) {
                jobs[count++] = &block->jobs[i];
            }
        }
    }
    qsort(jobs, count, sizeof(struct job *), compare_sequence);
    return jobs;
}
