/* Numbers the distinct pairs of queue and user that jobs of a trace have, in the order in which
 * they turn up, so that nobody compares names once they are known. */
#ifndef WORKLOADS_OWNER_TABLE_H
#define WORKLOADS_OWNER_TABLE_H

#include "workloads/name_table.h"

/* Numbers of names; -1: none. */
struct owner_pair {
    int32_t queue;
    int32_t user;
};

struct owner_table {
    struct name_table queues;
    struct name_table users;
    struct owner_pair *pairs; /* by number */
    size_t count, capacity;
    uint32_t *slots; /* hash table: number + 1, or 0 */
    size_t slot_count;
};

/* Zero-initialize; release with owner_table_clear. NULL: none. The old number if it is known. */
int32_t owner_table_add(struct owner_table *table, const char *queue, const char *user);
/* The names belong to the table. */
void owner_table_get(const struct owner_table *table, int32_t number, const char **queue,
                     const char **user);
void owner_table_clear(struct owner_table *table);

#endif
