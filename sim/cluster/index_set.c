#include "sim/cluster/index_set.h"

#include <stdlib.h>

#include "sim/kernel/memory.h"

void index_set_initialize(struct index_set *set, int32_t capacity) {
    size_t sizes[INDEX_SET_LEVELS];
    size_t total = 0;
    size_t words = (size_t)capacity;
    set->levels = 0;
    do {
        words = (words + 63) / 64;
        sizes[set->levels++] = words;
        total += words;
    } while (words > 1);
    set->words = memory_zero(total, sizeof *set->words);
    uint64_t *next = set->words;
    for (int i = 0; i < set->levels; i++) {
        set->level[i] = next;
        next += sizes[i];
    }
}

void index_set_terminate(struct index_set *set) {
    free(set->words);
    set->words = NULL;
}

void index_set_add(struct index_set *set, int32_t member) {
    uint32_t position = (uint32_t)member;
    for (int i = 0; i < set->levels; i++) {
        uint64_t *word = &set->level[i][position / 64];
        bool was_empty = *word == 0;
        *word |= UINT64_C(1) << (position % 64);
        if (!was_empty) {
            return;
        }
        position /= 64;
    }
}

void index_set_remove(struct index_set *set, int32_t member) {
    uint32_t position = (uint32_t)member;
    for (int i = 0; i < set->levels; i++) {
        uint64_t *word = &set->level[i][position / 64];
        *word &= ~(UINT64_C(1) << (position % 64));
        if (*word != 0) {
            return;
        }
        position /= 64;
    }
}

bool index_set_contains(const struct index_set *set, int32_t member) {
    uint32_t position = (uint32_t)member;
    return (set->level[0][position / 64] >> (position % 64)) & 1;
}

int32_t index_set_first(const struct index_set *set) {
    if (set->level[set->levels - 1][0] == 0) {
        return -1;
    }
    uint32_t position = 0;
    for (int i = set->levels - 1; i >= 0; i--) {
        position = position * 64 + (uint32_t)__builtin_ctzll(set->level[i][position]);
    }
    return (int32_t)position;
}
