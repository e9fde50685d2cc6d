#include "sim/scheduling/job_store.h"

#include <stdlib.h>
#include <string.h>

#include "sim/kernel/memory.h"

enum { JOBS_PER_BLOCK = 256 };

struct job_block {
    struct job jobs[JOBS_PER_BLOCK];
    struct job_block *next;
};

static void grow(struct job_store *store) {
    struct job_block *block = memory_allocate_aligned(alignof(struct job_block), 1, sizeof *block);
    memset(block, 0, sizeof *block);
    block->next = store->blocks;
    store->blocks = block;
    for (int i = JOBS_PER_BLOCK - 1; i >= 0; i--) {
        block->jobs[i].next_free = store->free_list;
        store->free_list = &block->jobs[i];
    }
}

struct job *job_store_take(struct job_store *store) {
    if (store->free_list == NULL) {
        grow(store);
    }
    struct job *job = store->free_list;
    store->free_list = job->next_free;
    *job = (struct job){0};
    store->alive++;
    return job;
}

void job_store_return(struct job_store *store, struct job *job) {
    job->gpus = 0;
    job->next_free = store->free_list;
    store->free_list = job;
    store->alive--;
}

void job_store_clear(struct job_store *store) {
    while (store->blocks != NULL) {
        struct job_block *next = store->blocks->next;
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
        for (int i = 0; i < JOBS_PER_BLOCK; i++) {
            if (block->jobs[i].gpus > 0) {
                jobs[count++] = &block->jobs[i];
            }
        }
    }
    qsort(jobs, count, sizeof(struct job *), compare_sequence);
    return jobs;
}
