/* A set of small integers that finds its smallest member fast: one bit each, summarized 64 to 1
 * level by level. Adding, removing and finding cost one step per level (3 for 262,144 members). One
 * that counts also finds its k-th member, in one step per level and bit of a word passed. */
#ifndef SIM_CLUSTER_INDEX_SET_H
#define SIM_CLUSTER_INDEX_SET_H

#include <stdbool.h>
#include <stdint.h>

enum { INDEX_SET_LEVELS = 6 };

struct index_set {
    int levels;
    uint64_t *level[INDEX_SET_LEVELS]; /* level[0]: the members; above: which words hold any */
    uint64_t *words;                   /* all levels in one block, owned */
    int32_t *counts; /* by word, in the same order: members below it; NULL: it does not count */
};

/* Empty, for members in [0, capacity). */
void index_set_initialize(struct index_set *set, int32_t capacity);
void index_set_terminate(struct index_set *set);
/* Counts its members from now on. */
void index_set_count_members(struct index_set *set);
void index_set_add(struct index_set *set, int32_t member);
void index_set_remove(struct index_set *set, int32_t member);
bool index_set_contains(const struct index_set *set, int32_t member);
int32_t index_set_first(const struct index_set *set); /* -1: empty */
/* The first member after `member`; -1: none. */
int32_t index_set_next(const struct index_set *set, int32_t member);
/* Of a set that counts: how many members it has, and the k-th of them, from 0. */
int32_t index_set_size(const struct index_set *set);
int32_t index_set_at(const struct index_set *set, int32_t k);

#endif
