/* The running jobs in order of their estimated ends: what a reservation walks. A sorted array in
 * chunks, so that adding and removing touch a directory that stays in the cache and one chunk,
 * however many jobs run. */
#ifndef SIM_SCHEDULING_RUNNING_LIST_H
#define SIM_SCHEDULING_RUNNING_LIST_H

#include <stdint.h>

#include "sim/kernel/sim_time.h"
#include "sim/scheduling/job.h"

struct running_entry {
    sim_time end; /* as estimated */
    uint64_t sequence;
    struct job *job;
};

/* Zero-initialize; free with running_list_clear. */
struct running_list {
    struct running_chunk **chunks; /* none is empty */
    struct running_entry *firsts;  /* the first entry of each chunk, for the search */
    size_t chunk_count;
    size_t chunk_capacity;
    size_t first_capacity;
};

void running_list_clear(struct running_list *list);
/* Adds a job under its link.key, the estimated end, and its sequence. */
void running_list_add(struct running_list *list, struct job *job);
void running_list_remove(struct running_list *list, const struct job *job);

/* A walk in order: starts zero-initialized; NULL at the end. The list must not change under it. */
struct running_cursor {
    size_t chunk;
    size_t entry;
};
struct job *running_list_next(const struct running_list *list, struct running_cursor *cursor);

#endif
