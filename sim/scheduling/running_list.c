#include "sim/scheduling/running_list.h"

#include <assert.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "sim/kernel/memory.h"

enum { CHUNK_ENTRIES = 64 };

struct running_chunk {
    size_t count;
    struct running_entry entries[CHUNK_ENTRIES];
};

void running_list_clear(struct running_list *list) {
    for (size_t i = 0; i < list->chunk_count; i++) {
        free(list->chunks[i]);
    }
    free(list->chunks);
    free(list->firsts);
    *list = (struct running_list){0};
}

static struct running_entry entry_of(struct job *job) {
    return (struct running_entry){.end = job->link.key, .sequence = job->sequence, .job = job};
}

static bool entry_before(const struct running_entry *a, const struct running_entry *b) {
    return a->end < b->end || (a->end == b->end && a->sequence < b->sequence);
}

/* How many of the sorted entries come before `wanted` or are it. */
static size_t count_up_to(const struct running_entry *entries, size_t count,
                          const struct running_entry *wanted) {
    size_t low = 0;
    size_t high = count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (entry_before(wanted, &entries[middle])) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    return low;
}

/* Which chunk an entry is in or belongs in. */
static size_t chunk_for(const struct running_list *list, const struct running_entry *wanted) {
    size_t up_to = count_up_to(list->firsts, list->chunk_count, wanted);
    return up_to == 0 ? 0 : up_to - 1;
}

static void insert_chunk(struct running_list *list, size_t at, struct running_chunk *chunk) {
    size_t needed = list->chunk_count + 1;
    list->chunks = memory_grow(list->chunks, &list->chunk_capacity, needed, sizeof *list->chunks);
    list->firsts = memory_grow(list->firsts, &list->first_capacity, needed, sizeof *list->firsts);
    size_t behind = list->chunk_count - at;
    memmove(&list->chunks[at + 1], &list->chunks[at], behind * sizeof *list->chunks);
    memmove(&list->firsts[at + 1], &list->firsts[at], behind * sizeof *list->firsts);
    list->chunks[at] = chunk;
    list->chunk_count++;
}

static void remove_chunk(struct running_list *list, size_t at) {
    free(list->chunks[at]);
    size_t behind = list->chunk_count - at - 1;
    memmove(&list->chunks[at], &list->chunks[at + 1], behind * sizeof *list->chunks);
    memmove(&list->firsts[at], &list->firsts[at + 1], behind * sizeof *list->firsts);
    list->chunk_count--;
}

/* Makes room in a full chunk by moving its later half into a new one behind it. */
static void split_chunk(struct running_list *list, size_t at) {
    struct running_chunk *full = list->chunks[at];
    struct running_chunk *later = memory_zero(1, sizeof *later);
    full->count = CHUNK_ENTRIES / 2;
    later->count = CHUNK_ENTRIES - full->count;
    memcpy(later->entries, &full->entries[full->count], later->count * sizeof later->entries[0]);
    insert_chunk(list, at + 1, later);
    list->firsts[at + 1] = later->entries[0];
}

void running_list_add(struct running_list *list, struct job *job) {
    struct running_entry entry = entry_of(job);
    if (list->chunk_count == 0) {
        insert_chunk(list, 0, memory_zero(1, sizeof(struct running_chunk)));
    }
    size_t at = chunk_for(list, &entry);
    if (list->chunks[at]->count == CHUNK_ENTRIES) {
        split_chunk(list, at);
        at = chunk_for(list, &entry);
    }
    struct running_chunk *chunk = list->chunks[at];
    size_t place = count_up_to(chunk->entries, chunk->count, &entry);
    memmove(&chunk->entries[place + 1], &chunk->entries[place],
            (chunk->count - place) * sizeof chunk->entries[0]);
    chunk->entries[place] = entry;
    chunk->count++;
    list->firsts[at] = chunk->entries[0];
}

void running_list_remove(struct running_list *list, const struct job *job) {
    struct running_entry entry = {.end = job->link.key, .sequence = job->sequence};
    size_t at = chunk_for(list, &entry);
    struct running_chunk *chunk = list->chunks[at];
    size_t place = count_up_to(chunk->entries, chunk->count, &entry) - 1;
    assert(chunk->entries[place].job == job);
    chunk->count--;
    memmove(&chunk->entries[place], &chunk->entries[place + 1],
            (chunk->count - place) * sizeof chunk->entries[0]);
    if (chunk->count == 0) {
        remove_chunk(list, at);
    } else {
        list->firsts[at] = chunk->entries[0];
    }
}

struct job *running_list_next(const struct running_list *list, struct running_cursor *cursor) {
    if (cursor->chunk == list->chunk_count) {
        return NULL;
    }
    const struct running_chunk *chunk = list->chunks[cursor->chunk];
    struct job *job = chunk->entries[cursor->entry].job;
    if (++cursor->entry == chunk->count) {
        cursor->chunk++;
        cursor->entry = 0;
    }
    return job;
}
