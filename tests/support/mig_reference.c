#include "tests/support/mig_reference.h"

#include <stdlib.h>

#include "tests/support/unit.h"

static bool pairs_overlap(const struct gpu_model *gpu, struct mig_pair a, struct mig_pair b) {
    return a.start < b.start + gpu->profiles[b.profile].memory_units &&
           b.start < a.start + gpu->profiles[a.profile].memory_units;
}

static void list_pairs(struct mig_reference *all, enum mig_selection selection) {
    const struct gpu_model *gpu = all->gpu;
    for (int p = 0; p < (int)gpu->profile_count; p++) {
        for (int u = 0; mig_selected(gpu, p, selection) && u < 32; u++) {
            if ((gpu->profiles[p].starts >> u & 1) != 0) {
                assert_true(all->pair_count < MIG_MOST_PAIRS);
                assert_true(u + gpu->profiles[p].memory_units <= gpu->memory_units);
                all->pairs[all->pair_count++] = (struct mig_pair){p, u};
            }
        }
    }
    for (int i = 0; i < all->pair_count; i++) {
        for (int k = 0; k < all->pair_count; k++) {
            if (pairs_overlap(gpu, all->pairs[i], all->pairs[k])) {
                all->overlaps[i] |= UINT64_C(1) << k;
            }
        }
    }
}

/* The engines of the profile that takes all slices; -1: unknown. */
static void whole_engines(const struct gpu_model *gpu, int *jpeg, int *optical_flow) {
    for (size_t p = gpu->profile_count; p-- > 0;) {
        if (gpu->profiles[p].compute_slices == gpu->compute_slices) {
            *jpeg = gpu->profiles[p].jpeg_engines;
            *optical_flow = gpu->profiles[p].optical_flow_engines;
        }
    }
}

static int known(int engines) {
    return engines > 0 ? engines : 0;
}

bool mig_reference_valid(const struct mig_reference *all, uint64_t set) {
    const struct gpu_model *gpu = all->gpu;
    int slices = 0;
    int jpeg = 0;
    int optical_flow = 0;
    int jpeg_there = -1;
    int optical_flow_there = -1;
    int of_profile[MIG_MOST_PAIRS] = {0};
    whole_engines(gpu, &jpeg_there, &optical_flow_there);
    for (int i = 0; i < all->pair_count; i++) {
        if ((set >> i & 1) == 0) {
            continue;
        }
        const struct mig_profile *profile = &gpu->profiles[all->pairs[i].profile];
        slices += profile->compute_slices;
        jpeg += known(profile->jpeg_engines);
        optical_flow += known(profile->optical_flow_engines);
        if (++of_profile[all->pairs[i].profile] > profile->max_instances) {
            return false;
        }
    }
    return slices <= gpu->compute_slices && (jpeg_there < 0 || jpeg <= jpeg_there) &&
           (optical_flow_there < 0 || optical_flow <= optical_flow_there);
}

uint64_t mig_reference_key(const struct mig_reference *all, uint64_t set) {
    uint64_t key = 0;
    for (int i = 0; i < all->pair_count; i++) {
        key += (set >> i & 1) << (MIG_KEY_BITS * all->pairs[i].profile);
    }
    return key;
}

static bool is_maximal(const struct mig_reference *all, uint64_t set, uint64_t free) {
    for (int i = 0; i < all->pair_count; i++) {
        if ((free >> i & 1) != 0 && mig_reference_valid(all, set | UINT64_C(1) << i)) {
            return false;
        }
    }
    return true;
}

/* All sets of pairs from `from` on that overlap neither each other nor `set`. */
static void visit(struct mig_reference *all, uint64_t set, uint64_t free, int from) {
    if (set != 0 && mig_reference_valid(all, set)) {
        if (all->placements == all->capacity) {
            all->capacity = 2 * all->capacity + 1024;
            all->keys = realloc(all->keys, all->capacity * sizeof(all->keys[0]));
            assert_non_null(all->keys);
        }
        all->keys[all->placements++] = mig_reference_key(all, set);
        all->maximal_placements += is_maximal(all, set, free);
    }
    for (int i = from; i < all->pair_count; i++) {
        if ((free >> i & 1) != 0) {
            visit(all, set | UINT64_C(1) << i, free & ~all->overlaps[i], i + 1);
        }
    }
}

static int compare_keys(const void *left, const void *right) {
    uint64_t a = *(const uint64_t *)left;
    uint64_t b = *(const uint64_t *)right;
    return (a > b) - (a < b);
}

struct mig_reference mig_reference_create(const struct gpu_model *gpu,
                                          enum mig_selection selection) {
    struct mig_reference all = {.gpu = gpu};
    assert_true(gpu->profile_count * MIG_KEY_BITS <= 64);
    list_pairs(&all, selection);
    visit(&all, 0, ~UINT64_C(0), 0);
    qsort(all.keys, all.placements, sizeof(all.keys[0]), compare_keys);
    for (size_t i = 0; i < all.placements; i++) {
        all.multisets += i == 0 || all.keys[i] != all.keys[i - 1];
    }
    return all;
}

size_t mig_reference_ways(const struct mig_reference *all, uint64_t key) {
    size_t count = 0;
    for (size_t i = 0; i < all->placements; i++) {
        count += all->keys[i] == key;
    }
    return count;
}

bool mig_reference_maximal(const struct mig_reference *all, uint64_t key) {
    for (size_t p = 0; p < all->gpu->profile_count; p++) {
        if (mig_reference_ways(all, key + (UINT64_C(1) << (MIG_KEY_BITS * p))) > 0) {
            return false;
        }
    }
    return true;
}
