/* Points of a sweep, as results name them, for people: `cluster.pools.a100.nodes=2,
 * scheduler.order=sjf` is one column `nodes` and one `order`, or "nodes=2, order=sjf" in a line. */
#ifndef REPORTS_SWEEP_POINT_H
#define REPORTS_SWEEP_POINT_H

#include <stddef.h>

#include "reports/table.h"
#include "sim/kernel/arena.h"

/* "nodes=2, order=sjf"; where two paths end alike, as much of each as tells them apart. Free it. */
char *sweep_point_short(const char *point);

/* The columns that tell points apart. Zero-initialize; release with sweep_columns_clear. */
struct sweep_columns {
    struct arena arena;
    const char **paths; /* all that are swept; none: one column for the whole point */
    const char **headers;
    size_t count;
};

/* Takes another point into account; "" is none. */
void sweep_columns_include(struct sweep_columns *columns, const char *point);
void sweep_columns_clear(struct sweep_columns *columns);
/* What a point has for the path of a column, in the arena; NULL: nothing. */
const char *sweep_columns_value(const struct sweep_columns *columns, struct arena *arena,
                                const char *point, size_t column);
/* Adds the columns to a table, for people; then the cells of a row. */
void sweep_columns_add(const struct sweep_columns *columns, struct table *table);
void sweep_columns_add_cells(const struct sweep_columns *columns, struct table *table,
                             const char *point);

#endif
