/* Which jobs of a trace wait for the end of others of it: by ids while the file is read, by their
 * places in it once it is sorted. A trace without such jobs costs nothing, one with them 8 bytes a
 * row. */
#ifndef WORKLOADS_TRACE_LINKS_H
#define WORKLOADS_TRACE_LINKS_H

#include <stdbool.h>

#include "workloads/name_table.h"
#include "workloads/trace_store.h"

struct trace_links {
    struct name_table ids; /* of the jobs waited for */
    struct trace_link *links;
    size_t count, capacity;
    int64_t dropped; /* resolved: those on jobs that were not kept */
    int64_t *after;  /* resolved, by index: see trace_links_get; NULL: nobody waits */
};

/* Zero-initialize; release with trace_links_clear. */

/* A job, by its row's number, waits for the one of this id; rows in order. */
void trace_links_add(struct trace_links *links, int64_t number, const char *id, bool ok);
/* Once the store is finished. partial: jobs of the file may be missing, and what waits for those
 * waits for nobody. False with a message if an id is unknown or two jobs have it, or if jobs wait
 * for each other in a circle. */
bool trace_links_resolve(struct trace_links *links, const struct trace_store *store, bool partial,
                         struct error *error);
void trace_links_clear(struct trace_links *links);

/* The index of the job that must have ended first, and whether it must have completed; -1: none. */
static inline int64_t trace_links_get(const struct trace_links *links, int64_t index, bool *ok) {
    int64_t coded = links->after != NULL ? links->after[index] : -1;
    *ok = coded >= 0 && (coded & 1) != 0;
    return coded >> 1;
}

#endif
