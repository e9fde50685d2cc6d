/* The GPU catalogue: complete, plausible, with sources; and found by the names that people use. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "models/catalogue.h"
#include "tests/support/unit.h"

static const char *const names[] = {
    "A100-SXM4-40GB", "A100-SXM4-80GB", "A100-PCIE-40GB", "A100-PCIE-80GB",    "A30-24GB",
    "H100-SXM5-80GB", "H100-PCIE-80GB", "H100-NVL-94GB",  "GH200-96GB",        "H200-SXM-141GB",
    "B200-SXM-180GB", "GB200-186GB",    "L40S-48GB",      "RTX-PRO-6000-96GB", "V100-SXM2-16GB",
    "V100-SXM2-32GB", "P100-16GB",      "T4-16GB",        "L4-24GB",           "A10-24GB"};
enum { NAMES = sizeof(names) / sizeof(names[0]), MOST = 8 };

static int setup(void **state) {
    *state = catalogue_create();
    return 0;
}

static int teardown(void **state) {
    catalogue_destroy(*state);
    return 0;
}

static const struct gpu_model *find(const struct catalogue *catalogue, const char *name) {
    int candidates[MOST];
    size_t count;
    int row = catalogue_find_gpu(catalogue, name, candidates, MOST, &count);
    if (row < 0) {
        fail_msg("not found: %s", name);
    }
    assert_int_equal(count, 0);
    return &catalogue->gpus[row];
}

static void test_all_names_are_there(void **state) {
    const struct catalogue *catalogue = *state;
    assert_int_equal(catalogue->gpu_count, NAMES);
    for (size_t i = 0; i < NAMES; i++) {
        assert_string_equal(find(catalogue, names[i])->name, names[i]);
    }
}

/* The memory is what the name says, in GB or GiB, less what the driver keeps: never more. */
static void test_memory_matches_the_name_and_has_a_source(void **state) {
    const struct catalogue *catalogue = *state;
    for (size_t i = 0; i < catalogue->gpu_count; i++) {
        const struct gpu_model *gpu = &catalogue->gpus[i];
        int gigabytes = 0;
        assert_int_equal(sscanf(strrchr(gpu->name, '-'), "-%dGB", &gigabytes), 1);
        assert_true(gpu->memory_mib <= gigabytes * 1024);
        assert_true((double)gpu->memory_mib * 1048576 >= gigabytes * 0.93e9);
        assert_true(strlen(gpu->memory_source) > 0);
    }
}

static void test_known_figures(void **state) {
    const struct catalogue *catalogue = *state;
    /* nvidia-smi of the boards. */
    assert_int_equal(find(catalogue, "A100-SXM4-80GB")->memory_mib, 81920);
    assert_int_equal(find(catalogue, "H100-SXM5-80GB")->memory_mib, 81559);
    assert_int_equal(find(catalogue, "T4")->memory_mib, 15360);
    assert_int_equal(find(catalogue, "L40S")->memory_mib, 46068);
    /* On-demand list prices per instance / GPUs of it. */
    assert_true(fabs(find(catalogue, "H100-SXM5-80GB")->price_usd_per_gpu_hour - 55.04 / 8) < 1e-9);
    assert_true(fabs(find(catalogue, "H200-SXM-141GB")->price_usd_per_gpu_hour - 63.296 / 8) <
                0.005);
}

static bool is_date(const char *text) {
    int year;
    int month;
    int day = 1;
    int fields = sscanf(text, "%4d-%2d-%2d", &year, &month, &day);
    return (strlen(text) == 7 || strlen(text) == 10) && fields >= 2 && year >= 2024 && month >= 1 &&
           month <= 12 && day >= 1 && day <= 31;
}

static void test_prices_are_whole_or_absent(void **state) {
    const struct catalogue *catalogue = *state;
    size_t priced = 0;
    for (size_t i = 0; i < catalogue->gpu_count; i++) {
        const struct gpu_model *gpu = &catalogue->gpus[i];
        if (isnan(gpu->price_usd_per_gpu_hour)) {
            assert_string_equal(gpu->price_provider, "");
            assert_string_equal(gpu->price_kind, "");
            assert_string_equal(gpu->price_date, "");
            assert_string_equal(gpu->price_source, "");
            continue;
        }
        priced++;
        assert_true(gpu->price_usd_per_gpu_hour > 0.1 && gpu->price_usd_per_gpu_hour < 20);
        assert_true(strlen(gpu->price_provider) > 0 && strlen(gpu->price_source) > 0);
        assert_string_equal(gpu->price_kind, "on-demand");
        assert_true(is_date(gpu->price_date));
    }
    assert_int_equal(priced, 11);
    assert_true(isnan(find(catalogue, "T4")->price_usd_per_gpu_hour));
}

static void test_any_case_and_short_forms(void **state) {
    const struct catalogue *catalogue = *state;
    assert_string_equal(find(catalogue, "a100-sxm4-80gb")->name, "A100-SXM4-80GB");
    assert_string_equal(find(catalogue, "t4")->name, "T4-16GB");
    assert_string_equal(find(catalogue, "L4")->name, "L4-24GB");
    assert_string_equal(find(catalogue, "H100-NVL")->name, "H100-NVL-94GB");
    assert_string_equal(find(catalogue, "rtx-pro-6000")->name, "RTX-PRO-6000-96GB");
    assert_string_equal(find(catalogue, "RTX")->name, "RTX-PRO-6000-96GB");
    assert_string_equal(find(catalogue, "GB200")->name, "GB200-186GB");
}

/* The candidates for a name, in the order of the catalogue, with commas. */
static void expect_candidates(const struct catalogue *catalogue, const char *name, int result,
                              const char *expected) {
    int candidates[MOST];
    size_t count;
    char list[512] = "";
    assert_int_equal(catalogue_find_gpu(catalogue, name, candidates, MOST, &count), result);
    for (size_t i = 0; i < count; i++) {
        strcat(list, i > 0 ? "," : "");
        strcat(list, catalogue->gpus[candidates[i]].name);
    }
    assert_string_equal(list, expected);
}

static void test_ambiguous_names_give_all_that_fit(void **state) {
    const struct catalogue *catalogue = *state;
    expect_candidates(catalogue, "A100", CATALOGUE_AMBIGUOUS,
                      "A100-SXM4-40GB,A100-SXM4-80GB,A100-PCIE-40GB,A100-PCIE-80GB");
    expect_candidates(catalogue, "a100-sxm4", CATALOGUE_AMBIGUOUS, "A100-SXM4-40GB,A100-SXM4-80GB");
    expect_candidates(catalogue, "V100", CATALOGUE_AMBIGUOUS, "V100-SXM2-16GB,V100-SXM2-32GB");
}

static void test_unknown_names_give_what_resembles_them(void **state) {
    const struct catalogue *catalogue = *state;
    expect_candidates(catalogue, "A100-80GB", CATALOGUE_UNKNOWN, "A100-SXM4-80GB,A100-PCIE-80GB");
    expect_candidates(catalogue, "A100-80", CATALOGUE_UNKNOWN, "A100-SXM4-80GB,A100-PCIE-80GB");
    expect_candidates(catalogue, "A100-SXM-80GB", CATALOGUE_UNKNOWN, "A100-SXM4-80GB");
    expect_candidates(catalogue, "NVIDIA A100-SXM4-80GB", CATALOGUE_UNKNOWN, "A100-SXM4-80GB");
    expect_candidates(catalogue, "Tesla T4", CATALOGUE_UNKNOWN, "T4-16GB");
    expect_candidates(catalogue, "nvidia_h100_nvl", CATALOGUE_UNKNOWN, "H100-NVL-94GB");
    expect_candidates(catalogue, "V100-32GB", CATALOGUE_UNKNOWN, "V100-SXM2-32GB");
    expect_candidates(catalogue, "H101-NVL", CATALOGUE_UNKNOWN, "H100-NVL-94GB");
    expect_candidates(catalogue, "", CATALOGUE_UNKNOWN, "");
    expect_candidates(catalogue, "-", CATALOGUE_UNKNOWN, "");
    expect_candidates(catalogue, "teapot", CATALOGUE_UNKNOWN, "");
    /* A part of a part is not a short form. */
    expect_candidates(catalogue, "L", CATALOGUE_UNKNOWN, "");
}

static void test_candidates_respect_the_capacity(void **state) {
    int candidates[2] = {-1, -1};
    size_t count = 0;
    assert_int_equal(catalogue_find_gpu(*state, "A100", candidates, 2, &count),
                     CATALOGUE_AMBIGUOUS);
    assert_int_equal(count, 2);
    assert_int_equal(catalogue_find_gpu(*state, "A100", NULL, 0, &count), CATALOGUE_AMBIGUOUS);
    assert_int_equal(count, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_all_names_are_there),
        cmocka_unit_test(test_memory_matches_the_name_and_has_a_source),
        cmocka_unit_test(test_known_figures),
        cmocka_unit_test(test_prices_are_whole_or_absent),
        cmocka_unit_test(test_any_case_and_short_forms),
        cmocka_unit_test(test_ambiguous_names_give_all_that_fit),
        cmocka_unit_test(test_unknown_names_give_what_resembles_them),
        cmocka_unit_test(test_candidates_respect_the_capacity),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
