/* The key `sweep`: values to try at some paths, in every combination. */
#ifndef SCENARIOS_SWEEP_H
#define SCENARIOS_SWEEP_H

#include "scenarios/schema_engine.h"
#include "scenarios/value_path.h"

/* Each point is a scenario of its own in memory, from reading to the end of the batch. */
enum { MOST_SWEEP_POINTS = 10000 };

/* Checks the form; values are checked where they go, at each point. */
extern const struct field_type sweep_type;

/* One path and what it is to be in turn. */
struct sweep_axis {
    struct value_path path;
    const char *text;          /* of the path */
    const struct entry *entry; /* in the file: the path as key, the values as a list */
};

/* All combinations, the values of the last path changing fastest. */
struct sweep {
    struct sweep_axis *axes;
    size_t axis_count;
    size_t point_count; /* 0: there is no sweep */
};

/* Checks a map of paths and lists of values; `what` it is ("a sweep") is for messages. */
bool sweep_check(struct reading *reading, const struct node *node, const char *what);

/* Of the value of the key (NULL: it is not there) as far as its form is sound. Borrows the value.
 */
void sweep_create(struct sweep *sweep, struct arena *arena, const struct node *value);

/* The value of one path at a point. */
const struct node *sweep_value(const struct sweep *sweep, size_t axis, size_t point);
/* "cluster.pools.a100.nodes=2, scheduler.order=sjf" */
const char *sweep_point_name(const struct sweep *sweep, struct arena *arena, size_t point);
/* Puts the values of a point into a tree. */
void sweep_apply(const struct sweep *sweep, struct arena *arena, struct node *root, size_t point,
                 struct error_list *errors);
/* Whether a place in the file is that of a value of the point, or of its path. */
bool sweep_has_place(const struct sweep *sweep, size_t point, int line, int column);

#endif
