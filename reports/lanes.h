/* Lanes for spans that overlap: each takes the first lane of its group that is free when it begins.
 * Spans come in the order of their beginnings. */
#ifndef REPORTS_LANES_H
#define REPORTS_LANES_H

#include <stdint.h>

struct lanes;

struct lanes *lanes_create(void);
void lanes_destroy(struct lanes *lanes);

/* The lane, 1 or more. Groups are small numbers. O(lanes of the group), which is how many spans
 * overlap. */
int64_t lanes_take(struct lanes *lanes, int64_t group, double begin, double end);
/* How many lanes a group has so far. */
int64_t lanes_count(const struct lanes *lanes, int64_t group);

#endif
