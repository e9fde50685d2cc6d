/* MIG layouts by an enumeration of another kind than that of models/mig_layouts.c: sets of
 * (profile, start) pairs as bits, made from a graph of overlaps and judged as a whole. */
#ifndef TESTS_SUPPORT_MIG_REFERENCE_H
#define TESTS_SUPPORT_MIG_REFERENCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "models/mig.h"

enum { MIG_MOST_PAIRS = 64, MIG_KEY_BITS = 4 };

struct mig_pair {
    int profile;
    int start;
};

struct mig_reference {
    const struct gpu_model *gpu;
    struct mig_pair pairs[MIG_MOST_PAIRS];
    uint64_t overlaps[MIG_MOST_PAIRS]; /* pairs that lie on a unit of this one */
    int pair_count;
    uint64_t *keys; /* multiset of each valid placement: MIG_KEY_BITS of count per profile */
    size_t placements;
    size_t capacity;
    size_t maximal_placements;
    size_t multisets; /* distinct keys */
};

/* Free its keys. */
struct mig_reference mig_reference_create(const struct gpu_model *gpu,
                                          enum mig_selection selection);

/* Whether a set of pairs without overlaps obeys the rules. */
bool mig_reference_valid(const struct mig_reference *all, uint64_t set);
/* The multiset of a set of pairs. */
uint64_t mig_reference_key(const struct mig_reference *all, uint64_t set);
/* In how many ways a multiset can be placed. */
size_t mig_reference_ways(const struct mig_reference *all, uint64_t key);
bool mig_reference_maximal(const struct mig_reference *all, uint64_t key);

#endif
