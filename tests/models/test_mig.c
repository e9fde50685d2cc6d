/* MIG geometry: published counts, and every layout of every GPU against an enumeration of another
 * kind. */
#include <stdlib.h>
#include <string.h>

#include "models/mig.h"
#include "tests/support/mig_case.h"
#include "tests/support/mig_reference.h"
#include "tests/support/unit.h"

static int setup(void **state) {
    *state = catalogue_create();
    return 0;
}

static int teardown(void **state) {
    catalogue_destroy(*state);
    return 0;
}

static void test_published_counts(void **state) {
    const struct catalogue *catalogue = *state;
    const struct gpu_model *a100 = find_mig_gpu(catalogue, "A100-SXM4-80GB");
    expect_mig_counts(a100, MIG_STANDARD, 297, 37, 19, 12);
    expect_mig_counts(a100, MIG_SIZES, 722, 77, 78, 28);
    expect_mig_counts(find_mig_gpu(catalogue, "A30"), MIG_SIZES, 25, 9, 5, 4);
    expect_mig_counts(find_mig_gpu(catalogue, "RTX-PRO-6000"), MIG_SIZES, 25, 9, 5, 4);
    expect_mig_counts(find_mig_gpu(catalogue, "T4"), MIG_ALL, 0, 0, 0, 0);
}

static void compare_with_reference(const struct gpu_model *gpu, enum mig_selection selection) {
    struct mig_reference all = mig_reference_create(gpu, selection);
    struct mig_layouts *layouts = mig_layouts_create(gpu, selection);
    size_t maximal = 0;
    assert_true(layouts->complete);
    assert_int_equal(layouts->placements, all.placements);
    assert_int_equal(layouts->maximal_placements, all.maximal_placements);
    assert_int_equal(layouts->multiset_count, all.multisets);
    for (size_t i = 0; i < layouts->multiset_count; i++) {
        const struct mig_layout *layout = &layouts->multisets[i];
        uint64_t set = 0;
        uint64_t key = 0;
        uint64_t taken = 0;
        for (size_t k = 0; k < layout->count; k++) {
            for (int p = 0; p < all.pair_count; p++) {
                if (all.pairs[p].profile == layout->profiles[k] &&
                    all.pairs[p].start == layout->starts[k]) {
                    assert_int_equal(taken >> p & 1, 0);
                    set |= UINT64_C(1) << p;
                    taken |= all.overlaps[p];
                }
            }
            key += UINT64_C(1) << (MIG_KEY_BITS * layout->profiles[k]);
        }
        assert_true(mig_reference_valid(&all, set));
        assert_true(mig_reference_key(&all, set) == key);
        assert_int_equal(layout->placements, mig_reference_ways(&all, key));
        assert_int_equal(layout->maximal, mig_reference_maximal(&all, key));
        maximal += layout->maximal;
    }
    assert_int_equal(layouts->maximal_multisets, maximal);
    mig_layouts_destroy(layouts);
    free(all.keys);
}

static void test_every_gpu_against_the_other_enumeration(void **state) {
    const struct catalogue *catalogue = *state;
    size_t with_mig = 0;
    for (size_t i = 0; i < catalogue->gpu_count; i++) {
        const struct gpu_model *gpu = &catalogue->gpus[i];
        with_mig += gpu->profile_count > 0;
        if (gpu->profile_count > 0) {
            compare_with_reference(gpu, MIG_STANDARD);
            compare_with_reference(gpu, MIG_SIZES);
            compare_with_reference(gpu, MIG_ALL);
        }
    }
    assert_int_equal(with_mig, 13);
}

/* Every multiset of up to four profiles: placed if and only if the enumeration has it. */
static void place_all(const struct gpu_model *gpu, const struct mig_reference *all, int *profiles,
                      size_t count, uint64_t key) {
    struct mig_instance instances[MIG_INSTANCES_LIMIT];
    struct error error;
    if (count > 0) {
        assert_int_equal(mig_place(gpu, profiles, count, instances, &error),
                         mig_reference_ways(all, key) > 0);
    }
    for (int p = count > 0 ? profiles[count - 1] : 0; count < 4 && p < (int)gpu->profile_count;
         p++) {
        if (mig_selected(gpu, p, MIG_SIZES)) {
            profiles[count] = p;
            place_all(gpu, all, profiles, count + 1, key + (UINT64_C(1) << (MIG_KEY_BITS * p)));
        }
    }
}

static void test_placing_agrees_with_the_enumeration(void **state) {
    static const char *const names[] = {"A100-SXM4-80GB", "A30-24GB", "RTX-PRO-6000-96GB"};
    for (size_t i = 0; i < 3; i++) {
        const struct gpu_model *gpu = find_mig_gpu(*state, names[i]);
        struct mig_reference all = mig_reference_create(gpu, MIG_SIZES);
        int profiles[4];
        place_all(gpu, &all, profiles, 0, 0);
        free(all.keys);
    }
}

static void test_layouts_in_the_wild(void **state) {
    const struct catalogue *catalogue = *state;
    const struct gpu_model *a100 = find_mig_gpu(catalogue, "A100-SXM4-80GB");
    /* The second 2g would overlap if the first instance kept start 0. */
    expect_mig_placed(a100, "3g.40gb,2g.20gb,2g.20gb", "4,0,2");
    expect_mig_placed(a100, "9,14,14", "4,0,2");
    expect_mig_placed(a100, "4g.40gb,3g.40gb", "0,4");
    expect_mig_placed(a100, "3g.40gb,4g.40gb", "4,0");
    expect_mig_placed(a100, "14,14,14,19", "0,2,4,6");
    expect_mig_placed(a100, "9,14,19,19", "4,0,2,3");
    /* 3g, 2g and twice 1g: all-balanced of mig-parted, for each generation. */
    expect_mig_placed(find_mig_gpu(catalogue, "H200"), "1g.18gb,1g.18gb,2g.35gb,3g.71gb",
                      "0,1,2,4");
    expect_mig_placed(find_mig_gpu(catalogue, "B200"), "1g.23gb,1g.23gb,2g.45gb,3g.90gb",
                      "0,1,2,4");
    expect_mig_placed(find_mig_gpu(catalogue, "A30"), "1g.6gb,1g.6gb,2g.12gb", "0,1,2");
    expect_mig_placed(find_mig_gpu(catalogue, "RTX"), "1g.24gb,1g.24gb,2g.48gb", "0,3,6");
    expect_mig_placed(a100, "", "");
}

/* The first in the order of starts: by trying every tuple of starts, lowest first. */
static void test_placements_are_the_first_in_order(void **state) {
    const struct gpu_model *gpu = find_mig_gpu(*state, "A100-SXM4-80GB");
    for (int code = 0; code < 6 * 6 * 6; code++) {
        const char *const names[] = {"1g.10gb", "1g.20gb", "2g.20gb",
                                     "3g.40gb", "4g.40gb", "7g.80gb"};
        struct error error;
        int profiles[3];
        int digits = code;
        for (int i = 0; i < 3; i++, digits /= 6) {
            profiles[i] = mig_find_profile(gpu, names[digits % 6], &error);
        }
        struct mig_instance placed[3];
        struct mig_instance tried[3];
        bool found = false;
        for (int starts = 0; starts < 512 && !found; starts++) { /* octal digits */
            found = true;
            for (int i = 0; i < 3; i++) {
                tried[i] = (struct mig_instance){profiles[i], starts >> (6 - 3 * i) & 7};
                found =
                    found && mig_can_add(gpu, tried, (size_t)i, tried[i].profile, tried[i].start);
            }
        }
        assert_int_equal(mig_place(gpu, profiles, 3, placed, &error), found);
        assert_true(!found || memcmp(placed, tried, sizeof(placed)) == 0);
    }
}

/* Twelve units that any of three profiles may take: 4^12 placements. */
static void test_the_list_of_layouts_has_an_end(void **state) {
    (void)state;
    const struct mig_profile profiles[] = {
        {.name = "a", .compute_slices = 1, .memory_units = 1, .max_instances = 12, .starts = 4095},
        {.name = "b", .compute_slices = 1, .memory_units = 1, .max_instances = 12, .starts = 4095},
        {.name = "c", .compute_slices = 1, .memory_units = 1, .max_instances = 12, .starts = 4095},
    };
    const struct gpu_model gpu = {.name = "toy",
                                  .compute_slices = 12,
                                  .memory_units = 12,
                                  .profiles = profiles,
                                  .profile_count = 3};
    struct mig_layouts *layouts = mig_layouts_create(&gpu, MIG_ALL);
    assert_false(layouts->complete);
    assert_int_equal(layouts->placements, MIG_PLACEMENTS_LIMIT);
    mig_layouts_destroy(layouts);
}

static void expect_waste(const struct gpu_model *gpu, const char *layout, int slices, int units,
                         int64_t mib, int sms) {
    int profiles[32];
    struct mig_waste waste = mig_waste_of(gpu, profiles, parse_mig_layout(gpu, layout, profiles));
    assert_int_equal(waste.stranded_slices, slices);
    assert_int_equal(waste.stranded_units, units);
    assert_int_equal(waste.stranded_mib, mib);
    assert_int_equal(waste.lost_sms, sms);
}

/* SMs as NVIDIA's guide and boards have them: A100 98 of 108 (9.3 %) in 7g, 84 in 3g+3g (22.2 %),
 * H100 132 of 132, 112 in 7 x 1g (15.2 %), 104 in 4 x 1g.20gb (21.2 %); RTX PRO 184 of 188. */
static void test_waste(void **state) {
    const struct catalogue *catalogue = *state;
    const struct gpu_model *a100 = find_mig_gpu(catalogue, "A100-SXM4-80GB");
    const struct gpu_model *h100 = find_mig_gpu(catalogue, "H100-SXM5");
    expect_waste(a100, "7g.80gb", 0, 0, 0, 10);
    expect_waste(a100, "3g.40gb,3g.40gb", 1, 0, 80384 - 2 * 40192, 24);
    expect_waste(a100, "2g.20gb,2g.20gb,2g.20gb,1g.10gb", 0, 1, 80384 - 3 * 19968 - 9728, 10);
    expect_waste(a100, "1g.20gb,1g.20gb,1g.20gb,1g.20gb", 3, 0, 80384 - 4 * 19968, 52);
    expect_waste(a100, "", 7, 8, 80384, 108);
    expect_waste(h100, "7g.80gb", 0, 0, 0, 0);
    expect_waste(h100, "4g.40gb,3g.40gb", 0, 0, 81152 - 2 * 40448, 8);
    expect_waste(h100, "19,19,19,19,19,19,19", 0, 1, 81152 - 7 * 9984, 20);
    expect_waste(h100, "15,15,15,15", 3, 0, 81152 - 4 * 20091, 28);
    expect_waste(find_mig_gpu(catalogue, "RTX"), "14,14,14,14", 0, 0, 97280 - 4 * 23675, 4);
    expect_waste(find_mig_gpu(catalogue, "A30"), "14,14,14,14", 0, 0, 24003 - 4 * 5949, 0);
    /* SMs and memory of 3g on B200 are not known, those of 1g are: units always are. */
    expect_waste(find_mig_gpu(catalogue, "B200"), "3g.90gb,3g.90gb", 1, 0, -1, -1);
}

static void test_how_layouts_are_written(void **state) {
    const struct gpu_model *gpu = find_mig_gpu(*state, "A100-SXM4-80GB");
    int profiles[32];
    char text[64];
    size_t count = parse_mig_layout(gpu, "19,14,9,14", profiles);
    mig_sort_profiles(gpu, profiles, count);
    assert_string_equal(mig_layout_text(gpu, profiles, count, MIG_LIST, text, sizeof(text)),
                        "3g.40gb,2g.20gb,2g.20gb,1g.10gb");
    assert_string_equal(mig_layout_text(gpu, profiles, count, MIG_SHORT, text, sizeof(text)),
                        "3g.40gb + 2 x 2g.20gb + 1g.10gb");
    assert_string_equal(mig_layout_text(gpu, profiles, count, MIG_SHORT, text, 10), "3g.40gb +");
    assert_string_equal(mig_layout_text(gpu, profiles, 0, MIG_SHORT, text, sizeof(text)), "");
}

/* Why copy engines and decoders need no rule: where they are known, none of the layouts has more of
 * them than the GPU. */
static void test_copy_engines_and_decoders_suffice(void **state) {
    const struct catalogue *catalogue = *state;
    for (size_t g = 0; g < catalogue->gpu_count; g++) {
        const struct gpu_model *gpu = &catalogue->gpus[g];
        struct mig_layouts *layouts = mig_layouts_create(gpu, MIG_ALL);
        int copy_there = -1;
        int decoders_there = -1;
        for (size_t p = 0; p < gpu->profile_count; p++) {
            if (gpu->profiles[p].compute_slices == gpu->compute_slices) {
                copy_there = gpu->profiles[p].copy_engines;
                decoders_there = gpu->profiles[p].decoders;
            }
        }
        for (size_t i = 0; i < layouts->multiset_count; i++) {
            int copy = 0;
            int decoders = 0;
            for (size_t k = 0; k < layouts->multisets[i].count; k++) {
                const struct mig_profile *profile =
                    &gpu->profiles[layouts->multisets[i].profiles[k]];
                copy += profile->copy_engines > 0 ? profile->copy_engines : 0;
                decoders += profile->decoders > 0 ? profile->decoders : 0;
            }
            assert_true(copy_there < 0 || copy <= copy_there);
            assert_true(decoders_there < 0 || decoders <= decoders_there);
        }
        mig_layouts_destroy(layouts);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_published_counts),
        cmocka_unit_test(test_every_gpu_against_the_other_enumeration),
        cmocka_unit_test(test_placing_agrees_with_the_enumeration),
        cmocka_unit_test(test_layouts_in_the_wild),
        cmocka_unit_test(test_placements_are_the_first_in_order),
        cmocka_unit_test(test_the_list_of_layouts_has_an_end),
        cmocka_unit_test(test_waste),
        cmocka_unit_test(test_how_layouts_are_written),
        cmocka_unit_test(test_copy_engines_and_decoders_suffice),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
