/* "Did you mean": the known name that a mistyped one is closest to. */
#ifndef SCENARIOS_SUGGEST_H
#define SCENARIOS_SUGGEST_H

#include <stddef.h>

/* Starts with no name in reach. */
struct suggestion {
    const char *typed;
    const char *best; /* NULL: nothing is close */
    size_t distance;
};

struct suggestion suggestion_start(const char *typed);
/* Considers a known name, which is borrowed; of equally close ones the first is kept. */
void suggestion_consider(struct suggestion *suggestion, const char *known);

#endif
