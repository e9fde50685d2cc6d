/* Numbers the distinct texts of a column (queue names, say) in the order in which they turn up. */
#ifndef WORKLOADS_NAME_TABLE_H
#define WORKLOADS_NAME_TABLE_H

#include <stddef.h>
#include <stdint.h>

#include "sim/kernel/arena.h"

struct name_table {
    struct arena arena;
    const char **names; /* by number */
    size_t count, capacity;
    uint32_t *slots; /* hash table: number + 1, or 0 */
    size_t slot_count;
};

/* Zero-initialize; release with name_table_clear. */
int32_t name_table_add(struct name_table *table,
                       const char *name); /* the old number if it is known */
int32_t name_table_find(const struct name_table *table, const char *name); /* -1: unknown */
void name_table_clear(struct name_table *table);

#endif
