/* Every layout of a GPU: all placements one after the other, then gathered into multisets. */
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "models/mig_internal.h"
#include "sim/kernel/memory.h"

/* In place of a profile, behind the last one: sorts fuller layouts before those they contain. */
enum { NONE = INT_MAX };

/* Profiles are ranks while layouts are gathered: their places from the largest to the smallest. */
struct enumeration {
    const struct gpu_model *gpu;
    int *rows; /* of ranks */
    size_t ranks;
    struct mig_instance placed[MIG_INSTANCES_LIMIT]; /* by start; profiles are rows */
    int placed_ranks[MIG_INSTANCES_LIMIT];
    size_t placed_count;
    struct mig_layout *found; /* one per placement */
    size_t capacity;
    size_t found_count;
    size_t maximal_placements;
};

static bool has_room(const struct enumeration *all) {
    for (size_t rank = 0; rank < all->ranks; rank++) {
        for (int start = 0; start < all->gpu->memory_units; start++) {
            if (mig_can_add(all->gpu, all->placed, all->placed_count, all->rows[rank], start)) {
                return true;
            }
        }
    }
    return false;
}

static void record(struct enumeration *all) {
    all->found = memory_grow(all->found, &all->capacity, all->found_count + 1, sizeof(*all->found));
    struct mig_layout *layout = &all->found[all->found_count++];
    *layout = (struct mig_layout){.count = all->placed_count, .placements = 1, .maximal = true};
    for (size_t i = 0; i < MIG_INSTANCES_LIMIT; i++) {
        layout->profiles[i] = NONE;
    }
    for (size_t i = 0; i < all->placed_count; i++) {
        size_t place = i;
        for (; place > 0 && layout->profiles[place - 1] > all->placed_ranks[i]; place--) {
            layout->profiles[place] = layout->profiles[place - 1];
            layout->starts[place] = layout->starts[place - 1];
        }
        layout->profiles[place] = all->placed_ranks[i];
        layout->starts[place] = all->placed[i].start;
    }
    all->maximal_placements += !has_room(all);
}

/* Adds instances from `unit` on, so that every placement is met once, from left to right. */
static void extend(struct enumeration *all, int unit) {
    for (; unit < all->gpu->memory_units; unit++) {
        for (size_t rank = 0; rank < all->ranks && all->found_count < MIG_PLACEMENTS_LIMIT;
             rank++) {
            int row = all->rows[rank];
            if (mig_can_add(all->gpu, all->placed, all->placed_count, row, unit)) {
                all->placed[all->placed_count] = (struct mig_instance){row, unit};
                all->placed_ranks[all->placed_count++] = (int)rank;
                record(all);
                extend(all, unit + all->gpu->profiles[row].memory_units);
                all->placed_count--;
            }
        }
    }
}

static int compare_ranks(const int *left, const int *right) {
    for (size_t i = 0; i < MIG_INSTANCES_LIMIT; i++) {
        if (left[i] != right[i]) {
            return left[i] < right[i] ? -1 : 1;
        }
    }
    return 0;
}

static int compare_multisets(const void *left, const void *right) {
    return compare_ranks(((const struct mig_layout *)left)->profiles,
                         ((const struct mig_layout *)right)->profiles);
}

static int compare_placements(const void *left, const void *right) {
    int multisets = compare_multisets(left, right);
    return multisets != 0 ? multisets
                          : compare_ranks(((const struct mig_layout *)left)->starts,
                                          ((const struct mig_layout *)right)->starts);
}

/* Sorted placements become multisets, each with its first placement. */
static size_t gather(struct mig_layout *layouts, size_t count) {
    size_t kept = 0;
    for (size_t i = 0; i < count; i++) {
        if (kept > 0 && compare_multisets(&layouts[kept - 1], &layouts[i]) == 0) {
            layouts[kept - 1].placements++;
        } else {
            layouts[kept++] = layouts[i];
        }
    }
    return kept;
}

/* What is left when one instance is taken away can be added to. */
static void mark_contained(struct mig_layout *layouts, size_t count) {
    for (size_t i = 0; i < count; i++) {
        for (size_t without = 0; without < layouts[i].count; without++) {
            struct mig_layout smaller = layouts[i];
            memmove(&smaller.profiles[without], &smaller.profiles[without + 1],
                    (MIG_INSTANCES_LIMIT - without - 1) * sizeof(smaller.profiles[0]));
            smaller.profiles[MIG_INSTANCES_LIMIT - 1] = NONE;
            struct mig_layout *found =
                bsearch(&smaller, layouts, count, sizeof(*layouts), compare_multisets);
            if (found != NULL) {
                found->maximal = false;
            }
        }
    }
}

/* Rows again, now that nothing is sorted any more. */
static size_t finish(struct mig_layout *layouts, size_t count, const int *rows) {
    size_t maximal = 0;
    for (size_t i = 0; i < count; i++) {
        maximal += layouts[i].maximal;
        for (size_t k = 0; k < MIG_INSTANCES_LIMIT; k++) {
            layouts[i].profiles[k] = k < layouts[i].count ? rows[layouts[i].profiles[k]] : -1;
        }
    }
    return maximal;
}

struct mig_layouts *mig_layouts_create(const struct gpu_model *gpu, enum mig_selection selection) {
    struct enumeration all = {.gpu = gpu, .rows = memory_zero(gpu->profile_count + 1, sizeof(int))};
    for (int row = 0; row < (int)gpu->profile_count; row++) {
        if (mig_selected(gpu, row, selection)) {
            all.rows[all.ranks++] = row;
        }
    }
    mig_sort_profiles(gpu, all.rows, all.ranks);
    extend(&all, 0);
    struct mig_layouts *layouts = memory_zero(1, sizeof(*layouts));
    layouts->placements = all.found_count;
    layouts->maximal_placements = all.maximal_placements;
    layouts->complete = all.found_count < MIG_PLACEMENTS_LIMIT;
    layouts->multisets = all.found;
    if (all.found_count > 0) {
        qsort(all.found, all.found_count, sizeof(*all.found), compare_placements);
        layouts->multiset_count = gather(all.found, all.found_count);
        mark_contained(all.found, layouts->multiset_count);
        layouts->maximal_multisets = finish(all.found, layouts->multiset_count, all.rows);
    }
    free(all.rows);
    return layouts;
}

void mig_layouts_destroy(struct mig_layouts *layouts) {
    if (layouts != NULL) {
        free(layouts->multisets);
        free(layouts);
    }
}
