#include "sim/cluster/index_set.h"

#include <stdlib.h>

#include "sim/kernel/memory.h"

void index_set_initialize(struct index_set *set, int32_t capacity) {
    size_t sizes[INDEX_SET_LEVELS];
    size_t total = 0;
    size_t words = (size_t)capacity;
    set->levels = 0;
    set->counts = NULL;
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
    free(set->counts);
    set->words = NULL;
    set->counts = NULL;
}

void index_set_count_members(struct index_set *set) {
    size_t words = (size_t)(set->level[set->levels - 1] - set->words) + 1;
    set->counts = memory_zero(words, sizeof *set->counts);
    int32_t *below = set->counts;
    for (int i = 0; i < set->levels; i++) {
        int32_t *counts = &set->counts[set->level[i] - set->words];
        size_t end = i + 1 < set->levels ? (size_t)(set->level[i + 1] - set->level[i]) : 1;
        for (size_t w = 0; w < end; w++) {
            for (uint64_t word = set->level[i][w]; word != 0; word &= word - 1) {
                counts[w] += i == 0 ? 1 : below[w * 64 + (size_t)__builtin_ctzll(word)];
            }
        }
        below = counts;
    }
}

/* A member has come (1) or gone (-1). */
static void count(struct index_set *set, int32_t member, int32_t delta) {
    uint32_t position = (uint32_t)member;
    for (int i = 0; i < set->levels; i++) {
        position /= 64;
        set->counts[&set->level[i][position] - set->words] += delta;
    }
}

void index_set_add(struct index_set *set, int32_t member) {
    uint32_t position = (uint32_t)member;
    if (set->counts != NULL && !index_set_contains(set, member)) {
        count(set, member, 1);
    }
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
    if (set->counts != NULL && index_set_contains(set, member)) {
        count(set, member, -1);
    }
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

/* The first member at or below bit `position` of a level, which is set. */
static int32_t first_below(const struct index_set *set, int level, uint32_t position) {
    for (int i = level - 1; i >= 0; i--) {
        position = position * 64 + (uint32_t)__builtin_ctzll(set->level[i][position]);
    }
    return (int32_t)position;
}

int32_t index_set_first(const struct index_set *set) {
    if (set->level[set->levels - 1][0] == 0) {
        return -1;
    }
    return first_below(set, set->levels, 0);
}

int32_t index_set_next(const struct index_set *set, int32_t member) {
    uint32_t position = (uint32_t)member;
    for (int i = 0; i < set->levels; i++) {
        uint64_t later = set->level[i][position / 64] & ~(UINT64_MAX >> (63 - position % 64));
        position /= 64;
        if (later != 0) {
            return first_below(set, i, position * 64 + (uint32_t)__builtin_ctzll(later));
        }
    }
    return -1;
}

int32_t index_set_size(const struct index_set *set) {
    return set->counts[set->level[set->levels - 1] - set->words];
}

int32_t index_set_at(const struct index_set *set, int32_t k) {
    uint32_t position = 0;
    for (int i = set->levels - 1; i > 0; i--) {
        uint64_t word = set->level[i][position];
        const int32_t *counts = &set->counts[set->level[i - 1] - set->words];
        position = position * 64 + (uint32_t)__builtin_ctzll(word);
        while (counts[position] <= k) {
            k -= counts[position];
            word &= word - 1;
            position = position / 64 * 64 + (uint32_t)__builtin_ctzll(word);
        }
    }
    uint64_t word = set->level[0][position];
    for (; k > 0; k--) {
        word &= word - 1;
    }
    return (int32_t)(position * 64 + (uint32_t)__builtin_ctzll(word));
}
