#include "workloads/trace_links.h"

#include <stdlib.h>

#include "sim/kernel/memory.h"

struct trace_link {
    int64_t number; /* of the waiting job's row */
    int32_t id;     /* number of the id it names */
    bool ok;
};

/* The job of an id. */
enum { UNKNOWN = -1, AMBIGUOUS = -2 };

void trace_links_add(struct trace_links *links, int64_t number, const char *id, bool ok) {
    links->links =
        memory_grow(links->links, &links->capacity, links->count + 1, sizeof(links->links[0]));
    links->links[links->count++] =
        (struct trace_link){.number = number, .id = name_table_add(&links->ids, id), .ok = ok};
}

void trace_links_clear(struct trace_links *links) {
    name_table_clear(&links->ids);
    free(links->links);
    free(links->after);
    *links = (struct trace_links){0};
}

static int compare_numbers(const void *left, const void *right) {
    const struct trace_link *a = left;
    const struct trace_link *b = right;
    return (a->number > b->number) - (a->number < b->number);
}

/* By id: the index of its job. */
static int64_t *find_targets(const struct trace_links *links, const struct trace_store *store) {
    int64_t *targets = memory_zero(links->ids.count, sizeof(targets[0]));
    for (size_t i = 0; i < links->ids.count; i++) {
        targets[i] = UNKNOWN;
    }
    for (int64_t i = 0; i < trace_store_count(store); i++) {
        struct arrival job;
        char buffer[JOB_ID_BUFFER];
        trace_store_get(store, i, &job, buffer);
        int32_t id = job.id != NULL ? name_table_find(&links->ids, job.id) : -1;
        if (id >= 0) {
            targets[id] = targets[id] == UNKNOWN ? i : AMBIGUOUS;
        }
    }
    return targets;
}

static bool set_link(struct trace_links *links, int64_t index, const struct trace_link *link,
                     const int64_t *targets, bool partial, struct error *error) {
    int64_t target = targets[link->id];
    if (target >= 0) {
        links->after[index] = 2 * target + link->ok;
    } else if (target == UNKNOWN && partial) {
        links->dropped++;
    } else {
        error_set(error, NULL, 0, 0, "row %lld waits for job '%.100s', %s", (long long)link->number,
                  links->ids.names[link->id],
                  target == AMBIGUOUS ? "but several jobs are called so"
                                      : "but no job is called so");
        return false;
    }
    return true;
}

/* Each job waits for one other at most, so what leads to a circle is a path: jobs on the path under
 * way are marked with its number, and one of that number comes up again if there is a circle. */
static bool check_circles(const struct trace_links *links, const struct trace_store *store,
                          struct error *error) {
    int64_t count = trace_store_count(store);
    int64_t *seen = memory_zero((size_t)count, sizeof(seen[0]));
    int64_t circle = -1;
    for (int64_t start = 0; start < count && circle < 0; start++) {
        int64_t at = start;
        while (at >= 0 && seen[at] == 0) {
            seen[at] = start + 1;
            at = links->after[at] >> 1;
        }
        circle = at >= 0 && seen[at] == start + 1 ? at : -1;
    }
    free(seen);
    if (circle >= 0) {
        struct arrival job;
        char buffer[JOB_ID_BUFFER];
        trace_store_get(store, circle, &job, buffer);
        error_set(error, NULL, 0, 0, "job '%.100s' waits for itself, through `after` or `afterok`",
                  job.id);
    }
    return circle < 0;
}

bool trace_links_resolve(struct trace_links *links, const struct trace_store *store, bool partial,
                         struct error *error) {
    if (links->count == 0) {
        return true;
    }
    int64_t count = trace_store_count(store);
    int64_t *targets = find_targets(links, store);
    bool resolved = true;
    links->after = memory_zero((size_t)count, sizeof(links->after[0]));
    for (int64_t i = 0; i < count; i++) {
        links->after[i] = -1;
    }
    for (int64_t i = 0; i < count && resolved; i++) {
        struct trace_link key = {.number = trace_store_number(store, i)};
        const struct trace_link *link =
            bsearch(&key, links->links, links->count, sizeof(key), compare_numbers);
        resolved = link == NULL || set_link(links, i, link, targets, partial, error);
    }
    free(targets);
    return resolved && check_circles(links, store, error);
}
