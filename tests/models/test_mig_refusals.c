/* What is said of MIG layouts that are impossible, and of profiles that do not exist. */
#include <stdio.h>

#include "models/mig.h"
#include "tests/support/mig_case.h"
#include "tests/support/unit.h"

static int setup(void **state) {
    *state = catalogue_create();
    return 0;
}

static int teardown(void **state) {
    catalogue_destroy(*state);
    return 0;
}

/* Sums of slices and units as in the catalogue; what is possible is counted out by hand. */
static void test_refusals_name_the_rule_and_what_is_possible(void **state) {
    const struct catalogue *catalogue = *state;
    const struct gpu_model *a100 = find_mig_gpu(catalogue, "A100-SXM4-80GB");
    expect_mig_refused(a100, "4g.40gb,3g.40gb,1g.10gb",
                       "A100-SXM4-80GB cannot hold 4g.40gb + 3g.40gb + 1g.10gb: "
                       "4+3+1 = 8 compute slices needed, 7 there; 4+4+1 = 9 memory units needed, 8 "
                       "there; possible instead: 4g.40gb,3g.40gb or 4g.40gb,2g.20gb,1g.10gb");
    /* A slice is free, and no memory for it. */
    expect_mig_refused(a100, "3g.40gb,3g.40gb,1g.10gb",
                       "A100-SXM4-80GB cannot hold 2 x 3g.40gb + 1g.10gb: 4+4+1 = 9 memory units "
                       "needed, 8 there (the 7 compute slices would do); possible instead: "
                       "3g.40gb,3g.40gb or 3g.40gb,2g.20gb,1g.10gb");
    expect_mig_refused(
        a100, "14,14,14,9",
        "A100-SXM4-80GB cannot hold 3g.40gb + 3 x 2g.20gb: 3+2+2+2 = 9 compute slices "
        "needed, 7 there; 4+2+2+2 = 10 memory units needed, 8 there; possible instead: "
        "3g.40gb,2g.20gb,2g.20gb or 2g.20gb,2g.20gb,2g.20gb,1g.10gb or "
        "3g.40gb,2g.20gb,1g.10gb,1g.10gb");
    expect_mig_refused(
        find_mig_gpu(catalogue, "A100-SXM4-40GB"), "9,9,9,14",
        "A100-SXM4-40GB cannot hold 3 x 3g.20gb + 2g.10gb: 3+3+3+2 = 11 compute slices "
        "needed, 7 there; 4+4+4+2 = 14 memory units needed, 8 there; at most 2 of "
        "3g.20gb, not 3; possible instead: 3g.20gb,3g.20gb or "
        "3g.20gb,2g.10gb,1g.5gb,1g.5gb or 2g.10gb,2g.10gb,2g.10gb,1g.5gb");
    expect_mig_refused(a100, "1g.10gb+me,1g.10gb+me",
                       "A100-SXM4-80GB cannot hold 2 x 1g.10gb+me: at most 1 of 1g.10gb+me, not 2; "
                       "possible instead: 1g.10gb+me or 1g.10gb,1g.10gb+me or 1g.20gb,1g.10gb+me");
}

static void test_engines_run_out(void **state) {
    const struct catalogue *catalogue = *state;
    const struct gpu_model *rtx = find_mig_gpu(catalogue, "RTX");
    /* One +me.all has all four JPEG engines: the rest do without. */
    expect_mig_refused(
        rtx, "65,14",
        "RTX-PRO-6000-96GB cannot hold 1g.24gb + 1g.24gb+me.all: 5 JPEG engines needed, "
        "4 there (none in 1g.24gb-me, 2g.48gb-me); possible instead: 1g.24gb+me.all or "
        "1g.24gb+me.all,1g.24gb-me or 1g.24gb,1g.24gb+me");
    expect_mig_placed(rtx, "65,67,67,67", "0,3,6,9");
    expect_mig_placed(rtx, "64,66", "0,6");
    expect_mig_placed(rtx, "21,14,5", "0,3,6");
    /* A30 has one engine of each kind, whichever size takes it. */
    expect_mig_refused(
        find_mig_gpu(catalogue, "A30"), "21,6",
        "A30-24GB cannot hold 2g.12gb+me + 1g.6gb+me: 2 JPEG engines needed, 1 there "
        "(none in 1g.6gb, 2g.12gb); 2 optical-flow engines needed, 1 there (none in "
        "1g.6gb, 2g.12gb); possible instead: 2g.12gb+me or 2g.12gb,1g.6gb+me or "
        "2g.12gb+me,1g.6gb");
    expect_mig_placed(find_mig_gpu(catalogue, "A30"), "21,5", "0,2");
}

/* A GPU whose sums leave room where its starts do not, and whose engines nobody knows. */
static void test_overlaps_and_unknown_engines(void **state) {
    (void)state;
    const struct mig_profile profiles[] = {
        {.name = "1g.1gb",
         .compute_slices = 1,
         .memory_units = 1,
         .jpeg_engines = 9,
         .optical_flow_engines = -1,
         .max_instances = 4,
         .starts = 1 << 1},
        {.name = "2g.2gb",
         .id = 1,
         .compute_slices = 2,
         .memory_units = 2,
         .jpeg_engines = 9,
         .optical_flow_engines = -1,
         .max_instances = 2,
         .starts = 1 << 0 | 1 << 1},
        {.name = "4g.4gb",
         .id = 2,
         .compute_slices = 4,
         .memory_units = 4,
         .jpeg_engines = -1,
         .optical_flow_engines = -1,
         .max_instances = 1,
         .starts = 1 << 0},
    };
    const struct gpu_model gpu = {.name = "toy",
                                  .compute_slices = 4,
                                  .memory_units = 4,
                                  .profiles = profiles,
                                  .profile_count = 3};
    expect_mig_refused(&gpu, "1g.1gb,2g.2gb",
                       "toy cannot hold 2g.2gb + 1g.1gb: wherever its instances begin, two of them "
                       "overlap (2g.2gb at {0,1}:2, 1g.1gb at {1}:1); possible instead: 2g.2gb");
    expect_mig_counts(&gpu, MIG_ALL, 4, 3, 4, 3);
    const int whole = 2;
    struct mig_waste waste = mig_waste_of(&gpu, &whole, 1);
    assert_int_equal(waste.stranded_mib, -1);
    assert_int_equal(waste.lost_sms, -1);
    const struct gpu_model without = {.name = "bare"};
    expect_mig_unknown(&without, "1g.1gb", "bare has no MIG, so no profile '1g.1gb' either");
}

/* On real GPUs the placements alone keep compute slices and instances within their limits. Here, of
 * two slices, four units and one-unit profiles a (once) and b: a 4, b 4, ab 4 x 3, bb 6, all 1. */
static void test_slices_and_instances_limit_by_themselves(void **state) {
    (void)state;
    const struct mig_profile profiles[] = {
        {.name = "a", .compute_slices = 1, .memory_units = 1, .max_instances = 1, .starts = 15},
        {.name = "b", .compute_slices = 1, .memory_units = 1, .max_instances = 4, .starts = 15},
        {.name = "all", .compute_slices = 2, .memory_units = 4, .max_instances = 1, .starts = 1},
    };
    const struct gpu_model gpu = {.name = "toy",
                                  .compute_slices = 2,
                                  .memory_units = 4,
                                  .profiles = profiles,
                                  .profile_count = 3};
    expect_mig_counts(&gpu, MIG_ALL, 27, 5, 12 + 6 + 1, 3);
    expect_mig_refused(&gpu, "a,a",
                       "toy cannot hold 2 x a: at most 1 of a, not 2; possible instead: a or a,b "
                       "or b,b");
    expect_mig_refused(&gpu, "b,b,b",
                       "toy cannot hold 3 x b: 1+1+1 = 3 compute slices needed, 2 there; possible "
                       "instead: b,b");
}

static void test_more_instances_than_any_gpu_has(void **state) {
    const struct gpu_model *a30 = find_mig_gpu(*state, "A30");
    int profiles[1000] = {0};
    struct mig_instance instances[1000];
    struct error error;
    assert_string_equal(a30->profiles[0].name, "1g.6gb");
    assert_false(mig_place(a30, profiles, 1000, instances, &error));
    assert_string_equal(error.message,
                        "A30-24GB cannot hold 1000 x 1g.6gb: 1000 compute slices needed, 4 there; "
                        "1000 memory units needed, 4 there; at most 4 of 1g.6gb, not 1000; "
                        "possible instead: 1g.6gb,1g.6gb,1g.6gb,1g.6gb");
}

static void test_names_and_ids(void **state) {
    const struct gpu_model *gpu = find_mig_gpu(*state, "A100-SXM4-80GB");
    struct error error;
    for (int i = 0; i < (int)gpu->profile_count; i++) {
        char id[16];
        snprintf(id, sizeof(id), "%d", gpu->profiles[i].id);
        assert_int_equal(mig_find_profile(gpu, gpu->profiles[i].name, &error), i);
        assert_int_equal(mig_find_profile(gpu, id, &error), i);
    }
    assert_int_equal(mig_find_profile(gpu, "3G.40GB", &error),
                     mig_find_profile(gpu, "3g.40gb", &error));
    expect_mig_unknown(
        gpu, "3g.20gb",
        "A100-SXM4-80GB has no MIG profile '3g.20gb' (a name for another memory size); "
        "did you mean 3g.40gb?");
    expect_mig_unknown(
        gpu, "1g.5gb",
        "A100-SXM4-80GB has no MIG profile '1g.5gb' (a name for another memory size); "
        "did you mean 1g.10gb or 1g.20gb?");
    expect_mig_unknown(gpu, "1g.5gb+me",
                       "A100-SXM4-80GB has no MIG profile '1g.5gb+me' (a name for another memory "
                       "size); did you mean 1g.10gb+me?");
    expect_mig_unknown(gpu, "1g.10gb.me",
                       "A100-SXM4-80GB has no MIG profile '1g.10gb.me'; did you mean 1g.10gb+me?");
    expect_mig_unknown(gpu, "mig-3g.40gb",
                       "A100-SXM4-80GB has no MIG profile 'mig-3g.40gb'; did you mean 3g.40gb?");
    expect_mig_unknown(gpu, "3g", "A100-SXM4-80GB has no MIG profile '3g'; did you mean 3g.40gb?");
    expect_mig_unknown(gpu, "5g.50gb",
                       "A100-SXM4-80GB has no MIG profile '5g.50gb'; it has 1g.10gb, 1g.10gb+me, "
                       "1g.20gb, 2g.20gb, 3g.40gb, 4g.40gb, 7g.80gb");
    expect_mig_unknown(gpu, "",
                       "A100-SXM4-80GB has no MIG profile ''; it has 1g.10gb, 1g.10gb+me, 1g.20gb, "
                       "2g.20gb, 3g.40gb, 4g.40gb, 7g.80gb");
    expect_mig_unknown(
        gpu, "99999999999999999999",
        "A100-SXM4-80GB has no MIG profile with the id 99999999999999999999; its ids "
        "are 19 (1g.10gb), 20 (1g.10gb+me), 15 (1g.20gb), 14 (2g.20gb), 9 (3g.40gb), 5 "
        "(4g.40gb), 0 (7g.80gb)");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_refusals_name_the_rule_and_what_is_possible),
        cmocka_unit_test(test_engines_run_out),
        cmocka_unit_test(test_overlaps_and_unknown_engines),
        cmocka_unit_test(test_slices_and_instances_limit_by_themselves),
        cmocka_unit_test(test_more_instances_than_any_gpu_has),
        cmocka_unit_test(test_names_and_ids),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
